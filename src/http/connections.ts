import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const SWEEP_MS = 50;

/** The answer a connection is busy with, until its last byte is handed over. Node keeps it in a place of its own. */
export const answerInProgress = (socket: Duplex): object | undefined => {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return typeof answer === 'object' && answer !== null ? answer : undefined;
};

/** How many connections one address may have open at a time, and which addresses are not counted. */
export type ConnectionLimit = {
  readonly maxPerAddress: number;
  readonly isExempt?: (address: string) => boolean;
};

const IPV4_MAPPED_PREFIX = '::ffff:';

/** Connections from the machine itself: of a proxy, or of whoever runs the service. */
const isLoopback = (address: string): boolean =>
  address === '::1' || address.startsWith('127.') || address.startsWith(`${IPV4_MAPPED_PREFIX}127.`);

/** What counts as one address. Whoever has one address of IPv6 has all that share its first half. */
export const addressGroup = (address: string): string => {
  if (address.startsWith(IPV4_MAPPED_PREFIX)) return address.slice(IPV4_MAPPED_PREFIX.length);
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right].slice(0, 4).join(':');
};

/** Refuses the connections of an address beyond its bound, before anything is read from them. */
export const limitConnections = (server: Server, bound: ConnectionLimit, refuse: (socket: Socket) => void): void => {
  const { maxPerAddress, isExempt = isLoopback } = bound;
  const counts = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isExempt(address)) return;
    const group = addressGroup(address);
    const count = (counts.get(group) ?? 0) + 1;
    if (count > maxPerAddress) return refuse(socket);
    counts.set(group, count);
    socket.once('close', () => {
      const left = (counts.get(group) ?? 0) - 1;
      if (left > 0) counts.set(group, left);
      else counts.delete(group);
    });
  });
};

/** The connections of a server and the way to end them all in order. */
export type ConnectionTracker = {
  /** Stops accepting, closes idle connections at once and busy ones when their answer is out, or all when time is up. */
  readonly close: (withinMs: number) => Promise<void>;
};

/**
 * Follows the connections of a server. Node's own `close` takes a connection for idle as soon as its answer is
 * complete in memory, which cuts off slow readers, and never takes one for idle that has not said anything yet.
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
