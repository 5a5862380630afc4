import { createHash, randomBytes } from 'node:crypto';
import type { ProviderSession } from '../access/provider-subject.ts';
import { issueToken } from '../access/token.ts';
import { CatalogError } from '../errors.ts';
import type { Transaction } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { Accounts } from './accounts.ts';
import { createSession, deleteSession, updateSession } from './queries.ts';

/** The tokens that a login returns. */
export type SessionTokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: 'Bearer';
  /** The lifetime of the access token in seconds. */
  readonly expiryDuration: number;
};

type SessionUser = { readonly name: string; readonly email: string };

const ACCESS_SECONDS = 3600;
/** How long a session lasts after it began or was renewed. */
export const SESSION_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_SESSIONS = 100;

/** A refresh token names its session and proves that it is the session's latest. */
type RefreshToken = { readonly sessionId: string; readonly text: string };

const createRefreshToken = (sessionId: string): RefreshToken => ({
  sessionId,
  text: `${sessionId}.${randomBytes(32).toString('base64url')}`,
});

const LAYOUT = /^([\w-]{22})\.[\w-]{43}$/;

const parseRefreshToken = (text: string): RefreshToken | undefined => {
  const sessionId = LAYOUT.exec(text)?.[1];
  return sessionId === undefined ? undefined : { sessionId, text };
};

const digestOfRefreshToken = ({ text }: RefreshToken): string => createHash('sha256').update(text).digest('base64url');

const sessionEndFrom = ({ engine }: Accounts) => encodeProperty(engine.clock() + SESSION_MS);

const issueSessionTokens = async (
  { key, issuer, engine }: Accounts,
  user: SessionUser,
  refresh: RefreshToken,
): Promise<SessionTokens> => {
  const accessToken = await issueToken(key, {
    issuer,
    user,
    isBot: false,
    tokenType: 'OM_USER',
    ttlSeconds: ACCESS_SECONDS,
    now: engine.clock(),
    sessionId: refresh.sessionId,
  });
  return { accessToken, refreshToken: refresh.text, tokenType: 'Bearer', expiryDuration: ACCESS_SECONDS };
};

/** A session that is not stored yet: `write` stores it, `grant` issues its tokens. */
export type NewSession = {
  /** Stores the session. False when the person is gone or the credential counts no longer. */
  write(transaction: Transaction): Promise<boolean>;
  grant(): Promise<SessionTokens>;
};

/** What a session begins with: a credential, and what the provider that signed the person in calls them. */
export type SessionOrigin = { readonly credential: string; readonly provider?: ProviderSession };

/** Prepares a session for a user who proved who they are. It lasts only while its credential counts. */
export const openSession = async (
  accounts: Accounts,
  user: SessionUser & { readonly id: string },
  { credential, provider }: SessionOrigin,
): Promise<NewSession> => {
  const refresh = createRefreshToken(randomBytes(16).toString('base64url'));
  const session = {
    id: refresh.sessionId,
    userId: user.id,
    credential,
    configured: await accounts.configuredCredentials(),
    refreshDigest: digestOfRefreshToken(refresh),
    now: encodeProperty(accounts.engine.clock()),
    expiresAt: sessionEndFrom(accounts),
    most: MAX_SESSIONS,
    providerSubject: provider?.subject ?? null,
    providerSession: provider?.sessionId ?? null,
  };
  return {
    write: async (transaction) => (await transaction.run(createSession, session)).length > 0,
    grant: () => issueSessionTokens(accounts, user, refresh),
  };
};

/** Thrown when a refresh token was used before. The reuse ends the session. */
export class ReusedRefreshToken extends Error {
  override readonly name = 'ReusedRefreshToken';
  readonly userName: string;
  constructor(userName: string) {
    super('the refresh token was used before');
    this.userName = userName;
  }
}

const invalidRefreshToken = (cause?: unknown) =>
  new CatalogError('unauthorized', 'Not Authorized! Invalid Token', { cause });

/** The next tokens of a session. A token that was repeated within the leeway has no successor of its own. */
type RenewedSession = { readonly tokens: SessionTokens; readonly isRepeated: boolean };

/**
 * Issues the next access and refresh token of a session. A refresh token works once: showing it a second time, by its
 * owner or by somebody who copied it, ends the session. Within the leeway it only gives another access token, because
 * two tabs of a browser share one refresh token and may show it at the same time.
 */
export const renewSession = async (accounts: Accounts, text: string, leewayMs: number): Promise<RenewedSession> => {
  const { engine, standings } = accounts;
  const given = parseRefreshToken(text);
  if (given === undefined) throw invalidRefreshToken();
  const next = createRefreshToken(given.sessionId);
  const renewal = {
    id: given.sessionId,
    digest: digestOfRefreshToken(given),
    nextDigest: digestOfRefreshToken(next),
    configured: await accounts.configuredCredentials(),
    now: encodeProperty(engine.clock()),
    expiresAt: sessionEndFrom(accounts),
    leewayMs: encodeProperty(leewayMs),
  };
  const [renewed] = await engine.graph.write((transaction) => transaction.run(updateSession, renewal));
  if (!renewed?.isRenewed) {
    standings.forgetSession(given.sessionId);
    throw invalidRefreshToken(renewed?.isReused ? new ReusedRefreshToken(renewed.name) : undefined);
  }
  const { isRepeated } = renewed;
  return { tokens: await issueSessionTokens(accounts, renewed, isRepeated ? given : next), isRepeated };
};

/** Exchanges a refresh token for new tokens, without any leeway. */
export const refreshSession = async (accounts: Accounts, text: string): Promise<SessionTokens> =>
  (await renewSession(accounts, text, 0)).tokens;

/** Ends a session of the named person. Sessions of other people stay. */
export const endSession = async ({ engine, standings }: Accounts, name: string, id: string): Promise<void> => {
  await engine.graph.write((transaction) => transaction.run(deleteSession, { id, name }));
  standings.forgetSession(id);
};

/** Ends the session of a refresh token, whosever it is. Undefined when there is no such session. */
export const closeSession = async (
  { engine, standings }: Accounts,
  text: string,
): Promise<{ readonly userName: string; readonly credential: string } | undefined> => {
  const id = parseRefreshToken(text)?.sessionId;
  if (id === undefined) return undefined;
  const [closed] = await engine.graph.write((transaction) => transaction.run(deleteSession, { id, name: null }));
  standings.forgetSession(id);
  return closed;
};

/** Ends the session of a refresh token, whether or not it is the latest one. */
export const endSessionOfRefreshToken = async (accounts: Accounts, name: string, text: string): Promise<void> => {
  const given = parseRefreshToken(text);
  if (given) await endSession(accounts, name, given.sessionId);
};
