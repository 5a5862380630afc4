import { randomUUID } from 'node:crypto';
import { issueToken, tokenExpiryOf } from '../access/token.ts';
import { digestToken } from '../access/token-verifier.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { TokenExpiry } from '../model/schemas/people/person.ts';
import type { Accounts } from './accounts.ts';
import {
  type BotTokenRow,
  createBotToken,
  createPersonalToken,
  deleteBotToken,
  deletePersonalTokens,
  listPersonalTokens,
  type PersonalTokenRow,
  readBotToken,
} from './queries.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

const EXPIRY_SECONDS: Readonly<Record<TokenExpiry, number | undefined>> = {
  OneHour: HOUR,
  '1': DAY,
  '7': 7 * DAY,
  '30': 30 * DAY,
  '60': 60 * DAY,
  '90': 90 * DAY,
  Unlimited: undefined,
};

/** The token of a bot, in the form the API returns. */
export type JwtMechanism = {
  readonly JWTToken: string;
  readonly JWTTokenExpiry: string;
  readonly JWTTokenExpiresAt?: number;
};

/** A personal token. Its text is returned only when it is created. */
export type PersonalToken = {
  readonly token: string;
  readonly tokenName: string;
  readonly userId: string;
  readonly tokenType: 'PERSONAL_ACCESS_TOKEN';
  readonly expiryDate: number;
  readonly jwtToken?: string;
};

type TokenHolder = { readonly id: string; readonly name: string; readonly email: string };

const tokenEndOf = (now: number, ttlSeconds: number | undefined): number | undefined =>
  ttlSeconds === undefined ? undefined : tokenExpiryOf(now, ttlSeconds);

const buildJwtMechanism = (token: string, expiry: string, expiresAt: number | null | undefined): JwtMechanism => ({
  JWTToken: token,
  JWTTokenExpiry: expiry,
  ...(expiresAt === null || expiresAt === undefined ? {} : { JWTTokenExpiresAt: expiresAt }),
});

type BotTokenOptions = { readonly expiry: TokenExpiry; readonly replaces: boolean };

/** Stores a new token of a bot. Undefined when the user is not a bot, no longer exists, or keeps its present token. */
const tryCreateBotToken = async (
  { engine, key, issuer, standings }: Accounts,
  user: TokenHolder,
  { expiry, replaces }: BotTokenOptions,
): Promise<JwtMechanism | undefined> => {
  const now = engine.clock();
  const ttlSeconds = EXPIRY_SECONDS[expiry];
  const token = await issueToken(key, { issuer, user, isBot: true, tokenType: 'BOT', ttlSeconds, now });
  const expiresAt = tokenEndOf(now, ttlSeconds);
  const row = {
    userId: user.id,
    replaces,
    digest: digestToken(token),
    id: randomUUID(),
    sealed: engine.secrets.seal({ token }).token,
    expiry,
    now: encodeProperty(now),
    expiresAt: encodeProperty(expiresAt),
  };
  const [written] = await engine.graph.write((transaction) => transaction.run(createBotToken, row));
  if (!written) return undefined;
  standings.forgetTokens([...written.digests, row.digest]);
  return buildJwtMechanism(token, expiry, expiresAt);
};

/** Gives a bot a new token and revokes the previous one. Throws bad_request for a person. */
export const replaceBotToken = async (
  accounts: Accounts,
  user: TokenHolder,
  expiry: TokenExpiry,
): Promise<JwtMechanism> => {
  const token = await tryCreateBotToken(accounts, user, { expiry, replaces: true });
  if (!token) throw badRequest(`user ${user.name} is not a bot`);
  return token;
};

const unsealBotToken = ({ engine }: Accounts, { sealed, expiry, expiresAt }: BotTokenRow): JwtMechanism =>
  buildJwtMechanism(engine.secrets.open({ token: sealed }).token, expiry, expiresAt);

const findBotToken = async (accounts: Accounts, userId: string): Promise<JwtMechanism | undefined> => {
  const [row] = await accounts.engine.graph.read(readBotToken, { userId });
  return row && unsealBotToken(accounts, row);
};

/**
 * Returns the token of a bot. A bot created with a token request gets its token on the first read; concurrent readers
 * get the same token. `isNew` says that this call created it.
 */
export const findOrCreateBotToken = async (
  accounts: Accounts,
  user: TokenHolder,
  requestedExpiry: TokenExpiry | undefined,
): Promise<{ readonly token: JwtMechanism | undefined; readonly isNew: boolean }> => {
  const found = await findBotToken(accounts, user.id);
  if (found || requestedExpiry === undefined) return { token: found, isNew: false };
  const made = await tryCreateBotToken(accounts, user, { expiry: requestedExpiry, replaces: false });
  return { token: made ?? (await findBotToken(accounts, user.id)), isNew: made !== undefined };
};

export const revokeBotToken = async ({ engine, standings }: Accounts, user: TokenHolder): Promise<void> => {
  const [revoked] = await engine.graph.write((transaction) => transaction.run(deleteBotToken, { userId: user.id }));
  if (!revoked) throw recordNotFound('user', user.id);
  standings.forgetTokens(revoked.digests);
};

const MAX_PERSONAL_TOKENS = 100;

const buildPersonalToken = (userId: string, { id, name, expiresAt }: PersonalTokenRow): PersonalToken => ({
  token: id,
  tokenName: name,
  userId,
  tokenType: 'PERSONAL_ACCESS_TOKEN',
  expiryDate: expiresAt,
});

/**
 * Issues a personal token. Throws bad_request for one without an expiry, and when the person has reached the maximum
 * number.
 */
export const issuePersonalToken = async (
  { engine, key, issuer }: Accounts,
  user: TokenHolder,
  tokenName: string,
  expiry: TokenExpiry,
): Promise<PersonalToken> => {
  const now = engine.clock();
  const ttlSeconds = EXPIRY_SECONDS[expiry];
  if (ttlSeconds === undefined) throw badRequest('[JWTTokenExpiry must not be Unlimited for a personal token]');
  const request = { issuer, user, isBot: false, tokenType: 'PERSONAL_ACCESS', ttlSeconds, now } as const;
  const jwtToken = await issueToken(key, request);
  const [id, expiresAt] = [randomUUID(), tokenExpiryOf(now, ttlSeconds)];
  const row = {
    userId: user.id,
    digest: digestToken(jwtToken),
    id,
    name: tokenName,
    now: encodeProperty(now),
    expiresAt: encodeProperty(expiresAt),
    most: MAX_PERSONAL_TOKENS,
  };
  const written = await engine.graph.write((transaction) => transaction.run(createPersonalToken, row));
  if (written.length === 0)
    throw badRequest(`A user can have at most ${MAX_PERSONAL_TOKENS} personal tokens at a time`);
  return { ...buildPersonalToken(user.id, { id, name: tokenName, expiresAt }), jwtToken };
};

export const findPersonalTokens = async ({ engine }: Accounts, userId: string): Promise<PersonalToken[]> => {
  const rows = await engine.graph.read(listPersonalTokens, { userId, now: encodeProperty(engine.clock()) });
  return rows.map((row) => buildPersonalToken(userId, row));
};

/** Revokes personal tokens of one person, named by ids or digests. Tokens of other people stay. */
export const withdrawPersonalTokens = async (
  { engine, standings }: Accounts,
  userId: string,
  idsOrDigests: readonly string[],
): Promise<void> => {
  const revocation = { userId, ids: idsOrDigests };
  const rows = await engine.graph.write((transaction) => transaction.run(deletePersonalTokens, revocation));
  standings.forgetTokens(rows.map(({ digest }) => digest));
};
