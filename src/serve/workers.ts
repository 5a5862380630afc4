import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DatabaseAddress } from '../composition/app-resources.ts';
import type { Config } from '../config.ts';
import type { ConfigEnvironment } from '../environment.ts';
import { StartupError } from '../errors.ts';
import { listenOn, publicAddressOf } from '../http/server.ts';
import { threadFile } from '../platform/thread.ts';
import { type ConnectionDealer, createConnectionDealer } from './connection-dealer.ts';
import type { MessageFromWorker, MessageToWorker } from './messages.ts';
import { createMetricsCollector, type MetricsCollector } from './metrics-collector.ts';
import type { ServedStore } from './serve-store.ts';

/**
 * The first process's side of several workers: it opens the port, deals connections out, starts another worker for each
 * one that fails, and collects their metrics. Read `worker.ts` for what a worker does and `messages.ts` for what is said
 * between them.
 */

type WorkersOptions = {
  readonly config: Config;
  /** The environment of the workers, from which they read the same configuration. */
  readonly settings: ConfigEnvironment;
  readonly database: DatabaseAddress;
  readonly report: (line: string) => void;
};

type WorkerPool = WorkersOptions & {
  readonly workers: Set<ChildProcess>;
  readonly dealer: ConnectionDealer;
  readonly collector: MetricsCollector;
  isStopping: boolean;
};

const RESTART_PAUSE_MS = 1000;
/** Longer than a worker waits for its requests and its background work. */
const STOP_TIMEOUT_MS = 30_000;

const failureMessage = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));

/** Sends a message. A failure is ignored: a worker that cannot receive it is about to end. */
const tell = (worker: ChildProcess, message: MessageToWorker): void => {
  worker.send(message, () => {});
};

const answerMetrics = ({ collector, workers, report }: WorkerPool, asker: ChildProcess, id: number): void => {
  const answer = (text: string) => tell(asker, { type: 'rendered', id, text });
  collector.render(workers).then(answer, (failure: unknown) => {
    report(`The metrics of the workers could not be merged: ${failureMessage(failure)}`);
    answer('');
  });
};

/** Ends a worker after its requests, or at once when it takes too long. */
const stopWorker = async (worker: ChildProcess): Promise<void> => {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'exit');
  tell(worker, { type: 'stop' });
  const late = sleep(STOP_TIMEOUT_MS, 'late' as const, { ref: false });
  if ((await Promise.race([ended, late])) === 'late') worker.kill('SIGKILL');
  await ended;
};

/** Starts a worker and resolves when it serves. Throws a StartupError when it cannot. */
const startWorker = (pool: WorkerPool): Promise<void> =>
  new Promise((resolve, reject) => {
    const { dealer, collector, database, settings, workers } = pool;
    const worker = fork(fileURLToPath(threadFile(import.meta.url, 'worker')), { env: { ...settings } });
    workers.add(worker);
    let isServing = false;
    worker.on('message', (message: MessageFromWorker) => {
      switch (message.type) {
        case 'loaded':
          return tell(worker, { type: 'start', database });
        case 'ready':
          isServing = true;
          dealer.join(worker);
          return resolve();
        case 'refused':
          reject(new StartupError(message.reason));
          return void stopWorker(worker);
        case 'accepted':
          return dealer.confirm(worker, message.id);
        case 'collected':
          return collector.collected(message.id, message.metrics);
        case 'render':
          return answerMetrics(pool, worker, message.id);
      }
    });
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      dealer.leave(worker);
      const end = `ended with ${signal ?? `code ${code}`}`;
      if (!isServing) reject(new Error(`a worker ${end} while it started`));
      else if (!pool.isStopping) {
        pool.report(`A worker ${end}; starting another one`);
        void replaceWorker(pool);
      }
    });
  });

const replaceWorker = async (pool: WorkerPool): Promise<void> => {
  while (!pool.isStopping) {
    try {
      await startWorker(pool);
      return;
    } catch (failure) {
      pool.report(`No worker could be started: ${failureMessage(failure)}`);
      await sleep(RESTART_PAUSE_MS, undefined, { ref: false });
    }
  }
};

const stopPool = async (pool: WorkerPool, server: Server): Promise<void> => {
  pool.isStopping = true;
  server.close();
  pool.dealer.close();
  await Promise.all([...pool.workers].map(stopWorker));
};

/**
 * Serves the store by several workers. The first one starts alone: it completes the store, which the others then find
 * complete.
 */
export const serveByWorkers = async (options: WorkersOptions): Promise<ServedStore> => {
  const { host, port, workers: count } = options.config;
  const dealer = createConnectionDealer();
  const pool: WorkerPool = {
    ...options,
    workers: new Set(),
    dealer,
    collector: createMetricsCollector(),
    isStopping: false,
  };
  // A worker reads its connections, so nothing may be read here.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, dealer.deal);
  const close = () => stopPool(pool, server);
  try {
    await startWorker(pool);
    await Promise.all(Array.from({ length: count - 1 }, () => startWorker(pool)));
    return { address: publicAddressOf(await listenOn(server, host, port)), close };
  } catch (failure) {
    await close();
    throw failure;
  }
};
