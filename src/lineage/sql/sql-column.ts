import type { Dialect } from './dialect.ts';
import {
  filterByName,
  findByName,
  type Identifier,
  indexByName,
  type NameIndex,
  storedIdentifier,
} from './identifier.ts';

/** The parts of a table name in a statement, outermost first, without quotes. */
export type TableName = readonly string[];

/** The path of a column through the fields that contain it: `['address', 'city']`. */
export type ColumnName = readonly string[];

export type SqlColumnPath = { readonly table: TableName; readonly column: ColumnName };

/** The reason why something has no lineage. */
export type UnresolvedReason =
  | 'too long'
  | 'too deep'
  | 'too many columns'
  | 'too slow'
  | 'failed'
  | 'template'
  | 'syntax'
  | 'unsupported'
  | 'ambiguous'
  | 'unknown table'
  | 'unknown column'
  | 'unknown columns'
  | 'no name'
  | 'column count';

export type Unresolved = { readonly text: string; readonly reason: UnresolvedReason };

/** One derivation of a value: its origins, and the expression unless the value is a plain copy. */
export type Derivation = { readonly origins: ReadonlyMap<string, SqlColumnPath>; readonly text?: string };

/** A column of a query or a table. */
export type SqlColumn = {
  readonly name?: Identifier;
  readonly derivations: readonly Derivation[];
  readonly unresolved: readonly Unresolved[];
};

/** Unknown columns behind `*`: any name may be one of them, except the excluded ones. */
export type UnknownColumns = {
  readonly rest: (name: Identifier) => SqlColumn;
  readonly without: readonly Identifier[];
  /** Array elements may have fields, but a known table column takes precedence. */
  readonly weak?: true;
};

export type YieldPart = SqlColumn | UnknownColumns;

/** The columns that a query yields, in order. */
export type YieldedColumns = readonly YieldPart[];

/** A source of columns, with the name by which the query refers to it. */
export type SqlRelation = {
  readonly name: readonly Identifier[];
  readonly parts: YieldedColumns;
  /** Whether the statement itself lists the columns, so that the catalog cannot contradict them. */
  readonly written: boolean;
};

export const isUnknownColumns = (part: YieldPart): part is UnknownColumns => 'rest' in part;

export const knownColumnsOf = (parts: YieldedColumns): readonly SqlColumn[] =>
  parts.filter((part): part is SqlColumn => !isUnknownColumns(part));

export const unknownColumnsOf = (parts: YieldedColumns): readonly UnknownColumns[] => parts.filter(isUnknownColumns);

/** A column without origins, such as a literal. */
export const LITERAL_COLUMN: SqlColumn = { derivations: [], unresolved: [] };

export const unresolvedColumn = (text: string, reason: UnresolvedReason): SqlColumn => ({
  derivations: [],
  unresolved: [{ text, reason }],
});

export const originKey = (path: SqlColumnPath): string => JSON.stringify([path.table, path.column]);

export const tableColumn = (name: Identifier, path: SqlColumnPath): SqlColumn => ({
  name,
  derivations: [{ origins: new Map([[originKey(path), path]]) }],
  unresolved: [],
});

/** Returns the column with another name, or without one. */
export const renameColumn = ({ derivations, unresolved }: SqlColumn, name: Identifier | undefined): SqlColumn =>
  name === undefined ? { derivations, unresolved } : { name, derivations, unresolved };

/** Combines the origins of several columns into one expression. */
export const combineColumns = (columns: readonly SqlColumn[], text: string | undefined): SqlColumn => {
  const origins = new Map<string, SqlColumnPath>();
  for (const column of columns) {
    for (const derivation of column.derivations) for (const [key, path] of derivation.origins) origins.set(key, path);
  }
  const unresolved = columns.flatMap((column) => column.unresolved);
  if (origins.size === 0) return { derivations: [], unresolved };
  return { derivations: [text === undefined ? { origins } : { origins, text }], unresolved };
};

/** Unites the columns at one position of a union; each derivation keeps its own expression. */
export const uniteColumns = (columns: readonly SqlColumn[], name: Identifier | undefined): SqlColumn => {
  const ways = new Map<string | undefined, Map<string, SqlColumnPath>>();
  for (const { derivations } of columns) {
    for (const { text, origins } of derivations) {
      const way = ways.get(text) ?? new Map<string, SqlColumnPath>();
      for (const [key, path] of origins) way.set(key, path);
      ways.set(text, way);
    }
  }
  const derivations = [...ways].map(([text, origins]) => (text === undefined ? { origins } : { origins, text }));
  return renameColumn({ derivations, unresolved: columns.flatMap((column) => column.unresolved) }, name);
};

/** Counts the origins of a column. */
export const countOrigins = (column: SqlColumn): number =>
  column.derivations.reduce((sum, derivation) => sum + derivation.origins.size, 0);

/** Creates columns that may be anything, with the reason. */
export const unclearColumns = (reason: UnresolvedReason): UnknownColumns => ({
  rest: (name) => renameColumn(unresolvedColumn(name.text, reason), name),
  without: [],
});

/** Returns the columns of a table: those known to the catalog, otherwise any column that the statement names. */
export const columnsOfTable = (table: TableName, known: readonly ColumnName[] | undefined): YieldedColumns => {
  if (known === undefined) {
    return [{ rest: (name) => tableColumn(name, { table, column: [name.text] }), without: [] }];
  }
  return known
    .filter((column) => column.length === 1)
    .map((column) => tableColumn(storedIdentifier(column[0] ?? ''), { table, column }));
};

type IndexedColumns = { readonly columns: NameIndex<SqlColumn>; readonly rests: readonly UnknownColumns[] };

/** Tables may have very many columns, and statements name very many of them. */
const indexes = new WeakMap<YieldedColumns, IndexedColumns>();

const nameOfColumn = ({ name }: SqlColumn): Identifier | undefined => name;

const indexColumns = (parts: YieldedColumns): IndexedColumns => {
  const known = indexes.get(parts);
  if (known) return known;
  const index = { columns: indexByName(knownColumnsOf(parts), nameOfColumn), rests: unknownColumnsOf(parts) };
  indexes.set(parts, index);
  return index;
};

/** Finds the columns in `parts` that a name means, and the unknown columns that may include it. */
export const findCandidates = (
  parts: YieldedColumns,
  name: Identifier,
  dialect: Dialect,
): { readonly columns: readonly SqlColumn[]; readonly rests: readonly UnknownColumns[] } => {
  const index = indexColumns(parts);
  const columns = findByName(index.columns, name, nameOfColumn, dialect);
  if (columns.length > 0) return { columns, rests: [] };
  const rests = index.rests.filter(
    ({ without }) => filterByName(without, name, (other) => other, dialect).length === 0,
  );
  return { columns, rests };
};
