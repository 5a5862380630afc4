import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { sightOf } from './sight.ts';
import type { Budget, Direction } from './subgraph.ts';
import { createWalker } from './walk.ts';

/** The living records next to one, as far as somebody may see them. */
export type Near = Readonly<Record<Direction, readonly RefNode[]>>;

/** Reads what feeds a record, and what it feeds, for those who tell of the record itself. */
export type NearReader = (principal: Principal, id: string) => Promise<Near>;

/** Nobody who wants to know of a record wants to know of more around it. */
const BUDGET: Budget = { nodes: 1000, edges: 1000 };

export const createNearReader = (engine: Engine): NearReader => {
  const walker = createWalker(engine.graph);
  return async (principal, id) => {
    const read = async (direction: Direction): Promise<readonly RefNode[]> => {
      const { nodes } = await walker.walk(direction, [id], 1, BUDGET);
      const living = nodes.filter((node) => node.id !== id && node.deleted !== true);
      const sees = await sightOf(engine, principal, living);
      return living.filter((node) => sees(node.id));
    };
    const [upstream, downstream] = await Promise.all([read('upstream'), read('downstream')]);
    return { upstream, downstream };
  };
};
