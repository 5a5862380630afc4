import { createPublicKey, type KeyObject } from 'node:crypto';
import { createFlights } from './cache.ts';
import type { FetchJson } from './fetch-json.ts';

/** The header members that select a key. */
export type KeyWanted = { readonly alg: string; readonly kid: string | undefined };

type PublishedKey = {
  readonly key: KeyObject;
  readonly kid: string | undefined;
  readonly algorithms: readonly string[];
};

/** The keys of one address, what time they are good for, and from when on the address may be asked again. */
type Source = {
  readonly url: string;
  keys: readonly PublishedKey[];
  freshUntil: number;
  askFrom: number;
};

const MINUTE = 60_000;
const FRESH_MS = 10 * MINUTE;
const ASK_AGAIN_MS = MINUTE / 2;
const MAX_KEYS = 100;

const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512'] as const;
const CURVE_ALGORITHMS: ReadonlyMap<unknown, string> = new Map([
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['P-521', 'ES512'],
]);

/** What tokens signed by a published key may be signed with: these and no others. */
export const PUBLISHED_ALGORITHMS: readonly string[] = [...RSA_ALGORITHMS, ...CURVE_ALGORITHMS.values()];

type Jwk = Readonly<Record<string, unknown>>;

const isJwk = (value: unknown): value is Jwk => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The key's type decides the algorithms, and `alg` narrows them: a token never chooses how its key is used. */
const algorithmsOf = (jwk: Jwk): readonly string[] => {
  const curve = CURVE_ALGORITHMS.get(jwk['crv']);
  const ofCurve = jwk['kty'] === 'EC' && curve !== undefined ? [curve] : [];
  const possible = jwk['kty'] === 'RSA' ? RSA_ALGORITHMS : ofCurve;
  return jwk['alg'] === undefined ? possible : possible.filter((algorithm) => algorithm === jwk['alg']);
};

const isForSignatures = (jwk: Jwk): boolean => {
  const operations = jwk['key_ops'];
  const mayVerify = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  return mayVerify && (jwk['use'] === undefined || jwk['use'] === 'sig');
};

/** Keys for other purposes and of unknown make are no fault of the set; they are passed over. */
const readKey = (jwk: unknown): PublishedKey[] => {
  if (!isJwk(jwk) || !isForSignatures(jwk)) return [];
  const algorithms = algorithmsOf(jwk);
  if (algorithms.length === 0) return [];
  try {
    const kid = typeof jwk['kid'] === 'string' ? jwk['kid'] : undefined;
    return [{ key: createPublicKey({ key: { ...jwk }, format: 'jwk' }), kid, algorithms }];
  } catch {
    return [];
  }
};

const readKeySet = (document: unknown): readonly PublishedKey[] => {
  const keys = isJwk(document) ? document['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('the answer is not a key set');
  return keys.slice(0, MAX_KEYS).flatMap(readKey);
};

/** The source's keys for a token. A token that names no key is accepted when there is only one it could mean. */
const matching = (source: Source, wanted: KeyWanted): readonly KeyObject[] => {
  const able = source.keys.filter(({ algorithms }) => algorithms.includes(wanted.alg));
  const meant =
    wanted.kid === undefined ? (able.length === 1 ? able : []) : able.filter(({ kid }) => kid === wanted.kid);
  return meant.map(({ key }) => key);
};

/**
 * Keys count for ten minutes and no longer, also while their provider is away: blocking its address cannot keep a key
 * alive that was withdrawn. An address that fails is asked no more often than one that answers.
 */
const load = async (source: Source, fetchJson: FetchJson, clock: () => number): Promise<void> => {
  try {
    source.keys = readKeySet(await fetchJson(source.url));
    source.freshUntil = clock() + FRESH_MS;
  } finally {
    source.askFrom = clock() + ASK_AGAIN_MS;
  }
};

/**
 * The keys published at the configured addresses, loaded when first needed.
 *
 * `tryKeys` resolves to what `attempt` makes of the first key that it accepts, and rejects when there is none. Keys in
 * hand are tried first; only then are the addresses asked whose keys are too old, and, when nobody knows the key,
 * all others too. An address that is down or slow never delays a token whose key another one has published.
 */
export const createKeySets = (deps: {
  readonly urls: readonly string[];
  readonly fetchJson: FetchJson;
  readonly clock: () => number;
}) => {
  const sources = deps.urls.map((url): Source => ({ url, keys: [], freshUntil: 0, askFrom: 0 }));
  const flights = createFlights<void>();

  const tryKeys = async <T>(wanted: KeyWanted, attempt: (key: KeyObject) => Promise<T>): Promise<T> => {
    const now = deps.clock();
    const tryAll = (keys: readonly KeyObject[]): Promise<T> => Promise.any(keys.map(attempt));
    const heldBy = (source: Source) => (deps.clock() < source.freshUntil ? matching(source, wanted) : []);
    const held = sources.flatMap(heldBy);
    const mayHelp = (source: Source): boolean => held.length === 0 || now >= source.freshUntil;
    const asked = sources.filter((source) => mayHelp(source) && now >= source.askFrom);
    const ask = async (source: Source): Promise<T> => {
      // Another caller's load may have ended since, and then there is nothing new to ask.
      if (deps.clock() >= source.askFrom) {
        await flights(source.url, () => load(source, deps.fetchJson, deps.clock));
      }
      return tryAll(heldBy(source));
    };
    if (asked.length === 0) return tryAll(held);
    return tryAll(held).catch(() => Promise.any(asked.map(ask)));
  };

  return Object.freeze({ isEmpty: sources.length === 0, tryKeys });
};
