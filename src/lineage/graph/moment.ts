import type { Graph } from '../../graph/client.ts';
import { piecesOf } from '../../model/pieces.ts';
import { decodeAssertion, detailsText } from '../edge.ts';
import type { Site } from '../ends.ts';
import { around } from '../entity-lineage.ts';
import { merge } from '../merge.ts';
import { type EdgeTuple, listAmong } from '../queries.ts';
import type { Budget, Direction } from '../subgraph.ts';
import type { Found, Walker } from '../walk.ts';
import {
  countNeighbours,
  listPastAmong,
  listPastCarried,
  type NeighbourCount,
  type PastEdge,
  pastWalks,
} from './queries.ts';

/** Lineage as it is, or as it was at some time. Nothing it answers is longer than one over its budget. */
export type Moment = {
  walk(direction: Direction, root: Site, depth: number): Promise<Found>;
  /** The edges from some records to some others. */
  among(near: readonly string[], ids: readonly string[]): Promise<readonly EdgeTuple[]>;
  neighbours(ids: readonly string[], deleted: boolean | null): Promise<readonly NeighbourCount[]>;
};

/** Later than anything that ended, so that what holds now holds then. */
const NOW = Number.MAX_SAFE_INTEGER - 1;

/** How many records one statement looks at. */
const AT_ONCE = 1000;

const inPieces = async <T>(ids: readonly string[], read: (some: readonly string[]) => Promise<readonly T[]>) => {
  const all: T[] = [];
  for (const some of piecesOf(ids, AT_ONCE)) all.push(...(await read(some)));
  return all;
};

const counting =
  (graph: Graph, at: number): Moment['neighbours'] =>
  (ids, deleted) =>
    inPieces(ids, (some) => graph.read(countNeighbours, { ids: some, at, deleted }));

export const present = (graph: Graph, walker: Walker, budget: Budget): Moment => ({
  walk: (direction, root, depth) => around({ walker }, root, direction, depth, budget),
  among: async (near, ids) => {
    if (near.length === 0) return [];
    const rows = await graph.read(listAmong, { near, ids, limit: budget.edges + 1 });
    return rows.map(({ edge }) => edge);
  },
  neighbours: counting(graph, NOW),
});

/** What was said of an edge at some time, told as walks of the present tell it; nothing when nobody said anything. */
const tupleOf = ({ from, to, assertions }: PastEdge): readonly EdgeTuple[] => {
  const merged = merge(assertions.map(decodeAssertion));
  return merged ? [[from, to, merged.pipelineId ?? null, detailsText(merged)]] : [];
};

/** Walks lineage as it was at some time. */
const pastWalker = (graph: Graph, at: number): Walker => ({
  walk: async (direction, ids, depth, budget) => {
    if (depth === 0 || ids.length === 0) return { edges: [], nodes: [] };
    const rows = await graph.read(pastWalks[direction].for(String(depth - 1)), {
      ids,
      at,
      nodes: budget.nodes + 1,
      edges: budget.edges + 1,
    });
    return { edges: rows.flatMap(tupleOf), nodes: rows.map(({ node }) => node) };
  },
  carried: async (id, limit) => {
    const rows = await graph.read(listPastCarried, { id, at, limit });
    // Where several sources named a record that data ran through, the newest word counted.
    const own = rows.filter((row) => tupleOf(row).some(([, , pipelineId]) => pipelineId === id));
    return { edges: own.flatMap(tupleOf), nodes: own.flatMap(({ nodes }) => nodes) };
  },
});

export const past = (graph: Graph, at: number, budget: Budget): Moment => ({
  walk: (direction, root, depth) => around({ walker: pastWalker(graph, at) }, root, direction, depth, budget),
  among: async (near, ids) => {
    if (near.length === 0) return [];
    const rows = await graph.read(listPastAmong, { near, ids, at, limit: budget.edges + 1 });
    return rows.flatMap(tupleOf);
  },
  neighbours: counting(graph, at),
});
