import type { EdgeTuple } from './queries.ts';

export type Direction = 'upstream' | 'downstream';

/** Edges that were walked from some records, step by step. */
export type Walk = {
  readonly direction: Direction;
  /** What each step passes; those of one step in no particular order. */
  readonly steps: readonly (readonly EdgeTuple[])[];
};

export const edgeKeyOf = ([from, to]: EdgeTuple): string => `${from} ${to}`;

/** Each edge once, two being the same when they join the same records in the same direction: the first of them. */
export const distinctEdges = (edges: readonly EdgeTuple[]): readonly EdgeTuple[] => {
  const distinct = new Map<string, EdgeTuple>();
  for (const edge of edges) if (!distinct.has(edgeKeyOf(edge))) distinct.set(edgeKeyOf(edge), edge);
  return [...distinct.values()];
};

/** Whether somebody may be told what is said of an edge. Half an edge tells of the whole, so both ends of that count. */
export const isTellable = ([from, to, , , whole]: EdgeTuple, sees: (id: string) => boolean): boolean =>
  [from, to, ...(whole ? [whole[0], whole[1]] : [])].every(sees);

const ends = (direction: Direction, [from, to]: EdgeTuple): readonly [near: string, far: string] =>
  direction === 'downstream' ? [from, to] : [to, from];

const byNear = (direction: Direction, edges: readonly EdgeTuple[]): ReadonlyMap<string, EdgeTuple[]> => {
  const groups = new Map<string, EdgeTuple[]>();
  for (const edge of edges) {
    const [near] = ends(direction, edge);
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
export const walkFrom = (
  direction: Direction,
  starts: readonly string[],
  edges: readonly EdgeTuple[],
  depth: number,
  sees: (id: string) => boolean,
): Walk => {
  const leaving = byNear(direction, edges);
  const passed = new Set(starts);
  const steps: EdgeTuple[][] = [];
  let frontier: readonly string[] = starts;
  while (steps.length < depth && frontier.length > 0) {
    const step = frontier.flatMap((near) => leaving.get(near) ?? []).filter((edge) => sees(ends(direction, edge)[1]));
    if (step.length === 0) break;
    const next: string[] = [];
    for (const edge of step) {
      const [, far] = ends(direction, edge);
      if (passed.has(far)) continue;
      passed.add(far);
      next.push(far);
    }
    steps.push(step);
    frontier = next;
  }
  return { direction, steps };
};

export type Budget = { readonly nodes: number; readonly edges: number };

/** What of some walks fits into one answer, and what there was too much of. */
export type Cut = { readonly walks: readonly Walk[]; readonly truncated: 'nodes' | 'edges' | undefined };

/** Takes the nearest edges of all walks until there is no more room; there is always room for one that must not be missed. */
export const cutTo = (walks: readonly Walk[], known: readonly string[], budget: Budget, surely?: EdgeTuple): Cut => {
  const nodes = new Set(surely ? [...known, surely[0], surely[1]] : known);
  const kept: EdgeTuple[][][] = walks.map(() => []);
  let room = surely ? budget.edges - 1 : budget.edges;
  let truncated: Cut['truncated'];
  const take = (edge: EdgeTuple): boolean => {
    if (edge === surely) return true;
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
