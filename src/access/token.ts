import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { badRequest, StartupError } from '../errors.ts';
import type { SigningKey } from './signing-key.ts';

/** The purpose of a token. It selects the checks that follow signature verification. */
export type TokenType = 'BOT' | 'OM_USER' | 'PERSONAL_ACCESS';

/** The claim that gives the issue time in milliseconds. */
export const ISSUED_AT_MS_CLAIM = 'iatMs';

/** The claim that gives the id of the user. */
export const USER_ID_CLAIM = 'uid';

/** The content of a token issued here. `now` is in epoch milliseconds; without `ttlSeconds` the token never expires. */
export type TokenContent = {
  readonly issuer: string;
  readonly user: { readonly name: string; readonly email: string };
  readonly isBot: boolean;
  readonly tokenType: TokenType;
  readonly ttlSeconds: number | undefined;
  readonly now: number;
  /** The session that the token belongs to. */
  readonly sessionId?: string;
  /** The id of the user, so that the token is not for whoever has the name later. Stored tokens and sessions need none. */
  readonly userId?: string;
};

/**
 * Issues a signed token with the claims of the contract. Throws bad_request for a person's token without an expiry,
 * because verification would refuse it.
 */
export const issueToken = async (key: SigningKey, request: TokenContent): Promise<string> => {
  const { issuer, user, isBot, tokenType, ttlSeconds, sessionId, userId } = request;
  if (ttlSeconds === undefined && !isBot) throw badRequest('Only the token of a bot can be unlimited');
  await key.refresh();
  const issuedAt = Math.floor(request.now / 1000);
  const claims = {
    email: user.email,
    preferred_username: user.name,
    isBot,
    tokenType,
    [ISSUED_AT_MS_CLAIM]: request.now,
    ...(userId === undefined ? {} : { [USER_ID_CLAIM]: userId }),
  };
  // The token id makes two tokens of the same second differ; otherwise revoking one would revoke both.
  const token = new SignJWT(sessionId === undefined ? claims : { ...claims, sid: sessionId })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.kid })
    .setIssuer(issuer)
    .setSubject(user.name)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt);
  if (ttlSeconds !== undefined) token.setExpirationTime(issuedAt + ttlSeconds);
  return token.sign(key.privateKey);
};

/** When a token issued now expires, in epoch milliseconds. Tokens count in whole seconds. */
export const tokenExpiryOf = (now: number, ttlSeconds: number): number => (Math.floor(now / 1000) + ttlSeconds) * 1000;

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const MAX_DAYS = 3650;

const isUnit = (text: string): text is keyof typeof SECONDS => Object.hasOwn(SECONDS, text);

/** Parses a lifetime such as `30m`, `1h` or `7d` into seconds. Throws a StartupError for anything else. */
export const parseTokenLifetime = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text.trim()) ?? [];
  const seconds = isUnit(unit) ? Number(digits) * SECONDS[unit] : 0;
  if (seconds < 1 || seconds > MAX_DAYS * SECONDS.d) {
    throw new StartupError(
      `The lifetime is "${text}", expected a number and a unit such as 30m, 1h or 7d, up to ${MAX_DAYS}d`,
    );
  }
  return seconds;
};
