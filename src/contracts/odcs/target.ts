import type { JsonObject } from '../../model/json.ts';
import { joinKey } from './columns-in.ts';
import { spoken } from './parts.ts';
import { objectsOf } from './walk.ts';

/** The entity a document is imported for, and what of it documents speak of. */
export type Target = {
  readonly entityType: string;
  readonly name: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly fullyQualifiedName: string;
  /** Columns as the entity answers them; none when it has no schema. */
  readonly columns: readonly JsonObject[];
  readonly hasSchema: boolean;
  readonly domains: readonly string[];
  readonly dataProducts: readonly string[];
  readonly parentName?: string;
};

/** Finds a column by its path: as it is spelled, else in any case. Answers its path and the column. */
export type ColumnFinder = (path: string) => { readonly key: string; readonly column: JsonObject } | undefined;

/** A finder over columns at every depth. */
export const columnFinder = (columns: readonly JsonObject[]): ColumnFinder => {
  const exact = new Map<string, JsonObject>();
  const folded = new Map<string, string>();
  const note = (list: readonly JsonObject[], parent: string): void => {
    for (const column of list) {
      const name = spoken(column['name']);
      if (name === undefined) continue;
      const key = joinKey(parent, name);
      exact.set(key, column);
      if (!folded.has(key.toLowerCase())) folded.set(key.toLowerCase(), key);
      note(objectsOf(column['children']), key);
    }
  };
  note(columns, '');
  return (path) => {
    const key = exact.has(path) ? path : folded.get(path.toLowerCase());
    const column = key === undefined ? undefined : exact.get(key);
    return key === undefined || column === undefined ? undefined : { key, column };
  };
};
