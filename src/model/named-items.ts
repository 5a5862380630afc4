import type { StoredAttribute } from './attribute.ts';
import { anyCase, carryOver, exactCase, type Fold } from './columns.ts';
import { isArray, isObject, type Json, type JsonObject, member, withMember } from './json.ts';

/** Items of values that are known by their names, and that keep their texts and labels under PUT (conventions 10). */

type NamedItem = JsonObject & { readonly name: string };

const isNamed = (item: Json): item is NamedItem => isObject(item) && typeof member(item, 'name') === 'string';

/** Whether values of an attribute have items that are known by their names. */
export const hasNamedItems = ({ store, list, columnsIn }: StoredAttribute): boolean =>
  store === 'json' && (list === 'name' || columnsIn !== undefined);

type Options = { readonly keepStored: boolean };

/** An item without a name is nobody's successor. */
const carryList = (stored: Json | undefined, given: Json | undefined, options: Options & { readonly fold: Fold }) => {
  if (!isArray(stored) || !isArray(given)) return given;
  const carried = carryOver(stored.filter(isNamed), given.filter(isNamed), options).values();
  return given.map((item): Json => (isNamed(item) ? (carried.next().value ?? item) : item));
};

/** A value that a PUT gives, with what the stored one says of items of the same names where the given one says nothing. */
export const carryItems = ({ columnsIn }: StoredAttribute, stored: Json, given: Json, options: Options): Json => {
  if (columnsIn === undefined) return carryList(stored, given, { ...options, fold: exactCase }) ?? given;
  if (!isObject(stored) || !isObject(given)) return given;
  const [before, after] = [member(stored, columnsIn), member(given, columnsIn)];
  const columns = carryList(before, after, { ...options, fold: anyCase });
  return columns === undefined ? given : withMember(given, columnsIn, columns);
};
