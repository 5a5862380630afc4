import {
  isSecretInConnection,
  nestedSecretContext,
  ROOT_SECRET_CONTEXT,
  type SecretContext,
} from './connection-secrets.ts';
import { isArray, isObject, type Json, type JsonObject, member } from './json.ts';
import { SECRET_MASK } from './secret-mask.ts';

/**
 * Decides which texts of a JSON value are secrets. Encryption, masking and restoring all use `mapTexts`, so that what
 * is encrypted is masked, and what is masked can be restored.
 */

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

/** Headers whose whole value is a credential. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/** Whether a member of that name holds a secret. Case, `_`, `-` and `.` do not matter. */
export const isSecretName = (name: string): boolean => {
  const plain = name.toLowerCase().replace(/[_.-]/g, '');
  return SECRET_HEADERS.has(plain) || SECRET_WORDS.some((word) => plain.includes(word));
};

/**
 * Matches the user-info of a URL behind its `://`. People and drivers write passwords unescaped: an `@` inside belongs to
 * the user-info when another follows before the path, and after a colon so do `/`, `?` and `#`, unless a port follows the
 * colon. That second form is limited in length, so that a long text costs linear time.
 */
const USER_INFO = /(?:[^\s/?#]+|[^\s/?#@:]{0,128}:(?!\d{1,5}(?:[/?#]|$))[^\s@]{0,1024})(?=@)/y;
const MAX_SECOND_FORM = 128 + 1 + 1024;

const SCHEME_END = '://';

/** Finds the next character of a class at or after a place. The places asked for must ascend. */
const createSeeker = (text: string, characters: RegExp): ((from: number) => number) => {
  const pattern = new RegExp(characters, 'g');
  let next = -1;
  return (from) => {
    if (next >= from) return next;
    pattern.lastIndex = from;
    next = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
    return next;
  };
};

type Span = readonly [start: number, end: number];

/**
 * Finds the user-info of all URLs in a text. A text of nothing but `://` would make the pattern search far behind each of
 * them, so it is tried only where the next `@` is near enough and no white space comes first.
 */
const findUserInfo = (text: string): readonly Span[] => {
  const found: Span[] = [];
  if (!text.includes('@')) return found;
  const nextStop = createSeeker(text, /[\s@]/);
  const nextPath = createSeeker(text, /[/?#]/);
  for (let at = text.indexOf(SCHEME_END); at !== -1; ) {
    const start = at + SCHEME_END.length;
    const stop = nextStop(start);
    if (text[stop] === '@' && (stop - start <= MAX_SECOND_FORM || nextPath(start) > stop)) {
      USER_INFO.lastIndex = start;
      if (USER_INFO.test(text)) found.push([start, USER_INFO.lastIndex]);
    }
    const end = found.at(-1)?.[1] ?? 0;
    at = text.indexOf(SCHEME_END, Math.max(start, end - SCHEME_END.length));
  }
  return found;
};

const replaceUserInfo = (text: string, change: (found: string, index: number) => string): string => {
  const spans = findUserInfo(text);
  if (spans.length === 0) return text;
  let shown = '';
  let behind = 0;
  for (const [index, [start, end]] of spans.entries()) {
    shown += text.slice(behind, start) + change(text.slice(start, end), index);
    behind = end;
  }
  return shown + text.slice(behind);
};

/** Whether a text has user-info in a URL. */
export const hasUserInfo = (text: string): boolean => findUserInfo(text).length > 0;

/** Maps one string, given whether the whole string is a secret, and the string at the same place of the counterpart. */
type TextMapper = (text: string, isSecret: boolean, twin: string | undefined) => string;

type TextWalk = { readonly change: TextMapper; readonly context: SecretContext };

const isSecret = (name: string, context: SecretContext): boolean =>
  isSecretName(name) || isSecretInConnection(name, context);

const mapObject = (json: JsonObject, walk: TextWalk, counterpart: Json | undefined, name: string): JsonObject => {
  const counterparts = isObject(counterpart) ? counterpart : {};
  const inside = { ...walk, context: nestedSecretContext(walk.context, name, json) };
  // `fromEntries` creates own members for any name. An assignment to `__proto__` would not.
  return Object.fromEntries(
    Object.entries(json).map(([inner, value]) => [inner, mapValue(value, inside, member(counterparts, inner), inner)]),
  );
};

const mapValue = (json: Json, walk: TextWalk, counterpart: Json | undefined, name: string): Json => {
  if (typeof json === 'string') {
    return walk.change(json, isSecret(name, walk.context), typeof counterpart === 'string' ? counterpart : undefined);
  }
  if (isObject(json)) return mapObject(json, walk, counterpart, name);
  if (!isArray(json)) return json;
  const counterparts = isArray(counterpart) ? counterpart : [];
  return json.map((element, index) => mapValue(element, walk, counterparts[index], name));
};

/**
 * Copies a JSON value with every string mapped. Elements of an array use the name of the member that holds it. The
 * counterpart is a second value that is traversed in parallel, by member name and by index.
 */
export const mapTexts = <T extends Json>(json: T, change: TextMapper, counterpart?: Json): T =>
  mapValue(json, { change, context: ROOT_SECRET_CONTEXT }, counterpart, '') as T;

/** Masks every secret: members that hold one, and user-info inside any URL. */
export const maskSecrets = <T extends Json>(json: T): T =>
  mapTexts(json, (text, isWhole) => (isWhole ? SECRET_MASK : replaceUserInfo(text, () => SECRET_MASK)));

const restoreUserInfo = (text: string, stored: string): string => {
  const known = findUserInfo(stored).map(([start, end]) => stored.slice(start, end));
  return replaceUserInfo(text, (found, index) => (found === SECRET_MASK ? (known[index] ?? found) : found));
};

/**
 * Replaces every mask in the incoming value by the stored text at the same place, so that a client that writes back
 * what it read changes nothing. Without a stored text, the mask stays.
 */
export const restoreMasked = <T extends Json>(incoming: T, stored: Json | undefined): T =>
  mapTexts(
    incoming,
    (text, isWhole, counterpart) => {
      if (counterpart === undefined) return text;
      if (isWhole) return text === SECRET_MASK ? counterpart : text;
      return text.includes(SECRET_MASK) ? restoreUserInfo(text, counterpart) : text;
    },
    stored,
  );

/** Masks JSON text inside a JSON value, as in change descriptions. Other texts stay unchanged. */
const maskJsonText = (text: Json | undefined): Json | undefined => {
  if (typeof text !== 'string' || !/^[[{]/.test(text)) return text;
  try {
    return JSON.stringify(maskSecrets(JSON.parse(text) as Json));
  } catch {
    return undefined;
  }
};

const maskChangeEntry = (entry: Json, names: ReadonlySet<string>): Json => {
  if (!isObject(entry) || !names.has(String(entry['name']).split('.', 1)[0] ?? '')) return entry;
  const values = ['oldValue', 'newValue'].map((name) => [name, maskJsonText(member(entry, name))] as const);
  return { ...entry, ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) } as JsonObject;
};

/** Masks the secrets of some members in a change description. */
const maskChangeDescription = (change: Json, names: ReadonlySet<string>): Json => {
  if (!isObject(change)) return change;
  const lists = Object.entries(change).map(([name, list]) => [
    name,
    isArray(list) ? list.map((entry) => maskChangeEntry(entry, names)) : list,
  ]);
  return Object.fromEntries(lists) as JsonObject;
};

const CHANGE_MEMBERS = ['changeDescription', 'incrementalChangeDescription'];

/** Masks the secrets of some members in a stored version or an event, by the present rules. */
export const maskSecretsInState = (state: JsonObject, names: ReadonlySet<string>): JsonObject => {
  const masked = Object.entries(state).map(([name, value]) => {
    if (names.has(name)) return [name, maskSecrets(value)];
    return [name, CHANGE_MEMBERS.includes(name) ? maskChangeDescription(value, names) : value];
  });
  return Object.fromEntries(masked) as JsonObject;
};
