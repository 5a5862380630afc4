import { isArray, isObject, type Json, type JsonObject, member, withMember } from '../json.ts';
import type { StoredAttribute } from './attribute.ts';
import { carryOverColumns, foldCase, keepCase, type NameFold } from './columns.ts';

/** Items of values that are identified by name and keep their texts and labels under PUT (conventions 10). */

type NamedItem = JsonObject & { readonly name: string };

const isNamedItem = (item: Json): item is NamedItem => isObject(item) && typeof member(item, 'name') === 'string';

/** Whether values of an attribute have items that are identified by name. */
export const hasNamedItems = ({ store, list, columnsIn }: StoredAttribute): boolean =>
  store === 'json' && (list === 'name' || columnsIn !== undefined);

type CarryItemsOptions = { readonly keepStored: boolean };

/** Carries over the texts and labels of items of the same name. An item without a name inherits nothing. */
const carryOverList = (
  stored: Json | undefined,
  given: Json | undefined,
  options: CarryItemsOptions & { readonly fold: NameFold },
) => {
  if (!isArray(stored) || !isArray(given)) return given;
  const carried = carryOverColumns(stored.filter(isNamedItem), given.filter(isNamedItem), options).values();
  return given.map((item): Json => (isNamedItem(item) ? (carried.next().value ?? item) : item));
};

/**
 * Completes the value of a PUT: items keep the texts and labels of the stored items of the same name where the request
 * omits them.
 */
export const carryOverNamedItems = (
  { columnsIn }: StoredAttribute,
  stored: Json,
  given: Json,
  options: CarryItemsOptions,
): Json => {
  if (columnsIn === undefined) return carryOverList(stored, given, { ...options, fold: keepCase }) ?? given;
  if (!isObject(stored) || !isObject(given)) return given;
  const [before, after] = [member(stored, columnsIn), member(given, columnsIn)];
  const columns = carryOverList(before, after, { ...options, fold: foldCase });
  return columns === undefined ? given : withMember(given, columnsIn, columns);
};
