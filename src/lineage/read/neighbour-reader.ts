import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import type { LineageBudget, LineageDirection } from './walk-edges.ts';
import { createLineageWalker } from './walker.ts';

/** The living neighbours of a record that the principal may see. */
export type NeighbourRecords = Readonly<Record<LineageDirection, readonly RefNode[]>>;

/** Reads the upstream and downstream neighbours of a record, for callers that describe the record itself. */
export type NeighbourReader = (principal: Principal, id: string) => Promise<NeighbourRecords>;

/** Descriptions of a record need no more of its surroundings than this. */
const NEIGHBOUR_BUDGET: LineageBudget = { nodes: 1000, edges: 1000 };

export const createNeighbourReader = (engine: Engine): NeighbourReader => {
  const walker = createLineageWalker(engine.graph);
  return async (principal, id) => {
    const read = async (direction: LineageDirection): Promise<readonly RefNode[]> => {
      const { nodes } = await walker.walk(direction, [id], 1, NEIGHBOUR_BUDGET);
      const living = nodes.filter((node) => node.id !== id && node.deleted !== true);
      const sees = await readNodeVisibility(engine, principal, living);
      return living.filter((node) => sees(node.id));
    };
    const [upstream, downstream] = await Promise.all([read('upstream'), read('downstream')]);
    return { upstream, downstream };
  };
};
