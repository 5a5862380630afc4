import { parentPort, workerData } from 'node:worker_threads';
import { loadSigningKey } from '../access/keys.ts';
import { createSecretBox } from '../access/secret-box.ts';
import { createApp } from '../app.ts';
import { declareWalks } from '../catalog/read/store.ts';
import { loadKinds } from '../catalog/registry.ts';
import type { Config } from '../config.ts';
import { openGraph } from '../graph/client.ts';
import { createLog } from '../http/log.ts';
import { createMetrics } from '../http/metrics.ts';
import { serveLane } from './serve.ts';

/** What the thread of the heavy lane is given to start with. */
export type LaneData = {
  readonly config: Config;
  /** Where the store is, also when it is the embedded one. */
  readonly database: { readonly uri: string; readonly user: string; readonly password: string };
};

/**
 * The thread of the heavy lane: an application of its own on the same store, as another process would have it. It keeps
 * no jobs, events or deliveries going; the main thread does.
 */
const { config, database } = workerData as LaneData;
const port = parentPort;
if (port) {
  const log = createLog({ level: config.logLevel });
  const metrics = createMetrics();
  metrics.close();
  const [key, secrets, registry] = await Promise.all([
    loadSigningKey({ home: config.home, keyFile: config.auth.keyFile }),
    createSecretBox({ home: config.home, secretsKey: config.secretsKey, formerKeys: config.formerSecretsKeys }),
    loadKinds(),
  ]);
  declareWalks(registry);
  const graph = openGraph({
    ...database,
    database: config.neo4j.database,
    transactionMs: config.limits.transactionMs,
  });
  const app = createApp({
    config,
    graph,
    registry,
    key,
    secrets,
    clock: Date.now,
    metrics,
    log,
    tell: (notice) => port.postMessage({ type: 'notice', notice }),
  });
  app.audit.start();
  const close = async () => {
    await app.audit.stop();
    await graph.close();
  };
  // Whatever else the application holds goes with the thread.
  serveLane(port, app, () => close().finally(() => process.exit(0)));
}
