import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTHeaderParameters,
} from 'jose';
import type { FetchJson } from './fetch-json.ts';

/** The token header members that select a key. */
export type KeySelector = { readonly alg: string; readonly kid: string | undefined };

const MINUTE = 60_000;
const FRESH_MS = 10 * MINUTE;
const RETRY_AFTER_MS = MINUTE / 2;
const FETCH_MS = 5_000;
const MAX_KEYS = 100;

/** The only algorithms accepted for provider tokens. `Ed25519` is the newer name of `EdDSA` with a key of that curve. */
export const PUBLISHED_ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
];

type PublishedKeySet = ReturnType<typeof createRemoteJWKSet>;
type FindKey = (header: JWTHeaderParameters) => Promise<CryptoKey>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the usable keys of a key set, up to a limit. One broken element must not make the other keys unusable. */
const readKeySet = (document: unknown): JSONWebKeySet => {
  const keys = isObject(document) ? document['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('the answer is not a key set');
  const usable = keys.slice(0, MAX_KEYS).filter((key) => isObject(key) && typeof key['kty'] === 'string');
  return { keys: usable as JSONWebKeySet['keys'] };
};

/** Where a provider publishes its keys, and the issuers for which they may sign; none where the caller checks them. */
type KeySetPlace = { readonly url: string; readonly issuers: readonly string[] };

type KeySetDeps = {
  readonly keySets: readonly KeySetPlace[];
  readonly fetchJson: FetchJson;
  readonly clock: () => number;
};

/**
 * The key set of one URL. The library caches keys for ten minutes, also while the provider is down, and requests an
 * unknown key id at most every 30 seconds. It does not pause after a failed request, so this function does.
 */
const openKeySet = (url: string, { fetchJson, clock }: Omit<KeySetDeps, 'keySets'>): PublishedKeySet => {
  let askFrom = 0;
  const fetchKeys = async (): Promise<Response> => {
    if (clock() < askFrom) throw new Error('the address failed a moment ago');
    askFrom = clock() + RETRY_AFTER_MS;
    const keySet = readKeySet(await fetchJson(url));
    askFrom = 0;
    return Response.json(keySet);
  };
  return createRemoteJWKSet(new URL(url), {
    cacheMaxAge: FRESH_MS,
    cooldownDuration: RETRY_AFTER_MS,
    timeoutDuration: FETCH_MS,
    [customFetch]: fetchKeys,
  });
};

/** The keys that may have signed a token. A token without a key id is accepted when only one key fits. */
const keysFor = async (getKey: FindKey, { alg, kid }: KeySelector): Promise<readonly CryptoKey[]> => {
  try {
    return [await getKey(kid === undefined ? { alg } : { alg, kid })];
  } catch (failure) {
    if (!(failure instanceof errors.JWKSMultipleMatchingKeys) || kid === undefined) throw failure;
    const keys: CryptoKey[] = [];
    for await (const key of failure) keys.push(key);
    return keys;
  }
};

/** The cached keys, without a request to the provider. */
const cachedKeys = async (source: PublishedKeySet, wanted: KeySelector): Promise<readonly CryptoKey[]> => {
  const known = source.fresh ? source.jwks() : undefined;
  if (known === undefined) return [];
  return keysFor(createLocalJWKSet(known), wanted).catch(() => []);
};

/**
 * The keys published at the configured URLs, loaded on first use.
 *
 * `tryKeys` resolves to the result of `attempt` for the first key that it accepts, and rejects when there is none. It
 * tries cached keys first, then refreshes the URLs whose keys are too old, and asks all other URLs only when no key
 * matches. A URL that is down or slow never delays a token whose key another URL has published.
 */
export const createPublishedKeys = (deps: KeySetDeps) => {
  const sources = deps.keySets.map(({ url, issuers }) => ({ issuers, keySet: openKeySet(url, deps) }));
  type Source = (typeof sources)[number];

  const tryKeys = async <T>(
    wanted: KeySelector,
    attempt: (key: CryptoKey, issuers: readonly string[]) => Promise<T>,
  ): Promise<T> => {
    const attemptsWith = ({ issuers }: Source, keys: readonly CryptoKey[]): Promise<T>[] =>
      keys.map((key) => attempt(key, issuers));
    const cached = await Promise.all(sources.map(({ keySet }) => cachedKeys(keySet, wanted)));
    const knowsNone = cached.flat().length === 0;
    const candidates = sources.filter(({ keySet }) => knowsNone || !keySet.fresh);
    const trySource = async (source: Source): Promise<T> =>
      Promise.any(attemptsWith(source, await keysFor(source.keySet, wanted)));
    return Promise.any(sources.flatMap((source, at) => attemptsWith(source, cached[at] ?? []))).catch(() =>
      Promise.any(candidates.map(trySource)),
    );
  };

  return Object.freeze({ isEmpty: sources.length === 0, tryKeys });
};
