import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StartupError } from '../errors.ts';
import type { Json } from '../model/json.ts';
import { hasUserInfo, mapTexts } from '../model/secret-masking.ts';
import { type Clock, monotonicNow } from '../model/time.ts';
import { addKeyVersion, ensureKeyPaths, fileStampOf, listKeyPaths, sealingKeyFiles } from './key-ring.ts';

/** Encrypts (seals) and decrypts (opens) the secrets in JSON values that are stored. */
export type SecretBox = {
  /** Equal for two processes that hold the same current key. It reveals nothing about the key. */
  readonly fingerprint: string;
  /** The fingerprints of all versions, the current one first. */
  readonly fingerprints: readonly string[];
  /** Encrypts every secret in the value. The ciphertext differs every time. */
  seal<T extends Json>(json: T): T;
  /** Decrypts everything sealed in the value. Throws when a sealed text was changed or no key fits. */
  open<T extends Json>(json: T): T;
  /** Encrypts a whole text. */
  sealText(text: string): string;
  /** Decrypts a whole text. Throws when it was not sealed, was changed, or no key fits. */
  openText(sealed: string): string;
  /**
   * Seals the parts of a stored text that former versions sealed again with the current key. Parts that no version can
   * open stay. The text may be JSON, because sealed parts need no escapes.
   */
  reseal(text: string): string;
};

/** Prefixes of sealed texts. The first version did not name its key; later versions do. */
const UNKEYED_PREFIX = 'tributary-sealed:1:';
const KEYED_PREFIX = 'tributary-sealed:2:';
const SEALED_TEXT = /tributary-sealed:(?:1:|2:[\w-]{8}:)[\w-]+/g;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_LENGTH = 8;
const LOOK_AGAIN_MS = 1000;

/** One version of the key. Its id is part of the fingerprint and is included in every text that it sealed. */
type SealingKey = { readonly id: string; readonly fingerprint: string; readonly key: Buffer };

const describeSealingKey = (master: Buffer): SealingKey => {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', master, '', purpose, KEY_BYTES));
  const fingerprint = derive('tributary secrets fingerprint').toString('base64url');
  return { id: fingerprint.slice(0, ID_LENGTH), fingerprint, key: derive('tributary secrets encryption') };
};

const sealText = ({ id, key }: SealingKey, text: string): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${KEYED_PREFIX}${id}:${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
};

const openSealedBody = ({ key }: SealingKey, text: string): string => {
  const bytes = Buffer.from(text, 'base64url');
  // The decoder skips characters that are not base64url, so a changed text would go unnoticed.
  if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) throw new Error('malformed');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
};

/** Splits a sealed text into the id of its key, undefined for the first version, and the encrypted body. */
const parseSealedText = (sealed: string): { readonly id: string | undefined; readonly body: string } => {
  if (sealed.startsWith(UNKEYED_PREFIX)) return { id: undefined, body: sealed.slice(UNKEYED_PREFIX.length) };
  const rest = sealed.slice(KEYED_PREFIX.length);
  if (rest[ID_LENGTH] !== ':') throw new Error('malformed');
  return { id: rest.slice(0, ID_LENGTH), body: rest.slice(ID_LENGTH + 1) };
};

const isSealed = (text: string): boolean => text.startsWith(UNKEYED_PREFIX) || text.startsWith(KEYED_PREFIX);

/** Opens a text with the key that it names, or otherwise with the first key that works. */
const openWithKeys = (keys: readonly SealingKey[], sealed: string): string => {
  const { id, body } = parseSealedText(sealed);
  const candidates = id === undefined ? keys : keys.filter((key) => key.id === id);
  let failure: unknown = new Error('no key has that id');
  for (const key of candidates) {
    try {
      return openSealedBody(key, body);
    } catch (cause) {
      failure = cause;
    }
  }
  throw failure;
};

const parseKeyFile = (path: string): SealingKey => {
  const text = readFileSync(path, 'utf8').trim();
  const key = Buffer.from(text, 'base64url');
  if (key.length !== KEY_BYTES || key.toString('base64url') !== text) {
    throw new StartupError(
      `SECRETS_KEY is unset, so "${path}" is used, expected ${KEY_BYTES} bytes of base64url in it`,
    );
  }
  return describeSealingKey(key);
};

const generateSealingKey = (): string => `${randomBytes(KEY_BYTES).toString('base64url')}\n`;

/**
 * Derives a key from a phrase. SECRETS_KEY may be a phrase, so guessing it is made expensive. The salt is fixed,
 * because all processes need the same key.
 */
const stretchKey = (phrase: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(phrase, 'tributary secrets', KEY_BYTES, (error, key) => (error ? reject(error) : resolve(key)));
  });

type SealingKeys = readonly [SealingKey, ...SealingKey[]];

/** Returns the current versions. When a text names an unknown key, the files are checked at once. */
type CurrentSealingKeys = (wanted?: string) => SealingKeys;

const assertKeys = ([current, ...former]: readonly SealingKey[]): SealingKeys => {
  if (current === undefined) throw new StartupError('There is no key to seal secrets with');
  return [current, ...former];
};

/**
 * Reads the versions below the home and checks for new ones at most once a second. An unreadable file changes nothing.
 */
const readKeysFromHome = async (home: string, clock: Clock): Promise<CurrentSealingKeys> => {
  const files = sealingKeyFiles(home);
  const paths = await ensureKeyPaths(files, generateSealingKey);
  let [stamp, keys, lookedAt] = [fileStampOf(paths), assertKeys(paths.map(parseKeyFile)), clock()];
  const look = (): void => {
    const present = listKeyPaths(files);
    const newStamp = fileStampOf(present);
    if (newStamp !== stamp) [keys, stamp] = [assertKeys(present.map(parseKeyFile)), newStamp];
  };
  return (wanted) => {
    const isKnown = wanted === undefined || keys.some(({ id }) => id === wanted);
    if (isKnown && clock() - lookedAt < LOOK_AGAIN_MS) return keys;
    lookedAt = clock();
    try {
      look();
    } catch {
      // The current keys still open what they sealed, and the next check follows within a second.
    }
    return keys;
  };
};

const deriveKeysFromPhrases = async (phrases: readonly string[]): Promise<CurrentSealingKeys> => {
  const keys = assertKeys((await Promise.all(phrases.map(stretchKey))).map(describeSealingKey));
  return () => keys;
};

/**
 * Whether a text must be sealed. A text that only looks sealed is sealed too, otherwise it could not be opened later.
 */
const needsSeal = (text: string, isSecret: boolean): boolean => isSecret || isSealed(text) || hasUserInfo(text);

type SecretBoxSettings = {
  readonly home: string;
  readonly secretsKey: string | undefined;
  /** Phrases of former keys. */
  readonly formerKeys?: readonly string[];
  readonly clock?: Clock;
};

/**
 * Creates the secret box of this installation. It seals with the key derived from `secretsKey`, or otherwise with the
 * newest random key below `<home>/keys`, which it creates on the first start. It opens what any version sealed. Text
 * that was stored unsealed stays readable.
 */
export const createSecretBox = async ({
  home,
  secretsKey,
  formerKeys = [],
  clock = monotonicNow,
}: SecretBoxSettings): Promise<SecretBox> => {
  const keysNow = await (secretsKey === undefined
    ? readKeysFromHome(home, clock)
    : deriveKeysFromPhrases([secretsKey, ...formerKeys]));
  const openMarked = (text: string): string => {
    try {
      return openWithKeys(keysNow(parseSealedText(text).id), text);
    } catch (cause) {
      throw new Error('a sealed secret cannot be opened: it was changed, or SECRETS_KEY is another', { cause });
    }
  };
  const isCurrent = (sealed: string): boolean => parseSealedText(sealed).id === keysNow()[0].id;
  const resealOne = (sealed: string): string => {
    if (isCurrent(sealed)) return sealed;
    try {
      return sealText(keysNow()[0], openMarked(sealed));
    } catch {
      // A text whose key is lost stays as it is.
      return sealed;
    }
  };
  return Object.freeze({
    get fingerprint() {
      return keysNow()[0].fingerprint;
    },
    get fingerprints() {
      return keysNow().map(({ fingerprint }) => fingerprint);
    },
    seal: <T extends Json>(json: T): T =>
      mapTexts(json, (text, isSecret) => (needsSeal(text, isSecret) ? sealText(keysNow()[0], text) : text)),
    sealText: (text: string): string => sealText(keysNow()[0], text),
    openText: (sealed: string): string => {
      if (!isSealed(sealed)) throw new Error('the text is not sealed');
      return openMarked(sealed);
    },
    open: <T extends Json>(json: T): T => mapTexts(json, (text) => (isSealed(text) ? openMarked(text) : text)),
    reseal: (text: string): string => text.replace(SEALED_TEXT, resealOne),
  });
};

/**
 * Adds a version of the sealing key. Throws a StartupError when SECRETS_KEY is set, because the operator manages that
 * phrase.
 */
export const rotateSealingKey = async ({ home, secretsKey }: SecretBoxSettings): Promise<string> => {
  if (secretsKey !== undefined) {
    throw new StartupError(
      'SECRETS_KEY is set, so the key is rotated there: set SECRETS_KEY to the new phrase and SECRETS_KEY_PREVIOUS to the one of before, and restart the processes one after another',
    );
  }
  const files = sealingKeyFiles(home);
  await ensureKeyPaths(files, generateSealingKey);
  await addKeyVersion(files, generateSealingKey);
  return assertKeys(listKeyPaths(files).map(parseKeyFile))[0].id;
};
