import type { RefNode } from '../catalog/queries.ts';
import type { Graph } from '../graph/client.ts';
import { coalesce } from '../graph/coalesce.ts';
import { type EdgeTuple, listBeside, listCarried, nodeOf, type WalkRow, walks } from './queries.ts';
import type { Budget, Direction } from './subgraph.ts';

/** What was found around some records: edges, and the records they join. */
export type Found = { readonly edges: readonly EdgeTuple[]; readonly nodes: readonly RefNode[] };

export type Walker = {
  /** The edges within so many steps of records, nearest first, and no more than one over the budget. */
  walk(
    direction: Direction,
    ids: readonly string[],
    depth: number,
    budget: Budget,
    signal?: AbortSignal,
  ): Promise<Found>;
  /** The edges that run through a record. */
  carried(id: string, limit: number): Promise<Found>;
};

/** What lies next to a record in both directions, and whether that is not all. */
type Beside = { readonly up: Found; readonly down: Found; readonly isCut: boolean };

export type WalkerOfNow = Walker & {
  /** The edges next to a record, no more than fit into the answer of a change. */
  beside(id: string): Promise<Beside>;
};

/** The answer of a change holds the edge that was changed and so many others. */
export const MOST_BESIDE = 1000;

const NOTHING: Found = { edges: [], nodes: [] };
const NOBODY: Beside = { up: NOTHING, down: NOTHING, isCut: false };

/** Short walks are over so soon that many of them share a query; a longer one would keep the others waiting. */
const SHARED_DEPTH = 3;
const SHARED_BATCH = 32;

type Manner = { readonly direction: Direction; readonly depth: number; readonly budget: Budget };

const nameOf = ({ direction, depth, budget }: Manner): string =>
  `lineage/walk_${direction}:${depth}:${budget.nodes}:${budget.edges}`;

export const createWalker = (graph: Graph): WalkerOfNow => {
  const shared = new Map<string, (ids: readonly string[]) => Promise<Found>>();

  const load = async (
    { direction, depth, budget }: Manner,
    starts: readonly (readonly string[])[],
    signal?: AbortSignal,
  ): Promise<readonly Found[]> => {
    const found: Found[] = starts.map(() => NOTHING);
    const wanted = {
      rows: starts.map((ids, at) => ({ ids, at })),
      nodes: budget.nodes + 1,
      edges: budget.edges + 1,
    };
    const rows: readonly WalkRow[] = await graph.read(walks[direction].for(String(depth - 1)), wanted, { signal });
    for (const { at, edges, nodes } of rows) found[at] = { edges, nodes: nodes.map(nodeOf) };
    return found;
  };

  const sharing = (manner: Manner) => {
    const name = nameOf(manner);
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

  const beside = coalesce({
    name: listBeside.name,
    observer: graph.observer,
    maxBatch: SHARED_BATCH,
    load: async (ids: readonly string[]) => {
      const found: Beside[] = ids.map(() => NOBODY);
      const rows = await graph.read(listBeside, { rows: ids.map((id, at) => ({ id, at })), edges: MOST_BESIDE + 1 });
      for (const { at, above, below, nodes, isCut } of rows) {
        const known = nodes.map(nodeOf);
        found[at] = { up: { edges: above, nodes: known }, down: { edges: below, nodes: known }, isCut };
      }
      return found;
    },
  });

  return {
    beside,
    walk: async (direction, ids, depth, budget, signal) => {
      if (depth === 0 || ids.length === 0) return NOTHING;
      const manner = { direction, depth, budget };
      if (depth <= SHARED_DEPTH) return sharing(manner)(ids);
      // Nobody shares a longer walk, so whoever asked for it may give it up.
      const [found = NOTHING] = await load(manner, [ids], signal);
      return found;
    },
    carried: async (id, limit) => {
      const rows = await graph.read(listCarried, { id, limit });
      return { edges: rows.map(({ edge }) => edge), nodes: rows.flatMap(({ nodes }) => nodes) };
    },
  };
};

/** The same, giving up a longer walk when the caller has gone away. The signal is asked for only then: it costs to have one. */
export const heedingWalker = (walker: Walker, call: { readonly signal: AbortSignal }): Walker => ({
  ...walker,
  walk: (direction, ids, depth, budget) =>
    walker.walk(direction, ids, depth, budget, depth > SHARED_DEPTH ? call.signal : undefined),
});
