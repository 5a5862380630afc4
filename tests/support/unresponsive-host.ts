import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** A host that neither accepts nor refuses connections. */
export type UnresponsiveHost = { readonly port: number; close(): Promise<void> };

const LISTENER = `
const { parentPort } = require('node:worker_threads');
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

/** How long at most a connection on this machine takes that is going to be taken. */
const TAKEN_WITHIN_MS = 200;
const MOST = 20;

const isTaken = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    setTimeout(() => resolve(false), TAKEN_WITHIN_MS);
  });

/** Listens, takes nothing, and is full: whoever knocks now is left standing. */
export const openUnresponsiveHost = async (): Promise<UnresponsiveHost> => {
  const listener = new Worker(LISTENER, { eval: true });
  const [port] = (await once(listener, 'message')) as [number];
  const waiting: Socket[] = [];
  for (let isFull = false; !isFull; ) {
    if (waiting.length === MOST) throw new Error(`a queue of one took ${MOST} connections`);
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    waiting.push(socket);
    isFull = !(await isTaken(socket));
  }
  return {
    port,
    close: async () => {
      for (const socket of waiting) socket.destroy();
      await listener.terminate();
    },
  };
};
