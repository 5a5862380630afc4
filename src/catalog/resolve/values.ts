import { findPasswordProblem } from '../../access/password.ts';
import { badRequest } from '../../errors.ts';
import { equalJson, isArray, isObject, type Json } from '../../model/json.ts';
import type { StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind, withDerivedValues } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { restoreMasked } from '../../model/secret-masking.ts';
import { storedMembers } from '../read/snapshot.ts';
import type { Candidate } from './candidate.ts';
import {
  requireAdministrator,
  systemRecordError,
  type WriteActor,
  type WriteContext,
  type WriteMode,
} from './write-context.ts';

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === '' || (isObject(value) && Object.keys(value).length === 0);

/** Members that people write: a bot's PUT does not overwrite them (conventions 10). */
const PROTECTED = ['description', 'displayName', 'extension'];

const isProtected = (name: string, stored: Json | undefined, actor: WriteActor, mode: WriteMode): boolean =>
  mode.by === 'put' && !mode.overrideMetadata && actor.principal.isBot && PROTECTED.includes(name) && !isEmpty(stored);

const absentValue = (attribute: StoredAttribute, stored: Json | undefined, mode: WriteMode): Json | undefined => {
  const keeps = mode.by === 'put' ? attribute.onAbsent === 'keep' : attribute.hidden;
  if (keeps && stored !== undefined) return stored;
  return attribute.fallback;
};

const refuseImmutableChange = (
  kind: Kind,
  name: string,
  attribute: StoredAttribute,
  stored: Json | undefined,
  requested: Json | undefined,
) => {
  if (attribute.immutable && stored !== undefined && !equalJson(stored, requested)) {
    throw badRequest(`${kind.entityType} attribute ${name} can't be modified`);
  }
};

const reservedMembers = memoisePerKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) => {
    const { adminOnlyWhere } = attribute as StoredAttribute;
    return adminOnlyWhere === undefined ? [] : [[name, { adminOnlyWhere }] as const];
  }),
);

const requireAdministratorFor = (
  name: string,
  attribute: StoredAttribute,
  stored: Json | undefined,
  requested: Json | undefined,
  actor: WriteActor,
) => {
  if (attribute.adminOnly && !equalJson(stored ?? attribute.fallback, requested)) requireAdministrator(actor, name);
};

/** Refuses members that only an administrator may change on this record. */
const refuseReserved = (
  kind: Kind,
  stored: Readonly<Record<string, Json>>,
  values: Readonly<Record<string, Json>>,
  actor: WriteActor,
): void => {
  for (const [name, attribute] of reservedMembers(kind)) {
    const isReserved = stored[attribute.adminOnlyWhere] === true;
    if (isReserved && !equalJson(stored[name], values[name])) requireAdministrator(actor, name);
  }
};

const hashGivenPassword = async ({ passwords }: Pick<WriteContext, 'passwords'>, text: Json): Promise<string> => {
  const problem = findPasswordProblem(text as string);
  if (problem) throw badRequest(`[password ${problem}]`);
  return passwords.hash(text as string);
};

/** Orders the stored items like the given items with the same ids. */
const alignById = (given: Json, stored: Json | undefined): Json | undefined => {
  if (!isArray(given) || !isArray(stored)) return stored;
  const known = new Map(stored.filter(isObject).map((item) => [item['id'], item]));
  return given.map((item) => (isObject(item) ? (known.get(item['id']) ?? null) : null));
};

const mergeSecret = (
  context: WriteContext,
  attribute: StoredAttribute,
  stored: Json | undefined,
  given: Json,
): Json => {
  if (attribute.store !== 'secret') return given;
  const clear = stored === undefined ? undefined : context.secrets.open(stored);
  const settled = attribute.normaliseGiven ? attribute.normaliseGiven(given, clear) : given;
  return restoreMasked(settled, attribute.list === 'id' ? alignById(settled, clear) : clear);
};

/** Keeps the sealed text of an unchanged secret, because sealing returns a different text every time. */
const sealIfChanged = (
  context: WriteContext,
  attribute: StoredAttribute,
  stored: Json | undefined,
  requested: Json | undefined,
): Json | undefined => {
  if (attribute.store !== 'secret' || requested === undefined) return requested;
  if (stored !== undefined && equalJson(context.secrets.open(stored), requested)) return stored;
  return context.secrets.seal(requested);
};

const buildValue = (
  context: WriteContext,
  kind: Kind,
  [name, attribute]: readonly [string, StoredAttribute],
  stored: Json | undefined,
  given: Json | undefined,
  actor: WriteActor,
  mode: WriteMode,
): Json | undefined => {
  if (attribute.readOnly) return stored;
  const keepsEmpty = mode.by === 'put' && attribute.onAbsent === 'keep' && isEmpty(given);
  if (given === undefined || keepsEmpty) {
    if (isProtected(name, stored, actor, mode)) return stored;
    const requested = absentValue(attribute, stored, mode);
    requireAdministratorFor(name, attribute, stored, requested, actor);
    return requested;
  }
  if (isProtected(name, stored, actor, mode)) return stored;
  const requested = mergeSecret(context, attribute, stored, given);
  const clear = attribute.store === 'secret' && stored !== undefined ? context.secrets.open(stored) : stored;
  refuseImmutableChange(kind, name, attribute, clear, requested);
  requireAdministratorFor(name, attribute, stored, requested, actor);
  return sealIfChanged(context, attribute, stored, requested);
};

/** Hashes the values of a request that are stored only as hashes. */
const hashValues = async (
  context: WriteContext,
  kind: Kind,
  values: Candidate['values'],
): Promise<Candidate['values']> => {
  const hashes: Record<string, Json> = {};
  for (const [name, attribute] of storedMembers(kind)) {
    const given = values[name];
    if ((attribute as StoredAttribute).hashed && given !== undefined)
      hashes[name] = await hashGivenPassword(context, given);
  }
  return { ...values, ...hashes };
};

export const buildValues = async (
  context: WriteContext,
  kind: Kind,
  stored: Readonly<Record<string, Json>>,
  requested: Candidate['values'],
  actor: WriteActor,
  mode: WriteMode,
): Promise<Record<string, Json>> => {
  const values: Record<string, Json> = {};
  const given = kind.hasHashedMembers ? await hashValues(context, kind, requested) : requested;
  for (const [name, attribute] of storedMembers(kind)) {
    const member = [name, attribute as StoredAttribute] as const;
    const value = buildValue(context, kind, member, stored[name], given[name], actor, mode);
    if (value !== undefined) values[name] = value;
  }
  refuseReserved(kind, stored, values, actor);
  return withDerivedValues(kind, values) as Record<string, Json>;
};

const protectedMembers = memoisePerKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) => {
    const { protectedValue } = attribute as StoredAttribute;
    return protectedValue === undefined ? [] : [[name, protectedValue] as const];
  }),
);

/**
 * Restores values that the record must not lose. A PUT may only have omitted them; a patch that removes them is
 * refused, because a patch states everything explicitly.
 */
export const keepProtectedValues = (
  kind: Kind,
  recordName: string,
  stored: Readonly<Record<string, Json>>,
  values: Readonly<Record<string, Json>>,
  mode: WriteMode,
): Readonly<Record<string, Json>> => {
  const lost = protectedMembers(kind).filter(([name, lasting]) => stored[name] === lasting && values[name] !== lasting);
  if (lost.length === 0) return values;
  if (mode.by !== 'put') throw systemRecordError(kind, recordName, 'modified');
  return { ...values, ...Object.fromEntries(lost) };
};
