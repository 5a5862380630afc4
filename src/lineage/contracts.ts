import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import type { ExecutionStatus } from '../model/contract-values.ts';
import { piecesOf } from '../model/pieces.ts';
import { listContracts } from './queries.ts';
import { sightOf } from './sight.ts';

/** The contract of a record, with the status of its newest result. */
export type ContractNode = RefNode & { readonly status: ExecutionStatus | undefined };

/** The contracts of records, by the ids of those that have one. */
export type ContractsOf = ReadonlyMap<string, ContractNode>;

/** What happens to a column of a record, which is named by its path below the record. */
export type Happening = { readonly column: string; readonly change: 'dropped' | 'renamed' | 'retyped' };

/** A contract, and what happens to the columns of its record. */
export type Plight = { readonly contractId: string; readonly changes: readonly Happening[] };

/** Asks which clauses of contracts are broken, by the ids of these; whoever knows contracts answers it. */
export type AskBroken = (
  principal: Principal,
  plights: readonly Plight[],
) => Promise<ReadonlyMap<string, readonly { readonly clause: string }[]>>;

const AT_ONCE = 1000;

const statusIn = (latestJson: string | null): ExecutionStatus | undefined =>
  latestJson === null ? undefined : (JSON.parse(latestJson) as { readonly status?: ExecutionStatus }).status;

/** The contracts of some records that the caller may see. */
export const contractsOf = async (
  engine: Engine,
  principal: Principal,
  ids: readonly string[],
): Promise<ContractsOf> => {
  const found = new Map<string, ContractNode>();
  for (const some of piecesOf(ids, AT_ONCE)) {
    for (const { id, contract } of await engine.graph.read(listContracts, { ids: some })) {
      const { latestJson, ...node } = contract;
      found.set(id, { ...node, status: statusIn(latestJson) });
    }
  }
  if (found.size === 0) return found;
  const sees = await sightOf(engine, principal, [...found.values()]);
  return new Map([...found].filter(([, contract]) => sees(contract.id)));
};
