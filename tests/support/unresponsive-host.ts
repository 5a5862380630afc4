import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { waitFor } from './patience.ts';

/** A host that neither accepts nor refuses connections. */
export type UnresponsiveHost = { readonly port: number; close(): Promise<void> };

const BACKLOG = 1;

/** Nothing accepts what waits for this thread, because it never runs again. */
const LISTENER = `
const { parentPort } = require('node:worker_threads');
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: ${BACKLOG} }, () => {
  parentPort.postMessage(server.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

const isLinux = process.platform === 'linux';

/** Linux queues one connection more than the backlog. Other systems queue a few, and none as many as these. */
const CONNECTIONS = isLinux ? BACKLOG + 1 : 20;

const LISTENING = '0A';

/** How many connections the kernel holds for a listener: the length of its receive queue in the table of sockets. */
const readQueueLength = async (port: number): Promise<number> => {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = (await readFile('/proc/net/tcp', 'latin1')).split('\n').map((line) => line.trim().split(/\s+/));
  const listener = sockets.find(([, local, , state]) => local === address && state === LISTENING);
  return Number.parseInt(listener?.[4]?.split(':')[1] ?? '0', 16);
};

const waitUntilFull = async (port: number, sockets: readonly Socket[]): Promise<unknown> =>
  isLinux
    ? waitFor(
        () => readQueueLength(port),
        (length) => length === CONNECTIONS,
        `the queue holds ${CONNECTIONS} connections`,
      )
    : Promise.any(sockets.map((socket) => once(socket, 'connect')));

/** Listens, accepts nothing, and has no room left in its queue: whoever connects now hears nothing. */
export const openUnresponsiveHost = async (): Promise<UnresponsiveHost> => {
  const listener = new Worker(LISTENER, { eval: true });
  const [port] = (await once(listener, 'message')) as [number];
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await waitUntilFull(port, sockets);
  return {
    port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await listener.terminate();
    },
  };
};
