import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { MessageToWorker } from './messages.ts';

/**
 * Deals new connections out to the workers in turn. A worker confirms each one, so that a connection on its way to a
 * worker that dies goes to another one.
 */
export type ConnectionDealer = {
  /** Hands over a connection from which nothing was read, or lets it wait for a worker. */
  deal(socket: Socket): void;
  /** Adds a worker that serves. */
  join(worker: ChildProcess): void;
  /** Removes a worker; what it has not confirmed goes to the others. */
  leave(worker: ChildProcess): void;
  /** The worker has confirmed a connection. */
  confirm(worker: ChildProcess, id: number): void;
  /** Closes the connections that wait. */
  close(): void;
};

/** More connections than this do not wait for a worker. */
const MAX_WAITING = 1000;

export const createConnectionDealer = (): ConnectionDealer => {
  /** The connections on their way to each worker. */
  const unconfirmed = new Map<ChildProcess, Map<number, Socket>>();
  let order: ChildProcess[] = [];
  let waiting: Socket[] = [];
  let lastId = 0;

  const deal = (socket: Socket): void => {
    const worker = order.shift();
    if (!worker) {
      if (waiting.length < MAX_WAITING) waiting.push(socket);
      else socket.destroy();
      return;
    }
    order.push(worker);
    lastId += 1;
    unconfirmed.get(worker)?.set(lastId, socket);
    const message: MessageToWorker = { type: 'connection', id: lastId };
    // This process keeps the connection open until it is confirmed. A failure means that the worker is about to leave.
    worker.send(message, socket, { keepOpen: true }, () => {});
  };

  const dealAgain = (sockets: Iterable<Socket>): void => {
    for (const socket of sockets) if (!socket.destroyed) deal(socket);
  };

  return {
    deal,
    join: (worker) => {
      unconfirmed.set(worker, new Map());
      order.push(worker);
      const held = waiting;
      waiting = [];
      dealAgain(held);
    },
    leave: (worker) => {
      order = order.filter((other) => other !== worker);
      const lost = unconfirmed.get(worker)?.values() ?? [];
      unconfirmed.delete(worker);
      dealAgain(lost);
    },
    confirm: (worker, id) => {
      const sockets = unconfirmed.get(worker);
      // The worker has a handle of its own, so this closes only the one here.
      sockets?.get(id)?.destroy();
      sockets?.delete(id);
    },
    close: () => {
      for (const socket of waiting.splice(0)) socket.destroy();
    },
  };
};
