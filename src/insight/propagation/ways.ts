import { groupBy } from '../../model/group-by.ts';
import { compareByFqn } from '../../model/name.ts';
import type { ColumnStep, TracedColumn } from '../columns/column-graph.ts';

/** Follows a label from the columns that carry it along the mappings, and keeps the best ways to each column. */

/** A way from a source to a column: each step knows the one before it. */
type Way = {
  readonly column: TracedColumn;
  readonly source: TracedColumn;
  readonly before: Way | undefined;
};

export type Block = { readonly from: TracedColumn; readonly to: TracedColumn; readonly function: string };

export type Inherited = {
  readonly column: TracedColumn;
  /** The nearest sources, the nearest first. */
  readonly sources: readonly TracedColumn[];
  /** The shortest ways, each from its source to the column. */
  readonly paths: readonly (readonly TracedColumn[])[];
  /** The product of the confidence of the mappings along the best way. */
  readonly confidence: number;
  /** The first obstacle on the shortest way, when every way has one. */
  readonly blockedBy: Block | undefined;
};

export type LabelFlow = {
  readonly steps: readonly ColumnStep[];
  readonly sources: readonly TracedColumn[];
  readonly isStop: (column: TracedColumn) => boolean;
  readonly maxDepth: number;
};

/** The name of the tag that stops labels, and of the obstacle that a column with it is. */
export const PROPAGATION_STOP = 'Lineage.PropagationStop';

/** Whether a column keeps everything from passing. */
export const isStopped = ({ labels }: Pick<TracedColumn, 'labels'>): boolean =>
  labels.some(({ tagFQN }) => tagFQN === PROPAGATION_STOP);

const MAX_PATHS = 3;
const MAX_SOURCES = 5;
/** A source does not count for itself, so each column passes on one more than an answer names. */
const MAX_PASSED_SOURCES = MAX_SOURCES + 1;

type Leaving = ReadonlyMap<string, readonly ColumnStep[]>;

/** The steps that leave each column, in the order of the names they lead to, so that answers do not depend on storage. */
const groupSteps = (steps: readonly ColumnStep[]): Leaving =>
  groupBy(
    [...steps].sort((a, b) => compareByFqn(a.to, b.to)),
    ({ from }) => from.key,
  );

const leadsThrough = (way: Way | undefined, { key }: TracedColumn): boolean => {
  for (let at = way; at; at = at.before) if (at.column.key === key) return true;
  return false;
};

const columnsOf = (way: Way): readonly TracedColumn[] => {
  const columns: TracedColumn[] = [];
  for (let at: Way | undefined = way; at; at = at.before) columns.push(at.column);
  return columns.reverse();
};

/** The ways to one column, and the sources that they begin at, the nearest first. */
type KnownWays = { readonly ways: Way[]; readonly sources: Set<TracedColumn> };

/** Keeps a way that is among the shortest ones, or from another source than those known. */
const keepWay = ({ ways, sources }: KnownWays, way: Way): boolean => {
  const isOther = sources.size < MAX_PASSED_SOURCES && !sources.has(way.source);
  if (ways.length >= MAX_PATHS && !isOther) return false;
  ways.push(way);
  sources.add(way.source);
  return true;
};

/** Finds the ways that labels can take to each column, the shortest first. */
const findOpenWays = (leaving: Leaving, { sources, isStop, maxDepth }: LabelFlow): ReadonlyMap<string, KnownWays> => {
  const waysTo = new Map<string, KnownWays>();
  let frontier = sources
    .filter((one) => !isStop(one))
    .map((one): Way => ({ column: one, source: one, before: undefined }));
  for (let depth = 0; depth < maxDepth && frontier.length > 0; depth += 1) {
    const next: Way[] = [];
    for (const before of frontier) {
      for (const { to, blocker } of leaving.get(before.column.key) ?? []) {
        if (blocker !== undefined || isStop(to) || leadsThrough(before, to)) continue;
        const known = waysTo.get(to.key) ?? { ways: [], sources: new Set() };
        waysTo.set(to.key, known);
        const way = { column: to, source: before.source, before };
        if (keepWay(known, way)) next.push(way);
      }
    }
    frontier = next;
  }
  return waysTo;
};

/** The best confidence by which each source reaches a column, for the best two of them. */
type Reach = Map<string, number>;

/** Notes a better confidence. Two sources are enough: one of them may be the column itself further on. */
const noteReach = (reach: Reach, source: string, confidence: number): boolean => {
  if ((reach.get(source) ?? 0) >= confidence) return false;
  reach.set(source, confidence);
  if (reach.size <= 2) return true;
  const [worst] = [...reach].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? 1 : -1))[0] ?? [];
  reach.delete(worst ?? '');
  return worst !== source;
};

/** The confidence of the best way to each column. A way through a column twice is never better than one without. */
const findConfidence = (leaving: Leaving, { sources, isStop, maxDepth }: LabelFlow): ReadonlyMap<string, number> => {
  const reached = new Map<string, Reach>();
  let frontier = new Map<string, Reach>(
    sources.filter((one) => !isStop(one)).map(({ key }) => [key, new Map([[key, 1]])]),
  );
  for (let depth = 0; depth < maxDepth && frontier.size > 0; depth += 1) {
    const next = new Map<string, Reach>();
    for (const [key, reach] of frontier) {
      for (const { to, blocker, confidence } of leaving.get(key) ?? []) {
        if (blocker !== undefined || isStop(to)) continue;
        const known = reached.get(to.key) ?? new Map<string, number>();
        reached.set(to.key, known);
        for (const [source, before] of reach) {
          if (source === to.key || !noteReach(known, source, before * confidence)) continue;
          const fresh = next.get(to.key) ?? new Map<string, number>();
          next.set(to.key, fresh.set(source, before * confidence));
        }
      }
    }
    frontier = next;
  }
  return new Map([...reached].map(([key, reach]) => [key, Math.max(0, ...reach.values())]));
};

type BlockedWay = Way & { readonly block: Block | undefined; readonly confidence: number };

const stopAt = (from: TracedColumn, to: TracedColumn): Block => ({ from, to, function: PROPAGATION_STOP });

/** Finds the shortest way to each column as if nothing kept labels from passing, with the first obstacle on it. */
const findShortestWays = (
  leaving: Leaving,
  { sources, isStop, maxDepth }: LabelFlow,
): ReadonlyMap<string, BlockedWay> => {
  const found = new Map<string, BlockedWay>();
  let frontier = sources.map((one): BlockedWay => {
    const block = isStop(one) ? stopAt(one, one) : undefined;
    return { column: one, source: one, before: undefined, block, confidence: 1 };
  });
  for (const way of frontier) found.set(way.column.key, way);
  for (let depth = 0; depth < maxDepth && frontier.length > 0; depth += 1) {
    const next: BlockedWay[] = [];
    for (const before of frontier) {
      for (const { from, to, blocker, confidence } of leaving.get(before.column.key) ?? []) {
        if (found.has(to.key)) continue;
        const here =
          blocker === undefined ? (isStop(to) ? stopAt(from, to) : undefined) : { from, to, function: blocker };
        const way = {
          column: to,
          source: before.source,
          before,
          block: before.block ?? here,
          confidence: before.confidence * confidence,
        };
        found.set(to.key, way);
        next.push(way);
      }
    }
    frontier = next;
  }
  return found;
};

/** Lists the columns that labels reach, or would reach if nothing kept them from passing, in the order of their names. */
export const followLabel = (flow: LabelFlow): readonly Inherited[] => {
  const sources = [...flow.sources].sort(compareByFqn);
  const ordered = { ...flow, sources };
  const leaving = groupSteps(flow.steps);
  const open = findOpenWays(leaving, ordered);
  const confidence = findConfidence(leaving, ordered);
  const carriers = new Set(sources.map(({ key }) => key));
  const inherited = [...open.values()].flatMap(({ ways, sources: begins }): Inherited[] => {
    const [first] = ways;
    if (!first) return [];
    return [
      {
        column: first.column,
        sources: [...begins].slice(0, MAX_SOURCES),
        paths: ways.slice(0, MAX_PATHS).map(columnsOf),
        confidence: confidence.get(first.column.key) ?? 0,
        blockedBy: undefined,
      },
    ];
  });
  const blocked = [...findShortestWays(leaving, ordered)].flatMap(([key, way]): Inherited[] =>
    // A column that carries the label needs none, whatever keeps others from reaching it.
    open.has(key) || carriers.has(key)
      ? []
      : [
          {
            column: way.column,
            sources: [way.source],
            paths: [columnsOf(way)],
            confidence: way.confidence,
            blockedBy: way.block,
          },
        ],
  );
  return [...inherited, ...blocked].sort((a, b) => compareByFqn(a.column, b.column));
};
