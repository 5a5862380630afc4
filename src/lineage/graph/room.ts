import type { Engine } from '../../catalog/engine.ts';
import type { Graph } from '../../graph/client.ts';
import type { Budget } from '../subgraph.ts';
import { heedingWalker, type Walker } from '../walk.ts';

/** What the operations on graphs work with. */
export type Room = {
  readonly engine: Engine;
  readonly walker: Walker;
  readonly budget: Budget;
  readonly maxDepth: number;
};

/** The same, giving up what is under way when nobody waits for it any more. */
export const heeding = (room: Room, signal: AbortSignal): Room => {
  const { engine, walker } = room;
  const read: Graph['read'] = (statement, params) => engine.graph.read(statement, params, { signal });
  return {
    ...room,
    engine: { ...engine, graph: { ...engine.graph, read } },
    walker: heedingWalker(walker, { signal }),
  };
};
