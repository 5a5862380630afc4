import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import { jsonObjects } from '../../model/json-parts.ts';
import type { ExecutionStatus } from '../../model/schemas/contracts/contract.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import { listRecordContracts } from '../queries.ts';

/** What a contract says should no longer be used: its record, or columns of it. */
export type Deprecations = { readonly isDeprecated: boolean; readonly columns: readonly string[] };

/** The contract of a record with the status of its latest result. */
export type ContractNode = RefNode & {
  readonly status: ExecutionStatus | undefined;
  readonly deprecations?: Deprecations;
};

/** Contracts by the ID of their record. */
export type ContractsByRecord = ReadonlyMap<string, ContractNode>;

/** The change of a column, named relative to its record. */
export type AffectedColumn = { readonly column: string; readonly change: 'dropped' | 'renamed' | 'retyped' };

/** A contract and the column changes of its record. */
export type ContractImpact = { readonly contractId: string; readonly changes: readonly AffectedColumn[] };

/** Returns the broken clauses by contract ID; the contract module implements it. */
export type FindBrokenClauses = (
  principal: Principal,
  plights: readonly ContractImpact[],
) => Promise<ReadonlyMap<string, readonly { readonly clause: string }[]>>;

const BATCH_SIZE = 1000;

const parseLatestStatus = (latestJson: string | null): ExecutionStatus | undefined =>
  latestJson === null ? undefined : (JSON.parse(latestJson) as { readonly status?: ExecutionStatus }).status;

/** The maximum number of deprecated columns of one contract. */
const MAX_COLUMNS = 100;

const parseDeprecations = (annotationsJson: string): Deprecations => {
  const { deprecated, columns } = JSON.parse(annotationsJson) as JsonObject;
  const named = jsonObjects(columns).filter((column) => column['deprecated'] === true);
  return {
    isDeprecated: deprecated === true,
    columns: named.slice(0, MAX_COLUMNS).map(({ column }) => String(column)),
  };
};

/** Reads the contracts of some records, as far as the caller may see them. */
export const readVisibleContracts = async (
  engine: Engine,
  principal: Principal,
  ids: readonly string[],
): Promise<ContractsByRecord> => {
  const found = new Map<string, ContractNode>();
  for (const some of chunk(ids, BATCH_SIZE)) {
    for (const { id, contract } of await engine.graph.read(listRecordContracts, { ids: some })) {
      const { latestJson, annotationsJson, ...node } = contract;
      found.set(id, {
        ...node,
        status: parseLatestStatus(latestJson),
        ...(annotationsJson === null ? {} : { deprecations: parseDeprecations(annotationsJson) }),
      });
    }
  }
  if (found.size === 0) return found;
  const sees = await readNodeVisibility(engine, principal, [...found.values()]);
  return new Map([...found].filter(([, contract]) => sees(contract.id)));
};
