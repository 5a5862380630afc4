import type { JsonObject } from '../../model/json.ts';
import { joinColumnPath } from './columns-in.ts';
import { nonBlankText } from './parts.ts';
import { jsonObjects } from './walk.ts';

/** The entity that a document is imported for, limited to what documents contain. */
export type ImportTarget = {
  readonly entityType: string;
  readonly name: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly fullyQualifiedName: string;
  /** The columns of the entity; empty when it has no schema. */
  readonly columns: readonly JsonObject[];
  readonly hasSchema: boolean;
  readonly domains: readonly string[];
  readonly dataProducts: readonly string[];
  readonly parentName?: string;
};

/** Finds a column by path, exactly or else in any letter case, and returns its path and the column. */
export type ColumnPathFinder = (path: string) => { readonly key: string; readonly column: JsonObject } | undefined;

/** Creates a finder over columns at every depth. */
export const createColumnPathFinder = (columns: readonly JsonObject[]): ColumnPathFinder => {
  const exact = new Map<string, JsonObject>();
  const folded = new Map<string, string>();
  const indexColumns = (list: readonly JsonObject[], parent: string): void => {
    for (const column of list) {
      const name = nonBlankText(column['name']);
      if (name === undefined) continue;
      const key = joinColumnPath(parent, name);
      exact.set(key, column);
      if (!folded.has(key.toLowerCase())) folded.set(key.toLowerCase(), key);
      indexColumns(jsonObjects(column['children']), key);
    }
  };
  indexColumns(columns, '');
  return (path) => {
    const key = exact.has(path) ? path : folded.get(path.toLowerCase());
    const column = key === undefined ? undefined : exact.get(key);
    return key === undefined || column === undefined ? undefined : { key, column };
  };
};
