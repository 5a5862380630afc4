import { isArray, isObject, type Json, type JsonObject } from './json.ts';

/** Reads parts of JSON of unknown shape. A value of an unexpected type counts as absent. */

/** The text of a value; undefined when it is blank or not a text. */
export const nonBlankText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** The items of a list; empty for any other value. */
export const jsonItems = (value: Json | undefined): readonly Json[] => (isArray(value) ? value : []);

/** The non-blank texts of a list. */
export const jsonTexts = (value: Json | undefined): readonly string[] =>
  jsonItems(value).flatMap((item) => nonBlankText(item) ?? []);

/** Returns an object; an empty one for any other value. */
export const jsonObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** The objects of a list; empty when there is no list. */
export const jsonObjects = (value: Json | undefined): readonly JsonObject[] => jsonItems(value).filter(isObject);
