import type { Engine } from '../../catalog/engine.ts';
import type { Graph } from '../../graph/client.ts';
import { type LineageWalker, walkerWithAbortSignal } from './walker.ts';

/** The same engine, giving up what it reads when nobody waits for it any more. */
export const engineWithAbortSignal = (engine: Engine, signal: AbortSignal): Engine => {
  const read: Graph['read'] = (statement, params) => engine.graph.read(statement, params, { signal });
  return { ...engine, graph: { ...engine.graph, read } };
};

/** The same room, giving up what is under way when nobody waits for it any more. */
export const withAbortSignal = <R extends { readonly engine: Engine; readonly walker: LineageWalker }>(
  room: R,
  signal: AbortSignal,
): R => ({
  ...room,
  engine: engineWithAbortSignal(room.engine, signal),
  walker: walkerWithAbortSignal(room.walker, { signal }),
});
