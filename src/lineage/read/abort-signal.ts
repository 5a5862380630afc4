import type { Engine } from '../../catalog/engine.ts';
import type { Graph } from '../../graph/client.ts';
import { type LineageWalker, walkerWithAbortSignal } from './walker.ts';

/** Returns the same engine, which cancels its reads when the caller has disconnected. */
export const engineWithAbortSignal = (engine: Engine, signal: AbortSignal): Engine => {
  const read: Graph['read'] = (statement, params) => engine.graph.read(statement, params, { signal });
  return { ...engine, graph: { ...engine.graph, read } };
};

/** Returns the same dependencies, which cancel their reads and walks when the caller has disconnected. */
export const withAbortSignal = <R extends { readonly engine: Engine; readonly walker: LineageWalker }>(
  room: R,
  signal: AbortSignal,
): R => ({
  ...room,
  engine: engineWithAbortSignal(room.engine, signal),
  walker: walkerWithAbortSignal(room.walker, { signal }),
});
