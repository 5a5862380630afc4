import { type ColumnChange, diffColumns, isRequiredConstraint } from '../contracts/validation/column-changes.ts';
import { badRequest, CatalogError } from '../errors.ts';
import type { TableDefinition, TableStep } from '../lineage/sql/ddl.ts';
import type { JsonObject } from '../model/json.ts';
import type { NameFold } from '../model/kind/columns.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import { nearestOf } from '../model/nearest.ts';
import { toCatalogColumn, toTypeMembers, UNKNOWN_TYPE } from './declared-columns.ts';

/** Applies DDL statements to the columns of a record. */

/** A column after the statements, with the live column it came from; added columns have no origin. */
type AppliedColumn = { readonly column: JsonObject; readonly origin?: JsonObject };

/** The columns by their case-folded names. */
type AppliedColumns = { readonly entries: Map<string, AppliedColumn>; readonly fold: NameFold; isWhole: boolean };

const nameOf = (column: JsonObject): string => String(column['name']);

const unknownColumnError = ({ entries }: AppliedColumns, name: string): CatalogError => {
  const nearest = nearestOf(
    name,
    [...entries.values()].map(({ column }) => nameOf(column)),
  );
  const hint = nearest === undefined ? {} : { hint: `Did you mean ${nearest}?` };
  return new CatalogError('bad_request', `[proposed.ddl names the unknown column ${name}]`, hint);
};
const duplicateColumnError = (name: string) =>
  badRequest(`[proposed.ddl adds the column ${name}, which already exists]`);

const findEntry = (state: AppliedColumns, name: string): AppliedColumn => {
  const entry = state.entries.get(state.fold(name));
  if (!entry) throw unknownColumnError(state, name);
  return entry;
};

const addEntry = ({ entries, fold }: AppliedColumns, entry: AppliedColumn): void => {
  const key = fold(nameOf(entry.column));
  if (entries.has(key)) throw duplicateColumnError(nameOf(entry.column));
  entries.set(key, entry);
};

/** Replaces a column, which may have a new name. */
const replaceEntry = (state: AppliedColumns, name: string, change: (column: JsonObject) => JsonObject): void => {
  const { entries, fold } = state;
  const entry = findEntry(state, name);
  const next = { ...entry, column: change(entry.column) };
  if (fold(nameOf(next.column)) === fold(name)) {
    entries.set(fold(name), next);
    return;
  }
  entries.delete(fold(name));
  addEntry(state, next);
};

const withType = (column: JsonObject, type: JsonObject): JsonObject => {
  const { name, constraint } = column;
  return { name: name ?? '', ...type, ...(constraint === undefined ? {} : { constraint }) };
};

/**
 * Sets a constraint. A column that already requires values, such as a primary key, keeps its constraint when it becomes
 * NOT NULL.
 */
const withConstraint = (column: JsonObject, constraint: string): JsonObject =>
  isRequiredConstraint(constraint) && isRequiredConstraint(column['constraint']) ? column : { ...column, constraint };

const applyStep = (state: AppliedColumns, one: TableStep): void => {
  switch (one.step) {
    case 'create':
      state.entries.clear();
      state.isWhole = true;
      for (const column of one.columns) addEntry(state, { column: toCatalogColumn(column) });
      return;
    case 'remove':
      state.entries.clear();
      return;
    case 'add':
      if (!(one.isLenient && state.entries.has(state.fold(one.column.name))))
        addEntry(state, { column: toCatalogColumn(one.column) });
      return;
    case 'drop':
      if (!state.entries.delete(state.fold(one.name)) && !one.isLenient) throw unknownColumnError(state, one.name);
      return;
    case 'rename':
      replaceEntry(state, one.name, (column) => ({ ...column, name: one.to }));
      return;
    case 'retype':
      replaceEntry(state, one.name, (column) => withType(column, toTypeMembers(one.type)));
      return;
    case 'declare':
      // The primary key is not part of the column definition, so redefining a column keeps it.
      replaceEntry(state, one.name, ({ constraint }) =>
        constraint === 'PRIMARY_KEY' ? { ...toCatalogColumn(one.column), constraint } : toCatalogColumn(one.column),
      );
      return;
    case 'constrain':
      replaceEntry(state, one.name, (column) => withConstraint(column, one.constraint));
  }
};

/**
 * Selects the definitions of the record's table: those with its name, or all of them when the statements define only
 * one table.
 */
const selectDefinitions = (definitions: readonly TableDefinition[], fqn: string): readonly TableDefinition[] => {
  const last = (names: readonly string[]): string => (names.at(-1) ?? '').toLowerCase();
  const tables = new Set(definitions.map(({ table }) => last(table)));
  if (tables.size < 2) return definitions;
  const own = last(splitFqn(fqn));
  const selected = definitions.filter(({ table }) => last(table) === own);
  if (selected.length === 0) throw badRequest(`[proposed.ddl changes several tables, none of which is named ${own}]`);
  return selected;
};

/** A type with an unknown name counts as unchanged. */
const replaceUnknownType = (column: JsonObject, live: JsonObject | undefined): JsonObject => {
  if (column['dataType'] !== UNKNOWN_TYPE || live === undefined) return column;
  const { constraint: _, ...own } = live;
  return { ...own, constraint: column['constraint'] ?? 'NULL' };
};

const listRenames = (entries: readonly AppliedColumn[], fold: NameFold): readonly ColumnChange[] =>
  entries.flatMap(({ origin, column }): ColumnChange[] => {
    const [before, after] = [origin === undefined ? undefined : nameOf(origin), nameOf(column)];
    if (before === undefined || fold(before) === fold(after)) return [];
    return [{ column: fqnPart(before), change: 'renamed', before, after }];
  });

/**
 * Applies definitions to the columns of a record and returns the changes. Throws bad_request for definitions that
 * cannot be applied.
 */
export const applyDefinitions = (
  live: readonly JsonObject[],
  definitions: readonly TableDefinition[],
  { fqn, fold }: { readonly fqn: string; readonly fold: NameFold },
): readonly ColumnChange[] => {
  const before = new Map(live.map((column) => [fold(nameOf(column)), column]));
  const entries = [...before].map(([key, column]): [string, AppliedColumn] => [key, { column, origin: column }]);
  const state: AppliedColumns = { entries: new Map(entries), fold, isWhole: false };
  for (const { steps } of selectDefinitions(definitions, fqn)) for (const one of steps) applyStep(state, one);
  const left = [...state.entries.values()];
  const columns = left.map(({ column }) => column);
  if (state.isWhole) {
    const described = columns.map((column) => replaceUnknownType(column, before.get(fold(nameOf(column)))));
    return diffColumns(live, described, fold);
  }
  // The origin of every column is known, so renames need not be guessed from column positions.
  const remaining = left.flatMap(({ origin, column }) => (origin ? [{ ...column, name: nameOf(origin) }] : []));
  const added = left.flatMap(({ origin, column }) => (origin ? [] : [column]));
  return [...diffColumns(live, remaining, fold), ...listRenames(left, fold), ...diffColumns([], added, fold)];
};
