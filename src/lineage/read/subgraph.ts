import type { EdgeTuple } from '../queries.ts';

/**
 * Walks over edges that are already loaded. Start in this folder with `entity-lineage.ts`, which answers for one
 * record; `walker.ts` reads edges from the database, and `derived-edges.ts` and `platform-walk.ts` add edges between
 * services, domains and data products. `graph/` and `map/` contain the larger APIs.
 */

export type LineageDirection = 'upstream' | 'downstream';

/** The edges of a walk from some records, step by step. */
export type LineageWalk = {
  readonly direction: LineageDirection;
  /** The edges of each step, unordered within a step. */
  readonly steps: readonly (readonly EdgeTuple[])[];
};

export const edgePairKey = ([from, to]: EdgeTuple): string => `${from} ${to}`;

/** Removes duplicate edges; the first edge of each pair of records and direction stays. */
export const distinctEdges = (edges: readonly EdgeTuple[]): readonly EdgeTuple[] => {
  const distinct = new Map<string, EdgeTuple>();
  for (const edge of edges) if (!distinct.has(edgePairKey(edge))) distinct.set(edgePairKey(edge), edge);
  return [...distinct.values()];
};

/**
 * Whether the caller may see the details of an edge. Half an edge shows the details of the complete edge, so the caller
 * must see both of its ends.
 */
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
 * Walks edges breadth-first for a caller with limited visibility: hidden records are left out, and nothing is reached
 * through them. Each record is visited once and each edge returned once.
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

/** Walks reduced to one answer, and whether nodes or edges were left out. */
export type TruncatedWalks = {
  readonly walks: readonly LineageWalk[];
  readonly truncated: 'nodes' | 'edges' | undefined;
};

/** Takes the nearest edges of all walks until the budget is exhausted; a required edge always fits. */
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
