import type { Graph } from '../../graph/client.ts';
import { coalesce } from '../../graph/coalesce.ts';
import {
  decodeNode,
  type EdgeTuple,
  type LineageNode,
  listAdjacentEdges,
  listEdgesViaPipeline,
  type WalkRow,
  walkStatements,
} from '../queries.ts';
import type { LineageBudget, LineageDirection } from './walk-edges.ts';

/** Edges found around some records, and the records they join. */
export type FoundEdges = { readonly edges: readonly EdgeTuple[]; readonly nodes: readonly LineageNode[] };

export type LineageWalker = {
  /** Returns the edges within a number of steps, nearest first, at most one more than the budget allows. */
  walk(
    direction: LineageDirection,
    ids: readonly string[],
    depth: number,
    budget: LineageBudget,
    signal?: AbortSignal,
  ): Promise<FoundEdges>;
  /** Returns the edges that run through a record. */
  viaPipeline(id: string, limit: number): Promise<FoundEdges>;
};

/** The edges next to a record in both directions, and whether some were left out. */
type AdjacentEdges = { readonly up: FoundEdges; readonly down: FoundEdges; readonly isCut: boolean };

export type PresentWalker = LineageWalker & {
  /** Returns the edges next to a record, limited to what the answer to a change contains. */
  adjacentEdges(id: string): Promise<AdjacentEdges>;
};

/** The maximum number of other edges in the answer to a change of an edge. */
export const MAX_ADJACENT_EDGES = 1000;

export const NO_EDGES: FoundEdges = { edges: [], nodes: [] };
const NO_ADJACENT_EDGES: AdjacentEdges = { up: NO_EDGES, down: NO_EDGES, isCut: false };

/** Short walks finish quickly, so several of them share a query; a longer walk would delay the others. */
const SHARED_DEPTH = 3;
const SHARED_BATCH = 32;

type WalkShape = { readonly direction: LineageDirection; readonly depth: number; readonly budget: LineageBudget };

const walkNameOf = ({ direction, depth, budget }: WalkShape): string =>
  `lineage/walk:${direction}:${depth}:${budget.nodes}:${budget.edges}`;

const loadWalks = async (
  graph: Graph,
  { direction, depth, budget }: WalkShape,
  starts: readonly (readonly string[])[],
  signal?: AbortSignal,
): Promise<readonly FoundEdges[]> => {
  const found: FoundEdges[] = starts.map(() => NO_EDGES);
  const wanted = {
    rows: starts.map((ids, at) => ({ ids, at })),
    nodes: budget.nodes + 1,
    edges: budget.edges + 1,
  };
  const rows: readonly WalkRow[] = await graph.read(walkStatements[direction].for(String(depth - 1)), wanted, {
    signal,
  });
  for (const { at, edges, nodes } of rows) found[at] = { edges, nodes: nodes.map(decodeNode) };
  return found;
};

/** Creates a reader of short walks in which concurrent walks of one shape share a query. */
const createSharedWalks = (graph: Graph) => {
  const known = new Map<string, (ids: readonly string[]) => Promise<FoundEdges>>();
  return (shape: WalkShape): ((ids: readonly string[]) => Promise<FoundEdges>) => {
    const name = walkNameOf(shape);
    const walk =
      known.get(name) ??
      coalesce({
        name,
        observer: graph.observer,
        maxBatch: SHARED_BATCH,
        load: (starts: readonly (readonly string[])[]) => loadWalks(graph, shape, starts),
      });
    known.set(name, walk);
    return walk;
  };
};

const createAdjacencyReader = (graph: Graph): PresentWalker['adjacentEdges'] =>
  coalesce({
    name: listAdjacentEdges.name,
    observer: graph.observer,
    maxBatch: SHARED_BATCH,
    load: async (ids: readonly string[]) => {
      const found: AdjacentEdges[] = ids.map(() => NO_ADJACENT_EDGES);
      const rows = await graph.read(listAdjacentEdges, {
        rows: ids.map((id, at) => ({ id, at })),
        edges: MAX_ADJACENT_EDGES + 1,
      });
      for (const { at, above, below, nodes, isCut } of rows) {
        const known = nodes.map(decodeNode);
        found[at] = { up: { edges: above, nodes: known }, down: { edges: below, nodes: known }, isCut };
      }
      return found;
    },
  });

export const createLineageWalker = (graph: Graph): PresentWalker => {
  const sharedWalk = createSharedWalks(graph);
  return {
    adjacentEdges: createAdjacencyReader(graph),
    walk: async (direction, ids, depth, budget, signal) => {
      if (depth === 0 || ids.length === 0) return NO_EDGES;
      const shape = { direction, depth, budget };
      if (depth <= SHARED_DEPTH) return sharedWalk(shape)(ids);
      // A longer walk is never shared, so its caller may cancel it.
      const [found = NO_EDGES] = await loadWalks(graph, shape, [ids], signal);
      return found;
    },
    viaPipeline: async (id, limit) => {
      const rows = await graph.read(listEdgesViaPipeline, { id, limit });
      return { edges: rows.map(({ edge }) => edge), nodes: rows.flatMap(({ nodes }) => nodes) };
    },
  };
};

/**
 * Returns the same walker, which cancels longer walks when the caller has disconnected. It requests the signal only for
 * those, because creating a signal has a cost.
 */
export const walkerWithAbortSignal = (
  walker: LineageWalker,
  call: { readonly signal: AbortSignal },
): LineageWalker => ({
  ...walker,
  walk: (direction, ids, depth, budget) =>
    walker.walk(direction, ids, depth, budget, depth > SHARED_DEPTH ? call.signal : undefined),
});
