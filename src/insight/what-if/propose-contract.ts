import { randomUUID } from 'node:crypto';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { requireKind } from '../../catalog/registry.ts';
import { candidateFromBody } from '../../catalog/resolve/candidate.ts';
import type { RecordPointer } from '../../catalog/resolve/record-pointers.ts';
import { resolveRelation } from '../../catalog/resolve/references.ts';
import { CONTRACT } from '../../contracts/hooks.ts';
import { assertContractable } from '../../contracts/subject.ts';
import { findBrokenClauses, type LinkedTest } from '../../contracts/validation/broken-clauses.ts';
import { badRequest } from '../../errors.ts';
import { type BrokenClauseFinder, readLinkedTests } from '../../impact/broken-contracts.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import { readVisibleContracts } from '../../lineage/read/record-contracts.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { joinFqn } from '../../model/name.ts';
import { dropNulls } from '../../model/validate.ts';
import type { Overlay, ProposedContract } from './overlay.ts';

/** Gives assets of an overlay other contracts, and judges changes of columns by them. */

const DEFAULT_NAME = 'proposed';

type ContractTools = { readonly overlay: Overlay; readonly engine: Engine };

/** The contract that the asset has, as far as the caller sees it, or a reference to one that is new. */
const findContract = async (
  { stored, principal }: Overlay,
  asset: Endpoint,
  name: string,
): Promise<Pick<ProposedContract, 'node' | 'isNew'>> => {
  const known = (await readVisibleContracts(stored, principal, [asset.id])).get(asset.id);
  if (known) {
    const { status: _status, deprecations: _deprecations, ...node } = known;
    return { node, isNew: false };
  }
  const node: RefNode = {
    id: randomUUID(),
    entityType: CONTRACT,
    name,
    fullyQualifiedName: joinFqn(asset.fullyQualifiedName, `dataContract_${name}`),
    displayName: null,
    description: null,
    deleted: false,
  };
  return { node, isNew: true };
};

/** The tests that a proposed contract requires to pass, as far as the caller sees them. */
const findExpectedTests = async (
  { overlay, engine }: ContractTools,
  kind: Kind,
  pointers: readonly RecordPointer[],
): Promise<readonly LinkedTest[]> => {
  const attribute = kind.attributes['qualityExpectations'];
  if (attribute?.store !== 'relation' || pointers.length === 0) return [];
  const nodes = await resolveRelation(engine, attribute, pointers);
  return [...(await readLinkedTests(overlay.stored, overlay.principal, nodes)).values()];
};

/** Proposes a contract for an asset, in the place of the one that it may have. */
export const proposeContract = async (
  { overlay, engine }: ContractTools,
  asset: Endpoint,
  contract: JsonObject,
): Promise<void> => {
  const { kind, id } = asset;
  assertContractable(engine.registry, kind.entityType);
  // What an asset inherits is read from the data product's stored contract, which no overlay replaces.
  if (kind.entityType === 'dataProduct') throw badRequest('the contract of a dataProduct cannot be proposed');
  const entity = { id, type: kind.entityType };
  const body = { name: DEFAULT_NAME, ...(dropNulls(contract) as JsonObject), entity };
  const contractKind = requireKind(engine.registry, CONTRACT);
  const { name, values, relations } = candidateFromBody(contractKind, body);
  const found = await findContract(overlay, asset, name);
  const tests = await findExpectedTests({ overlay, engine }, contractKind, relations['qualityExpectations'] ?? []);
  overlay.contracts.set(id, { ...found, content: { ...values, entity }, tests, asset });
};

/** Judges by proposed contracts where there are some, and by stored ones otherwise. */
export const createOverlayClauseFinder = ({ contracts }: Overlay, stored: BrokenClauseFinder): BrokenClauseFinder => {
  const byId = new Map([...contracts.values()].map((one) => [one.node.id, one]));
  return async (principal, changes) => {
    const broken = new Map(
      await stored(
        principal,
        changes.filter(({ contractId }) => !byId.has(contractId)),
      ),
    );
    for (const { contractId, changes: some } of changes) {
      const one = byId.get(contractId);
      if (one) broken.set(contractId, findBrokenClauses(one.content, some, one.tests));
    }
    return broken;
  };
};
