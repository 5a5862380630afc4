import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import { columnSections } from '../../../model/kind/column-sections.ts';
import type { Kind } from '../../../model/kind/kind.ts';
import { fqnPart } from '../../../model/name.ts';
import { PIPELINE_KINDS } from '../../../model/schemas/lineage/lineage.ts';
import { decodeDetails } from '../../edge.ts';
import { columnPairsOf } from '../../merge-assertions.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import type { LineageBudget } from '../walk-edges.ts';
import { findCycles } from './cycles.ts';
import { type LimitedList, surveyScope } from './health-survey.ts';
import type { Hub, ScopeEdge, ScopePairs } from './queries.ts';

/** A column that an edge names but that does not exist or is not joined. */
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
  /** The full name of the record whose subtree is examined; empty for the whole catalog. */
  readonly scope: string;
  /** Edges last confirmed before this time are reported. */
  readonly olderThan: number | undefined;
  /** The maximum number of items in a list. */
  readonly limit: number;
};

const tracesColumns = (kind: Kind): boolean => columnSections(kind).length > 0 || kind.lineageParts !== undefined;

/** Whether records of a kind should have lineage, so that one without any is reported. */
export const expectsLineage = (kind: Kind): boolean =>
  tracesColumns(kind) || PIPELINE_KINDS.some((type) => type === kind.entityType);

const takeFirst = <T>(items: readonly T[], limit: number, isCut = false): LimitedList<T> => ({
  items: items.slice(0, limit),
  isCut: isCut || items.length > limit,
});

/** Returns the columns that an edge names but does not join. */
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

/** Examines the lineage of a scope for problems, among the records the caller may see. */
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
