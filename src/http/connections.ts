import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const SWEEP_MS = 50;

/** The answer a connection is busy with, until its last byte is handed over. Node keeps it in a place of its own. */
export const answerInProgress = (socket: Duplex): object | undefined => {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return typeof answer === 'object' && answer !== null ? answer : undefined;
};

/** The connections of a server and the way to end them all in order. */
export type Connections = {
  /** Stops accepting, closes idle connections at once and busy ones when their answer is out, or all when time is up. */
  readonly close: (withinMs: number) => Promise<void>;
};

/**
 * Follows the connections of a server. Node's own `close` takes a connection for idle as soon as its answer is
 * complete in memory, which cuts off slow readers, and never takes one for idle that has not said anything yet.
 */
export const trackConnections = (server: Server): Connections => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const sweep = () => {
    for (const socket of sockets) if (answerInProgress(socket) === undefined) socket.destroy();
  };

  const close = (withinMs: number): Promise<void> =>
    new Promise((resolve) => {
      const sweeping = setInterval(sweep, SWEEP_MS);
      const limit = setTimeout(() => server.closeAllConnections(), withinMs);
      NetServer.prototype.close.call(server, () => {
        clearInterval(sweeping);
        clearTimeout(limit);
        // There is nothing left to close but the timer that looks for slow requests.
        server.close(() => {});
        resolve();
      });
      sweep();
    });
  return Object.freeze({ close });
};
