import type { Principal } from '../../../access/principal.ts';
import { findEndpointsByIds } from '../../endpoints.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import { distinctEdges } from '../walk-edges.ts';
import type { GraphContext, LineageGraph } from './build-graph.ts';
import { countHiddenNeighbours, DELETED_STATES, isCounted, sortEdges, toGraphEdge } from './drawn-edges.ts';
import type { GraphInclude } from './graph-parameters.ts';

/** Builds the lineage among records that the caller names: every edge that joins two of them. */

/**
 * Records come in the order in which they were named. One that the caller may not see is shown where an edge of another one
 * tells of it, as in every graph; otherwise it is left out like one that is not there.
 */
export const buildGraphAmong = async (
  { engine, moment, budget }: GraphContext,
  principal: Principal,
  ids: readonly string[],
  include: GraphInclude,
): Promise<LineageGraph> => {
  const named = (await findEndpointsByIds(engine, ids)).map(({ node }) => node);
  const there = named.filter((node) => isCounted(node, include));
  const sees = await readNodeVisibility(engine, principal, there);
  const known = there.map(({ id }) => id);
  const found = distinctEdges(await moment.edgesBetween(known, known)).filter(([from, to]) => sees(from) || sees(to));
  const direct = found.slice(0, budget.edges);
  const edges = direct.map((tuple) => toGraphEdge(tuple, sees));
  const touched = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const nodes = there
    .filter(({ id }) => sees(id) || touched.has(id))
    .map((node) => ({ node, isHidden: !sees(node.id) }));
  const open = nodes.filter(({ isHidden }) => !isHidden).map(({ node }) => node.id);
  return {
    roots: [],
    nodes,
    edges: sortEdges(nodes, edges),
    truncated: found.length > budget.edges ? 'edges' : undefined,
    frontier: [],
    hiddenCounts: countHiddenNeighbours(await moment.countNeighbours(open, DELETED_STATES[include]), direct),
    described: new Map(),
  };
};
