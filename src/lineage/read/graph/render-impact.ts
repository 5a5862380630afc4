import type { RefNode } from '../../../catalog/queries.ts';
import { renderRef, type View } from '../../../catalog/read/render.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { ContractNode, Deprecations } from '../record-contracts.ts';
import type { TestNode } from '../record-tests.ts';
import { qualifyColumnName } from './affected-tests.ts';
import { renderDescription } from './fit-answer.ts';
import type { AffectedRecord, ImpactAnalysis } from './impact.ts';
import type { NodeDescription } from './node-descriptions.ts';

/** Renders the records that a change affects, the worst first. */

/** An affected record with what is said of it. */
export type ImpactRow = {
  readonly affected: Omit<AffectedRecord, 'certainColumns'>;
  readonly description: NodeDescription | undefined;
  readonly contracts: readonly AffectedContract[];
  readonly tests: readonly TestNode[];
};

/** A contract and the names of its broken clauses. */
export type AffectedContract = {
  readonly node: RefNode & { readonly status?: ContractNode['status']; readonly deprecations?: Deprecations };
  readonly broken: readonly string[];
};

/** Records without a tier sort after all tiers. */
const tierRank = ({ description }: ImpactRow): string => description?.tier ?? '~';

const CERTAINTIES = ['certain', 'possible'];

const hasBreach = ({ contracts }: ImpactRow): boolean => contracts.some(({ broken }) => broken.length > 0);

/** Sorts by certainty, broken contracts, tier and distance. */
export const worstFirst = (a: ImpactRow, b: ImpactRow): number =>
  CERTAINTIES.indexOf(a.affected.certainty) - CERTAINTIES.indexOf(b.affected.certainty) ||
  Number(hasBreach(b)) - Number(hasBreach(a)) ||
  (tierRank(a) < tierRank(b) ? -1 : tierRank(a) > tierRank(b) ? 1 : 0) ||
  a.affected.depth - b.affected.depth ||
  (a.affected.node.fullyQualifiedName < b.affected.node.fullyQualifiedName ? -1 : 1);

/** Renders the reference to a record, or a stub of a hidden one. */
type RefLookup = (id: string) => JsonObject;

/** Creates a lookup that renders each reference once, because the same records occur on many paths. */
export const createRefLookup = ({ nodes, sees }: Pick<ImpactAnalysis, 'nodes' | 'sees'>, view: View): RefLookup => {
  const made = new Map<string, JsonObject>();
  const make = (id: string): JsonObject => {
    const known = nodes.get(id);
    if (!known) return { id };
    return sees(id) ? renderRef(known, view) : { id, type: known.entityType, hidden: true };
  };
  return (id) => {
    const ref = made.get(id) ?? make(id);
    made.set(id, ref);
    return ref;
  };
};

export const renderContracts = (contracts: readonly AffectedContract[]): JsonObject[] =>
  contracts.map(({ node: { id, fullyQualifiedName: fqn, status, deprecations }, broken }) => ({
    id,
    fqn,
    ...(status === undefined ? {} : { status }),
    broken,
    ...(deprecations?.isDeprecated ? { deprecated: true } : {}),
    ...(deprecations && deprecations.columns.length > 0 ? { deprecatedColumns: deprecations.columns } : {}),
  }));

export const renderAffected = (
  { affected, description, contracts, tests }: ImpactRow,
  refOf: RefLookup,
  view: View,
  extras: readonly string[] = [],
): JsonObject => {
  const { node, columns, depth, path, certainty } = affected;
  const more = description && extras.length > 0 ? renderDescription(description, view) : {};
  return {
    entity: refOf(node.id),
    columns: columns.map((name) => qualifyColumnName(node.fullyQualifiedName, name)),
    depth,
    path: path.map(refOf),
    certainty,
    owners: (description?.owners ?? []).map((owner) => renderRef(owner.node, view, owner.inherited)),
    contracts: renderContracts(contracts),
    tests: tests.map((test) => renderRef(test, view)),
    ...(description?.tier === undefined ? {} : { tier: description.tier }),
    ...Object.fromEntries(Object.entries(more).filter(([name]) => extras.includes(name))),
  };
};
