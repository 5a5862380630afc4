import { hashPassword, passwordProblem } from '../../access/password.ts';
import { badRequest } from '../../errors.ts';
import type { StoredAttribute } from '../../model/attribute.ts';
import { equalJson, isArray, isObject, type Json } from '../../model/json.ts';
import { type Kind, perKind, withDerived } from '../../model/kind.ts';
import { restoreMasked } from '../../model/secret-texts.ts';
import { storedMembers } from '../read/snapshot.ts';
import type { Candidate } from './candidate.ts';
import { type Actor, type Desk, type Mode, refuseLayman, systemRecord } from './desk.ts';

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === '' || (isObject(value) && Object.keys(value).length === 0);

/** Texts that people wrote stay when a bot ingests over them (conventions 10). */
const PROTECTED = ['description', 'displayName', 'extension'];

const isProtected = (name: string, stored: Json | undefined, actor: Actor, mode: Mode): boolean =>
  mode.by === 'put' && !mode.overrideMetadata && actor.principal.isBot && PROTECTED.includes(name) && !isEmpty(stored);

const whenAbsent = (attribute: StoredAttribute, stored: Json | undefined, mode: Mode): Json | undefined => {
  const keeps = mode.by === 'put' ? attribute.onAbsent === 'keep' : attribute.hidden;
  if (keeps && stored !== undefined) return stored;
  return attribute.fallback;
};

const refuseModified = (
  kind: Kind,
  name: string,
  attribute: StoredAttribute,
  stored: Json | undefined,
  wished: Json | undefined,
) => {
  if (attribute.immutable && stored !== undefined && !equalJson(stored, wished)) {
    throw badRequest(`${kind.entityType} attribute ${name} can't be modified`);
  }
};

const reservedMembers = perKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) => {
    const { adminOnlyWhere } = attribute as StoredAttribute;
    return adminOnlyWhere === undefined ? [] : [[name, { adminOnlyWhere }] as const];
  }),
);

const refuseUsurped = (
  name: string,
  attribute: StoredAttribute,
  stored: Json | undefined,
  wished: Json | undefined,
  actor: Actor,
) => {
  if (attribute.adminOnly && !equalJson(stored ?? attribute.fallback, wished)) refuseLayman(actor, name);
};

/** Refuses members that only an administrator may change on this one record. */
const refuseReserved = (
  kind: Kind,
  stored: Readonly<Record<string, Json>>,
  values: Readonly<Record<string, Json>>,
  actor: Actor,
): void => {
  for (const [name, attribute] of reservedMembers(kind)) {
    const isReserved = stored[attribute.adminOnlyWhere] === true;
    if (isReserved && !equalJson(stored[name], values[name])) refuseLayman(actor, name);
  }
};

const hashed = async (text: Json): Promise<string> => {
  const problem = passwordProblem(text as string);
  if (problem) throw badRequest(`[password ${problem}]`);
  return hashPassword(text as string);
};

/** The stored items in the order of those that are given with the same ids. */
const twinsById = (given: Json, stored: Json | undefined): Json | undefined => {
  if (!isArray(given) || !isArray(stored)) return stored;
  const known = new Map(stored.filter(isObject).map((item) => [item['id'], item]));
  return given.map((item) => (isObject(item) ? (known.get(item['id']) ?? null) : null));
};

const wishedValue = (desk: Desk, attribute: StoredAttribute, stored: Json | undefined, given: Json): Json => {
  if (attribute.store !== 'secret') return given;
  const clear = stored === undefined ? undefined : desk.secrets.open(stored);
  const settled = attribute.settle ? attribute.settle(given, clear) : given;
  return restoreMasked(settled, attribute.list === 'id' ? twinsById(settled, clear) : clear);
};

/** Sealing never answers the same text twice, so an unchanged secret keeps the text it has. */
const sealedValue = (
  desk: Desk,
  attribute: StoredAttribute,
  stored: Json | undefined,
  wished: Json | undefined,
): Json | undefined => {
  if (attribute.store !== 'secret' || wished === undefined) return wished;
  if (stored !== undefined && equalJson(desk.secrets.open(stored), wished)) return stored;
  return desk.secrets.seal(wished);
};

const desireValue = (
  desk: Desk,
  kind: Kind,
  [name, attribute]: readonly [string, StoredAttribute],
  stored: Json | undefined,
  given: Json | undefined,
  actor: Actor,
  mode: Mode,
): Json | undefined => {
  if (attribute.readOnly) return stored;
  const keepsEmpty = mode.by === 'put' && attribute.onAbsent === 'keep' && isEmpty(given);
  if (given === undefined || keepsEmpty) {
    if (isProtected(name, stored, actor, mode)) return stored;
    const wished = whenAbsent(attribute, stored, mode);
    refuseUsurped(name, attribute, stored, wished, actor);
    return wished;
  }
  if (isProtected(name, stored, actor, mode)) return stored;
  const wished = wishedValue(desk, attribute, stored, given);
  const clear = attribute.store === 'secret' && stored !== undefined ? desk.secrets.open(stored) : stored;
  refuseModified(kind, name, attribute, clear, wished);
  refuseUsurped(name, attribute, stored, wished, actor);
  return sealedValue(desk, attribute, stored, wished);
};

/** The values of a request with those that are kept as hashes only already hashed. */
const hashGiven = async (kind: Kind, values: Candidate['values']): Promise<Candidate['values']> => {
  const hashes: Record<string, Json> = {};
  for (const [name, attribute] of storedMembers(kind)) {
    const given = values[name];
    if ((attribute as StoredAttribute).hashed && given !== undefined) hashes[name] = await hashed(given);
  }
  return { ...values, ...hashes };
};

export const desireValues = async (
  desk: Desk,
  kind: Kind,
  stored: Readonly<Record<string, Json>>,
  wished: Candidate['values'],
  actor: Actor,
  mode: Mode,
): Promise<Record<string, Json>> => {
  const values: Record<string, Json> = {};
  const given = kind.hashes ? await hashGiven(kind, wished) : wished;
  for (const [name, attribute] of storedMembers(kind)) {
    const member = [name, attribute as StoredAttribute] as const;
    const value = desireValue(desk, kind, member, stored[name], given[name], actor, mode);
    if (value !== undefined) values[name] = value;
  }
  refuseReserved(kind, stored, values, actor);
  return withDerived(kind, values) as Record<string, Json>;
};

const lastingMembers = perKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) => {
    const { lasting } = attribute as StoredAttribute;
    return lasting === undefined ? [] : [[name, lasting] as const];
  }),
);

/**
 * The values with those that the record does not give up. A patch says everything it means, so one that gives them up is
 * refused; a PUT may only have left them out.
 */
export const keepLasting = (
  kind: Kind,
  recordName: string,
  stored: Readonly<Record<string, Json>>,
  values: Readonly<Record<string, Json>>,
  mode: Mode,
): Readonly<Record<string, Json>> => {
  const lost = lastingMembers(kind).filter(([name, lasting]) => stored[name] === lasting && values[name] !== lasting);
  if (lost.length === 0) return values;
  if (mode.by !== 'put') throw systemRecord(kind, recordName, 'modified');
  return { ...values, ...Object.fromEntries(lost) };
};
