import {
  type Column,
  type ColumnName,
  type ColumnPath,
  candidates,
  combined,
  NOTHING,
  plainColumn,
  type Relation,
  type Rest,
  restsOf,
  type TableName,
  unresolvedColumn,
  type Yield,
} from './column.ts';
import type { Dialect } from './dialect.ts';
import { endsWith, type Identifier, named, stored, written } from './name.ts';
import type { Tokens } from './tokens.ts';
import type { Node } from './tree.ts';

/** Stops the reading of a statement that would take too much. */
export class Overrun extends Error {}

/** What a statement is read with. */
export type Reading = {
  readonly dialect: Dialect;
  readonly tokens: Tokens;
  /** The columns of a table, the fields of columns with them; undefined when the table is unknown. */
  readonly columnsOf: (table: TableName) => readonly ColumnName[] | undefined;
  /** What the statements before made: temporary tables stand for what they were made of. */
  readonly temporary: (parts: readonly Identifier[]) => Yield | undefined;
  readonly variables: ReadonlySet<string>;
  /** Counts work; throws an Overrun when it was too much. */
  readonly spend: (amount: number) => void;
  /** Reads a query, here because queries and expressions hold each other. */
  readonly query: (reading: Reading, query: Node, outer: Scope | undefined, named: Named | undefined) => Yield;
  /** Says that the statement writes to something besides its own target, as a WITH that inserts does. */
  readonly write: (reading: Reading, body: unknown, named: Named | undefined) => Yield | undefined;
};

/** The queries that were given a name by WITH, the innermost first. */
export type Named = { readonly name: Identifier; readonly parts: Yield; readonly next: Named | undefined };

/** What the names in an expression may mean. */
export type Scope = {
  readonly relations: Relation[];
  /** Columns that a join made one of two. */
  readonly joined: Column[];
  /** Select items that were given a name so far. */
  readonly aliases: Column[];
  /** Names that stood for a column of an unknown table before an alias took them: the table has that column. */
  readonly proven: Identifier[];
  readonly windows: readonly { readonly name: Identifier; readonly node: unknown }[];
  /** Set where nobody can tell which columns a natural join made one, so that `*` is unclear. */
  readonly natural: { unclear: boolean };
  readonly outer: Scope | undefined;
  readonly named: Named | undefined;
};

export const scopeOf = (
  relations: Relation[],
  outer: Scope | undefined,
  namedQueries: Named | undefined,
  windows: Scope['windows'] = [],
): Scope => ({
  relations,
  joined: [],
  aliases: [],
  proven: [],
  windows,
  natural: { unclear: false },
  outer,
  named: namedQueries,
});

/** Words that are no columns although they look like one: unless the catalog knows a column of that name. */
const VALUES = new Set(
  `sysdate systimestamp rownum rowid level uid user current_user session_user current_role current_date current_time
  current_timestamp localtime localtimestamp default nextval _partitiontime _partitiondate _table_suffix`.split(/\s+/),
);

const isValue = (reading: Reading, [first, ...more]: readonly Identifier[]): boolean => {
  if (first === undefined || first.style === 'quoted') return false;
  const last = (more.at(-1) ?? first).text.toLowerCase();
  if (more.length > 0) return last === 'nextval' || last === 'currval';
  return first.text.startsWith('@') || VALUES.has(last) || reading.variables.has(last);
};

const fieldKnown = (
  known: readonly ColumnName[],
  path: ColumnName,
  name: Identifier,
  dialect: Dialect,
): ColumnName | undefined => {
  const fields = known.filter(
    (column) => column.length === path.length + 1 && path.every((part, at) => column[at] === part),
  );
  const found = named(fields, name, (column) => stored(column.at(-1) ?? ''), dialect);
  return found.length === 1 ? found[0] : undefined;
};

/** A field of a column: a column of its own when the catalog knows it, else an expression over the column it lies in. */
const fieldOf = (reading: Reading, column: Column, fields: readonly Identifier[], text: string): Column => {
  if (fields.length === 0) return column;
  const [derivation, ...others] = column.derivations;
  const [origin, ...further] = derivation === undefined ? [] : [...derivation.origins.values()];
  const direct = others.length === 0 && further.length === 0 && derivation?.text === undefined;
  if (origin === undefined || !direct) return combined([column], text);
  const known = reading.columnsOf(origin.table) ?? [];
  let path: ColumnPath = origin;
  for (const field of fields) {
    const next = fieldKnown(known, path.column, field, reading.dialect);
    if (next === undefined) return combined([plainColumn(field, path)], text);
    path = { table: path.table, column: next };
  }
  return { ...plainColumn(stored(path.column.at(-1) ?? ''), path), unresolved: column.unresolved };
};

/** The column of a relation that a name means. */
export const columnIn = (reading: Reading, parts: Yield, name: Identifier, text: string): Column => {
  const { columns, rests } = candidates(parts, name, reading.dialect);
  const [column] = columns;
  const [rest] = rests;
  if (columns.length > 1 || (columns.length === 0 && rests.length > 1)) return unresolvedColumn(text, 'ambiguous');
  if (column) return column;
  return rest ? rest.rest(name) : unresolvedColumn(text, 'unknown column');
};

const related = (scope: Scope, name: readonly Identifier[], dialect: Dialect): readonly Relation[] =>
  scope.relations.filter((relation) => endsWith(relation.name, name, dialect));

/** The relation that a name means, in this scope or one around it. */
export const relationNamed = (reading: Reading, scope: Scope, name: readonly Identifier[]): readonly Relation[] => {
  for (let here: Scope | undefined = scope; here; here = here.outer) {
    const found = related(here, name, reading.dialect);
    if (found.length > 0) return found;
  }
  return [];
};

const qualified = (reading: Reading, scope: Scope, parts: readonly Identifier[], text: string): Column | undefined => {
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const found = relationNamed(reading, scope, parts.slice(0, length));
    const [relation] = found;
    const name = parts[length];
    if (relation === undefined || name === undefined) continue;
    if (found.length > 1) return unresolvedColumn(text, 'ambiguous');
    return fieldOf(reading, columnIn(reading, relation.parts, name, text), parts.slice(length + 1), text);
  }
  return undefined;
};

type Found = { readonly certain: readonly Column[]; readonly possible: readonly { relation: Relation; rest: Rest }[] };

const foundIn = (reading: Reading, scope: Scope, name: Identifier): Found => {
  const certain: Column[] = [];
  const possible: { relation: Relation; rest: Rest }[] = [];
  for (const relation of scope.relations) {
    const { columns, rests } = candidates(relation.parts, name, reading.dialect);
    certain.push(...columns);
    possible.push(...rests.map((rest) => ({ relation, rest })));
  }
  return { certain, possible };
};

const aliasNamed = (reading: Reading, scope: Scope, name: Identifier): Column | undefined =>
  reading.dialect.earlierAliases
    ? named(scope.aliases, name, (alias) => alias.name, reading.dialect).at(-1)
    : undefined;

const someElsewhere = (reading: Reading, scope: Scope, name: Identifier): boolean => {
  const proven = named(scope.proven, name, (other) => other, reading.dialect).length > 0;
  if (!proven && aliasNamed(reading, scope, name)) return true;
  for (let here = scope.outer; here; here = here.outer) {
    const { certain, possible } = foundIn(reading, here, name);
    if (certain.length + possible.length > 0) return true;
  }
  return false;
};

/** The column of one scope that a name without a table means; undefined when the scope has none. */
const unqualified = (reading: Reading, scope: Scope, name: Identifier, text: string): Column | undefined => {
  const [joined] = named(scope.joined, name, (column) => column.name, reading.dialect);
  if (joined) return joined;
  const { certain, possible } = foundIn(reading, scope, name);
  if (reading.dialect.rivalAliases && certain.length > 0 && aliasNamed(reading, scope, name)) {
    return unresolvedColumn(text, 'ambiguous');
  }
  const [column] = certain;
  const [only] = possible;
  if (column && certain.length === 1 && possible.every(({ rest }) => rest.weak)) return column;
  if (certain.length === 0 && only && possible.length === 1) {
    const others = scope.relations.filter((relation) => relation !== only.relation);
    const alone = others.every((relation) => relation.written) && !someElsewhere(reading, scope, name);
    if (!alone) return unresolvedColumn(text, 'ambiguous');
    scope.proven.push(name);
    return only.rest.rest(name);
  }
  if (certain.length + possible.length > 0) return unresolvedColumn(text, 'ambiguous');
  return aliasNamed(reading, scope, name);
};

const wholeRow = (reading: Reading, scope: Scope, name: Identifier): Column | undefined => {
  const [relation, ...others] = relationNamed(reading, scope, [name]);
  if (relation === undefined || others.length > 0) return undefined;
  if (restsOf(relation.parts).length > 0) return unresolvedColumn(name.text, 'unknown columns');
  return combined(
    relation.parts.filter((part) => 'derivations' in part),
    name.text,
  );
};

const provides = (reading: Reading, scope: Scope, name: Identifier): boolean => {
  for (let here: Scope | undefined = scope; here; here = here.outer) {
    if (foundIn(reading, here, name).certain.length > 0) return true;
  }
  return false;
};

/** What a name in an expression means: `c`, `t.c`, `schema.t.c` or `t.c.field`. */
export const lookUp = (reading: Reading, scope: Scope, parts: readonly Identifier[]): Column => {
  reading.spend(1);
  const [first, ...fields] = parts;
  if (first === undefined) return NOTHING;
  const text = written(parts);
  const byTable = qualified(reading, scope, parts, text);
  if (byTable) return byTable;
  const certain = provides(reading, scope, first);
  if (!certain && isValue(reading, parts)) return NOTHING;
  const row = certain || fields.length > 0 ? undefined : wholeRow(reading, scope, first);
  if (row) return row;
  for (let here: Scope | undefined = scope; here; here = here.outer) {
    const column = unqualified(reading, here, first, text);
    if (column) return fieldOf(reading, column, fields, text);
  }
  return unresolvedColumn(text, fields.length > 0 ? 'unknown table' : 'unknown column');
};
