import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';

/** Reading documents and records that nobody has promised the shape of: what is not as expected is as good as absent. */

/** The text of a value, if it is one and says something. */
export const nonBlankText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** The items of a list; nothing for what is no list. */
export const jsonItems = (value: Json | undefined): readonly Json[] => (isArray(value) ? value : []);

/** The items of a list that are texts. */
export const jsonTexts = (value: Json | undefined): readonly string[] =>
  jsonItems(value).flatMap((item) => nonBlankText(item) ?? []);

/** An object of which every member is read; nothing for what is no object. */
export const jsonObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** A copy without members that say nothing: absent ones, empty lists and empty objects. */
export const omitEmpty = (members: { readonly [name: string]: Json | undefined }): JsonObject => {
  const kept: MutableJsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || (isArray(value) && value.length === 0)) continue;
    if (isObject(value) && Object.keys(value).length === 0) continue;
    kept[name] = value;
  }
  return kept;
};

/** Items by their keys, in their order. */
export const groupByKey = <T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
};

/** Whether two texts are the same word, whatever their case. */
export const isSameText = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.toLowerCase() === other.toLowerCase();

/**
 * Pairs items of two lists that have the same key, each with one of the other list at most, in order; what has no
 * partner by one key is tried by the next. Answers the place of the partner in `others` for each item, or nothing.
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
    const places = groupByKey(free, (place) => keysOfOthers[place] ?? '');
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
