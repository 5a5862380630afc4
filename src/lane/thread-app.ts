import type { MessagePort } from 'node:worker_threads';
import { type App, createApp } from '../app.ts';
import { type DatabaseAddress, openAppResources } from '../composition/app-resources.ts';
import type { Config } from '../config.ts';
import { createLog } from '../http/log.ts';
import { createMetrics } from '../http/metrics.ts';
import { openThreadTracing } from '../tracing/open-tracing.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { SpansMessage } from './messages.ts';

/** The start data of a thread with an application of its own. */
export type ThreadAppData = {
  readonly config: Config;
  readonly database: DatabaseAddress;
};

/** The application of a thread, and the function that releases what it holds. */
export type ThreadApp = { readonly app: App; readonly tracing: Tracing | undefined; close(): Promise<void> };

/**
 * Opens an application on the database of the process, as another process would. It reports its changes to the port.
 */
export const openThreadApp = async ({ config, database }: ThreadAppData, port: MessagePort): Promise<ThreadApp> => {
  const tracing = await openThreadTracing(config.tracing, (spans) =>
    port.postMessage({ type: 'spans', spans } satisfies SpansMessage, 'lost' in spans ? [] : [spans.content.buffer]),
  );
  const log = createLog({ level: config.logLevel, traceIds: tracing?.ids });
  const metrics = createMetrics();
  metrics.close();
  const resources = await openAppResources(config, database, { tracing });
  const tell: NonNullable<Parameters<typeof createApp>[0]['tell']> = (notice) =>
    port.postMessage({ type: 'notice', notice });
  const app = createApp({ config, ...resources, clock: Date.now, metrics, log, tell });
  app.audit.start();
  const close = async () => {
    await app.audit.stop();
    await resources.graph.close();
    await tracing?.close();
  };
  return { app, tracing, close };
};
