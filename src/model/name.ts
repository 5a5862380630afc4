import { badRequest, type CatalogError } from '../errors.ts';

/** Names and fully qualified names (FQNs) of records. */

/** The maximum length of a name in code points: 256 emoji are 256 characters. */
export const MAX_NAME_LENGTH = 256;

/** The maximum length of a fully qualified name in code points. */
export const MAX_FQN_LENGTH = 3072;

/** A fully qualified name is an index key. A key of the database's index holds a little more than this. */
const MAX_FQN_BYTES = 7_900;

/** The error for a text that cannot be a name or a fully qualified name. */
const invalidName = (name: string): CatalogError => badRequest(`Invalid name ${name}`);

/** Whether a text has more code points than that. */
export const isLongerThan = (text: string, max: number): boolean => {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > max;
};

/** `"a"` without a dot inside is another spelling of `a`. */
const unquotePlain = (name: string): string =>
  name.length > 2 && name.startsWith('"') && name.endsWith('"') && !name.includes('.') ? name.slice(1, -1) : name;

/**
 * Control characters would break sort keys and terminals, and an unpaired surrogate does not survive UTF-8. `::` and
 * `"` are the separators of entity links and of fully qualified names.
 */
const FORBIDDEN_IN_NAME = /::|["\p{Cc}\p{Cs}]/u;

/**
 * Normalises a name (`"a"` becomes `a`). Throws bad_request `Invalid name <name>` when it is empty, longer than 256
 * code points or holds `::`, `"` or a control character.
 */
export const normaliseName = (name: string): string => {
  const plain = unquotePlain(name);
  if (plain === '' || FORBIDDEN_IN_NAME.test(plain) || isLongerThan(plain, MAX_NAME_LENGTH)) throw invalidName(name);
  return plain;
};

/** Formats a name as one part of a fully qualified name: quoted if, and only if, it contains a dot. */
export const fqnPart = (name: string): string => (name.includes('.') ? `"${name}"` : name);

const isFqnTooLong = (fqn: string): boolean =>
  isLongerThan(fqn, MAX_FQN_LENGTH) || (fqn.length * 3 > MAX_FQN_BYTES && Buffer.byteLength(fqn) > MAX_FQN_BYTES);

const checkFqnLength = (fqn: string): string => {
  if (isFqnTooLong(fqn)) {
    throw badRequest(
      `[fullyQualifiedName must be at most ${MAX_FQN_LENGTH} characters and ${MAX_FQN_BYTES} bytes long]`,
    );
  }
  return fqn;
};

/**
 * Builds the fully qualified name of a child: `joinFqn('shop.pg', 'a.b')` is `shop.pg."a.b"`. Without a parent, it is
 * the part alone. Throws bad_request when the result is longer than the contract allows.
 */
export const joinFqn = (parent: string | undefined, name: string): string =>
  checkFqnLength(parent === undefined || parent === '' ? fqnPart(name) : `${parent}.${fqnPart(name)}`);

/** Does the same with a name that is appended unquoted, whatever it holds. */
export const joinFqnUnquoted = (parent: string, name: string): string => checkFqnLength(`${parent}.${name}`);

const FQN_PART = /(?:"([^"]+)"|([^".]+))(\.|$)/y;

const splitQuoted = (fqn: string): string[] => {
  const parts: string[] = [];
  FQN_PART.lastIndex = 0;
  for (let separator = '.'; separator === '.'; ) {
    const match = FQN_PART.exec(fqn);
    if (match === null) throw invalidName(fqn);
    parts.push(match[1] ?? match[2] ?? '');
    separator = match[3] ?? '';
  }
  return parts;
};

/**
 * Splits a fully qualified name into names without quotes: `a."b.c"` is [`a`, `b.c`]. Throws bad_request `Invalid name
 * <fqn>` when a part is empty or a quote is out of place.
 */
export const splitFqn = (fqn: string): string[] => {
  if (fqn.includes('"')) return splitQuoted(fqn);
  const parts = fqn.split('.');
  if (parts.includes('')) throw invalidName(fqn);
  return parts;
};

/** Normalises a fully qualified name: `"a".b` is `a.b`. Throws as `splitFqn` does. */
export const normaliseFqn = (fqn: string): string => {
  const parts = splitFqn(fqn);
  return fqn.includes('"') ? parts.map(fqnPart).join('.') : fqn;
};

/**
 * Normalises a look-up in a kind whose FQNs have one part: `my.team` and `"my.team"` are the same. Throws bad_request
 * `Invalid name <text>` when a quote is out of place.
 */
export const singlePartFqn = (text: string): string => {
  const wrapped = text.length > 2 && text.startsWith('"') && text.endsWith('"');
  const name = wrapped ? text.slice(1, -1) : text;
  if (name === '' || name.includes('"')) throw invalidName(text);
  return fqnPart(name);
};

/** Answers all proper prefixes of a fully qualified name in normal form, shortest first: `a.b.c` has `a` and `a.b`. */
export const fqnPrefixes = (fqn: string): string[] => {
  const scopes: string[] = [];
  let isQuoted = false;
  for (let index = 0; index < fqn.length; index += 1) {
    const code = fqn.charCodeAt(index);
    if (code === 0x22) isQuoted = !isQuoted;
    else if (code === 0x2e && !isQuoted) scopes.push(fqn.slice(0, index));
  }
  return scopes;
};

/** Answers the fully qualified name without its last part, or undefined for a single part. Expects the normal form. */
export const parentFqn = (fqn: string): string | undefined => fqnPrefixes(fqn).at(-1);

/**
 * Renames a descendant after its ancestor was renamed to `root`: replaces as many parts as `root` has. Both are in
 * normal form. Throws bad_request when the result is longer than the contract allows.
 */
export const rebaseFqn = (fqn: string, root: string): string => {
  const depth = splitFqn(root).length;
  const replaced = fqnPrefixes(fqn)[depth - 1];
  return replaced === undefined ? root : checkFqnLength(root + fqn.slice(replaced.length));
};

type FullyNamed = { readonly fullyQualifiedName: string };

/** Orders by full names, by the code of their characters, so that no locale decides. */
export const compareByFqn = (a: FullyNamed, b: FullyNamed): number =>
  a.fullyQualifiedName < b.fullyQualifiedName ? -1 : a.fullyQualifiedName > b.fullyQualifiedName ? 1 : 0;

/** Whether a name is the prefix itself or below it: `svc.db` includes `svc.db.x`, not `svc.db2`. */
export const isFqnWithin = (fqn: string, prefix: string): boolean =>
  fqn.startsWith(prefix) && (fqn.length === prefix.length || fqn.charCodeAt(prefix.length) === 0x2e);

/** Splits a fully qualified name. Answers undefined when the text is none. */
export const trySplitFqn = (text: string): readonly string[] | undefined => {
  try {
    return splitFqn(text);
  } catch {
    return undefined;
  }
};
