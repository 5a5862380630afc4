import type { JsonObject } from '../json.ts';
import { jsonObjects } from '../json-parts.ts';
import { foldCase } from './columns.ts';

/** Appends the columns that are missing, at every level; returns undefined when none are. */
export const addMissingColumns = (
  present: readonly JsonObject[],
  reported: readonly JsonObject[],
): readonly JsonObject[] | undefined => {
  const keyOf = (column: JsonObject): string => foldCase(String(column['name']));
  const missing = new Map(reported.map((column) => [keyOf(column), column]));
  let isSame = true;
  const merged = present.map((column) => {
    const found = missing.get(keyOf(column));
    missing.delete(keyOf(column));
    const children = jsonObjects(column['children']);
    const inner =
      found && children.length > 0 ? addMissingColumns(children, jsonObjects(found['children'])) : undefined;
    if (inner) isSame = false;
    return inner ? { ...column, children: inner } : column;
  });
  return isSame && missing.size === 0 ? undefined : [...merged, ...missing.values()];
};
