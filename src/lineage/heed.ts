import type { Engine } from '../catalog/engine.ts';
import type { Graph } from '../graph/client.ts';
import { heedingWalker, type Walker } from './walk.ts';

/** The same engine, giving up what it reads when nobody waits for it any more. */
export const heedingEngine = (engine: Engine, signal: AbortSignal): Engine => {
  const read: Graph['read'] = (statement, params) => engine.graph.read(statement, params, { signal });
  return { ...engine, graph: { ...engine.graph, read } };
};

/** The same room, giving up what is under way when nobody waits for it any more. */
export const heeding = <R extends { readonly engine: Engine; readonly walker: Walker }>(
  room: R,
  signal: AbortSignal,
): R => ({
  ...room,
  engine: heedingEngine(room.engine, signal),
  walker: heedingWalker(room.walker, { signal }),
});
