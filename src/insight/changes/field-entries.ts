import type { ChangeDescription, FieldChange } from '../../model/change-description.ts';
import { isArray, type Json, type JsonObject } from '../../model/json.ts';

/** Reads the entries of a change description. */

/** One entry: the field, its values before and after, and which list of the description it was in. */
export type FieldEntry = {
  readonly name: string;
  readonly list: 'added' | 'updated' | 'deleted';
  readonly before: Json | undefined;
  readonly after: Json | undefined;
};

/** Lists and objects stand in an entry as JSON text. A text that only looks like one stays a text. */
const decodeFieldValue = (value: Json | undefined): Json | undefined => {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
};

const TEXT_FIELD = /(^|\.)(description|displayName|name)$/;

const toEntry =
  (list: FieldEntry['list']) =>
  ({ name, oldValue, newValue }: FieldChange): FieldEntry => {
    const decode = TEXT_FIELD.test(name) ? (value: Json | undefined) => value : decodeFieldValue;
    return { name, list, before: decode(oldValue), after: decode(newValue) };
  };

export const listFieldEntries = (change: Partial<ChangeDescription>): readonly FieldEntry[] => [
  ...(change.fieldsAdded ?? []).map(toEntry('added')),
  ...(change.fieldsUpdated ?? []).map(toEntry('updated')),
  ...(change.fieldsDeleted ?? []).map(toEntry('deleted')),
];

const itemsOf = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : isArray(value) ? value : [value];

/** The items that an entry says were added to a list, and those that were removed from it. */
export const listItemChanges = ({ before, after }: FieldEntry): readonly { item: Json; isAdded: boolean }[] => [
  ...itemsOf(before).map((item) => ({ item, isAdded: false })),
  ...itemsOf(after).map((item) => ({ item, isAdded: true })),
];

/** The values of some entries by field, before and after. */
export const fieldValues = (entries: readonly FieldEntry[], side: 'before' | 'after'): JsonObject =>
  Object.fromEntries(
    entries.flatMap((entry) => {
      const value = entry[side];
      return value === undefined ? [] : [[entry.name, value] as const];
    }),
  );
