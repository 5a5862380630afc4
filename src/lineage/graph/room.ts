import type { Engine } from '../../catalog/engine.ts';
import type { Graph } from '../../graph/client.ts';
import type { AskBroken } from '../contracts.ts';
import type { Budget } from '../subgraph.ts';
import { heedingWalker, type Walker } from '../walk.ts';

/** What the operations on graphs work with. */
export type Room = {
  readonly engine: Engine;
  readonly walker: Walker;
  readonly budget: Budget;
  readonly maxDepth: number;
  readonly broken: AskBroken;
};

/** The same engine, giving up what it reads when nobody waits for it any more. */
export const heedingEngine = (engine: Engine, signal: AbortSignal): Engine => {
  const read: Graph['read'] = (statement, params) => engine.graph.read(statement, params, { signal });
  return { ...engine, graph: { ...engine.graph, read } };
};

/** The same room, giving up what is under way when nobody waits for it any more. */
export const heeding = (room: Room, signal: AbortSignal): Room => ({
  ...room,
  engine: heedingEngine(room.engine, signal),
  walker: heedingWalker(room.walker, { signal }),
});
