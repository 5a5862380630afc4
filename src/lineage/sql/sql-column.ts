import type { Dialect } from './dialect.ts';
import { filterByName, type Identifier, storedIdentifier } from './identifier.ts';

/** The parts of a table's name as the statement has them, outermost first, without quotes. */
export type TableName = readonly string[];

/** A column by its own name and those of the fields it lies in: `['address', 'city']`. */
export type ColumnName = readonly string[];

export type SqlColumnPath = { readonly table: TableName; readonly column: ColumnName };

/** Why something has no lineage. */
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

/** One way a value comes about: from these columns, by this expression when it is more than one of them as it is. */
export type Derivation = { readonly origins: ReadonlyMap<string, SqlColumnPath>; readonly text?: string };

/** A column of a query or a table. */
export type SqlColumn = {
  readonly name?: Identifier;
  readonly derivations: readonly Derivation[];
  readonly unresolved: readonly Unresolved[];
};

/** Where `*` stands for columns nobody knows: any name may be one of them, except those that were taken out. */
export type UnknownColumns = {
  readonly rest: (name: Identifier) => SqlColumn;
  readonly without: readonly Identifier[];
  /** The elements of an array may have fields, but a column that a table is known to have is not one of them. */
  readonly weak?: true;
};

export type YieldPart = SqlColumn | UnknownColumns;

/** What a query yields, in order. */
export type YieldedColumns = readonly YieldPart[];

/** Something that columns are taken from, under the name by which the rest of the query calls it. */
export type SqlRelation = {
  readonly name: readonly Identifier[];
  readonly parts: YieldedColumns;
  /** Whether the statement itself writes down its columns, so that no catalog can be wrong about them. */
  readonly written: boolean;
};

export const isUnknownColumns = (part: YieldPart): part is UnknownColumns => 'rest' in part;

export const knownColumnsOf = (parts: YieldedColumns): readonly SqlColumn[] =>
  parts.filter((part): part is SqlColumn => !isUnknownColumns(part));

export const unknownColumnsOf = (parts: YieldedColumns): readonly UnknownColumns[] => parts.filter(isUnknownColumns);

/** A column nothing comes from: a literal. */
export const LITERAL_COLUMN: SqlColumn = { derivations: [], unresolved: [] };

export const unresolvedColumn = (text: string, reason: UnresolvedReason): SqlColumn => ({
  derivations: [],
  unresolved: [{ text, reason }],
});

const keyOf = (path: SqlColumnPath): string => JSON.stringify([path.table, path.column]);

export const tableColumn = (name: Identifier, path: SqlColumnPath): SqlColumn => ({
  name,
  derivations: [{ origins: new Map([[keyOf(path), path]]) }],
  unresolved: [],
});

/** The column under another name, or under none. */
export const renameColumn = ({ derivations, unresolved }: SqlColumn, name: Identifier | undefined): SqlColumn =>
  name === undefined ? { derivations, unresolved } : { name, derivations, unresolved };

/** All that the columns come from, as one expression over it. */
export const combineColumns = (columns: readonly SqlColumn[], text: string | undefined): SqlColumn => {
  const origins = new Map<string, SqlColumnPath>();
  for (const column of columns) {
    for (const derivation of column.derivations) for (const [key, path] of derivation.origins) origins.set(key, path);
  }
  const unresolved = columns.flatMap((column) => column.unresolved);
  if (origins.size === 0) return { derivations: [], unresolved };
  return { derivations: [text === undefined ? { origins } : { origins, text }], unresolved };
};

/** One column out of several that stand at the same place of a union: each way keeps its own expression. */
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

/** How many columns a column comes from. */
export const countOrigins = (column: SqlColumn): number =>
  column.derivations.reduce((sum, derivation) => sum + derivation.origins.size, 0);

/** Columns that may be anything, for a reason. */
export const unclearColumns = (reason: UnresolvedReason): UnknownColumns => ({
  rest: (name) => renameColumn(unresolvedColumn(name.text, reason), name),
  without: [],
});

/** The columns of a table: those the catalog knows, else whatever the statement says it has. */
export const columnsOfTable = (table: TableName, known: readonly ColumnName[] | undefined): YieldedColumns => {
  if (known === undefined) {
    return [{ rest: (name) => tableColumn(name, { table, column: [name.text] }), without: [] }];
  }
  return known
    .filter((column) => column.length === 1)
    .map((column) => tableColumn(storedIdentifier(column[0] ?? ''), { table, column }));
};

/** The columns of `parts` that a name means, and the rests it may lie in. */
export const findCandidates = (
  parts: YieldedColumns,
  name: Identifier,
  dialect: Dialect,
): { readonly columns: readonly SqlColumn[]; readonly rests: readonly UnknownColumns[] } => {
  const columns = filterByName(knownColumnsOf(parts), name, (column) => column.name, dialect);
  if (columns.length > 0) return { columns, rests: [] };
  const rests = unknownColumnsOf(parts).filter(
    ({ without }) => filterByName(without, name, (other) => other, dialect).length === 0,
  );
  return { columns, rests };
};
