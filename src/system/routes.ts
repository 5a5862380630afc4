import { setTimeout as sleep } from 'node:timers/promises';
import type { SigningKey } from '../access/signing-key.ts';
import type { Config } from '../config.ts';
import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import type { Answer, Route } from '../http/route.ts';
import { AnyJson, Flag, Integer, listOf, must, oneOf, shape, Text, Timestamp, Url } from '../model/values.ts';
import { readBuildId } from './build-id.ts';
import { countUnindexed } from './queries.ts';
import { shareLook } from './share-look.ts';
import { signInUrlOf } from './sign-in-url.ts';

export type SystemDeps = {
  readonly config: Config;
  readonly graph: Graph;
  readonly key: SigningKey;
  readonly clock: () => number;
};

const Version = shape('Version', { version: must(Text), revision: must(Text), timestamp: must(Timestamp) });
const Health = shape('Health', {
  status: must(oneOf(['healthy'])),
  database: must(shape('DatabaseHealth', { reachable: must(Flag) })),
  search: must(shape('SearchHealth', { backend: must(Text), waiting: must(Integer) })),
});
const Liveness = shape('Liveness', { status: must(oneOf(['live'])) });
const Readiness = shape('Readiness', { status: must(oneOf(['ready'])) });
const Keys = shape('JsonWebKeySet', { keys: must(listOf(AnyJson)) });
const AuthConfig = shape('AuthConfig', {
  provider: must(Text),
  providerName: must(Text),
  publicKeyUrls: must(listOf(Text)),
  authority: must(Text),
  clientId: must(Text),
  callbackUrl: must(Text),
  jwtPrincipalClaims: must(listOf(Text)),
  enableSelfSignup: must(Flag),
  clientType: must(Text),
  signInUrl: Url,
});
const Authorizer = shape('AuthorizerConfig', { principalDomain: must(Text) });

const answerJson = (value: unknown): Answer => ({ status: 200, json: value });

const databaseUnreachable = () => new CatalogError('unavailable', 'The database does not answer at the moment');

/**
 * Answers the health check, whose callers share one look per second. Healthy means that requests can be served;
 * otherwise the status is 503, which load balancers understand.
 */
const readHealth = async ({ graph, config }: Pick<SystemDeps, 'graph' | 'config'>): Promise<Answer> => {
  if (!(await graph.isReachable())) throw databaseUnreachable();
  const [counted] = await graph.read(countUnindexed, {});
  return answerJson({
    status: 'healthy',
    database: { reachable: true },
    search: { backend: config.typesense ? 'typesense' : 'neo4j', waiting: counted?.waiting ?? 0 },
  });
};

const READY_WITHIN_MS = 2000;

/**
 * Creates the readiness check, which tests whether the database responds. Calls within a second share one test, so
 * frequent calls cost nothing, and no call waits longer than two seconds.
 */
const createReadiness = (graph: Graph) => {
  const look = shareLook(async (): Promise<boolean> => {
    const giveUp = new AbortController();
    const tooLate = sleep(READY_WITHIN_MS, false, { signal: giveUp.signal, ref: false }).catch(() => false);
    const isReady = await Promise.race([graph.isReachable(), tooLate]);
    giveUp.abort();
    return isReady;
  });
  return async (): Promise<Answer> => {
    if (!(await look())) throw databaseUnreachable();
    return answerJson({ status: 'ready' });
  };
};

const buildAuthConfig = ({ auth, publicUrl }: Config, base: string) => ({
  provider: auth.jwksUrls.length > 0 ? 'custom-oidc' : 'basic',
  providerName: 'tributary',
  publicKeyUrls: [`${publicUrl ?? base}/v1/system/config/jwks`, ...auth.jwksUrls],
  authority: auth.issuers[0] ?? '',
  clientId: auth.audiences[0] ?? '',
  callbackUrl: '',
  jwtPrincipalClaims: auth.principalClaims,
  enableSelfSignup: auth.selfSignup,
  clientType: 'public',
  signInUrl: signInUrlOf(auth),
});

type SystemRouteSpec = Pick<Route, 'path' | 'summary' | 'responses' | 'handle'> &
  Partial<Pick<Route, 'access' | 'isProbe'>>;

const systemRoute = (route: SystemRouteSpec): Route => ({ method: 'GET', tag: 'System', access: 'public', ...route });

/** Routes for what clients need before they use the API: version, health, settings and keys. */
export const systemRoutes = (deps: SystemDeps): Route[] => {
  const { config, graph, key, clock } = deps;
  const version = { version: config.compatVersion, revision: readBuildId(), timestamp: clock() };
  return [
    systemRoute({
      path: '/v1/system/version',
      summary: 'Get the API version',
      responses: { 200: Version },
      handle: () => Promise.resolve(answerJson(version)),
    }),
    systemRoute({
      path: '/v1/system/health',
      summary: 'Get the health of the service',
      responses: { 200: Health },
      handle: shareLook(() => readHealth(deps)),
    }),
    systemRoute({
      path: '/v1/system/live',
      summary: 'Check that the process is alive',
      responses: { 200: Liveness },
      isProbe: true,
      handle: () => Promise.resolve(answerJson({ status: 'live' })),
    }),
    systemRoute({
      path: '/v1/system/ready',
      summary: 'Check that the service is ready: the database responds',
      responses: { 200: Readiness },
      isProbe: true,
      handle: createReadiness(graph),
    }),
    systemRoute({
      path: '/v1/system/config/jwks',
      summary: 'Get the public signing keys (JWKS)',
      responses: { 200: Keys },
      handle: () => Promise.resolve(answerJson({ keys: key.versions.map(({ publicJwk }) => publicJwk) })),
    }),
    systemRoute({
      path: '/v1/system/config/auth',
      summary: 'Get the authentication configuration',
      responses: { 200: AuthConfig },
      handle: (call) => Promise.resolve(answerJson(buildAuthConfig(config, call.hrefBase))),
    }),
    systemRoute({
      path: '/v1/system/config/authorizer',
      summary: 'Get the authorizer configuration',
      responses: { 200: Authorizer },
      handle: () => Promise.resolve(answerJson({ principalDomain: config.auth.principalDomain })),
    }),
    systemRoute({
      path: '/v1/system/settings/{name}',
      summary: 'Get a setting; always empty',
      access: 'authenticated',
      responses: { 204: undefined },
      handle: () => Promise.resolve({ status: 204 }),
    }),
  ];
};
