import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { badRequest, StartupError } from '../errors.ts';
import type { SigningKey } from './signing-key.ts';

/** What a token is for: it selects the checks behind the signature. */
export type TokenType = 'BOT' | 'OM_USER' | 'PERSONAL_ACCESS';

/** The claim that says when a token was issued to the millisecond. */
export const ISSUED_AT_MS_CLAIM = 'iatMs';

/** What a token issued here says. `now` is in epoch milliseconds; without `ttlSeconds` the token never expires. */
export type TokenContent = {
  readonly issuer: string;
  readonly user: { readonly name: string; readonly email: string };
  readonly isBot: boolean;
  readonly tokenType: TokenType;
  readonly ttlSeconds: number | undefined;
  readonly now: number;
  /** The session that the token ends with. */
  readonly sessionId?: string;
};

/**
 * A signed token with the claims of the contract. Throws bad_request for a person's token without an end, because
 * verification would refuse it.
 */
export const issueToken = async (key: SigningKey, request: TokenContent): Promise<string> => {
  const { issuer, user, isBot, tokenType, ttlSeconds, sessionId } = request;
  if (ttlSeconds === undefined && !isBot) throw badRequest('Only the token of a bot can be unlimited');
  await key.refresh();
  const issuedAt = Math.floor(request.now / 1000);
  const claims = {
    email: user.email,
    preferred_username: user.name,
    isBot,
    tokenType,
    [ISSUED_AT_MS_CLAIM]: request.now,
  };
  // Without an id of its own, the next token of the same second would be the same text, and be withdrawn together with it.
  const token = new SignJWT(sessionId === undefined ? claims : { ...claims, sid: sessionId })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.kid })
    .setIssuer(issuer)
    .setSubject(user.name)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt);
  if (ttlSeconds !== undefined) token.setExpirationTime(issuedAt + ttlSeconds);
  return token.sign(key.privateKey);
};

/** When a token made now ends, in epoch milliseconds: tokens count in whole seconds. */
export const tokenExpiryOf = (now: number, ttlSeconds: number): number => (Math.floor(now / 1000) + ttlSeconds) * 1000;

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const MAX_DAYS = 3650;

const isUnit = (text: string): text is keyof typeof SECONDS => Object.hasOwn(SECONDS, text);

/** The seconds of a lifetime such as `30m`, `1h` or `7d`. Throws a StartupError for anything else. */
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
