import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isLoopback } from '../config.ts';
import { networkOf } from './client-address.ts';

const SWEEP_MS = 50;

/**
 * Answers the response that a connection is busy with, until its last byte is handed over. Node keeps it in an internal
 * property.
 */
export const answerInProgress = (socket: Duplex): object | undefined => {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return typeof answer === 'object' && answer !== null ? answer : undefined;
};

/** How many connections one address may have open at a time, and which addresses are exempt. */
export type ConnectionLimit = {
  readonly maxPerAddress: number;
  readonly isExempt?: (address: string) => boolean;
};

/**
 * Refuses connections of an address beyond its limit, before reading anything from them. Those from the machine itself,
 * which are of a local proxy or the operator, have none.
 */
export const limitConnections = (server: Server, bound: ConnectionLimit, refuse: (socket: Socket) => void): void => {
  const { maxPerAddress, isExempt = isLoopback } = bound;
  const counts = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isExempt(address)) return;
    const network = networkOf(address);
    const count = (counts.get(network) ?? 0) + 1;
    if (count > maxPerAddress) return refuse(socket);
    counts.set(network, count);
    socket.once('close', () => {
      const left = (counts.get(network) ?? 0) - 1;
      if (left > 0) counts.set(network, left);
      else counts.delete(network);
    });
  });
};

/** Tracks the connections of a server and closes them in order. */
export type ConnectionTracker = {
  /**
   * Stops accepting connections, closes idle ones at once and busy ones after their answer, and all of them when time
   * is up.
   */
  readonly close: (withinMs: number) => Promise<void>;
};

/**
 * Tracks the connections of a server. Node's own `close` treats a connection as idle as soon as its answer is complete
 * in memory, which cuts off slow readers, and never treats one as idle that has not sent a request yet.
 */
export const trackConnections = (server: Server): ConnectionTracker => {
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
      if (server.listening) NetServer.prototype.close.call(server);
      const limit = setTimeout(() => server.closeAllConnections(), withinMs);
      const finish = (): void => {
        sweep();
        if (sockets.size > 0) return;
        clearInterval(sweeping);
        clearTimeout(limit);
        // Only Node's timer for slow requests is left to close.
        server.close(() => {});
        resolve();
      };
      const sweeping = setInterval(finish, SWEEP_MS);
      finish();
    });
  return Object.freeze({ close });
};
