import type { EdgeTuple, LineageNode } from '../../lineage/queries.ts';
import { farEndOf, groupLeavingEdges, nearEndOf, walkBreadthFirst } from '../../lineage/read/breadth-first.ts';
import { edgePairKey, type LineageBudget, type LineageDirection } from '../../lineage/read/walk-edges.ts';
import { type FoundEdges, type LineageWalker, NO_EDGES } from '../../lineage/read/walker.ts';
import type { OverlayIndex } from './overlay-index.ts';

/**
 * Walks stored lineage together with an overlay. The database walks as far as stored edges lead; where the overlay leads
 * on, it walks again from there, with the steps that are left.
 */

type WalkState = {
  readonly direction: LineageDirection;
  /** The edges found so far, by the record that they leave. */
  readonly leaving: Map<string, Map<string, EdgeTuple>>;
  readonly nodes: Map<string, LineageNode>;
  /** How many steps from each record the database has walked. */
  readonly walked: Map<string, number>;
  edges: number;
};

const addEdge = (state: WalkState, edge: EdgeTuple): void => {
  const near = nearEndOf(state.direction)(edge);
  const known = state.leaving.get(near) ?? new Map<string, EdgeTuple>();
  if (known.has(edgePairKey(edge))) return;
  state.leaving.set(near, known.set(edgePairKey(edge), edge));
  state.edges += 1;
};

/** Notes how far the database walked from each record, also along edges that would be gone. */
const noteWalked = ({ direction, walked }: WalkState, starts: readonly string[], steps: number, found: FoundEdges) => {
  const note = (id: string, left: number) => walked.set(id, Math.max(walked.get(id) ?? 0, left));
  for (const id of starts) note(id, steps);
  const rules = { starts, depth: steps, farOf: farEndOf(direction) };
  for (const step of walkBreadthFirst(groupLeavingEdges(direction, found.edges), rules)) {
    for (const id of step.reached) note(id, steps - step.depth);
  }
};

/** Adds the edges that the overlay makes from some records. */
const addPresentEdges = (state: WalkState, index: OverlayIndex, ids: readonly string[]): void => {
  for (const id of ids) {
    for (const { edge, tuple } of index.edgesAt(state.direction, id)) {
      const far = state.direction === 'downstream' ? edge.to.node : edge.from.node;
      if (!state.nodes.has(far.id)) state.nodes.set(far.id, far);
      addEdge(state, tuple);
    }
  }
};

type Unwalked = { readonly starts: readonly string[]; readonly steps: number };

/** Finds the nearest records from which the database has walked less far than the walk leads. */
const findUnwalked = (
  state: WalkState,
  index: OverlayIndex,
  ids: readonly string[],
  depth: number,
): Unwalked | undefined => {
  const farOf = farEndOf(state.direction);
  const passed = new Set(ids);
  let frontier: readonly string[] = [...passed];
  for (let steps = depth; steps > 0 && frontier.length > 0; steps -= 1) {
    addPresentEdges(state, index, frontier);
    const starts = frontier.filter((id) => (state.walked.get(id) ?? 0) < steps);
    if (starts.length > 0) return { starts, steps };
    const fresh: string[] = [];
    for (const id of frontier) {
      for (const edge of state.leaving.get(id)?.values() ?? []) {
        if (passed.has(farOf(edge))) continue;
        passed.add(farOf(edge));
        fresh.push(farOf(edge));
      }
    }
    frontier = fresh;
  }
  return undefined;
};

/** The edges that the walk passes, nearest first, at most one more than the budget allows. */
const collectWalk = (state: WalkState, ids: readonly string[], depth: number, budget: LineageBudget): FoundEdges => {
  const leaving = { get: (id: string): readonly EdgeTuple[] => [...(state.leaving.get(id)?.values() ?? [])] };
  const rules = { starts: ids, depth, farOf: farEndOf(state.direction) };
  const edges: EdgeTuple[] = [];
  for (const step of walkBreadthFirst(leaving, rules)) for (const edge of step.edges) edges.push(edge);
  const kept = edges.slice(0, budget.edges + 1);
  const reached = new Set(kept.map(farEndOf(state.direction)));
  return { edges: kept, nodes: [...reached].flatMap((id) => state.nodes.get(id) ?? []) };
};

/** Everything that was found until the budget was used up, so that the answer says that it was cut. */
const collectAll = ({ leaving, nodes }: WalkState, budget: LineageBudget): FoundEdges => ({
  edges: [...leaving.values()].flatMap((edges) => [...edges.values()]).slice(0, budget.edges + 1),
  nodes: [...nodes.values()],
});

/** Creates a walker over what a stored one finds and an overlay. */
export const createOverlayWalker = (stored: LineageWalker, index: OverlayIndex): LineageWalker => ({
  walk: async (direction, ids, depth, budget, signal) => {
    if (depth === 0 || ids.length === 0) return NO_EDGES;
    const state: WalkState = { direction, leaving: new Map(), nodes: new Map(), walked: new Map(), edges: 0 };
    const more = { nodes: budget.nodes + index.replaced, edges: budget.edges + index.replaced };
    let next = findUnwalked(state, index, ids, depth);
    while (next !== undefined && state.edges <= budget.edges && state.nodes.size <= budget.nodes) {
      const found = await stored.walk(direction, next.starts, next.steps, more, signal);
      noteWalked(state, next.starts, next.steps, found);
      for (const node of found.nodes) state.nodes.set(node.id, node);
      for (const edge of found.edges) if (!index.isTouched(edge[0], edge[1])) addEdge(state, edge);
      next = findUnwalked(state, index, ids, depth);
    }
    return next === undefined ? collectWalk(state, ids, depth, budget) : collectAll(state, budget);
  },
  viaPipeline: async (id, limit) => {
    const found = await stored.viaPipeline(id, limit + index.replaced);
    const edges = found.edges.filter(([from, to]) => !index.isTouched(from, to));
    const added = index.edges.filter(({ tuple }) => tuple[2] === id);
    return {
      edges: [...edges, ...added.map(({ tuple }) => tuple)],
      nodes: [...found.nodes, ...added.flatMap(({ edge }) => [edge.from.node, edge.to.node])],
    };
  },
});
