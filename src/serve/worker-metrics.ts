import type { Metrics } from '../http/metrics.ts';
import type { MessageFromWorker, MessageToWorker } from './messages.ts';

/** The metrics of a worker, and what answers the messages of the first process about them. */
export type WorkerMetrics = { readonly metrics: Metrics; hear(message: MessageToWorker): void };

/** Makes a worker's metrics render those of all workers, because a scraper reaches only one of them. */
export const joinMetrics = (own: Metrics, send: (message: MessageFromWorker) => void): WorkerMetrics => {
  const waiting = new Map<number, (text: string) => void>();
  let lastId = 0;
  const render = (): Promise<string> =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      send({ type: 'render', id: lastId });
    });
  return {
    metrics: { ...own, render },
    hear: (message) => {
      if (message.type === 'rendered') {
        waiting.get(message.id)?.(message.text);
        waiting.delete(message.id);
      }
      if (message.type === 'collect') {
        void own.collect().then((metrics) => send({ type: 'collected', id: message.id, metrics }));
      }
    },
  };
};
