import { type ColumnNode, columnKey } from '../../catalog/read/column-tree.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import { isArray, type Json, type JsonObject, member } from '../../model/json.ts';
import type { ColumnsAttribute } from '../../model/kind/attribute.ts';
import { type ColumnRename, detectColumnRenames, type NameFold } from '../../model/kind/columns.ts';
import { fqnPart } from '../../model/name.ts';

/** The columns that an asset would have, and what became of those that it has. */

/** A list of columns of a kind: the name of the member and how it is declared. */
export type TracedTree = readonly [section: string, attribute: ColumnsAttribute];

type OverlayColumn = {
  readonly name: string;
  readonly fullyQualifiedName: string;
  /** The key of the stored column that it continues; undefined for a new one. */
  readonly origin: string | undefined;
};

export type ColumnOverlay = {
  readonly section: string;
  /** The columns as they are stored, and as they would be. */
  readonly stored: readonly JsonObject[];
  readonly columns: readonly JsonObject[];
  /** The columns that there would be, by key. */
  readonly byKey: ReadonlyMap<string, OverlayColumn>;
  /** The keys that stored columns would have, by those that they have. */
  readonly byOrigin: ReadonlyMap<string, string>;
  /** The keys of stored columns that no column would have any more. */
  readonly gone: ReadonlySet<string>;
};

/** What becomes of the names of columns in mappings. */
export type ColumnMoves = {
  /** The keys of columns that have lost their name. */
  readonly keys: readonly string[];
  /** The new name by the old one, below the asset; undefined for a column that is gone. */
  readonly names: ReadonlyMap<string, string | undefined>;
};

const childrenOf = (column: JsonObject): readonly JsonObject[] => {
  const children = member(column, 'children');
  return isArray(children) ? (children as readonly JsonObject[]) : [];
};

/** The paths of columns below their asset. */
export const listColumnPaths = (columns: readonly JsonObject[], above: readonly string[] = []): (readonly string[])[] =>
  columns.flatMap((column) => {
    const path = [...above, String(column['name'])];
    return [path, ...listColumnPaths(childrenOf(column), path)];
  });

const pathKey = (path: readonly string[]): string => JSON.stringify(path);

const relativeName = (path: readonly string[]): string => path.map(fqnPart).join('.');

/** Answers the path that a stored column would have; undefined when it is gone. */
const createPathMapper = (renames: readonly ColumnRename[], after: readonly (readonly string[])[], fold: NameFold) => {
  const names = new Map(renames.map(({ from, to }) => [pathKey(from), to.at(-1) ?? '']));
  const known = new Map(after.map((path) => [pathKey(path.map(fold)), path]));
  return (path: readonly string[]): readonly string[] | undefined => {
    const renamed = path.map((name, at) => names.get(pathKey(path.slice(0, at + 1))) ?? name);
    return known.get(pathKey(renamed.map(fold)));
  };
};

/** Compares the columns that an asset has by now with those that it would have. */
export const moveColumns = (
  { id }: Pick<Endpoint, 'id'>,
  [section, { nameKey }]: TracedTree,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): ColumnMoves & { readonly origins: ReadonlyMap<string, string> } => {
  const mapPath = createPathMapper(detectColumnRenames(before, after, nameKey), listColumnPaths(after), nameKey);
  const keys: string[] = [];
  const names = new Map<string, string | undefined>();
  const origins = new Map<string, string>();
  for (const path of listColumnPaths(before)) {
    const [old, next] = [columnKey(id, section, path, nameKey), mapPath(path)];
    if (next) origins.set(columnKey(id, section, next, nameKey), old);
    const [name, renamed] = [relativeName(path), next && relativeName(next)];
    if (name === renamed) continue;
    keys.push(old);
    names.set(name, renamed);
  }
  return { keys, names, origins };
};

/** Builds what an asset's columns would be; `originOf` names the stored column that another continues. */
export const buildColumnOverlay = (
  { id, fullyQualifiedName }: Pick<Endpoint, 'id' | 'fullyQualifiedName'>,
  [section, { nameKey }]: TracedTree,
  { stored, columns }: Pick<ColumnOverlay, 'stored' | 'columns'>,
  originOf: (key: string) => string | undefined,
): ColumnOverlay => {
  const byKey = new Map(
    listColumnPaths(columns).map((path) => {
      const key = columnKey(id, section, path, nameKey);
      const name = path.at(-1) ?? '';
      return [key, { name, fullyQualifiedName: `${fullyQualifiedName}.${relativeName(path)}`, origin: originOf(key) }];
    }),
  );
  const gone = listColumnPaths(stored)
    .map((path) => columnKey(id, section, path, nameKey))
    .filter((key) => byKey.get(key)?.origin !== key);
  const byOrigin = new Map(
    [...byKey].flatMap(([key, { origin }]) => (origin === undefined ? [] : [[origin, key] as const])),
  );
  return { section, stored, columns, byKey, byOrigin, gone: new Set(gone) };
};

/** The columns that there would be, with those that are gone: whoever reads them still can be found. */
export const withFormerColumns = (
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  fold: NameFold,
): readonly JsonObject[] => {
  const nameOf = (column: JsonObject): string => fold(String(column['name']));
  const known = new Set(after.map(nameOf));
  const former = new Map(before.map((column) => [nameOf(column), column]));
  const kept = after.map((column) => {
    const old = former.get(nameOf(column));
    if (!old) return column;
    const children = withFormerColumns(childrenOf(old), childrenOf(column), fold);
    return { ...column, name: old['name'] as Json, ...(children.length > 0 ? { children } : {}) };
  });
  return [...kept, ...before.filter((column) => !known.has(nameOf(column)))];
};

/** Writes columns as records have them, as far as reads of lineage look at them. */
export const toColumnNodes = (
  columns: readonly JsonObject[],
  keyOf: (path: readonly string[]) => string,
  above: readonly string[] = [],
): ColumnNode[] =>
  columns.map((column, position) => {
    const { children: _, ...values } = column;
    const path = [...above, String(column['name'])];
    return {
      key: keyOf(path),
      values: values as ColumnNode['values'],
      position,
      labels: undefined,
      children: toColumnNodes(childrenOf(column), keyOf, path),
    };
  });
