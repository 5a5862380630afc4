import { compactVerify, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import { monotonicNow } from '../model/time.ts';
import { createFetchJson } from './fetch-json.ts';
import { type ProviderSession, readProviderSession } from './provider-subject.ts';
import { createPublishedKeys, PUBLISHED_ALGORITHMS } from './published-keys.ts';
import { CLOCK_SKEW_SECONDS } from './token-verifier.ts';

/**
 * Checks logout tokens, by which a provider says that somebody has signed out there (OpenID Connect Back-Channel
 * Logout 1.0).
 */

/** The provider that signs the tokens, and for whom. */
export type LogoutTokenSource = {
  readonly issuer: string;
  readonly clientId: string;
  readonly keysAddress: string | undefined;
  /** The algorithms by which it signs ID tokens, and therefore logout tokens. */
  readonly algorithms: readonly string[];
};

/** Who has signed out at the provider: a person, one session of theirs, or both. */
export type ProviderLogout = ProviderSession & {
  readonly issuer: string;
  /** No two logout tokens of an issuer share it. */
  readonly tokenId: string;
  /** The moment in epoch milliseconds from which the token is too old to be shown again. */
  readonly refusedFrom: number;
};

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Many providers do not set the type, or set the general one. A token with another purpose has a type of its own. */
const TOKEN_TYPES: readonly unknown[] = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'];
/** A token counts no longer than this, whatever its expiry says, so that shown ones need not be remembered for long. */
const MAX_AGE_SECONDS = 600;
const KEYS_BOUNDS = { timeoutMs: 5_000, maxBytes: 256 * 1024 } as const;

type PublishedKeys = ReturnType<typeof createPublishedKeys>;

/** Opens the keys at an address. They stay open until the provider names another address. */
const createKeysByAddress = () => {
  const fetchJson = createFetchJson(KEYS_BOUNDS);
  let opened: { readonly address: string; readonly keys: PublishedKeys } | undefined;
  return ({ issuer, keysAddress: address }: LogoutTokenSource): PublishedKeys => {
    if (address === undefined) throw new Error('the provider publishes no keys');
    if (issuer.startsWith('https:') && !address.startsWith('https:')) throw new Error('the keys are not sent by HTTPS');
    if (opened?.address !== address) {
      opened = {
        address,
        keys: createPublishedKeys({
          keySets: [{ url: address, issuers: [] }],
          fetchJson,
          clock: monotonicNow,
        }),
      };
    }
    return opened.keys;
  };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readHeader = (token: string, { algorithms }: LogoutTokenSource) => {
  const { alg = '', kid, typ } = decodeProtectedHeader(token);
  const isAllowed = PUBLISHED_ALGORITHMS.includes(alg) && algorithms.includes(alg);
  if (!isAllowed) throw new Error(`the algorithm ${alg} is not allowed`);
  if (kid !== undefined && typeof kid !== 'string') throw new Error('the key id is not a text');
  if (!TOKEN_TYPES.includes(typeof typ === 'string' ? typ.toLowerCase() : typ))
    throw new Error('the type is not that of a logout token');
  return { alg, kid };
};

const assertLogoutEvent = ({ events, ...payload }: JWTPayload): void => {
  const hasEvent = isObject(events) && Object.hasOwn(events, LOGOUT_EVENT) && isObject(events[LOGOUT_EVENT]);
  if (!hasEvent) throw new Error('the event is not a logout');
  // An ID token has a nonce, so neither of the two can stand in for the other.
  if (Object.hasOwn(payload, 'nonce')) throw new Error('a logout token has no nonce');
};

/** Reads who has signed out. A name that is present must be usable, because without it the token would say more. */
const readSignedOut = (payload: JWTPayload): ProviderSession => {
  const session = readProviderSession(payload);
  const isUnusable =
    (Object.hasOwn(payload, 'sub') && session.subject === undefined) ||
    (Object.hasOwn(payload, 'sid') && session.sessionId === undefined);
  if (isUnusable) throw new Error('the subject or the session is not a usable text');
  if (session.subject === undefined && session.sessionId === undefined) throw new Error('nobody has signed out');
  return session;
};

/** Checks one logout token at a moment in epoch milliseconds, or throws. */
export type LogoutTokenCheck = (token: string, source: LogoutTokenSource, now: number) => Promise<ProviderLogout>;

export const createLogoutTokenCheck = (): LogoutTokenCheck => {
  const keysOf = createKeysByAddress();
  return async (token, source, now) => {
    const header = readHeader(token, source);
    const options = { algorithms: [header.alg] };
    const key = await keysOf(source).tryKeys(header, async (candidate) => {
      await compactVerify(token, candidate, options);
      return candidate;
    });
    // The claims are checked apart from the search for the key, whose failure does not say what was wrong.
    const { payload } = await jwtVerify(token, key, {
      ...options,
      issuer: source.issuer,
      audience: source.clientId,
      // Some providers send no `exp`. The greatest age holds for all.
      requiredClaims: ['iat', 'jti'],
      maxTokenAge: MAX_AGE_SECONDS,
      currentDate: new Date(now),
      clockTolerance: CLOCK_SKEW_SECONDS,
    });
    assertLogoutEvent(payload);
    const { iat = 0, jti = '' } = payload;
    if (typeof jti !== 'string' || jti === '') throw new Error('the token has no usable id');
    const refusedFrom = (iat + MAX_AGE_SECONDS + 2 * CLOCK_SKEW_SECONDS) * 1000;
    return { ...readSignedOut(payload), issuer: source.issuer, tokenId: jti, refusedFrom };
  };
};
