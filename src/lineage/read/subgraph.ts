import type { EdgeTuple } from '../queries.ts';

export type LineageDirection = 'upstream' | 'downstream';

/** Edges that were walked from some records, step by step. */
export type LineageWalk = {
  readonly direction: LineageDirection;
  /** What each step passes; those of one step in no particular order. */
  readonly steps: readonly (readonly EdgeTuple[])[];
};

export const edgePairKey = ([from, to]: EdgeTuple): string => `${from} ${to}`;

/** Each edge once, two being the same when they join the same records in the same direction: the first of them. */
export const distinctEdges = (edges: readonly EdgeTuple[]): readonly EdgeTuple[] => {
  const distinct = new Map<string, EdgeTuple>();
  for (const edge of edges) if (!distinct.has(edgePairKey(edge))) distinct.set(edgePairKey(edge), edge);
  return [...distinct.values()];
};

/** Whether somebody may be told what is said of an edge. Half an edge tells of the whole, so both ends of that count. */
export const isEdgeVisible = ([from, to, , , whole]: EdgeTuple, sees: (id: string) => boolean): boolean =>
  [from, to, ...(whole ? [whole[0], whole[1]] : [])].every(sees);

const nearAndFar = (direction: LineageDirection, [from, to]: EdgeTuple): readonly [near: string, far: string] =>
  direction === 'downstream' ? [from, to] : [to, from];

const groupByNearEnd = (direction: LineageDirection, edges: readonly EdgeTuple[]): ReadonlyMap<string, EdgeTuple[]> => {
  const groups = new Map<string, EdgeTuple[]>();
  for (const edge of edges) {
    const [near] = nearAndFar(direction, edge);
    const group = groups.get(near);
    if (group) group.push(edge);
    else groups.set(near, [edge]);
  }
  return groups;
};

/**
 * Walks edges from some records, nearest first, as somebody sees them who does not see everything: what is out of sight
 * is left out, and nothing is reached through it. Each record is passed once and each edge answered once.
 */
export const walkVisibleEdges = (
  direction: LineageDirection,
  starts: readonly string[],
  edges: readonly EdgeTuple[],
  depth: number,
  sees: (id: string) => boolean,
): LineageWalk => {
  const leaving = groupByNearEnd(direction, edges);
  const passed = new Set(starts);
  const steps: EdgeTuple[][] = [];
  let frontier: readonly string[] = starts;
  while (steps.length < depth && frontier.length > 0) {
    const step = frontier
      .flatMap((near) => leaving.get(near) ?? [])
      .filter((edge) => sees(nearAndFar(direction, edge)[1]));
    if (step.length === 0) break;
    const next: string[] = [];
    for (const edge of step) {
      const [, far] = nearAndFar(direction, edge);
      if (passed.has(far)) continue;
      passed.add(far);
      next.push(far);
    }
    steps.push(step);
    frontier = next;
  }
  return { direction, steps };
};

export type LineageBudget = { readonly nodes: number; readonly edges: number };

/** What of some walks fits into one answer, and what there was too much of. */
export type TruncatedWalks = {
  readonly walks: readonly LineageWalk[];
  readonly truncated: 'nodes' | 'edges' | undefined;
};

/** Takes the nearest edges of all walks until there is no more room; there is always room for one that must not be missed. */
export const truncateWalks = (
  walks: readonly LineageWalk[],
  known: readonly string[],
  budget: LineageBudget,
  required?: EdgeTuple,
): TruncatedWalks => {
  const nodes = new Set(required ? [...known, required[0], required[1]] : known);
  const kept: EdgeTuple[][][] = walks.map(() => []);
  let room = required ? budget.edges - 1 : budget.edges;
  let truncated: TruncatedWalks['truncated'];
  const take = (edge: EdgeTuple): boolean => {
    if (edge === required) return true;
    if (truncated) return false;
    const fresh = [edge[0], edge[1]].filter((id) => !nodes.has(id));
    if (room === 0) truncated = 'edges';
    else if (nodes.size + fresh.length > budget.nodes) truncated = 'nodes';
    if (truncated) return false;
    for (const id of fresh) nodes.add(id);
    room -= 1;
    return true;
  };
  const deepest = Math.max(0, ...walks.map(({ steps }) => steps.length));
  for (let step = 0; step < deepest && !truncated; step += 1) {
    walks.forEach((walk, at) => {
      const some = (walk.steps[step] ?? []).filter(take);
      if (some.length > 0) kept[at]?.push(some);
    });
  }
  return { walks: walks.map(({ direction }, at) => ({ direction, steps: kept[at] ?? [] })), truncated };
};
