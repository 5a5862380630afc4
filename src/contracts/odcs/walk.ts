import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';

/** An object with one member changed, when it has it. */
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

/** An object with the objects of one of its lists changed. */
export const mapListMember = (object: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject =>
  mapMember(object, name, (value) =>
    isArray(value) ? value.map((item) => (isObject(item) ? change(item) : item)) : value,
  );

/** An object with the object that is one of its members changed. */
export const mapObjectMember = (
  object: JsonObject,
  name: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject => mapMember(object, name, (value) => (isObject(value) ? change(value) : value));

/** The objects of a list, and nothing when there is no list. */
export const jsonObjects = (value: Json | undefined): readonly JsonObject[] =>
  value !== undefined && isArray(value) ? value.filter(isObject) : [];

/** A text member, or undefined. */
export const textMember = (object: JsonObject, name: string): string | undefined => {
  const value = member(object, name);
  return typeof value === 'string' ? value : undefined;
};
