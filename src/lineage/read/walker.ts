import type { RefNode } from '../../catalog/queries.ts';
import type { Graph } from '../../graph/client.ts';
import { coalesce } from '../../graph/coalesce.ts';
import {
  decodeNode,
  type EdgeTuple,
  listAdjacentEdges,
  listEdgesViaPipeline,
  type WalkRow,
  walkStatements,
} from '../queries.ts';
import type { LineageBudget, LineageDirection } from './subgraph.ts';

/** Edges found around some records, and the records they join. */
export type Subgraph = { readonly edges: readonly EdgeTuple[]; readonly nodes: readonly RefNode[] };

export type LineageWalker = {
  /** Returns the edges within a number of steps, nearest first, at most one more than the budget allows. */
  walk(
    direction: LineageDirection,
    ids: readonly string[],
    depth: number,
    budget: LineageBudget,
    signal?: AbortSignal,
  ): Promise<Subgraph>;
  /** Returns the edges that run through a record. */
  viaPipeline(id: string, limit: number): Promise<Subgraph>;
};

/** The edges next to a record in both directions, and whether some were left out. */
type AdjacentEdges = { readonly up: Subgraph; readonly down: Subgraph; readonly isCut: boolean };

export type PresentWalker = LineageWalker & {
  /** Returns the edges next to a record, limited to what the answer to a change contains. */
  adjacentEdges(id: string): Promise<AdjacentEdges>;
};

/** The maximum number of other edges in the answer to a change of an edge. */
export const MAX_ADJACENT_EDGES = 1000;

const EMPTY_SUBGRAPH: Subgraph = { edges: [], nodes: [] };
const NO_ADJACENT_EDGES: AdjacentEdges = { up: EMPTY_SUBGRAPH, down: EMPTY_SUBGRAPH, isCut: false };

/** Short walks finish quickly, so several of them share a query; a longer walk would delay the others. */
const SHARED_DEPTH = 3;
const SHARED_BATCH = 32;

type WalkShape = { readonly direction: LineageDirection; readonly depth: number; readonly budget: LineageBudget };

const walkNameOf = ({ direction, depth, budget }: WalkShape): string =>
  `lineage/walk_${direction}:${depth}:${budget.nodes}:${budget.edges}`;

export const createLineageWalker = (graph: Graph): PresentWalker => {
  const shared = new Map<string, (ids: readonly string[]) => Promise<Subgraph>>();

  const load = async (
    { direction, depth, budget }: WalkShape,
    starts: readonly (readonly string[])[],
    signal?: AbortSignal,
  ): Promise<readonly Subgraph[]> => {
    const found: Subgraph[] = starts.map(() => EMPTY_SUBGRAPH);
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

  const sharedWalk = (manner: WalkShape) => {
    const name = walkNameOf(manner);
    const known = shared.get(name);
    if (known) return known;
    const made = coalesce({
      name,
      observer: graph.observer,
      maxBatch: SHARED_BATCH,
      load: (starts: readonly (readonly string[])[]) => load(manner, starts),
    });
    shared.set(name, made);
    return made;
  };

  const adjacentEdges = coalesce({
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

  return {
    adjacentEdges,
    walk: async (direction, ids, depth, budget, signal) => {
      if (depth === 0 || ids.length === 0) return EMPTY_SUBGRAPH;
      const manner = { direction, depth, budget };
      if (depth <= SHARED_DEPTH) return sharedWalk(manner)(ids);
      // A longer walk is never shared, so its caller may cancel it.
      const [found = EMPTY_SUBGRAPH] = await load(manner, [ids], signal);
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
