import type { MessagePort } from 'node:worker_threads';
import { createSecretBox } from '../access/secret-box.ts';
import { loadSigningKey } from '../access/signing-key.ts';
import { type App, createApp } from '../app.ts';
import { declareKindStatements } from '../catalog/read/store.ts';
import { loadKinds } from '../catalog/registry.ts';
import type { Config } from '../config.ts';
import { openGraph } from '../graph/client.ts';
import { createLog } from '../http/log.ts';
import { createMetrics } from '../http/metrics.ts';

/** The start data of a thread with an application of its own. */
export type ThreadAppData = {
  readonly config: Config;
  /** The address and credentials of the database, including an embedded one. */
  readonly database: { readonly uri: string; readonly user: string; readonly password: string };
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
  const [key, secrets, registry] = await Promise.all([
    loadSigningKey({ home: config.home, keyFile: config.auth.keyFile }),
    createSecretBox({ home: config.home, secretsKey: config.secretsKey, formerKeys: config.formerSecretsKeys }),
    loadKinds(),
  ]);
  declareKindStatements(registry);
  const graph = openGraph({
    ...database,
    database: config.neo4j.database,
    transactionMs: config.limits.transactionMs,
  });
  const tell: NonNullable<Parameters<typeof createApp>[0]['tell']> = (notice) =>
    port.postMessage({ type: 'notice', notice });
  const app = createApp({ config, graph, registry, key, secrets, clock: Date.now, metrics, log, tell });
  app.audit.start();
  const close = async () => {
    await app.audit.stop();
    await graph.close();
  };
  return { app, close };
};
