import type { Dialect } from './dialect.ts';
import { type Identifier, named, stored } from './name.ts';

/** The parts of a table's name as the statement has them, outermost first, without quotes. */
export type TableName = readonly string[];

/** A column by its own name and those of the fields it lies in: `['address', 'city']`. */
export type ColumnName = readonly string[];

export type ColumnPath = { readonly table: TableName; readonly column: ColumnName };

/** Why something has no lineage. */
export type Reason =
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

export type Unresolved = { readonly text: string; readonly reason: Reason };

/** One way a value comes about: from these columns, by this expression when it is more than one of them as it is. */
export type Derivation = { readonly origins: ReadonlyMap<string, ColumnPath>; readonly text?: string };

/** A column of a query or a table. */
export type Column = {
  readonly name?: Identifier;
  readonly derivations: readonly Derivation[];
  readonly unresolved: readonly Unresolved[];
};

/** Where `*` stands for columns nobody knows: any name may be one of them, except those that were taken out. */
export type Rest = {
  readonly rest: (name: Identifier) => Column;
  readonly without: readonly Identifier[];
  /** The elements of an array may have fields, but a column that a table is known to have is not one of them. */
  readonly weak?: true;
};

export type Part = Column | Rest;

/** What a query yields, in order. */
export type Yield = readonly Part[];

/** Something that columns are taken from, under the name by which the rest of the query calls it. */
export type Relation = {
  readonly name: readonly Identifier[];
  readonly parts: Yield;
  /** Whether the statement itself writes down its columns, so that no catalog can be wrong about them. */
  readonly written: boolean;
};

export const isRest = (part: Part): part is Rest => 'rest' in part;

export const columnsOf = (parts: Yield): readonly Column[] => parts.filter((part): part is Column => !isRest(part));

export const restsOf = (parts: Yield): readonly Rest[] => parts.filter(isRest);

/** A column nothing comes from: a literal. */
export const NOTHING: Column = { derivations: [], unresolved: [] };

export const unresolvedColumn = (text: string, reason: Reason): Column => ({
  derivations: [],
  unresolved: [{ text, reason }],
});

const keyOf = (path: ColumnPath): string => JSON.stringify([path.table, path.column]);

export const plainColumn = (name: Identifier, path: ColumnPath): Column => ({
  name,
  derivations: [{ origins: new Map([[keyOf(path), path]]) }],
  unresolved: [],
});

/** The column under another name, or under none. */
export const renamed = ({ derivations, unresolved }: Column, name: Identifier | undefined): Column =>
  name === undefined ? { derivations, unresolved } : { name, derivations, unresolved };

/** All that the columns come from, as one expression over it. */
export const combined = (columns: readonly Column[], text: string | undefined): Column => {
  const origins = new Map<string, ColumnPath>();
  for (const column of columns) {
    for (const derivation of column.derivations) for (const [key, path] of derivation.origins) origins.set(key, path);
  }
  const unresolved = columns.flatMap((column) => column.unresolved);
  if (origins.size === 0) return { derivations: [], unresolved };
  return { derivations: [text === undefined ? { origins } : { origins, text }], unresolved };
};

/** One column out of several that stand at the same place of a union: each way keeps its own expression. */
export const united = (columns: readonly Column[], name: Identifier | undefined): Column => {
  const ways = new Map<string | undefined, Map<string, ColumnPath>>();
  for (const { derivations } of columns) {
    for (const { text, origins } of derivations) {
      const way = ways.get(text) ?? new Map<string, ColumnPath>();
      for (const [key, path] of origins) way.set(key, path);
      ways.set(text, way);
    }
  }
  const derivations = [...ways].map(([text, origins]) => (text === undefined ? { origins } : { origins, text }));
  return renamed({ derivations, unresolved: columns.flatMap((column) => column.unresolved) }, name);
};

/** How many columns a column comes from. */
export const weightOf = (column: Column): number =>
  column.derivations.reduce((sum, derivation) => sum + derivation.origins.size, 0);

/** Columns that may be anything, for a reason. */
export const unclear = (reason: Reason): Rest => ({
  rest: (name) => renamed(unresolvedColumn(name.text, reason), name),
  without: [],
});

/** The columns of a table: those the catalog knows, else whatever the statement says it has. */
export const tableParts = (table: TableName, known: readonly ColumnName[] | undefined): Yield => {
  if (known === undefined) {
    return [{ rest: (name) => plainColumn(name, { table, column: [name.text] }), without: [] }];
  }
  return known
    .filter((column) => column.length === 1)
    .map((column) => plainColumn(stored(column[0] ?? ''), { table, column }));
};

/** The columns of `parts` that a name means, and the rests it may lie in. */
export const candidates = (
  parts: Yield,
  name: Identifier,
  dialect: Dialect,
): { readonly columns: readonly Column[]; readonly rests: readonly Rest[] } => {
  const columns = named(columnsOf(parts), name, (column) => column.name, dialect);
  if (columns.length > 0) return { columns, rests: [] };
  const rests = restsOf(parts).filter(({ without }) => named(without, name, (other) => other, dialect).length === 0);
  return { columns, rests };
};
