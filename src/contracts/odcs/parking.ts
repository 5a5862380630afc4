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
 * What a version has no member for waits among the custom properties, as `odcs<Field>`, until a version comes that
 * has one. Only roots and objects are given this: below them it would fill documents with what nobody reads.
 */

/** The members that may be met parked. */
const DEFERRED_ROOT_MEMBERS = ['name', 'authoritativeDefinitions', 'servers', 'support'] as const;
const DEFERRED_OBJECT_MEMBERS = ['relationships', 'businessName', 'physicalType'] as const;

const deferredName = (name: string): string => `odcs${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** A list of custom properties with one more; an older one of the name gives way. */
export const replaceCustomProperty = (list: Json | undefined, property: string, value: Json): readonly Json[] => [
  ...(list !== undefined && isArray(list) ? list : []).filter(
    (entry) => !isObject(entry) || member(entry, 'property') !== property,
  ),
  { property, value },
];

/** The document or object without some members, which are among its custom properties now. */
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
  /** Members that give way to what waited for their place. */
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

/** A document whose parked members are back in their places. */
export const restoreRootMembers = (document: JsonObject): JsonObject =>
  restoreMembers(document, { names: DEFERRED_ROOT_MEMBERS, members: DOCUMENT_SHAPE, yielding: [] });

/**
 * The same for a document of 2.x. Lists of which it can only say a part are parked whole beside that part: then the
 * whole list counts, and the part is only what old readers see of it.
 */
export const restoreRootMembers2 = (document: JsonObject): JsonObject =>
  restoreMembers(document, { names: DEFERRED_ROOT_MEMBERS, members: DOCUMENT_SHAPE, yielding: ['servers', 'support'] });

/** The same for an object of the schema. */
export const restoreObjectMembers = (object: JsonObject): JsonObject =>
  restoreMembers(object, { names: DEFERRED_OBJECT_MEMBERS, members: SCHEMA_OBJECT, yielding: [] });
