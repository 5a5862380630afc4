import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import { StartupError } from '../errors.ts';
import { type Clock, monotonicNow } from '../model/time.ts';
import {
  addKeyVersion,
  ensureKeyPaths,
  fileStampOf,
  type KeyRingFiles,
  listKeyPaths,
  retiredFingerprints,
  retireFormerKeys,
  signingKeyFiles,
} from './key-ring.ts';

/** The public half of a signing key, as the JWKS operation publishes it. */
export type PublicJwk = {
  readonly kty: 'RSA';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
  readonly alg: 'RS256';
  readonly use: 'sig';
};

/** One version of the key pair that signs the tokens issued here. */
export type KeyVersion = {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
};

/**
 * The signing keys of this installation. The members of `KeyVersion` are those of the current version, which signs
 * tokens. Tokens signed by any of `versions` are accepted.
 */
export type SigningKey = KeyVersion & {
  /** The same for all versions of one ring, and for all processes that share it. */
  readonly fingerprint: string;
  /**
   * The fingerprints by which processes recognise each other: all versions, the current one first, then retired ones.
   */
  readonly fingerprints: readonly string[];
  readonly versions: readonly KeyVersion[];
  /** Increases when the versions change. */
  readonly revision: number;
  /** Why the last refresh failed, if it did. The previous versions stay in use meanwhile. */
  readonly problem: unknown;
  /** Loads new versions of the keys. Does nothing within a second of the last call. */
  refresh(): Promise<void>;
};

const MODULUS_BITS = 2048;
const LOOK_AGAIN_MS = 1000;

/** Parses a private key. PEM names its layout; DER does not, so both layouts of an RSA key are tried. */
const parsePrivateKey = (content: Buffer): KeyObject => {
  if (content.includes('-----BEGIN')) return createPrivateKey(content);
  try {
    return createPrivateKey({ key: content, format: 'der', type: 'pkcs8' });
  } catch {
    return createPrivateKey({ key: content, format: 'der', type: 'pkcs1' });
  }
};

const assertUsable = (key: KeyObject): void => {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < MODULUS_BITS) {
    throw new Error(`the file holds ${key.asymmetricKeyType} ${bits === 0 ? '' : `with ${bits} bits`}`.trim());
  }
};

const describeKey = async (privateKey: KeyObject): Promise<KeyVersion> => {
  const { n = '', e = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = await calculateJwkThumbprint({ kty: 'RSA', n, e }, 'sha256');
  const publicJwk = Object.freeze({ kty: 'RSA', kid, n, e, alg: 'RS256', use: 'sig' } as const);
  return Object.freeze({ kid, privateKey, publicJwk });
};

const generatePem = async (): Promise<string> => {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
};

const readVersion = async (path: string): Promise<KeyVersion> => {
  const key = parsePrivateKey(await readFile(path));
  assertUsable(key);
  return describeKey(key);
};

/** The source of an installation's key pairs. */
type KeySource = {
  /** The files of all versions, newest first. */
  paths(): Promise<readonly string[]>;
  retired(): readonly string[];
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The key ring that this program manages; undefined when AUTH_KEY_FILE names files. */
const ownKeyRing = ({ home, keyFile }: KeySettings): KeyRingFiles | undefined => {
  if (keyFile === undefined) return signingKeyFiles(home);
  return isFolder(keyFile) ? { folder: keyFile, name: 'signing', ending: 'pem' } : undefined;
};

const keySourceOf = (settings: KeySettings): KeySource => {
  const ring = ownKeyRing(settings);
  if (ring) return { paths: () => ensureKeyPaths(ring, generatePem), retired: () => retiredFingerprints(ring) };
  const paths = (settings.keyFile ?? '')
    .split(',')
    .map((path) => path.trim())
    .filter(Boolean);
  return { paths: async () => paths, retired: () => [] };
};

type LoadedKeys = {
  readonly versions: readonly [KeyVersion, ...KeyVersion[]];
  readonly fingerprints: readonly string[];
};

const loadKeys = async (source: KeySource, paths: readonly string[]): Promise<LoadedKeys> => {
  const [current, ...former] = await Promise.all(paths.map(readVersion));
  if (current === undefined) throw new Error('no file is named');
  const versions = [current, ...former] as const;
  return { versions, fingerprints: [...new Set([...versions.map(({ kid }) => kid), ...source.retired()])] };
};

const openKeyRing = async (source: KeySource, clock: Clock): Promise<SigningKey> => {
  const first = await source.paths();
  const state = {
    stamp: fileStampOf(first),
    loaded: await loadKeys(source, first),
    revision: 1,
    lookedAt: clock(),
    problem: undefined as unknown,
  };

  const look = async (): Promise<void> => {
    const paths = await source.paths();
    const stamp = fileStampOf(paths);
    if (stamp === state.stamp) return;
    // The state changes only after all versions were read, so a half-written file leaves the ring unchanged.
    const loaded = await loadKeys(source, paths);
    Object.assign(state, { stamp, loaded, revision: state.revision + 1 });
  };

  return Object.freeze({
    get kid() {
      return state.loaded.versions[0].kid;
    },
    get privateKey() {
      return state.loaded.versions[0].privateKey;
    },
    get publicJwk() {
      return state.loaded.versions[0].publicJwk;
    },
    get fingerprint() {
      return state.loaded.fingerprints.at(-1) ?? '';
    },
    get fingerprints() {
      return state.loaded.fingerprints;
    },
    get versions() {
      return state.loaded.versions;
    },
    get revision() {
      return state.revision;
    },
    get problem() {
      return state.problem;
    },
    refresh: async () => {
      const now = clock();
      if (now - state.lookedAt < LOOK_AGAIN_MS) return;
      state.lookedAt = now;
      // Files that are unreadable for a moment must not refuse anybody; the next refresh reads them.
      state.problem = await look().then(
        () => undefined,
        (failure: unknown) => failure,
      );
    },
  });
};

type KeySettings = { readonly home: string; readonly keyFile: string | undefined; readonly clock?: Clock };

/**
 * Loads the signing keys: the files that AUTH_KEY_FILE names, newest first, or those in the folder it names, or
 * otherwise those below `<home>/keys`, where the first key is created on the first start. Throws a StartupError naming
 * AUTH_KEY_FILE when a file holds no usable RSA private key.
 */
export const loadSigningKey = async (settings: KeySettings): Promise<SigningKey> => {
  try {
    return await openKeyRing(keySourceOf(settings), settings.clock ?? monotonicNow);
  } catch (error) {
    const own = `${signingKeyFiles(settings.home).folder}/signing.pem`;
    const subject =
      settings.keyFile === undefined
        ? `AUTH_KEY_FILE is unset, so "${own}" is used`
        : `AUTH_KEY_FILE is "${settings.keyFile}"`;
    const expected = `expected an unencrypted RSA private key of at least ${MODULUS_BITS} bits, PEM or DER`;
    throw new StartupError(`${subject}, ${expected} (${error instanceof Error ? error.message : error})`, {
      cause: error,
    });
  }
};

/**
 * Adds a version of the signing key, which signs tokens from then on. With `endsFormer` tokens of all former versions
 * are refused. Throws a StartupError when AUTH_KEY_FILE names files, because the operator manages their order.
 */
export const rotateSigningKey = async (settings: KeySettings, endsFormer: boolean): Promise<string> => {
  const ring = ownKeyRing(settings);
  if (ring === undefined) {
    throw new StartupError(
      'AUTH_KEY_FILE names files, so the key is rotated there: put a new file first in the list and restart the processes one after another',
    );
  }
  await ensureKeyPaths(ring, generatePem);
  const path = await addKeyVersion(ring, generatePem);
  if (endsFormer) await retireFormerKeys(ring, async (former) => (await readVersion(former)).kid);
  return (await readVersion(listKeyPaths(ring)[0] ?? path)).kid;
};
