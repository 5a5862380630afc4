import type { Graph } from '../../../graph/client.ts';
import { chunk } from '../../../model/chunk.ts';
import { decodeAssertion, serializeDetails } from '../../edge.ts';
import type { Endpoint } from '../../endpoints.ts';
import { mergeAssertions } from '../../merge-assertions.ts';
import { type EdgeTuple, listEdgesBetween } from '../../queries.ts';
import { walkFromRoot } from '../entity-lineage.ts';
import type { LineageBudget, LineageDirection } from '../subgraph.ts';
import type { LineageWalker, Subgraph } from '../walker.ts';
import {
  countNeighboursAt,
  listPastEdgesBetween,
  listPastEdgesViaPipeline,
  type NeighbourCount,
  type PastEdge,
  pastWalkStatements,
} from './queries.ts';

/** Lineage as it is, or as it was at some time. Nothing it answers is longer than one over its budget. */
export type GraphReader = {
  walk(direction: LineageDirection, root: Endpoint, depth: number): Promise<Subgraph>;
  /** The edges from some records to some others. */
  edgesBetween(near: readonly string[], ids: readonly string[]): Promise<readonly EdgeTuple[]>;
  countNeighbours(ids: readonly string[], deleted: boolean | null): Promise<readonly NeighbourCount[]>;
};

/** Later than anything that ended, so that what holds now holds then. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER - 1;

/** How many records one statement looks at. */
const AT_ONCE = 1000;

const readInBatches = async <T>(ids: readonly string[], read: (some: readonly string[]) => Promise<readonly T[]>) => {
  const all: T[] = [];
  for (const some of chunk(ids, AT_ONCE)) all.push(...(await read(some)));
  return all;
};

const createNeighbourCounter =
  (graph: Graph, at: number): GraphReader['countNeighbours'] =>
  (ids, deleted) =>
    readInBatches(ids, (some) => graph.read(countNeighboursAt, { ids: some, at, deleted }));

export const createPresentReader = (graph: Graph, walker: LineageWalker, budget: LineageBudget): GraphReader => ({
  walk: (direction, root, depth) => walkFromRoot({ walker }, root, direction, depth, budget),
  edgesBetween: async (near, ids) => {
    if (near.length === 0) return [];
    const rows = await graph.read(listEdgesBetween, { near, ids, limit: budget.edges + 1 });
    return rows.map(({ edge }) => edge);
  },
  countNeighbours: createNeighbourCounter(graph, END_OF_TIME),
});

/** What was said of an edge at some time, told as walks of the present tell it; nothing when nobody said anything. */
const decodePastEdge = ({ from, to, assertions }: PastEdge): readonly EdgeTuple[] => {
  const merged = mergeAssertions(assertions.map(decodeAssertion));
  return merged ? [[from, to, merged.pipelineId ?? null, serializeDetails(merged)]] : [];
};

/** Walks lineage as it was at some time. */
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
    // Where several sources named a record that data ran through, the newest word counted.
    const own = rows.filter((row) => decodePastEdge(row).some(([, , pipelineId]) => pipelineId === id));
    return { edges: own.flatMap(decodePastEdge), nodes: own.flatMap(({ nodes }) => nodes) };
  },
});

export const createPastReader = (graph: Graph, at: number, budget: LineageBudget): GraphReader => ({
  walk: (direction, root, depth) =>
    walkFromRoot({ walker: createPastWalker(graph, at) }, root, direction, depth, budget),
  edgesBetween: async (near, ids) => {
    if (near.length === 0) return [];
    const rows = await graph.read(listPastEdgesBetween, { near, ids, at, limit: budget.edges + 1 });
    return rows.flatMap(decodePastEdge);
  },
  countNeighbours: createNeighbourCounter(graph, at),
});
