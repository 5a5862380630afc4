import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { mergeMetrics } from '../http/metrics.ts';
import type { MessageToWorker } from './messages.ts';

/** Collects the metrics of workers. */
export type MetricsCollector = {
  /** A worker has answered. */
  collected(id: number, metrics: object): void;
  /** Renders the metrics of all workers that answer in time as one text. */
  render(workers: Iterable<ChildProcess>): Promise<string>;
};

const COLLECT_TIMEOUT_MS = 2000;

export const createMetricsCollector = (): MetricsCollector => {
  const collecting = new Map<number, (metrics: object) => void>();
  let lastId = 0;
  const collectFrom = (worker: ChildProcess): Promise<object | undefined> => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise<object>((resolve) => collecting.set(id, resolve));
    const message: MessageToWorker = { type: 'collect', id };
    worker.send(message, () => {});
    const late = sleep(COLLECT_TIMEOUT_MS, undefined, { ref: false });
    return Promise.race([answered, late]).finally(() => collecting.delete(id));
  };
  return {
    collected: (id, metrics) => collecting.get(id)?.(metrics),
    render: async (workers) => {
      const all = await Promise.all([...workers].map(collectFrom));
      return mergeMetrics(all.filter((metrics) => metrics !== undefined));
    },
  };
};
