import type { MessagePort } from 'node:worker_threads';
import { type App, createApp } from '../app.ts';
import { type DatabaseAddress, openAppResources } from '../composition/app-resources.ts';
import type { Config } from '../config.ts';
import { createLog } from '../http/log.ts';
import { createMetrics } from '../http/metrics.ts';

/** The start data of a thread with an application of its own. */
export type ThreadAppData = {
  readonly config: Config;
  readonly database: DatabaseAddress;
};

/** The application of a thread, and the function that releases what it holds. */
export type ThreadApp = { readonly app: App; close(): Promise<void> };

/**
 * Opens an application on the database of the process, as another process would. It reports its changes to the port.
 */
export const openThreadApp = async ({ config, database }: ThreadAppData, port: MessagePort): Promise<ThreadApp> => {
  const log = createLog({ level: config.logLevel });
  const metrics = createMetrics();
  metrics.close();
  const resources = await openAppResources(config, database);
  const tell: NonNullable<Parameters<typeof createApp>[0]['tell']> = (notice) =>
    port.postMessage({ type: 'notice', notice });
  const app = createApp({ config, ...resources, clock: Date.now, metrics, log, tell });
  app.audit.start();
  const close = async () => {
    await app.audit.stop();
    await resources.graph.close();
  };
  return { app, close };
};
