import { createHash, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { type CryptoKey, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import type { Config } from '../config.ts';
import { CatalogError } from '../errors.ts';
import { createExpiringCache } from './cache.ts';
import {
  identityFromClaims,
  identityFromIssuedToken,
  isAllowedDomain,
  isBotClaimed,
  rolesFromClaims,
  tokenTypeFromClaims,
} from './claims.ts';
import { createFetchJson, type FetchJson } from './fetch-json.ts';
import { type ProviderIdentity, readProviderIdentity } from './provider-identity.ts';
import { createPublishedKeys, type KeySelector, PUBLISHED_ALGORITHMS } from './published-keys.ts';
import type { KeyVersion, SigningKey } from './signing-key.ts';
import { ISSUED_AT_MS_CLAIM, type TokenType, USER_ID_CLAIM } from './token.ts';

/** A token with valid signature, times, issuer and principal. It does not say whether its user may sign in. */
export type VerifiedToken = {
  readonly name: string;
  readonly email: string;
  readonly isBot: boolean;
  readonly tokenType: TokenType;
  /** The digest by which a stored or logged-out token is recognised. */
  readonly digest: string;
  /** Epoch milliseconds. */
  readonly issuedAt?: number;
  readonly expiresAt?: number;
  /** The session that the token belongs to, when it was issued here for one. */
  readonly sessionId?: string;
  /** The id of the user for whom the token was issued here, when it says so. */
  readonly userId?: string;
  /** Signed by this service's own key under its own issuer name. */
  readonly issuedHere: boolean;
  /** The provider's claims about the person's e-mail; present exactly when the token was not issued here. */
  readonly provider?: ProviderIdentity;
  readonly roles: readonly string[];
};

/** Turns the `Authorization` header into a verified token, or throws unauthorized. */
export type TokenVerifier = { verify(authorization: string | undefined): Promise<VerifiedToken> };

type VerifierSettings = {
  readonly key: SigningKey;
  readonly auth: Config['auth'];
  /** The issuer of the tokens issued here. */
  readonly publicIssuer: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly fetchJson?: FetchJson;
};

/** The tolerated clock difference: a token is accepted this long after it expires. */
export const CLOCK_SKEW_SECONDS = 60;
/**
 * How long a verified token is accepted without another check. A minute makes the cost of signature checks negligible
 * and does not exceed the tolerated clock skew. A key that its provider withdraws stays in the key cache for ten
 * minutes in any case.
 */
const TRUST_MS = 60_000;
const MAX_TRUSTED = 5_000;
const JWKS_BOUNDS = { timeoutMs: 5_000, maxBytes: 256 * 1024 } as const;

/** The error for every token that is not accepted. The reason goes to the log only. */
export const invalidTokenError = (cause: unknown): CatalogError =>
  new CatalogError('unauthorized', 'Not Authorized! Invalid Token', { cause });

/**
 * The digest that identifies a token. It omits the signature: with some algorithms the holder of a token can write its
 * signature in a second way, which would create a token that nobody logged out.
 */
export const digestToken = (token: string): string =>
  createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('base64url');

const bearerToken = (authorization: string | undefined): string => {
  const token = /^bearer +(.*)$/i.exec(authorization?.trim() ?? '')?.[1];
  if (token === undefined || token === '') throw new CatalogError('unauthorized', 'Not Authorized! Token not present');
  return token;
};

/**
 * Requires three base64url parts with the signature in its canonical form. Decoders ignore stray bits and characters,
 * so another spelling of a logged-out token would otherwise count as a new token.
 */
const assertCompact = (token: string): void => {
  const signature = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token)?.[1];
  if (signature === undefined || Buffer.from(signature, 'base64url').toString('base64url') !== signature) {
    throw new Error('the token is not a compact JWS');
  }
};

const readHeader = (token: string): KeySelector => {
  assertCompact(token);
  const { alg, kid, crit } = decodeProtectedHeader(token);
  if (alg !== 'HS256' && !PUBLISHED_ALGORITHMS.includes(alg ?? ''))
    throw new Error(`the algorithm ${alg} is not allowed`);
  if (crit !== undefined) throw new Error('the token has critical extensions, and none is understood');
  if (kid !== undefined && typeof kid !== 'string') throw new Error('the key id is not a text');
  return { alg: alg ?? '', kid };
};

type SignedPayload = { readonly payload: JWTPayload; readonly isOurKey: boolean };

/** Checks the signature, `exp` and `nbf` of a token with the key source that its algorithm and key id select. */
const createSignatureCheck = ({ key, auth, clock, fetchJson = createFetchJson(JWKS_BOUNDS) }: VerifierSettings) => {
  const publicKeys = new WeakMap<KeyVersion, KeyObject>();
  const publicKeyOf = (version: KeyVersion): KeyObject => {
    const known = publicKeys.get(version) ?? createPublicKey(version.privateKey);
    publicKeys.set(version, known);
    return known;
  };
  /**
   * The own key versions that may have signed a token. A token without a key id counts as our own when no providers are
   * configured.
   */
  const ownKeysFor = (kid: string | undefined): readonly KeyVersion[] =>
    kid === undefined && !published.isEmpty ? [] : key.versions.filter((one) => kid === undefined || one.kid === kid);
  const shared = auth.hs256Secret === undefined ? undefined : createSecretKey(auth.hs256Secret, 'utf8');
  const published = createPublishedKeys({ keySets: auth.keySets, fetchJson, clock });

  return async (token: string, now: number): Promise<SignedPayload> => {
    const wanted = readHeader(token);
    const options = { algorithms: [wanted.alg], currentDate: new Date(now), clockTolerance: CLOCK_SKEW_SECONDS };
    const check = async (candidate: KeyObject | CryptoKey, issuers: readonly string[] = []): Promise<JWTPayload> =>
      (await jwtVerify(token, candidate, issuers.length === 0 ? options : { ...options, issuer: [...issuers] }))
        .payload;
    if (wanted.alg === 'HS256') {
      if (shared === undefined) throw new Error('no shared secret is configured');
      return { payload: await check(shared), isOurKey: false };
    }
    const ownKeys = ownKeysFor(wanted.kid);
    if (ownKeys.length > 0) {
      if (wanted.alg !== 'RS256') throw new Error('tokens of this service must be signed with RS256');
      return { payload: await Promise.any(ownKeys.map((one) => check(publicKeyOf(one)))), isOurKey: true };
    }
    return { payload: await published.tryKeys(wanted, check), isOurKey: false };
  };
};

const assertIssuerAndAudience = (payload: JWTPayload, auth: Config['auth']): void => {
  const { iss = '', aud = [] } = payload;
  if (auth.issuers.length > 0 && !auth.issuers.includes(iss)) throw new Error(`the issuer is ${iss}`);
  const named: readonly string[] = Array.isArray(aud) ? aud : [aud];
  const isForUs = auth.audiences.length === 0 || auth.audiences.some((audience) => named.includes(audience));
  if (!isForUs) throw new Error(`the audience is ${named.join(', ')}`);
};

/**
 * When a token was issued. Tokens count in seconds, but our own add milliseconds, so that revoking older tokens does
 * not revoke a newer one of the same second.
 */
const issuedAtOf = (payload: JWTPayload, issuedHere: boolean): { issuedAt?: number } => {
  const exact = issuedHere ? payload[ISSUED_AT_MS_CLAIM] : undefined;
  if (typeof exact === 'number') return { issuedAt: exact };
  return payload.iat === undefined ? {} : { issuedAt: payload.iat * 1000 };
};

/** Each address in the token has to be of an allowed domain, because any of them may become that of an account. */
const assertAllowedDomains = (provider: ProviderIdentity | undefined, auth: VerifierSettings['auth']): void => {
  if (provider?.emails.some((email) => !isAllowedDomain(email, auth)))
    throw new Error('the email domain is not allowed');
};

const readVerifiedToken = (
  token: string,
  signed: SignedPayload,
  { auth, publicIssuer }: VerifierSettings,
): VerifiedToken => {
  const { payload } = signed;
  const issuedHere = signed.isOurKey && payload.iss === publicIssuer;
  if (!issuedHere) assertIssuerAndAudience(payload, auth);
  // A statement about an event, such as a logout token, gives nobody access although the provider signs it.
  if (!issuedHere && payload['events'] !== undefined) throw new Error('the token states an event');
  const isBot = isBotClaimed(payload);
  if (payload.exp === undefined && !isBot) throw new Error('the token of a user has no expiry');
  const { name, email } = issuedHere
    ? identityFromIssuedToken(payload, auth)
    : identityFromClaims(payload, auth, isBot);
  const provider = issuedHere ? undefined : readProviderIdentity(payload, email, auth.signIn);
  if (auth.enforcePrincipalDomain && !isBot) assertAllowedDomains(provider, auth);
  const end = payload.exp === undefined ? {} : { expiresAt: payload.exp * 1000 };
  const { sid, [USER_ID_CLAIM]: userId } = issuedHere ? payload : {};
  const tokenType = tokenTypeFromClaims(payload, isBot);
  return Object.freeze({
    name,
    email,
    isBot,
    tokenType,
    digest: digestToken(token),
    ...issuedAtOf(payload, issuedHere),
    ...end,
    ...(typeof sid === 'string' ? { sessionId: sid } : {}),
    ...(typeof userId === 'string' ? { userId } : {}),
    issuedHere,
    ...(provider === undefined ? {} : { provider }),
    roles: rolesFromClaims(payload, isBot),
  });
};

/**
 * Creates the verifier of a process. It checks own tokens against our key, provider tokens against the published keys,
 * and HS256 tokens against the shared secret. Accepted tokens are cached for a minute, but never beyond their `exp`.
 */
export const createTokenVerifier = (settings: VerifierSettings): TokenVerifier => {
  const checkSignature = createSignatureCheck(settings);
  const trusted = createExpiringCache<VerifiedToken>(MAX_TRUSTED);

  const verifyAnew = async (authorization: string | undefined, now: number): Promise<VerifiedToken> => {
    const token = bearerToken(authorization);
    try {
      const verified = readVerifiedToken(token, await checkSignature(token, now), settings);
      trusted.set(
        authorization ?? '',
        verified,
        Math.min(verified.expiresAt ?? Number.POSITIVE_INFINITY, now + TRUST_MS),
      );
      return verified;
    } catch (cause) {
      throw invalidTokenError(cause);
    }
  };

  let revision = settings.key.revision;
  const verify = async (authorization: string | undefined): Promise<VerifiedToken> => {
    await settings.key.refresh();
    if (revision !== settings.key.revision) {
      // Former versions may have been retired, so their tokens must be verified again.
      revision = settings.key.revision;
      trusted.clear();
    }
    const now = settings.clock();
    return trusted.get(authorization ?? '', now) ?? verifyAnew(authorization, now);
  };

  return Object.freeze({ verify });
};
