import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { join } from 'node:path';
import { StartupError } from '../errors.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../model/json.ts';
import { readOrCreateKeyFile } from './key-file.ts';

/** What stands in the place of a secret. */
export const SECRET_MASK = '*********';

const SECRET_WORDS = [
  'password',
  'passwd',
  'secret',
  'token',
  'privatekey',
  'passphrase',
  'credential',
  'apikey',
  'accesskey',
  'connectionstring',
] as const;

/** Headers whose whole content proves who somebody is. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/** Whether a member of that name holds a secret; case, `_` and `-` do not matter. */
export const isSecretName = (name: string): boolean => {
  const plain = name.toLowerCase().replace(/[_-]/g, '');
  return SECRET_HEADERS.has(plain) || SECRET_WORDS.some((word) => plain.includes(word));
};

/**
 * The user-info of the URLs in a text. People and drivers write passwords unescaped: an `@` inside belongs to the
 * user-info when another follows before the path, and behind a colon so do `/`, `?` and `#`, unless what follows the
 * colon is a port. That second form is bounded in length so that a long text costs linear time.
 */
const USER_INFO = /(?<=:\/\/)(?:[^\s/?#]+|[^\s/?#@:]{0,128}:(?!\d{1,5}(?:[/?#]|$))[^\s@]{0,1024})(?=@)/g;

/** What becomes of one string: its own text, the name of its member, and the string at the same place of the twin. */
type Change = (text: string, name: string, twin: string | undefined) => string;

const mapObject = (json: JsonObject, change: Change, twin: Json | undefined): JsonObject => {
  const twins = isObject(twin) ? twin : {};
  // Entries become own members whatever their name is; an assignment to `__proto__` would not.
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, mapStrings(value, change, member(twins, name), name)]),
  );
};

/**
 * A copy of the JSON value with every string changed. Elements of an array go by the name of the member that holds it.
 * The twin is a second value that is walked along, by member name and by index.
 */
const mapStrings = <T extends Json>(json: T, change: Change, twin?: Json, name = ''): T => {
  const mapped = (): Json => {
    if (typeof json === 'string') return change(json, name, typeof twin === 'string' ? twin : undefined);
    if (isObject(json)) return mapObject(json, change, twin);
    if (!isArray(json)) return json;
    const twins = isArray(twin) ? twin : [];
    return json.map((element, index) => mapStrings(element, change, twins[index], name));
  };
  return mapped() as T;
};

/** The value with every secret replaced by the mask: members with a secret's name, and user-info inside any URL. */
export const maskSecrets = <T extends Json>(json: T): T =>
  mapStrings(json, (text, name) => (isSecretName(name) ? SECRET_MASK : text.replace(USER_INFO, SECRET_MASK)));

const restoreUserInfo = (text: string, stored: string): string => {
  const known = stored.match(USER_INFO) ?? [];
  let index = 0;
  return text.replace(USER_INFO, (found) => {
    const kept = known[index];
    index += 1;
    return found === SECRET_MASK && kept !== undefined ? kept : found;
  });
};

/**
 * The incoming value with every mask replaced by what is stored at the same place: a client that writes back what it
 * read changes nothing. Where nothing is stored the mask stays as it came.
 */
export const restoreMasked = <T extends Json>(incoming: T, stored: Json | undefined): T =>
  mapStrings(
    incoming,
    (text, name, twin) => {
      if (twin === undefined) return text;
      if (isSecretName(name)) return text === SECRET_MASK ? twin : text;
      return text.includes(SECRET_MASK) ? restoreUserInfo(text, twin) : text;
    },
    stored,
  );

/** Keeps the secrets of JSON values encrypted where they are stored. */
export type SecretBox = {
  /** Tells whether two processes hold the same key, and nothing about the key. */
  readonly fingerprint: string;
  /** The value with every secret encrypted; never twice the same text. */
  seal<T extends Json>(json: T): T;
  /** The value with everything sealed in the clear again. Throws when a sealed text was changed or the key is another. */
  open<T extends Json>(json: T): T;
};

const MARKER = 'tributary-sealed:1:';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

const sealText = (key: Buffer, text: string): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${MARKER}${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
};

const openText = (key: Buffer, sealed: string): string => {
  const text = sealed.slice(MARKER.length);
  const bytes = Buffer.from(text, 'base64url');
  // The decoder passes over what is no base64url, which would be a change that nobody notices.
  if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) throw new Error('malformed');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
};

/** A text that only looks sealed is sealed too, or it could not be opened later. */
const needsSeal = (text: string, name: string): boolean =>
  isSecretName(name) || text.startsWith(MARKER) || text.search(USER_INFO) !== -1;

const readOwnKey = async (home: string): Promise<Buffer> => {
  const path = join(home, 'keys', 'secrets.key');
  const text = (await readOrCreateKeyFile(path, () => `${randomBytes(KEY_BYTES).toString('base64url')}\n`)).trim();
  const key = Buffer.from(text, 'base64url');
  if (key.length !== KEY_BYTES || key.toString('base64url') !== text) {
    throw new StartupError(
      `SECRETS_KEY is unset, so "${path}" is used, expected ${KEY_BYTES} bytes of base64url in it`,
    );
  }
  return key;
};

/** SECRETS_KEY may be a phrase, so guessing it is made expensive. The salt is fixed: all processes need the same key. */
const stretchKey = (secretsKey: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(secretsKey, 'tributary secrets', KEY_BYTES, (error, key) => (error ? reject(error) : resolve(key)));
  });

/**
 * The box of this installation, with a key derived from `secretsKey`, or else the random one under `<home>/keys`, made
 * on first start. Text that was stored without a seal stays readable.
 */
export const createSecretBox = async (from: { home: string; secretsKey: string | undefined }): Promise<SecretBox> => {
  const master = from.secretsKey === undefined ? await readOwnKey(from.home) : await stretchKey(from.secretsKey);
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', master, '', purpose, KEY_BYTES));
  const key = derive('tributary secrets encryption');
  const openMarked = (text: string): string => {
    try {
      return openText(key, text);
    } catch (cause) {
      throw new Error('a sealed secret cannot be opened: it was changed, or SECRETS_KEY is another', { cause });
    }
  };
  return Object.freeze({
    fingerprint: derive('tributary secrets fingerprint').toString('base64url'),
    seal: <T extends Json>(json: T): T =>
      mapStrings(json, (text, name) => (needsSeal(text, name) ? sealText(key, text) : text)),
    open: <T extends Json>(json: T): T =>
      mapStrings(json, (text) => (text.startsWith(MARKER) ? openMarked(text) : text)),
  });
};
