import { randomUUID } from 'node:crypto';
import type { Principal, RequestOrigin } from '../access/principal.ts';
import type { VerifiedToken } from '../access/token-verifier.ts';
import { findLogin } from '../accounts/queries.ts';
import { ReusedRefreshToken } from '../accounts/sessions.ts';
import { CHANGE_HEADER } from '../catalog/read/answer.ts';
import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { equalJson, isObject, type Json, type JsonObject, member } from '../model/json.ts';
import { maskSecrets } from '../model/secret-masking.ts';
import type { AuditAction, AuditInput } from './entry.ts';
import type { AuditLog } from './log.ts';
import { createSeenToken } from './queries.ts';
import { notingRefusedRows } from './refusals.ts';

/**
 * Wraps routes so that security-relevant requests write audit entries. The response is sent only after its entry is
 * stored.
 */

type RouteAudit = (call: Call, handle: Route['handle']) => Promise<Answer>;

export type RouteAuditDeps = {
  readonly audit: AuditLog;
  readonly graph: Graph;
  readonly clock: () => number;
  /** The e-mail domain of people who log in with a bare name. */
  readonly principalDomain: string;
};

/** Whether the caller may see the secrets of some record below a path in the clear. */
export type Discloses = (principal: Principal, path: string) => boolean;

const requestOriginOf = ({ address, requestId }: Call): RequestOrigin => ({ address, requestId });

/** The acting user, with the bot that impersonated them. */
const actorOf = ({ principal }: Pick<Call, 'principal'>): Pick<AuditInput, 'actor'> & { details: JsonObject } => ({
  actor: principal.name,
  details: principal.impersonatedBy === undefined ? {} : { impersonatedBy: principal.impersonatedBy },
});

const textMember = (json: unknown, name: string): string | undefined => {
  const value = isObject(json as Json) ? member(json as JsonObject, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** The target of a request: the record it returns, or otherwise what its path names. */
const auditTargetOf = ({ params }: Call, { json }: Answer): string | undefined =>
  textMember(json, 'fullyQualifiedName') ?? textMember(json, 'name') ?? Object.values(params)[0];

const answerDetails = ({ headers = {}, status }: Answer): JsonObject => {
  const change = headers[CHANGE_HEADER];
  return { status, ...(change === undefined ? {} : { change }) };
};

const isNoChange = ({ headers = {}, json }: Answer): boolean =>
  headers[CHANGE_HEADER] === 'entityNoChange' ||
  (json !== undefined && isObject(json as Json) && member(json as JsonObject, 'dryRun') === true);

const auditWrite =
  (audit: AuditLog, action: AuditAction, route: Pick<Route, 'method' | 'path'>): RouteAudit =>
  async (call, handle) => {
    audit.assertWritable();
    const answer = await handle(call);
    if (isNoChange(answer)) return answer;
    const { actor, details } = actorOf(call);
    await audit.record({
      actor,
      action,
      target: auditTargetOf(call, answer),
      ...requestOriginOf(call),
      details: { ...details, operation: `${route.method} ${route.path}`, ...answerDetails(answer) },
    });
    return answer;
  };

/** Reads the user name from a token that was just issued here and therefore needs no verification. */
const readTokenSubject = (token: string | undefined): string => {
  const [, payload = ''] = (token ?? '').split('.');
  try {
    return textMember(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), 'sub') ?? 'unknown';
  } catch {
    return 'unknown';
  }
};

/**
 * Finds the person whose address was typed. People sometimes type passwords into the address field, so a text that
 * matches no user is not recorded.
 */
const findTypedPerson = async ({ graph, principalDomain }: RouteAuditDeps, body: unknown): Promise<string> => {
  const typed = textMember(body, 'email')?.trim().toLowerCase() ?? '';
  const email = typed.includes('@') ? typed : `${typed}@${principalDomain}`;
  const [person] = await graph.read(findLogin, { email });
  return person?.name ?? 'unknown';
};

/** Returns a call whose body can be read again after it was handled. */
const withRereadableBody = (call: Call): Call => {
  let body: Promise<unknown> | undefined;
  const json = () => {
    body ??= call.body.json();
    return body;
  };
  return { ...call, body: { ...call.body, json } };
};

const auditLogin =
  (deps: RouteAuditDeps): RouteAudit =>
  async (call, handle) => {
    deps.audit.assertWritable();
    const known = withRereadableBody(call);
    let answer: Answer;
    try {
      answer = await handle(known);
    } catch (failure) {
      const body = await known.body.json().catch(() => undefined);
      const actor = await findTypedPerson(deps, body).catch(() => 'unknown');
      deps.audit.note({ actor, action: 'loginFailed', outcome: 'refused', ...requestOriginOf(call) });
      throw failure;
    }
    const actor = readTokenSubject(textMember(answer.json, 'accessToken'));
    await deps.audit.record({ actor, action: 'login', ...requestOriginOf(call) });
    return answer;
  };

/** Records that a refresh token was used twice, by its owner or by the holder of a copy. The session has ended. */
const recordReuse = (audit: AuditLog, call: Call, name: string): Promise<void> =>
  audit.record({
    actor: name,
    action: 'sessionRevoked',
    target: name,
    outcome: 'refused',
    ...requestOriginOf(call),
    details: { reason: 'refreshTokenReused' },
  });

const auditRefresh =
  ({ audit }: RouteAuditDeps): RouteAudit =>
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
    const actor = readTokenSubject(textMember(answer.json, 'accessToken'));
    await audit.record({ actor, action: 'tokenIssued', ...requestOriginOf(call), details: { kind: 'session' } });
    return answer;
  };

/** Records sign-ins at the provider. A failed one has no name that this service vouches for. */
const auditSignIn =
  ({ audit }: RouteAuditDeps): RouteAudit =>
  async (call, handle) => {
    audit.assertWritable();
    const answer = await handle(call);
    const person = answer.audited?.person;
    const details = { by: 'provider' };
    if (person !== undefined) await audit.record({ actor: person, action: 'login', ...requestOriginOf(call), details });
    else if (answer.status === 401 || answer.status === 403)
      audit.note({ actor: 'unknown', action: 'loginFailed', outcome: 'refused', ...requestOriginOf(call), details });
    return answer;
  };

/** Records the end of a browser's session, if there was one. */
const auditSessionEnd =
  ({ audit }: RouteAuditDeps): RouteAudit =>
  async (call, handle) => {
    audit.assertWritable();
    const answer = await handle(call);
    const person = answer.audited?.person;
    if (person !== undefined) await audit.record({ actor: person, action: 'logout', ...requestOriginOf(call) });
    return answer;
  };

/** Records the sessions that the provider ended, for each person. */
const auditProviderLogout =
  ({ audit }: RouteAuditDeps): RouteAudit =>
  async (call, handle) => {
    audit.assertWritable();
    const answer = await handle(call);
    for (const actor of answer.audited?.people ?? [])
      await audit.record({ actor, action: 'logout', ...requestOriginOf(call), details: { by: 'provider' } });
    return answer;
  };

/** Whether a response shows a secret in the clear. */
const hasSecret = (json: unknown): boolean => {
  if (json === undefined) return false;
  const value = json as Json;
  return !equalJson(maskSecrets(value), value);
};

const auditTokenRead =
  ({ audit }: RouteAuditDeps): RouteAudit =>
  async (call, handle) => {
    audit.assertWritable();
    const answer = await handle(call);
    const config = isObject(answer.json as Json) ? member(answer.json as JsonObject, 'config') : undefined;
    if (textMember(config, 'JWTToken') === undefined) return answer;
    const { actor, details } = actorOf(call);
    const entry = { actor, target: call.params['id'], ...requestOriginOf(call) };
    if (answer.audited?.issuesToken) {
      await audit.record({ ...entry, action: 'tokenIssued', details: { ...details, kind: 'bot' } });
    }
    await audit.record({ ...entry, action: 'secretRead', details: { ...details, what: 'token' } });
    return answer;
  };

const isStreamed = ({ stream }: Answer): boolean => stream !== undefined;

/**
 * Records reads of connection secrets. Ingestion reads them very often, so repeated reads of one caller are counted.
 */
const auditConnectionRead =
  ({ audit }: RouteAuditDeps, discloses: Discloses, { method, path }: Pick<Route, 'method' | 'path'>): RouteAudit =>
  async (call, handle) => {
    const answer = await handle(call);
    // A streamed response cannot be inspected, so it counts as a read when the caller may see the secrets it may
    // contain.
    const isRead = isStreamed(answer) ? method === 'GET' && discloses(call.principal, path) : hasSecret(answer.json);
    if (!isRead) return answer;
    const { actor, details } = actorOf(call);
    const target = auditTargetOf(call, answer);
    audit.note({
      actor,
      action: 'secretRead',
      target,
      ...requestOriginOf(call),
      details: { ...details, what: 'connection', operation: `${method} ${path}` },
    });
    return answer;
  };

/** Records graph exports: every format except the JSON that graph explorers display. */
const watchGraph = ({ audit }: RouteAuditDeps, route: Pick<Route, 'method' | 'path'>): RouteAudit => {
  const exported = auditWrite(audit, 'exported', route);
  return (call, handle) => ((call.query.get('format') || 'json') === 'json' ? handle(call) : exported(call, handle));
};

const AUDITED_SUBJECTS: readonly (readonly [RegExp, AuditAction])[] = [
  [/^\/v1\/policies(\/|$)/, 'policyChanged'],
  [/^\/v1\/roles(\/|$)/, 'roleChanged'],
  [/^\/v1\/(users|bots|teams)(\/|$)/, 'userChanged'],
];

/** Operations below these paths change no permissions, so they write no entries. */
const UNAUDITED_PATHS = /\/(followers|vote)(\/|$)/;
const EXPORT_PATHS = /\/(export[A-Za-z]*|odcs)(\/(async|yaml))?$/;

const auditsByRoute = (deps: RouteAuditDeps): ReadonlyMap<string, RouteAudit> => {
  const { audit } = deps;
  const auditedWrite = (action: AuditAction, method: Route['method'], path: string) =>
    [`${method} ${path}`, auditWrite(audit, action, { method, path })] as const;
  return new Map<string, RouteAudit>([
    ['POST /v1/users/login', auditLogin(deps)],
    ['POST /v1/users/refresh', auditRefresh(deps)],
    ['GET /v1/users/signin/callback', auditSignIn(deps)],
    ['POST /v1/users/signin/backchannel-logout', auditProviderLogout(deps)],
    ['POST /v1/users/session', auditLogin(deps)],
    ['PUT /v1/users/session', auditRefresh(deps)],
    ['DELETE /v1/users/session', auditSessionEnd(deps)],
    ['GET /v1/users/auth-mechanism/{id}', auditTokenRead(deps)],
    ['GET /v1/lineage/graph', watchGraph(deps, { method: 'GET', path: '/v1/lineage/graph' })],
    auditedWrite('logout', 'POST', '/v1/users/logout'),
    auditedWrite('tokenIssued', 'PUT', '/v1/users/generateToken/{id}'),
    auditedWrite('tokenRevoked', 'PUT', '/v1/users/revokeToken'),
    auditedWrite('tokenIssued', 'PUT', '/v1/users/security/token'),
    auditedWrite('tokenRevoked', 'PUT', '/v1/users/security/token/revoke'),
    auditedWrite('tokenRevoked', 'DELETE', '/v1/users/{id}/tokens'),
    auditedWrite('tokenRevoked', 'DELETE', '/v1/users/{id}/tokens/{tokenId}'),
    auditedWrite('sessionRevoked', 'DELETE', '/v1/users/{id}/sessions'),
    auditedWrite('sessionRevoked', 'DELETE', '/v1/users/{id}/sessions/{sessionId}'),
  ]);
};

type Watching = RouteAuditDeps & { readonly discloses: Discloses };

const findRouteAudit = (
  deps: Watching,
  known: ReadonlyMap<string, RouteAudit>,
  { method, path }: Route,
): RouteAudit | undefined => {
  const named = known.get(`${method} ${path}`);
  if (named) return named;
  if (method === 'GET' && EXPORT_PATHS.test(path)) return auditWrite(deps.audit, 'exported', { method, path });
  if (path.startsWith('/v1/services/')) return auditConnectionRead(deps, deps.discloses, { method, path });
  if (method === 'GET' || UNAUDITED_PATHS.test(path)) return undefined;
  const action = AUDITED_SUBJECTS.find(([pattern]) => pattern.test(path))?.[1];
  return action && auditWrite(deps.audit, action, { method, path });
};

/** Wraps the routes that are relevant to security so that they write entries. */
export const wrapAuditedRoutes = (deps: Watching, routes: readonly Route[]): readonly Route[] => {
  const known = auditsByRoute(deps);
  return routes.map((route) => {
    const watch = findRouteAudit(deps, known, route);
    const handle = route.method === 'GET' ? route.handle : notingRefusedRows(deps.audit, route);
    return { ...route, handle: watch ? (call: Call) => watch(call, handle) : handle };
  });
};

/** Records that a bot impersonates a user. */
export const noteImpersonation = (
  audit: AuditLog,
  { name, impersonatedBy }: Principal,
  origin: RequestOrigin | undefined,
): void => {
  if (impersonatedBy !== undefined)
    audit.note({ actor: impersonatedBy, action: 'impersonated', target: name, ...origin });
};

const MOST_SEEN = 10_000;

/**
 * Records the first use of each token that does not belong to a session. All processes share the list of used tokens.
 */
export const createFirstUseRecorder = (
  { audit, graph, clock }: RouteAuditDeps,
  onFailure: (failure: unknown) => void,
) => {
  const seen = new Set<string>();

  const recordFirstUse = async (
    { name, digest, tokenType, expiresAt }: VerifiedToken,
    origin: RequestOrigin | undefined,
  ): Promise<void> => {
    audit.assertWritable();
    const token = {
      digest,
      now: encodeProperty(clock()),
      expiresAt: encodeProperty(expiresAt),
      seenBy: randomUUID(),
    };
    const [row] = await graph.write((transaction) => transaction.run(createSeenToken, token));
    if (row?.isFirst !== true) return;
    await audit.record({ actor: name, action: 'tokenUsedFirst', ...origin, details: { tokenType } });
  };

  return (token: VerifiedToken, origin: RequestOrigin | undefined): void => {
    if (token.sessionId !== undefined || seen.has(token.digest)) return;
    if (seen.size >= MOST_SEEN) seen.clear();
    seen.add(token.digest);
    recordFirstUse(token, origin).catch((failure: unknown) => {
      seen.delete(token.digest);
      onFailure(failure);
    });
  };
};
