import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import { type Kind, memoisePerKind } from '../../../model/kind/kind.ts';
import { fqnPart } from '../../../model/name.ts';
import { PIPELINE_KINDS } from '../../../model/schemas/lineage/lineage.ts';
import { decodeDetails } from '../../edge.ts';
import { columnPairsOf } from '../../merge-assertions.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import type { LineageBudget } from '../subgraph.ts';
import { findCycles } from './cycles.ts';
import { type LimitedList, surveyScope } from './health-survey.ts';
import type { Hub, ScopeEdge, ScopePairs } from './queries.ts';

/** A column that an edge names and that is not there, or not joined. */
export type DanglingColumn = {
  readonly from: string;
  readonly to: string;
  readonly owner: string;
  readonly column: string;
};

export type HealthReport = {
  readonly cycles: LimitedList<readonly string[]>;
  readonly orphans: LimitedList<string>;
  readonly dangling: LimitedList<DanglingColumn>;
  readonly unconfirmed: LimitedList<ScopeEdge>;
  readonly hubs: LimitedList<Hub>;
};

export type HealthRequest = {
  /** The name of what is looked at, with all below it; everything when empty. */
  readonly scope: string;
  /** Edges that nobody has confirmed since then are told. */
  readonly olderThan: number | undefined;
  /** How many items a list may have. */
  readonly limit: number;
};

const tracesColumns = memoisePerKind(
  (kind) => kind.columnTrees.some(([, { hasColumnLineage }]) => hasColumnLineage) || kind.lineageParts !== undefined,
);

/** Kinds of which lineage is to be expected, so that a record without any is worth a look. */
const expectsLineage = (kind: Kind): boolean =>
  tracesColumns(kind) || PIPELINE_KINDS.some((type) => type === kind.entityType);

const takeFirst = <T>(items: readonly T[], limit: number, isCut = false): LimitedList<T> => ({
  items: items.slice(0, limit),
  isCut: isCut || items.length > limit,
});

/** The columns of an edge that it names and does not join. */
const findDanglingColumns = ({ from, to, detailsJson, pairs }: ScopePairs): DanglingColumn[] => {
  const full = (owner: string, name: string) => (name.startsWith(`${owner}.`) ? name : `${owner}.${fqnPart(name)}`);
  const joined = new Set(
    pairs.flatMap(([one, other]) => [full(from.fullyQualifiedName, one), full(to.fullyQualifiedName, other)]),
  );
  const named = new Map<string, string>();
  for (const pair of columnPairsOf(decodeDetails(detailsJson, null).mappings).values()) {
    named.set(`${from.fullyQualifiedName}.${pair.from}`, from.id);
    named.set(`${to.fullyQualifiedName}.${pair.to}`, to.id);
  }
  return [...named].flatMap(([column, owner]) =>
    joined.has(column) ? [] : [{ from: from.id, to: to.id, owner, column }],
  );
};

/** Looks for what is amiss with the lineage of a scope, among what the caller may view. */
export const examineLineage = async (
  engine: Engine,
  principal: Principal,
  { scope, olderThan, limit }: HealthRequest,
  budget: LineageBudget,
): Promise<HealthReport> => {
  const expected = engine.registry.kinds.filter(expectsLineage);
  const { edges, pairs, orphans, hubs } = await surveyScope(engine, scope, expected, budget);
  const sees = await readNodeVisibility(engine, principal, [
    ...[...edges.items, ...pairs.items].flatMap(({ from, to }) => [from, to]),
    ...[...orphans.items, ...hubs.items].map(({ node }) => node),
  ]);
  const seen = <T extends { readonly from: { readonly id: string }; readonly to: { readonly id: string } }>(
    all: readonly T[],
  ) => all.filter(({ from, to }) => sees(from.id) && sees(to.id));
  const known = seen(edges.items);
  const old = known.filter(({ seenAt }) => olderThan !== undefined && seenAt < olderThan);
  const cycles = findCycles(known.map(({ from, to }) => [from.id, to.id]));
  const lone = orphans.items.map(({ node }) => node.id).filter(sees);
  const largest = hubs.items
    .filter(({ node }) => sees(node.id))
    .sort((a, b) => b.upstream + b.downstream - a.upstream - a.downstream);
  return {
    cycles: takeFirst(cycles, limit, edges.isCut),
    orphans: takeFirst(lone, limit, orphans.isCut),
    dangling: takeFirst(seen(pairs.items).flatMap(findDanglingColumns), limit, pairs.isCut),
    unconfirmed: takeFirst(
      [...old].sort((a, b) => a.seenAt - b.seenAt),
      limit,
      olderThan !== undefined && edges.isCut,
    ),
    hubs: takeFirst(largest, limit, hubs.isCut),
  };
};
