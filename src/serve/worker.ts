import type { Socket } from 'node:net';
import { readConfig } from '../config.ts';
import { StartupError } from '../errors.ts';
import { createMetrics } from '../http/metrics.ts';
import type { MessageFromWorker, MessageToWorker } from './messages.ts';
import { type Listen, type ServedStore, serveStore } from './serve-store.ts';
import { shareLimits } from './share-limits.ts';
import { joinMetrics } from './worker-metrics.ts';

/**
 * The program of a worker: the whole application on the database that the first process opened. The workers share one
 * port; otherwise they know of each other as much as processes on different machines do.
 */
const send = (message: MessageFromWorker): void => {
  if (process.connected) process.send?.(message);
};

const { metrics, hear } = joinMetrics(createMetrics(), send);
let serving: Promise<ServedStore> | undefined;

/** Takes the connections that the first process hands over. */
const listen: Listen = async (server) => {
  process.on('message', (message: MessageToWorker, socket?: Socket) => {
    if (message.type !== 'connection') return;
    send({ type: 'accepted', id: message.id });
    // The caller may have hung up meanwhile.
    if (!socket) return;
    server.emit('connection', socket);
    socket.resume();
  });
  return '';
};

const start = async ({ database }: Extract<MessageToWorker, { type: 'start' }>): Promise<void> => {
  try {
    const config = shareLimits(readConfig(process.env));
    serving = serveStore({ config, database, metrics, listen });
    await serving;
    send({ type: 'ready' });
  } catch (failure) {
    if (!(failure instanceof StartupError)) throw failure;
    send({ type: 'refused', reason: failure.message });
  }
};

const stop = async (): Promise<void> => {
  const served = await serving?.catch(() => undefined);
  await served?.close();
  process.exit(0);
};

process.on('message', (message: MessageToWorker) => {
  hear(message);
  if (message.type === 'start') void start(message);
  if (message.type === 'stop') void stop();
});
// A worker without the first process has no database and nobody who would start it again.
process.once('disconnect', () => void stop());
// A terminal signals all processes at once. The first one then stops the workers in their order.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
send({ type: 'loaded' });
