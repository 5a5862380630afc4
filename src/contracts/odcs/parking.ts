import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';

/**
 * What a version has no member for waits among the custom properties, as `odcs<Field>`, until a version comes that
 * has one. Only roots and objects are given this: below them it would fill documents with what nobody reads.
 */

/** The members that may be met parked, with what a value of them is. */
const isText = (value: unknown): boolean => typeof value === 'string';
const ROOT = { name: isText, authoritativeDefinitions: isArray, servers: isArray, support: isArray } as const;
const OBJECT = {
  relationships: isArray,
  businessName: isText,
  physicalType: isText,
} as const;
type Parked = Readonly<Record<string, (value: unknown) => boolean>>;

const parkedName = (name: string): string => `odcs${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** A list of custom properties with one more; an older one of the name gives way. */
export const withCustomProperty = (list: Json | undefined, property: string, value: Json): readonly Json[] => [
  ...(list !== undefined && isArray(list) ? list : []).filter(
    (entry) => !isObject(entry) || member(entry, 'property') !== property,
  ),
  { property, value },
];

/** The document or object without some members, which are among its custom properties now. */
export const parked = (object: JsonObject, names: readonly string[]): JsonObject => {
  const result: MutableJsonObject = { ...object };
  for (const name of names) {
    const value = member(object, name);
    if (value === undefined || (isArray(value) && value.length === 0)) continue;
    result['customProperties'] = withCustomProperty(member(result, 'customProperties'), parkedName(name), value);
    delete result[name];
  }
  return result;
};

const unparked = (object: JsonObject, members: Parked): JsonObject => {
  const list = member(object, 'customProperties') ?? null;
  if (!isArray(list)) return object;
  const taken = new Map<string, Json>();
  const kept = list.filter((entry) => {
    const name = isObject(entry)
      ? Object.keys(members).find((candidate) => parkedName(candidate) === member(entry, 'property'))
      : undefined;
    const value = isObject(entry) ? member(entry, 'value') : undefined;
    if (name === undefined || value === undefined || taken.has(name) || !members[name]?.(value)) return true;
    if (member(object, name) !== undefined) return true;
    taken.set(name, value);
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
export const withUnparkedRoot = (document: JsonObject): JsonObject => unparked(document, ROOT);

/** The same for an object of the schema. */
export const withUnparkedObject = (object: JsonObject): JsonObject => unparked(object, OBJECT);
