import type { Graph } from '../../../graph/client.ts';
import { chunk } from '../../../model/chunk.ts';
import { decodeAssertion, serializeDetails } from '../../edge.ts';
import { mergeAssertions } from '../../merge-assertions.ts';
import { type EdgeTuple, listEdgesBetween } from '../../queries.ts';
import type { LineageBudget, LineageDirection } from '../walk-edges.ts';
import type { LineageWalker } from '../walker.ts';
import { hopsAlongMappings, type NextColumns, readColumnHops, type TrailColumn } from './column-hops.ts';
import {
  type AssertedEdge,
  countNeighboursAt,
  listAssertionsAbout,
  listNeighboursAt,
  listPastEdgesBetween,
  listPastEdgesViaPipeline,
  type NeighbourCount,
  type NeighbourTuple,
  type PastEdge,
  pastWalkStatements,
} from './queries.ts';

/**
 * Reads lineage of the present or of a past time. Each result has at most one item more than the budget, which shows
 * that it was cut.
 */
export type GraphReader = {
  readonly walker: LineageWalker;
  /** Returns the edges from some records to others. */
  edgesBetween(near: readonly string[], ids: readonly string[]): Promise<readonly EdgeTuple[]>;
  countNeighbours(ids: readonly string[], deleted: boolean | null): Promise<readonly NeighbourCount[]>;
  /** Returns at most so many records next to a record. */
  listNeighbours(
    direction: LineageDirection,
    id: string,
    deleted: boolean | null,
    limit: number,
  ): Promise<readonly NeighbourTuple[]>;
  /** Returns who states some edges, given by their ends. */
  assertionsAbout(pairs: readonly (readonly [from: string, to: string])[]): Promise<readonly AssertedEdge[]>;
  /** Returns at most so many steps from some columns to the next ones, those of deleted records included. */
  nextColumns(direction: LineageDirection, near: readonly TrailColumn[], most: number): Promise<NextColumns>;
};

/** Later than the end of every closed edge, so that current edges hold at this time. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER - 1;

/** The number of records in one statement. */
const AT_ONCE = 1000;

const readInBatches = async <I, T>(all: readonly I[], read: (some: readonly I[]) => Promise<readonly T[]>) => {
  const found: T[] = [];
  for (const some of chunk(all, AT_ONCE)) found.push(...(await read(some)));
  return found;
};

type ReaderAt = Pick<GraphReader, 'countNeighbours' | 'listNeighbours' | 'assertionsAbout'>;

export const countPresentNeighbours = (graph: Graph, ids: readonly string[], deleted: boolean | null) =>
  createReaderAt(graph, END_OF_TIME).countNeighbours(ids, deleted);

/** What the present and the past are asked in the same words. */
const createReaderAt = (graph: Graph, at: number): ReaderAt => ({
  countNeighbours: (ids, deleted) =>
    readInBatches(ids, (some) => graph.read(countNeighboursAt, { ids: some, at, deleted })),
  listNeighbours: async (direction, id, deleted, limit) => {
    const rows = await graph.read(listNeighboursAt[direction], { id, at, deleted, limit });
    return rows.flatMap(({ neighbours }) => neighbours);
  },
  assertionsAbout: (pairs) => readInBatches(pairs, (some) => graph.read(listAssertionsAbout, { pairs: some, at })),
});

export const createPresentReader = (graph: Graph, walker: LineageWalker, budget: LineageBudget): GraphReader => ({
  walker,
  edgesBetween: async (near, ids) => {
    if (near.length === 0) return [];
    const rows = await graph.read(listEdgesBetween, { near, ids, limit: budget.edges + 1 });
    return rows.map(({ edge }) => edge);
  },
  ...createReaderAt(graph, END_OF_TIME),
  nextColumns: (direction, near, most) => readColumnHops(graph, direction, near, most),
});

/**
 * Converts a past edge to the tuple that walks of the present return; nothing when no source asserted it at that time.
 */
const decodePastEdge = ({ from, to, assertions }: PastEdge): readonly EdgeTuple[] => {
  const merged = mergeAssertions(assertions.map(decodeAssertion));
  return merged ? [[from, to, merged.pipelineId ?? null, serializeDetails(merged)]] : [];
};

/** Creates a walker over lineage at a past time. */
const createPastWalker = (graph: Graph, at: number): LineageWalker => ({
  walk: async (direction, ids, depth, budget) => {
    if (depth === 0 || ids.length === 0) return { edges: [], nodes: [] };
    const rows = await graph.read(pastWalkStatements[direction].for(String(depth - 1)), {
      ids,
      at,
      nodes: budget.nodes + 1,
      edges: budget.edges + 1,
    });
    return { edges: rows.flatMap(decodePastEdge), nodes: rows.map(({ node }) => node) };
  },
  viaPipeline: async (id, limit) => {
    const rows = await graph.read(listPastEdgesViaPipeline, { id, at, limit });
    // When several sources named a pipeline, the newest assertion decides.
    const own = rows.filter((row) => decodePastEdge(row).some(([, , pipelineId]) => pipelineId === id));
    return { edges: own.flatMap(decodePastEdge), nodes: own.flatMap(({ nodes }) => nodes) };
  },
});

export const createPastReader = (graph: Graph, at: number, budget: LineageBudget): GraphReader => {
  const walker = createPastWalker(graph, at);
  return {
    walker,
    edgesBetween: async (near, ids) => {
      if (near.length === 0) return [];
      const rows = await graph.read(listPastEdgesBetween, { near, ids, at, limit: budget.edges + 1 });
      return rows.flatMap(decodePastEdge);
    },
    ...createReaderAt(graph, at),
    // Columns of the past may be gone, and assertions still name them.
    nextColumns: async (direction, near, most) => {
      const owners = [...new Set(near.map(({ id }) => id))];
      const { edges, nodes } = await walker.walk(direction, owners, 1, budget);
      const hops = hopsAlongMappings(direction, near, edges, new Map(nodes.map((node) => [node.id, node])));
      return { hops: hops.slice(0, most), isCut: hops.length > most || edges.length > budget.edges };
    },
  };
};
