import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';

/** Helpers that copy JSON objects with changed members. */

/** Changes one member of an object, if it has it. */
export const mapMember = (object: JsonObject, name: string, change: (value: Json) => Json | undefined): JsonObject => {
  const value = member(object, name);
  if (value === undefined) return object;
  const changed = change(value);
  if (changed === value) return object;
  const result: MutableJsonObject = { ...object };
  if (changed === undefined) delete result[name];
  else setMember(result, name, changed);
  return result;
};

/** Changes the objects of a list member. */
export const mapListMember = (object: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject =>
  mapMember(object, name, (value) =>
    isArray(value) ? value.map((item) => (isObject(item) ? change(item) : item)) : value,
  );

/** Changes an object member. */
export const mapObjectMember = (
  object: JsonObject,
  name: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject => mapMember(object, name, (value) => (isObject(value) ? change(value) : value));

/** The objects of a list; empty when there is no list. */
export const jsonObjects = (value: Json | undefined): readonly JsonObject[] =>
  value !== undefined && isArray(value) ? value.filter(isObject) : [];

/** A text member; undefined when it is missing or not a text. */
export const textMember = (object: JsonObject, name: string): string | undefined => {
  const value = member(object, name);
  return typeof value === 'string' ? value : undefined;
};
