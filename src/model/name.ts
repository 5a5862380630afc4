import { badRequest, type CatalogError } from '../errors.ts';

/** The longest name, in characters as a reader counts code points: 256 emoji are 256 characters. */
export const MAX_NAME_LENGTH = 256;

/** The longest fully qualified name, in code points. */
export const MAX_FQN_LENGTH = 3072;

/** A fully qualified name is an index key, and a key of the database's index holds a little more than this. */
const MAX_FQN_BYTES = 7_900;

/** The failure for a text that cannot be a name or a fully qualified name. */
const invalidName = (name: string): CatalogError => badRequest(`Invalid name ${name}`);

/** Whether a text has more characters than that, as a reader counts them. */
export const isLongerThan = (text: string, max: number): boolean => {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > max;
};

/** `"a"` without a dot inside is only another spelling of `a`. */
const unquotePlain = (name: string): string =>
  name.length > 2 && name.startsWith('"') && name.endsWith('"') && !name.includes('.') ? name.slice(1, -1) : name;

/**
 * Control characters would break sort keys and terminals, and an unpaired surrogate does not survive UTF-8. `::` and `"`
 * are the separators of entity links and of fully qualified names.
 */
const FORBIDDEN_IN_NAME = /::|["\p{Cc}\p{Cs}]/u;

/**
 * The name in its normal form (`"a"` becomes `a`).
 * Throws bad_request `Invalid name <name>` when it is empty, longer than 256 code points or holds `::`, `"` or a control
 * character.
 */
export const normaliseName = (name: string): string => {
  const plain = unquotePlain(name);
  if (plain === '' || FORBIDDEN_IN_NAME.test(plain) || isLongerThan(plain, MAX_NAME_LENGTH)) throw invalidName(name);
  return plain;
};

/** A name as one part of a fully qualified name: quoted if, and only if, it contains a dot. */
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
 * The fully qualified name of a child: `joinFqn('shop.pg', 'a.b')` is `shop.pg."a.b"`; without a parent, the part alone.
 * Throws bad_request when the result is longer than the contract allows.
 */
export const joinFqn = (parent: string | undefined, name: string): string =>
  checkFqnLength(parent === undefined || parent === '' ? fqnPart(name) : `${parent}.${fqnPart(name)}`);

/** The same with a name that goes on as it is, whatever is in it. */
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
 * The names a fully qualified name is made of, without quotes: `a."b.c"` is [`a`, `b.c`].
 * Throws bad_request `Invalid name <fqn>` when a part is empty or a quote is out of place.
 */
export const splitFqn = (fqn: string): string[] => {
  if (fqn.includes('"')) return splitQuoted(fqn);
  const parts = fqn.split('.');
  if (parts.includes('')) throw invalidName(fqn);
  return parts;
};

/** The normal form of a fully qualified name: `"a".b` is `a.b`. Throws as `splitFqn` does. */
export const normaliseFqn = (fqn: string): string => {
  const parts = splitFqn(fqn);
  return fqn.includes('"') ? parts.map(fqnPart).join('.') : fqn;
};

/**
 * The fully qualified name meant by a look-up of a kind whose FQN is one part: `my.team` and `"my.team"` are the same.
 * Throws bad_request `Invalid name <text>` when a quote is out of place.
 */
export const singlePartFqn = (text: string): string => {
  const wrapped = text.length > 2 && text.startsWith('"') && text.endsWith('"');
  const name = wrapped ? text.slice(1, -1) : text;
  if (name === '' || name.includes('"')) throw invalidName(text);
  return fqnPart(name);
};

/** All proper prefixes of a fully qualified name in normal form, shortest first: `a.b.c` has `a` and `a.b`. */
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

/** The fully qualified name without its last part, or undefined for a single part. Expects the normal form. */
export const parentFqn = (fqn: string): string | undefined => fqnPrefixes(fqn).at(-1);

/**
 * A name below a record, after that record got the name `root`: as many parts as `root` has are replaced by it. Both in
 * normal form. Throws bad_request when the result is longer than the contract allows.
 */
export const rebaseFqn = (fqn: string, root: string): string => {
  const depth = splitFqn(root).length;
  const replaced = fqnPrefixes(fqn)[depth - 1];
  return replaced === undefined ? root : checkFqnLength(root + fqn.slice(replaced.length));
};

/** Whether a name is the prefix itself or lies below it: `svc.db` holds `svc.db.x`, not `svc.db2`. */
export const isFqnWithin = (fqn: string, prefix: string): boolean =>
  fqn.startsWith(prefix) && (fqn.length === prefix.length || fqn.charCodeAt(prefix.length) === 0x2e);

/** The names that a text is made of, or nothing when it is no fully qualified name. */
export const trySplitFqn = (text: string): readonly string[] | undefined => {
  try {
    return splitFqn(text);
  } catch {
    return undefined;
  }
};
