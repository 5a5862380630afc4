import { randomUUID } from 'node:crypto';
import type { Origin, Principal } from '../access/principal.ts';
import type { VerifiedToken } from '../access/verify.ts';
import { readPerson } from '../accounts/queries.ts';
import { ReusedRefreshToken } from '../accounts/sessions.ts';
import { CHANGE_HEADER } from '../catalog/read/answer.ts';
import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/property.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { equalJson, isObject, type Json, type JsonObject, member } from '../model/json.ts';
import { maskSecrets } from '../model/secret-texts.ts';
import type { AuditAction, AuditInput } from './entry.ts';
import type { AuditLog } from './log.ts';
import { seeToken } from './queries.ts';
import { notingRefusedRows } from './refusals.ts';

/** Which requests write entries of the audit log. An act is answered when its entry is stored. */

type Watch = (call: Call, handle: Route['handle']) => Promise<Answer>;

export type WatchDeps = {
  readonly audit: AuditLog;
  readonly graph: Graph;
  readonly clock: () => number;
  /** The domain of people who log in with their name alone. */
  readonly principalDomain: string;
};

/** Whether the caller may see the secrets of some record below a path in clear. */
export type Discloses = (principal: Principal, path: string) => boolean;

const originOfCall = ({ address, requestId }: Call): Origin => ({ address, requestId });

/** Whoever acted, with the bot that acted in their name. */
const actorOf = ({ principal }: Pick<Call, 'principal'>): Pick<AuditInput, 'actor'> & { details: JsonObject } => ({
  actor: principal.name,
  details: principal.impersonatedBy === undefined ? {} : { impersonatedBy: principal.impersonatedBy },
});

const textAt = (json: unknown, name: string): string | undefined => {
  const value = isObject(json as Json) ? member(json as JsonObject, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** What a request was about: the record that it answers, or else what its path names. */
const targetOf = ({ params }: Call, { json }: Answer): string | undefined =>
  textAt(json, 'fullyQualifiedName') ?? textAt(json, 'name') ?? Object.values(params)[0];

const changeOf = ({ headers = {}, status }: Answer): JsonObject => {
  const change = headers[CHANGE_HEADER];
  return { status, ...(change === undefined ? {} : { change }) };
};

const isNoChange = ({ headers = {}, json }: Answer): boolean =>
  headers[CHANGE_HEADER] === 'entityNoChange' ||
  (json !== undefined && isObject(json as Json) && member(json as JsonObject, 'dryRun') === true);

const writes =
  (audit: AuditLog, action: AuditAction, route: Pick<Route, 'method' | 'path'>): Watch =>
  async (call, handle) => {
    audit.assertWritable();
    const answer = await handle(call);
    if (isNoChange(answer)) return answer;
    const { actor, details } = actorOf(call);
    await audit.record({
      actor,
      action,
      target: targetOf(call, answer),
      ...originOfCall(call),
      details: { ...details, operation: `${route.method} ${route.path}`, ...changeOf(answer) },
    });
    return answer;
  };

/** The name in a token that was just issued here, so that nobody need verify it. */
const nameInToken = (token: string | undefined): string => {
  const [, payload = ''] = (token ?? '').split('.');
  try {
    return textAt(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), 'sub') ?? 'unknown';
  } catch {
    return 'unknown';
  }
};

/**
 * The name of the person whose address was typed. People type passwords where the address belongs, so a text that nobody
 * is known by is not kept.
 */
const personTyped = async ({ graph, principalDomain }: WatchDeps, body: unknown): Promise<string> => {
  const typed = textAt(body, 'email')?.trim().toLowerCase() ?? '';
  const email = typed.includes('@') ? typed : `${typed}@${principalDomain}`;
  const [person] = await graph.read(readPerson, { email });
  return person?.name ?? 'unknown';
};

/** A call whose body can be looked at once more after it was handled. */
const withKnownBody = (call: Call): Call => {
  let body: Promise<unknown> | undefined;
  const json = () => {
    body ??= call.body.json();
    return body;
  };
  return { ...call, body: { ...call.body, json } };
};

const watchLogin =
  (deps: WatchDeps): Watch =>
  async (call, handle) => {
    deps.audit.assertWritable();
    const known = withKnownBody(call);
    let answer: Answer;
    try {
      answer = await handle(known);
    } catch (failure) {
      const body = await known.body.json().catch(() => undefined);
      const actor = await personTyped(deps, body).catch(() => 'unknown');
      deps.audit.note({ actor, action: 'loginFailed', outcome: 'refused', ...originOfCall(call) });
      throw failure;
    }
    const actor = nameInToken(textAt(answer.json, 'accessToken'));
    await deps.audit.record({ actor, action: 'login', ...originOfCall(call) });
    return answer;
  };

/** The session is over: either its person or somebody with a copy of the token has shown it twice. */
const recordReuse = (audit: AuditLog, call: Call, name: string): Promise<void> =>
  audit.record({
    actor: name,
    action: 'sessionRevoked',
    target: name,
    outcome: 'refused',
    ...originOfCall(call),
    details: { reason: 'refreshTokenReused' },
  });

const watchRefresh =
  ({ audit }: WatchDeps): Watch =>
  async (call, handle) => {
    audit.assertWritable();
    let answer: Answer;
    try {
      answer = await handle(call);
    } catch (failure) {
      const reuse = failure instanceof CatalogError ? failure.cause : undefined;
      if (reuse instanceof ReusedRefreshToken) await recordReuse(audit, call, reuse.userName);
      throw failure;
    }
    const actor = nameInToken(textAt(answer.json, 'accessToken'));
    await audit.record({ actor, action: 'tokenIssued', ...originOfCall(call), details: { kind: 'session' } });
    return answer;
  };

/** Whether an answer shows a secret in clear. */
const showsSecret = (json: unknown): boolean => {
  if (json === undefined) return false;
  const value = json as Json;
  return !equalJson(maskSecrets(value), value);
};

const watchMechanism =
  ({ audit }: WatchDeps): Watch =>
  async (call, handle) => {
    audit.assertWritable();
    const answer = await handle(call);
    const config = isObject(answer.json as Json) ? member(answer.json as JsonObject, 'config') : undefined;
    if (textAt(config, 'JWTToken') === undefined) return answer;
    const { actor, details } = actorOf(call);
    const entry = { actor, target: call.params['id'], ...originOfCall(call) };
    if (answer.audited?.issuesToken) {
      await audit.record({ ...entry, action: 'tokenIssued', details: { ...details, kind: 'bot' } });
    }
    await audit.record({ ...entry, action: 'secretRead', details: { ...details, what: 'token' } });
    return answer;
  };

const isStreamed = ({ stream }: Answer): boolean => stream !== undefined;

/** Connections are read very often by the ingestion, so that repeated looks of one caller are counted. */
const watchConnections =
  ({ audit }: WatchDeps, discloses: Discloses, { method, path }: Pick<Route, 'method' | 'path'>): Watch =>
  async (call, handle) => {
    const answer = await handle(call);
    // Nobody looks into a stream, so it counts as read by whoever may see what it may hold.
    const isRead = isStreamed(answer) ? method === 'GET' && discloses(call.principal, path) : showsSecret(answer.json);
    if (!isRead) return answer;
    const { actor, details } = actorOf(call);
    const target = targetOf(call, answer);
    audit.note({
      actor,
      action: 'secretRead',
      target,
      ...originOfCall(call),
      details: { ...details, what: 'connection', operation: `${method} ${path}` },
    });
    return answer;
  };

/** A graph in any form but the one that explorers draw from is a file to take away. */
const watchGraph = ({ audit }: WatchDeps, route: Pick<Route, 'method' | 'path'>): Watch => {
  const exported = writes(audit, 'exported', route);
  return (call, handle) => ((call.query.get('format') || 'json') === 'json' ? handle(call) : exported(call, handle));
};

const SUBJECTS: readonly (readonly [RegExp, AuditAction])[] = [
  [/^\/v1\/policies(\/|$)/, 'policyChanged'],
  [/^\/v1\/roles(\/|$)/, 'roleChanged'],
  [/^\/v1\/(users|bots|teams)(\/|$)/, 'userChanged'],
];

/** Operations below those paths that change nothing about who may do what. */
const HARMLESS = /\/(followers|vote)(\/|$)/;
const EXPORT = /\/(export[A-Za-z]*|odcs)(\/(async|yaml))?$/;

const watchesByRoute = (deps: WatchDeps): ReadonlyMap<string, Watch> => {
  const { audit } = deps;
  const writing = (action: AuditAction, method: Route['method'], path: string) =>
    [`${method} ${path}`, writes(audit, action, { method, path })] as const;
  return new Map<string, Watch>([
    ['POST /v1/users/login', watchLogin(deps)],
    ['POST /v1/users/refresh', watchRefresh(deps)],
    ['GET /v1/users/auth-mechanism/{id}', watchMechanism(deps)],
    ['GET /v1/lineage/graph', watchGraph(deps, { method: 'GET', path: '/v1/lineage/graph' })],
    writing('logout', 'POST', '/v1/users/logout'),
    writing('tokenIssued', 'PUT', '/v1/users/generateToken/{id}'),
    writing('tokenRevoked', 'PUT', '/v1/users/revokeToken'),
    writing('tokenIssued', 'PUT', '/v1/users/security/token'),
    writing('tokenRevoked', 'PUT', '/v1/users/security/token/revoke'),
    writing('tokenRevoked', 'DELETE', '/v1/users/{id}/tokens'),
    writing('tokenRevoked', 'DELETE', '/v1/users/{id}/tokens/{tokenId}'),
    writing('sessionRevoked', 'DELETE', '/v1/users/{id}/sessions'),
    writing('sessionRevoked', 'DELETE', '/v1/users/{id}/sessions/{sessionId}'),
  ]);
};

type Watching = WatchDeps & { readonly discloses: Discloses };

const watchFor = (deps: Watching, known: ReadonlyMap<string, Watch>, { method, path }: Route): Watch | undefined => {
  const named = known.get(`${method} ${path}`);
  if (named) return named;
  if (method === 'GET' && EXPORT.test(path)) return writes(deps.audit, 'exported', { method, path });
  if (path.startsWith('/v1/services/')) return watchConnections(deps, deps.discloses, { method, path });
  if (method === 'GET' || HARMLESS.test(path)) return undefined;
  const action = SUBJECTS.find(([pattern]) => pattern.test(path))?.[1];
  return action && writes(deps.audit, action, { method, path });
};

/** The same routes, of which those write entries that are relevant to security. */
export const watchRoutes = (deps: Watching, routes: readonly Route[]): readonly Route[] => {
  const known = watchesByRoute(deps);
  return routes.map((route) => {
    const watch = watchFor(deps, known, route);
    const handle = route.method === 'GET' ? route.handle : notingRefusedRows(deps.audit, route);
    return { ...route, handle: watch ? (call: Call) => watch(call, handle) : handle };
  });
};

/** Notes that a bot acts in the name of somebody. */
export const noteImpersonation = (
  audit: AuditLog,
  { name, impersonatedBy }: Principal,
  origin: Origin | undefined,
): void => {
  if (impersonatedBy !== undefined)
    audit.note({ actor: impersonatedBy, action: 'impersonated', target: name, ...origin });
};

const MOST_SEEN = 10_000;

/** Records the first use of each token that is no session's; which tokens were used is known to all processes. */
export const createFirstUses = ({ audit, graph, clock }: WatchDeps, failed: (failure: unknown) => void) => {
  const seen = new Set<string>();

  const see = async (
    { name, digest, tokenType, expiresAt }: VerifiedToken,
    origin: Origin | undefined,
  ): Promise<void> => {
    audit.assertWritable();
    const token = {
      digest,
      now: encodeProperty(clock()),
      expiresAt: encodeProperty(expiresAt),
      seenBy: randomUUID(),
    };
    const [row] = await graph.write((transaction) => transaction.run(seeToken, token));
    if (row?.isFirst !== true) return;
    await audit.record({ actor: name, action: 'tokenUsedFirst', ...origin, details: { tokenType } });
  };

  return (token: VerifiedToken, origin: Origin | undefined): void => {
    if (token.sessionId !== undefined || seen.has(token.digest)) return;
    if (seen.size >= MOST_SEEN) seen.clear();
    seen.add(token.digest);
    see(token, origin).catch((failure: unknown) => {
      seen.delete(token.digest);
      failed(failure);
    });
  };
};
