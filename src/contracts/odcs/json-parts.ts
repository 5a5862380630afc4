import { groupBy } from '../../model/group-by.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';

/** Compares parts of JSON of unknown shape, and copies objects with changed members. */

/** Converts a number, or a text that contains one. */
export const toFiniteNumber = (value: Json | undefined): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** Copies an object without absent members, empty lists and empty objects. */
export const omitEmpty = (members: { readonly [name: string]: Json | undefined }): JsonObject => {
  const kept: MutableJsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || (isArray(value) && value.length === 0)) continue;
    if (isObject(value) && Object.keys(value).length === 0) continue;
    kept[name] = value;
  }
  return kept;
};

/** Whether two texts are equal, ignoring letter case. */
export const isSameText = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.toLowerCase() === other.toLowerCase();

/**
 * Pairs items of two lists by key, each with at most one partner, in order; items without a partner are tried with
 * the next key. Returns the index of the partner in `others` for each item, or undefined.
 */
export const pairByKeys = <T>(
  items: readonly T[],
  others: readonly T[],
  ...keys: readonly ((item: T) => string)[]
): readonly (number | undefined)[] => {
  const partners: (number | undefined)[] = items.map(() => undefined);
  const taken = new Set<number>();
  for (const keyOf of keys) {
    const keysOfOthers = others.map(keyOf);
    const free = [...others.keys()].filter((place) => !taken.has(place));
    const places = groupBy(free, (place) => keysOfOthers[place] ?? '');
    for (const list of places.values()) list.reverse();
    items.forEach((item, index) => {
      if (partners[index] !== undefined) return;
      const place = places.get(keyOf(item))?.pop();
      partners[index] = place;
      if (place !== undefined) taken.add(place);
    });
  }
  return partners;
};

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

/** Changes an object member. */
export const mapObjectMember = (
  object: JsonObject,
  name: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject => mapMember(object, name, (value) => (isObject(value) ? change(value) : value));

/** Sets a member unless the value is absent. */
export const setDefined = (target: MutableJsonObject, name: string, value: Json | undefined): void => {
  if (value !== undefined) setMember(target, name, value);
};

/** A text member; undefined when it is missing or not a text. */
export const textMember = (object: JsonObject, name: string): string | undefined => {
  const value = member(object, name);
  return typeof value === 'string' ? value : undefined;
};
