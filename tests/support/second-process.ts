import { createSecretBox } from '../../src/access/secret-box.ts';
import { loadSigningKey } from '../../src/access/signing-key.ts';
import { type App, type AppDeps, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/http/log.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { GENEROUS_BOUNDS, GENEROUS_SETTINGS } from './generous-limits.ts';
import { type Client, type Service, withToken } from './service.ts';

/**
 * Opens a second application on the same database and keys, which shares nothing else with the first. Only the graph
 * can keep the two from overwriting each other.
 */
export const openSecondProcess = async (service: Service): Promise<Client> =>
  (await openSecondProcessWith(service, {})).client;

type SecondProcessOptions = {
  /** What its environment says beside where its home is. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: () => number;
};

/** A second process with other bounds or another environment. It does no jobs until its runner is started. */
export const openSecondProcessWith = async (
  service: Service,
  bounds: NonNullable<AppDeps['bounds']>,
  { env = {}, clock = Date.now }: SecondProcessOptions = {},
): Promise<{ readonly client: Client; readonly app: App; as(name: string): Promise<Client> }> => {
  const home = process.env['TEST_HOME'] ?? '';
  const [key, secrets] = await Promise.all([
    loadSigningKey({ home, keyFile: undefined }),
    createSecretBox({ home, secretsKey: undefined }),
  ]);
  const metrics = createMetrics();
  metrics.close();
  const app = createApp({
    config: readConfig({ ...GENEROUS_SETTINGS, ...env, TRIBUTARY_HOME: home }),
    graph: service.graph,
    registry: service.registry,
    key,
    secrets,
    clock,
    metrics,
    log: createLog({ level: 'info', to: { write: () => {} } }),
    bounds: { ...GENEROUS_BOUNDS, ...bounds },
  });
  const as = async (name: string) => withToken({ ...service, app }, await service.token(name));
  return { client: await as('admin'), app, as };
};
