import type { Dialect } from './dialect.ts';
import { endsWithName, filterByName, formatName, type Identifier, storedIdentifier } from './identifier.ts';
import {
  type ColumnName,
  combineColumns,
  findCandidates,
  LITERAL_COLUMN,
  type SqlColumn,
  type SqlColumnPath,
  type SqlRelation,
  type TableName,
  tableColumn,
  type UnknownColumns,
  unknownColumnsOf,
  unresolvedColumn,
  type YieldedColumns,
} from './sql-column.ts';
import type { SyntaxNode } from './syntax-tree.ts';
import type { SqlTokens } from './tokens.ts';

/** Thrown to stop reading a statement that needs too much work. */
export class WorkLimitExceeded extends Error {}

/** The context in which a statement is read. */
export type SqlReadContext = {
  readonly dialect: Dialect;
  readonly tokens: SqlTokens;
  /** Returns the columns of a table, including nested fields; undefined for an unknown table. */
  readonly columnsOf: (table: TableName) => readonly ColumnName[] | undefined;
  /** Returns the columns of temporary tables that earlier statements created. */
  readonly temporary: (parts: readonly Identifier[]) => YieldedColumns | undefined;
  readonly variables: ReadonlySet<string>;
  /** Counts work; throws WorkLimitExceeded when the limit is reached. */
  readonly spend: (amount: number) => void;
  /** Reads a query; passed in because queries and expressions contain each other. */
  readonly query: (
    reading: SqlReadContext,
    query: SyntaxNode,
    outer: NameScope | undefined,
    named: NamedQuery | undefined,
  ) => YieldedColumns;
  /** Records that the statement also writes to another target, as an INSERT inside WITH does. */
  readonly write: (reading: SqlReadContext, body: unknown, named: NamedQuery | undefined) => YieldedColumns | undefined;
};

/** The common table expressions in scope, innermost first. */
export type NamedQuery = {
  readonly name: Identifier;
  readonly parts: YieldedColumns;
  readonly next: NamedQuery | undefined;
};

/** Everything that names in an expression can refer to. */
export type NameScope = {
  readonly relations: SqlRelation[];
  /** Columns that a join merged. */
  readonly joined: SqlColumn[];
  /** The select items with aliases so far. */
  readonly aliases: SqlColumn[];
  /**
   * Names that resolved to a column of an unknown table before an alias took them; this proves that the table has the
   * column.
   */
  readonly proven: Identifier[];
  readonly windows: readonly { readonly name: Identifier; readonly node: unknown }[];
  /** Set when it is unknown which columns a natural join merged, so that `*` is unclear. */
  readonly natural: { unclear: boolean };
  readonly outer: NameScope | undefined;
  readonly named: NamedQuery | undefined;
};

export const createNameScope = (
  relations: SqlRelation[],
  outer: NameScope | undefined,
  namedQueries: NamedQuery | undefined,
  windows: NameScope['windows'] = [],
): NameScope => ({
  relations,
  joined: [],
  aliases: [],
  proven: [],
  windows,
  natural: { unclear: false },
  outer,
  named: namedQueries,
});

/** Words that look like columns but are values, unless the catalog knows a column with that name. */
const VALUE_WORDS = new Set(
  `sysdate systimestamp rownum rowid level uid user current_user session_user current_role current_date current_time
  current_timestamp localtime localtimestamp default nextval _partitiontime _partitiondate _table_suffix`.split(/\s+/),
);

const isValueName = (reading: SqlReadContext, [first, ...more]: readonly Identifier[]): boolean => {
  if (first === undefined || first.style === 'quoted') return false;
  const last = (more.at(-1) ?? first).text.toLowerCase();
  if (more.length > 0) return last === 'nextval' || last === 'currval';
  return first.text.startsWith('@') || VALUE_WORDS.has(last) || reading.variables.has(last);
};

const findKnownField = (
  known: readonly ColumnName[],
  path: ColumnName,
  name: Identifier,
  dialect: Dialect,
): ColumnName | undefined => {
  const fields = known.filter(
    (column) => column.length === path.length + 1 && path.every((part, at) => column[at] === part),
  );
  const found = filterByName(fields, name, (column) => storedIdentifier(column.at(-1) ?? ''), dialect);
  return found.length === 1 ? found[0] : undefined;
};

/**
 * Resolves a field of a column: to its own column when the catalog knows it, otherwise to an expression over the outer
 * column.
 */
const resolveField = (
  reading: SqlReadContext,
  column: SqlColumn,
  fields: readonly Identifier[],
  text: string,
): SqlColumn => {
  if (fields.length === 0) return column;
  const [derivation, ...others] = column.derivations;
  const [origin, ...further] = derivation === undefined ? [] : [...derivation.origins.values()];
  const direct = others.length === 0 && further.length === 0 && derivation?.text === undefined;
  if (origin === undefined || !direct) return combineColumns([column], text);
  const known = reading.columnsOf(origin.table) ?? [];
  let path: SqlColumnPath = origin;
  for (const field of fields) {
    const next = findKnownField(known, path.column, field, reading.dialect);
    if (next === undefined) return combineColumns([tableColumn(field, path)], text);
    path = { table: path.table, column: next };
  }
  return { ...tableColumn(storedIdentifier(path.column.at(-1) ?? ''), path), unresolved: column.unresolved };
};

/** Finds the column of a relation by name. */
export const findColumnIn = (
  reading: SqlReadContext,
  parts: YieldedColumns,
  name: Identifier,
  text: string,
): SqlColumn => {
  const { columns, rests } = findCandidates(parts, name, reading.dialect);
  const [column] = columns;
  const [rest] = rests;
  if (columns.length > 1 || (columns.length === 0 && rests.length > 1)) return unresolvedColumn(text, 'ambiguous');
  if (column) return column;
  return rest ? rest.rest(name) : unresolvedColumn(text, 'unknown column');
};

const findRelationsHere = (scope: NameScope, name: readonly Identifier[], dialect: Dialect): readonly SqlRelation[] =>
  scope.relations.filter((relation) => endsWithName(relation.name, name, dialect));

/** Finds the relations that a name means, in this scope or an enclosing one. */
export const findRelations = (
  reading: SqlReadContext,
  scope: NameScope,
  name: readonly Identifier[],
): readonly SqlRelation[] => {
  for (let here: NameScope | undefined = scope; here; here = here.outer) {
    const found = findRelationsHere(here, name, reading.dialect);
    if (found.length > 0) return found;
  }
  return [];
};

const resolveQualified = (
  reading: SqlReadContext,
  scope: NameScope,
  parts: readonly Identifier[],
  text: string,
): SqlColumn | undefined => {
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const found = findRelations(reading, scope, parts.slice(0, length));
    const [relation] = found;
    const name = parts[length];
    if (relation === undefined || name === undefined) continue;
    if (found.length > 1) return unresolvedColumn(text, 'ambiguous');
    return resolveField(reading, findColumnIn(reading, relation.parts, name, text), parts.slice(length + 1), text);
  }
  return undefined;
};

type ColumnCandidates = {
  readonly certain: readonly SqlColumn[];
  readonly possible: readonly { relation: SqlRelation; rest: UnknownColumns }[];
};

const findColumnCandidates = (reading: SqlReadContext, scope: NameScope, name: Identifier): ColumnCandidates => {
  const certain: SqlColumn[] = [];
  const possible: { relation: SqlRelation; rest: UnknownColumns }[] = [];
  for (const relation of scope.relations) {
    const { columns, rests } = findCandidates(relation.parts, name, reading.dialect);
    certain.push(...columns);
    possible.push(...rests.map((rest) => ({ relation, rest })));
  }
  return { certain, possible };
};

const findAlias = (reading: SqlReadContext, scope: NameScope, name: Identifier): SqlColumn | undefined =>
  reading.dialect.earlierAliases
    ? filterByName(scope.aliases, name, (alias) => alias.name, reading.dialect).at(-1)
    : undefined;

const isNamedElsewhere = (reading: SqlReadContext, scope: NameScope, name: Identifier): boolean => {
  const proven = filterByName(scope.proven, name, (other) => other, reading.dialect).length > 0;
  if (!proven && findAlias(reading, scope, name)) return true;
  for (let here = scope.outer; here; here = here.outer) {
    const { certain, possible } = findColumnCandidates(reading, here, name);
    if (certain.length + possible.length > 0) return true;
  }
  return false;
};

/** Resolves an unqualified name in one scope; undefined when the scope has no such column. */
const resolveUnqualified = (
  reading: SqlReadContext,
  scope: NameScope,
  name: Identifier,
  text: string,
): SqlColumn | undefined => {
  const [joined] = filterByName(scope.joined, name, (column) => column.name, reading.dialect);
  if (joined) return joined;
  const { certain, possible } = findColumnCandidates(reading, scope, name);
  if (reading.dialect.rivalAliases && certain.length > 0 && findAlias(reading, scope, name)) {
    return unresolvedColumn(text, 'ambiguous');
  }
  const [column] = certain;
  const [only] = possible;
  if (column && certain.length === 1 && possible.every(({ rest }) => rest.weak)) return column;
  if (certain.length === 0 && only && possible.length === 1) {
    const others = scope.relations.filter((relation) => relation !== only.relation);
    const alone = others.every((relation) => relation.written) && !isNamedElsewhere(reading, scope, name);
    if (!alone) return unresolvedColumn(text, 'ambiguous');
    scope.proven.push(name);
    return only.rest.rest(name);
  }
  if (certain.length + possible.length > 0) return unresolvedColumn(text, 'ambiguous');
  return findAlias(reading, scope, name);
};

const resolveWholeRow = (reading: SqlReadContext, scope: NameScope, name: Identifier): SqlColumn | undefined => {
  const [relation, ...others] = findRelations(reading, scope, [name]);
  if (relation === undefined || others.length > 0) return undefined;
  if (unknownColumnsOf(relation.parts).length > 0) return unresolvedColumn(name.text, 'unknown columns');
  return combineColumns(
    relation.parts.filter((part) => 'derivations' in part),
    name.text,
  );
};

const hasCertainColumn = (reading: SqlReadContext, scope: NameScope, name: Identifier): boolean => {
  for (let here: NameScope | undefined = scope; here; here = here.outer) {
    if (findColumnCandidates(reading, here, name).certain.length > 0) return true;
  }
  return false;
};

/** Resolves a name in an expression: `c`, `t.c`, `schema.t.c` or `t.c.field`. */
export const resolveName = (reading: SqlReadContext, scope: NameScope, parts: readonly Identifier[]): SqlColumn => {
  reading.spend(1);
  const [first, ...fields] = parts;
  if (first === undefined) return LITERAL_COLUMN;
  const text = formatName(parts);
  const byTable = resolveQualified(reading, scope, parts, text);
  if (byTable) return byTable;
  const certain = hasCertainColumn(reading, scope, first);
  if (!certain && isValueName(reading, parts)) return LITERAL_COLUMN;
  const row = certain || fields.length > 0 ? undefined : resolveWholeRow(reading, scope, first);
  if (row) return row;
  for (let here: NameScope | undefined = scope; here; here = here.outer) {
    const column = resolveUnqualified(reading, here, first, text);
    if (column) return resolveField(reading, column, fields, text);
  }
  return unresolvedColumn(text, fields.length > 0 ? 'unknown table' : 'unknown column');
};
