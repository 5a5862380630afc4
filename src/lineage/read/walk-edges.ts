import { addEdgeCount } from '../edge.ts';
import type { EdgeTuple } from '../queries.ts';
import { farEndOf, groupLeavingEdges, walkBreadthFirst } from './breadth-first.ts';

/**
 * Walks over edges that are already loaded. Start in this folder with `read-subgraph.ts`, which reads what lies
 * around a record, and `entity-lineage.ts`, which answers with it; `walker.ts` reads edges from the database,
 * `breadth-first.ts` is the walk over them, and `derived-edges.ts` and `platform-walk.ts` add edges between services,
 * domains and data products. `graph/` and `map/` contain the larger APIs.
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

/** Merges asserted and derived edges; an edge that is both keeps its details and gets the derived count. */
export const mergeDerivedEdges = (edges: readonly EdgeTuple[], derived: readonly EdgeTuple[]): readonly EdgeTuple[] => {
  const own = distinctEdges(edges);
  if (derived.length === 0) return own;
  const counted = new Map(derived.map((edge) => [edgePairKey(edge), edge]));
  const both = own.map((edge): EdgeTuple => {
    const count = counted.get(edgePairKey(edge));
    if (!count) return edge;
    counted.delete(edgePairKey(edge));
    return [edge[0], edge[1], edge[2], addEdgeCount(edge[3], count[3])];
  });
  return [...both, ...counted.values()];
};

/**
 * Whether the caller may see the details of an edge. Half an edge shows the details of the complete edge, so the caller
 * must see both of its ends.
 */
export const isEdgeVisible = ([from, to, , , whole]: EdgeTuple, sees: (id: string) => boolean): boolean =>
  [from, to, ...(whole ? [whole[0], whole[1]] : [])].every(sees);

/**
 * Walks edges for a caller with limited visibility: hidden records are left out, and nothing is reached through them.
 */
export const walkVisibleEdges = (
  direction: LineageDirection,
  starts: readonly string[],
  edges: readonly EdgeTuple[],
  depth: number,
  sees: (id: string) => boolean,
): LineageWalk => {
  const rules = { starts, depth, farOf: farEndOf(direction), canReach: sees };
  const steps = [...walkBreadthFirst(groupLeavingEdges(direction, edges), rules)];
  return { direction, steps: steps.map((step) => step.edges) };
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
