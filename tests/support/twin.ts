import { loadSigningKey } from '../../src/access/keys.ts';
import { createSecretBox } from '../../src/access/secrets.ts';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/http/log.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { type Client, type Service, withToken } from './service.ts';

/**
 * A second process, as far as records are concerned: an application of its own on the same database and the same keys,
 * with nothing else in common. Only the graph can keep the two from overwriting each other.
 */
export const openTwin = async (service: Service): Promise<Client> => {
  const home = process.env['TEST_HOME'] ?? '';
  const [key, secrets] = await Promise.all([
    loadSigningKey({ home, keyFile: undefined }),
    createSecretBox({ home, secretsKey: undefined }),
  ]);
  const metrics = createMetrics();
  metrics.close();
  const app = createApp({
    config: readConfig({ TRIBUTARY_HOME: home }),
    graph: service.graph,
    registry: service.registry,
    key,
    secrets,
    clock: Date.now,
    metrics,
    log: createLog({ level: 'info', to: { write: () => {} } }),
  });
  return withToken({ ...service, app }, await service.token('admin'));
};
