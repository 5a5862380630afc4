import { type ColumnChange, columnChanges, isRequiring } from '../contracts/validation/changes.ts';
import { badRequest } from '../errors.ts';
import type { Definition, TableStep } from '../lineage/sql/ddl.ts';
import type { Fold } from '../model/columns.ts';
import type { JsonObject } from '../model/json.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import { columnOf, typeMembersOf, UNKNOWN } from './declared.ts';

/** What statements make of the columns of a record. */

/** A column as it is by now, with the one it was before; a new one was none. */
type Entry = { readonly column: JsonObject; readonly origin?: JsonObject };

/** The columns by what tells their names apart. */
type State = { readonly entries: Map<string, Entry>; readonly fold: Fold; isWhole: boolean };

const nameOf = (column: JsonObject): string => String(column['name']);

const unknownColumn = (name: string) => badRequest(`[proposed.ddl names the column ${name}, which is not there]`);
const doubleColumn = (name: string) => badRequest(`[proposed.ddl makes the column ${name}, which is there already]`);

const found = ({ entries, fold }: State, name: string): Entry => {
  const entry = entries.get(fold(name));
  if (!entry) throw unknownColumn(name);
  return entry;
};

const put = ({ entries, fold }: State, entry: Entry): void => {
  const key = fold(nameOf(entry.column));
  if (entries.has(key)) throw doubleColumn(nameOf(entry.column));
  entries.set(key, entry);
};

/** Puts another column in the place of one that may go by another name from now on. */
const replace = (state: State, name: string, change: (column: JsonObject) => JsonObject): void => {
  const { entries, fold } = state;
  const entry = found(state, name);
  const next = { ...entry, column: change(entry.column) };
  if (fold(nameOf(next.column)) === fold(name)) {
    entries.set(fold(name), next);
    return;
  }
  entries.delete(fold(name));
  put(state, next);
};

const retyped = (column: JsonObject, type: JsonObject): JsonObject => {
  const { name, constraint } = column;
  return { name: name ?? '', ...type, ...(constraint === undefined ? {} : { constraint }) };
};

/** A key requires a value as it is, and one that may be missing is required no more. */
const constrained = (column: JsonObject, constraint: string): JsonObject =>
  isRequiring(constraint) && isRequiring(column['constraint']) ? column : { ...column, constraint };

const perform = (state: State, one: TableStep): void => {
  switch (one.step) {
    case 'create':
      state.entries.clear();
      state.isWhole = true;
      for (const column of one.columns) put(state, { column: columnOf(column) });
      return;
    case 'remove':
      state.entries.clear();
      return;
    case 'add':
      if (!(one.isLenient && state.entries.has(state.fold(one.column.name))))
        put(state, { column: columnOf(one.column) });
      return;
    case 'drop':
      if (!state.entries.delete(state.fold(one.name)) && !one.isLenient) throw unknownColumn(one.name);
      return;
    case 'rename':
      replace(state, one.name, (column) => ({ ...column, name: one.to }));
      return;
    case 'retype':
      replace(state, one.name, (column) => retyped(column, typeMembersOf(one.type)));
      return;
    case 'declare':
      // A key is declared beside its columns and stays.
      replace(state, one.name, ({ constraint }) =>
        constraint === 'PRIMARY_KEY' ? { ...columnOf(one.column), constraint } : columnOf(one.column),
      );
      return;
    case 'constrain':
      replace(state, one.name, (column) => constrained(column, one.constraint));
  }
};

/** The definitions of the table that is meant: of several tables that of its name, and of one alone that one. */
const meantBy = (definitions: readonly Definition[], fqn: string): readonly Definition[] => {
  const last = (names: readonly string[]): string => (names.at(-1) ?? '').toLowerCase();
  const tables = new Set(definitions.map(({ table }) => last(table)));
  if (tables.size < 2) return definitions;
  const own = last(splitFqn(fqn));
  const meant = definitions.filter(({ table }) => last(table) === own);
  if (meant.length === 0) throw badRequest(`[proposed.ddl is about several tables, and none is called ${own}]`);
  return meant;
};

/** A type that nobody knows by its word contradicts nothing. */
const knownOr = (column: JsonObject, live: JsonObject | undefined): JsonObject => {
  if (column['dataType'] !== UNKNOWN || live === undefined) return column;
  const { constraint: _, ...own } = live;
  return { ...own, constraint: column['constraint'] ?? 'NULL' };
};

const renamesIn = (entries: readonly Entry[], fold: Fold): readonly ColumnChange[] =>
  entries.flatMap(({ origin, column }): ColumnChange[] => {
    const [before, after] = [origin === undefined ? undefined : nameOf(origin), nameOf(column)];
    if (before === undefined || fold(before) === fold(after)) return [];
    return [{ column: fqnPart(before), change: 'renamed', before, after }];
  });

/** What definitions change in the columns of a record. Throws bad_request for what cannot be done to them. */
export const definedChanges = (
  live: readonly JsonObject[],
  definitions: readonly Definition[],
  { fqn, fold }: { readonly fqn: string; readonly fold: Fold },
): readonly ColumnChange[] => {
  const before = new Map(live.map((column) => [fold(nameOf(column)), column]));
  const entries = [...before].map(([key, column]): [string, Entry] => [key, { column, origin: column }]);
  const state: State = { entries: new Map(entries), fold, isWhole: false };
  for (const { steps } of meantBy(definitions, fqn)) for (const one of steps) perform(state, one);
  const left = [...state.entries.values()];
  const columns = left.map(({ column }) => column);
  if (state.isWhole) {
    const meant = columns.map((column) => knownOr(column, before.get(fold(nameOf(column)))));
    return columnChanges(live, meant, fold);
  }
  // What became of each column is known, so that none need be taken for another by its place.
  const kept = left.flatMap(({ origin, column }) => (origin ? [{ ...column, name: nameOf(origin) }] : []));
  const added = left.flatMap(({ origin, column }) => (origin ? [] : [column]));
  return [...columnChanges(live, kept, fold), ...renamesIn(left, fold), ...columnChanges([], added, fold)];
};
