import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SYSTEM_PRINCIPAL } from '../access/service-identity.ts';
import { createApp } from '../app.ts';
import { createMetricReader } from '../ask/metric-queries.ts';
import { createQueryRunner } from '../ask/run-query.ts';
import { type DatabaseAddress, openAppResources } from '../composition/app-resources.ts';
import type { Config } from '../config.ts';
import { createLog } from '../http/log.ts';
import type { Metrics } from '../http/metrics.ts';
import { openHttpServer } from '../http/server.ts';
import { openThreads } from '../lane/threads.ts';
import { createClosers } from '../platform/closers.ts';
import { createBacklogReader } from '../system/backlog.ts';
import { ensureBuiltIns } from '../system/built-ins.ts';
import { assertSharedKeys } from '../system/key-watch.ts';
import { openTracing } from '../tracing/open-tracing.ts';
import { startWarmUp, watchCallers } from './warm-up.ts';

/**
 * Serves the application on a database that is running and has its schema, with the threads for its heavy and its
 * background work. A service with one worker does this in its only process. `workers.ts` is for several: each is a
 * process of its own, whose program is `worker.ts`.
 */

export type ServedStore = { readonly address: string; close(): Promise<void> };

/** Lets callers reach a server, and answers the address that they use. */
export type Listen = (server: Server) => Promise<string>;

type ServeStoreOptions = {
  readonly config: Config;
  readonly database: DatabaseAddress;
  readonly metrics: Metrics;
  readonly listen: Listen;
};

/** How long the most common questions of the warm-up may delay the first caller. */
const MAX_DELAY_MS = 2000;

/** Resolves when requests are answered. When a later part fails, the parts already started are closed. */
export const serveStore = async ({ config, database, metrics, listen }: ServeStoreOptions): Promise<ServedStore> => {
  const closers = createClosers();
  try {
    const tracing = await openTracing(config.tracing, {
      count: metrics.spans,
      onLoss: (reason) => log.warn('spans of traces are lost', { reason }),
      onRecovery: () => log.info('the collector takes spans again'),
    });
    const log = createLog({ level: config.logLevel, traceIds: tracing?.ids });
    closers.add(async () => log.flush());
    closers.add(async () => metrics.close());
    // The threads end before, so that their last spans are sent too.
    closers.add(async () => tracing?.close());
    const resources = await openAppResources(config, database, { observer: metrics, tracing });
    const { graph, key, secrets } = resources;
    closers.add(() => graph.close());
    metrics.backlog(createBacklogReader(graph));
    const threads = openThreads({ config, database }, log, tracing);
    const { lane, notify } = threads;
    closers.add(() => lane.close());
    const app = createApp({ config, ...resources, clock: Date.now, metrics, log, lane, tell: notify });
    const { hono, engine, streams, events, notifications, audit, recordRotation } = app;
    const most = config.limits.connectionsPerAddress;
    metrics.savedQueries(
      createMetricReader({
        engine,
        runner: createQueryRunner(engine),
        principal: SYSTEM_PRINCIPAL,
        onFailure: (query, failure) => log.warn('a saved query that is a metric fails', { query }, failure),
      }),
    );
    const connectionLimit = most > 0 ? { maxPerAddress: most } : undefined;
    const http = openHttpServer(hono, { connectionLimit });
    const warmUp = config.warmUp ? startWarmUp({ ...app, log, isQuiet: watchCallers(http.server) }) : undefined;
    closers.add(async () => warmUp?.stop());
    await assertSharedKeys({ graph, key, secrets, recordRotation });
    await ensureBuiltIns(engine, SYSTEM_PRINCIPAL, config);
    audit.start();
    closers.add(() => audit.stop());
    events.tail.start();
    closers.add(() => events.tail.stop());
    notifications.watcher.start();
    closers.add(() => notifications.watcher.stop());
    await Promise.race([warmUp?.begun, sleep(MAX_DELAY_MS, undefined, { ref: false })]);
    const address = await listen(http.server);
    closers.add(() => http.close());
    closers.add(async () => streams.close());
    threads.startBackground(app);
    closers.add(() => threads.stopBackground());
    return { address, close: closers.close };
  } catch (failure) {
    await closers.close();
    throw failure;
  }
};
