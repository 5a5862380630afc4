import {
  isSecretInConnection,
  nestedSecretContext,
  ROOT_SECRET_CONTEXT,
  type SecretContext,
} from './connection-secrets.ts';
import { equalJson, isArray, isObject, type Json, type JsonObject, member } from './json.ts';
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

/**
 * Maps one string, given whether the whole string is a secret, the string at the same place of the counterpart, and that
 * place as a dotted path.
 */
type TextMapper = (text: string, isSecret: boolean, twin: string | undefined, place: string) => string;

type TextWalk = { readonly change: TextMapper; readonly context: SecretContext };

const isSecret = (name: string, context: SecretContext): boolean =>
  isSecretName(name) || isSecretInConnection(name, context);

/** Where a value stands: the name of the member that holds it, and the dotted path. */
type Place = { readonly name: string; readonly path: string };

const placeBelow = ({ path }: Place, name: string, at = name): Place => ({ name, path: path ? `${path}.${at}` : at });

const mapObject = (json: JsonObject, walk: TextWalk, counterpart: Json | undefined, place: Place): JsonObject => {
  const counterparts = isObject(counterpart) ? counterpart : {};
  const inside = { ...walk, context: nestedSecretContext(walk.context, place.name, json) };
  // `fromEntries` creates own members for any name. An assignment to `__proto__` would not.
  return Object.fromEntries(
    Object.entries(json).map(([inner, value]) => [
      inner,
      mapValue(value, inside, member(counterparts, inner), placeBelow(place, inner)),
    ]),
  );
};

const mapValue = (json: Json, walk: TextWalk, counterpart: Json | undefined, place: Place): Json => {
  if (typeof json === 'string') {
    const twin = typeof counterpart === 'string' ? counterpart : undefined;
    return walk.change(json, isSecret(place.name, walk.context), twin, place.path);
  }
  if (isObject(json)) return mapObject(json, walk, counterpart, place);
  if (!isArray(json)) return json;
  const counterparts = isArray(counterpart) ? counterpart : [];
  return json.map((element, index) =>
    mapValue(element, walk, counterparts[index], placeBelow(place, place.name, String(index))),
  );
};

/**
 * Copies a JSON value with every string mapped. Elements of an array use the name of the member that holds it. The
 * counterpart is a second value that is traversed in parallel, by member name and by index.
 */
export const mapTexts = <T extends Json>(json: T, change: TextMapper, counterpart?: Json): T =>
  mapValue(json, { change, context: ROOT_SECRET_CONTEXT }, counterpart, { name: '', path: '' }) as T;

/** Masks every secret: members that hold one, and user-info inside any URL. */
export const maskSecrets = <T extends Json>(json: T): T =>
  mapTexts(json, (text, isWhole) => (isWhole ? SECRET_MASK : replaceUserInfo(text, () => SECRET_MASK)));

/** The beginning of a name with its value, as programs print them. The bounds keep the search linear. */
const ASSIGNED_NAME = /(?<![\w.-])([\w.-]{1,64})["']?[ \t]{0,4}[:=][ \t]{0,4}/g;
const ASSIGNED_VALUE = /(["']?)(?:(?<=")[^"\n]{0,4096}|(?<=')[^'\n]{0,4096}|[^\s,;&)}\]"']{1,4096})/y;
/** What stands behind the name of a secret and says nothing: a count or a missing value. */
const EMPTY_VALUE = /^(?:\d{0,4}|true|false|null|none)$/i;
const BEARER = /\b(bearer|basic)[ \t]+[\w.~+/=-]{8,}/gi;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\w+/=\s\\]*-----END/g;
/** Some letters of every name of a secret, so that most names need no second look. */
const SECRET_HINT = /pass|secret|token|key|cred|connection|auth|cookie/i;

const maskAssignments = (text: string): string => {
  let shown = '';
  let behind = 0;
  ASSIGNED_NAME.lastIndex = 0;
  for (let found = ASSIGNED_NAME.exec(text); found; found = ASSIGNED_NAME.exec(text)) {
    const name = found[1] ?? '';
    if (!SECRET_HINT.test(name) || !isSecretName(name)) continue;
    ASSIGNED_VALUE.lastIndex = ASSIGNED_NAME.lastIndex;
    const [value, quote = ''] = ASSIGNED_VALUE.exec(text) ?? [];
    if (value === undefined || EMPTY_VALUE.test(value.slice(quote.length))) continue;
    shown += `${text.slice(behind, ASSIGNED_NAME.lastIndex)}${quote}${SECRET_MASK}`;
    behind = ASSIGNED_VALUE.lastIndex;
    ASSIGNED_NAME.lastIndex = behind;
  }
  return behind === 0 ? text : shown + text.slice(behind);
};

/** Masks what looks like a secret in the text of a log: user-info in URLs, values under the names of secrets, and keys. */
export const maskSecretsInText = (text: string): string => {
  const keyless = replaceUserInfo(text, () => SECRET_MASK).replace(
    PRIVATE_KEY,
    () => `-----BEGIN PRIVATE KEY-----${SECRET_MASK}-----END`,
  );
  return maskAssignments(keyless.replace(BEARER, (_found, scheme: string) => `${scheme} ${SECRET_MASK}`));
};

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

/** The ends of the names of members that say where a connection leads. Case, `_`, `-` and `.` do not matter. */
const ADDRESS_ENDS = [
  'host',
  'hosts',
  'hostname',
  'port',
  'url',
  'urls',
  'uri',
  'uris',
  'endpoint',
  'endpoints',
  'address',
  'addresses',
  'server',
  'servers',
  'brokers',
  'domain',
  'account',
  'accountname',
  'project',
  'projectid',
  'dsn',
  'proxy',
  'proxies',
  'connectionstring',
] as const;

const isAddressName = (name: string): boolean => {
  const plain = name.toLowerCase().replace(/[_.-]/g, '');
  return ADDRESS_ENDS.some((end) => plain.endsWith(end));
};

/** Lists what a value says about where it leads: the place of each such member, and its value. */
const listAddresses = (json: Json, at: readonly string[] = []): readonly (readonly [place: string, value: Json])[] => {
  if (isArray(json)) return json.flatMap((item, index) => listAddresses(item, [...at, String(index)]));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([name, value]) => {
    const place = [...at, name];
    const inside = isArray(value) || isObject(value);
    const own = isAddressName(name) && !isObject(value) ? [[place.join('.'), value] as const] : [];
    return [...own, ...(inside ? listAddresses(value, place) : [])];
  });
};

const findChangedAddress = (before: Json, after: Json): string | undefined => {
  const [known, given] = [new Map(listAddresses(before)), new Map(listAddresses(after))];
  return [...new Set([...known.keys(), ...given.keys()])].find(
    (place) => !equalJson(known.get(place) ?? null, given.get(place) ?? null),
  );
};

/** A secret that a request leaves masked although it would be sent to another address than before. */
export type MovedSecret = { readonly secret: string; readonly address: string };

/**
 * Finds a secret that would follow a changed address, without the caller having given it. Whoever may change where a
 * connection leads could otherwise have its secret sent to a place of their own.
 */
export const findMovedSecret = (incoming: Json, stored: Json | undefined): MovedSecret | undefined => {
  if (stored === undefined) return undefined;
  let firstRestored: string | undefined;
  let rewritten: string | undefined;
  mapTexts(
    incoming,
    (text, isWhole, counterpart, place) => {
      if (counterpart === undefined || !text.includes(SECRET_MASK)) return text;
      const restored = isWhole ? counterpart : restoreUserInfo(text, counterpart);
      if (restored !== text) firstRestored ??= place;
      // The user-info of an address is part of it, so that it counts for the very text that it was given in.
      if (!isWhole && restored !== text && restored !== counterpart) rewritten ??= place;
      return text;
    },
    stored,
  );
  if (rewritten !== undefined) return { secret: rewritten, address: rewritten };
  if (firstRestored === undefined) return undefined;
  const address = findChangedAddress(stored, restoreMasked(incoming, stored));
  return address === undefined ? undefined : { secret: firstRestored, address };
};

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
