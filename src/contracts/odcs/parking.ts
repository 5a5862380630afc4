import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { DOCUMENT_SHAPE, type MemberShapes, SCHEMA_OBJECT } from './shape.ts';
import { coerceToShape } from './structure.ts';

/**
 * Stores members that a version does not define as custom properties named `odcs<Field>`, and restores them in a
 * version that defines them. Only root and object members are stored this way; deeper ones would clutter documents.
 */

/** The members that may be stored as custom properties. */
const DEFERRED_ROOT_MEMBERS = ['name', 'authoritativeDefinitions', 'servers', 'support'] as const;
const DEFERRED_OBJECT_MEMBERS = ['relationships', 'businessName', 'physicalType'] as const;

const deferredName = (name: string): string => `odcs${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Adds a custom property to a list and replaces an existing one with that name. */
export const replaceCustomProperty = (list: Json | undefined, property: string, value: Json): readonly Json[] => [
  ...(list !== undefined && isArray(list) ? list : []).filter(
    (entry) => !isObject(entry) || member(entry, 'property') !== property,
  ),
  { property, value },
];

/** Moves members of a document or object to its custom properties. */
export const deferMembers = (object: JsonObject, names: readonly string[]): JsonObject => {
  const result: MutableJsonObject = { ...object };
  for (const name of names) {
    const value = member(object, name);
    if (value === undefined || (isArray(value) && value.length === 0)) continue;
    result['customProperties'] = replaceCustomProperty(member(result, 'customProperties'), deferredName(name), value);
    delete result[name];
  }
  return result;
};

type RestoreTarget = {
  readonly names: readonly string[];
  readonly members: MemberShapes;
  /** Members that are replaced by the restored ones. */
  readonly yielding: readonly string[];
};

const restoreMembers = (object: JsonObject, { names, members, yielding }: RestoreTarget): JsonObject => {
  const list = member(object, 'customProperties') ?? null;
  if (!isArray(list)) return object;
  const taken = new Map<string, Json>();
  const kept = list.filter((entry) => {
    const name = isObject(entry)
      ? names.find((candidate) => deferredName(candidate) === member(entry, 'property'))
      : undefined;
    const value = isObject(entry) ? member(entry, 'value') : undefined;
    if (name === undefined || value === undefined || taken.has(name)) return true;
    if (member(object, name) !== undefined && !yielding.includes(name)) return true;
    const shape = members[name]?.shape;
    const found = shape && coerceToShape(value, shape);
    if (found === undefined) return true;
    taken.set(name, found);
    return false;
  });
  if (taken.size === 0) return object;
  const result: MutableJsonObject = { ...object };
  if (kept.length > 0) result['customProperties'] = kept;
  else delete result['customProperties'];
  for (const [name, value] of taken) setMember(result, name, value);
  return result;
};

/** Restores the root members of a document from its custom properties. */
export const restoreRootMembers = (document: JsonObject): JsonObject =>
  restoreMembers(document, { names: DEFERRED_ROOT_MEMBERS, members: DOCUMENT_SHAPE, yielding: [] });

/**
 * Does the same for a document of 2.x. A list that 2.x can only partly represent is also stored completely as a
 * custom property, and that complete list replaces the partial one.
 */
export const restoreRootMembers2 = (document: JsonObject): JsonObject =>
  restoreMembers(document, { names: DEFERRED_ROOT_MEMBERS, members: DOCUMENT_SHAPE, yielding: ['servers', 'support'] });

/** Restores the members of a schema object from its custom properties. */
export const restoreObjectMembers = (object: JsonObject): JsonObject =>
  restoreMembers(object, { names: DEFERRED_OBJECT_MEMBERS, members: SCHEMA_OBJECT, yielding: [] });
