import {
  filterByName,
  formatName,
  type Identifier,
  identifierOf,
  isSameName,
  readNameParts,
  storedIdentifier,
} from './identifier.ts';
import type { SqlReadContext } from './name-scope.ts';
import {
  type ColumnName,
  isUnknownColumns,
  knownColumnsOf,
  type SqlColumn,
  type TableName,
  type Unresolved,
  type YieldedColumns,
} from './sql-column.ts';
import { nodeAt } from './syntax-tree.ts';

/** A table that a statement writes to; a bare query writes to none. */
export type WriteTarget = { readonly name: readonly Identifier[]; readonly table: TableName };

/** What a statement says: which columns are written from what, what it makes, and what is not clear. */
export type StatementFindings = {
  readonly writes: { readonly target: WriteTarget | undefined; readonly name: string; readonly column: SqlColumn }[];
  readonly unresolved: Unresolved[];
  readonly made: {
    readonly name: readonly Identifier[];
    readonly parts: YieldedColumns;
    readonly temporary: boolean;
  }[];
  readonly variables: string[];
};

export const createFindings = (): StatementFindings => ({ writes: [], unresolved: [], made: [], variables: [] });

export const toWriteTarget = (name: readonly Identifier[] | undefined): WriteTarget | undefined =>
  name && { name, table: name.map((part) => part.text) };

export const topLevelColumns = (
  reading: SqlReadContext,
  target: WriteTarget | undefined,
): readonly string[] | undefined =>
  target &&
  reading
    .columnsOf(target.table)
    ?.filter((column: ColumnName) => column.length === 1)
    .map(([name = '']) => name);

/** How the target's column is spelled: as the catalog has it, else as the statement does. */
export const spellColumn = (reading: SqlReadContext, target: WriteTarget | undefined, name: Identifier): string => {
  const known = topLevelColumns(reading, target) ?? [];
  const [found, ...others] = filterByName(known, name, storedIdentifier, reading.dialect);
  return found !== undefined && others.length === 0 ? found : name.text;
};

/** The n-th column of a query is written to the n-th name. */
export const writeByPosition = (
  said: StatementFindings,
  target: WriteTarget | undefined,
  parts: YieldedColumns,
  names: readonly string[],
  fewer: boolean,
): void => {
  const text = target ? formatName(target.name) : '*';
  const firstRest = parts.findIndex(isUnknownColumns);
  const matching = fewer ? parts.length <= names.length : parts.length === names.length;
  if (firstRest === -1 && !matching) {
    said.unresolved.push({ text, reason: 'column count' });
    return;
  }
  for (const [index, part] of (firstRest === -1 ? parts : parts.slice(0, firstRest)).entries()) {
    const name = names[index];
    if (name !== undefined && !isUnknownColumns(part)) said.writes.push({ target, name, column: part });
  }
  const rest = parts[firstRest];
  if (rest && isUnknownColumns(rest))
    said.unresolved.push(...rest.rest({ text: '*', style: 'plain' }).unresolved, ...unknownColumnsReason(rest));
};

/** What is said of a `*` whose columns nobody knows: its own reason, or that they are unknown. */
const unknownColumnsReason = (rest: { readonly rest: (name: Identifier) => SqlColumn }): readonly Unresolved[] =>
  rest.rest({ text: '*', style: 'plain' }).unresolved.length > 0 ? [] : [{ text: '*', reason: 'unknown columns' }];

/** Columns without a name that stand where a known target has one, while all names around them agree. */
const namesByPosition = (
  reading: SqlReadContext,
  parts: YieldedColumns,
  known: readonly string[] | undefined,
): readonly string[] => {
  if (known === undefined || known.length !== parts.length || parts.some(isUnknownColumns)) return [];
  const agree = knownColumnsOf(parts).every(({ name }, index) => {
    const own = known[index];
    return name === undefined || (own !== undefined && isSameName(name, storedIdentifier(own), reading.dialect));
  });
  return agree ? known : [];
};

/** Each column of a query is written to the column of its name. */
export const writeByName = (
  reading: SqlReadContext,
  said: StatementFindings,
  target: WriteTarget | undefined,
  parts: YieldedColumns,
  known: readonly string[] | undefined,
): void => {
  const placed = namesByPosition(reading, parts, known);
  for (const [index, part] of parts.entries()) {
    if (isUnknownColumns(part)) {
      said.unresolved.push(...part.rest({ text: '*', style: 'plain' }).unresolved, ...unknownColumnsReason(part));
      continue;
    }
    const [own] = part.name ? filterByName(known ?? [], part.name, storedIdentifier, reading.dialect) : [];
    const name = own ?? part.name?.text ?? placed[index];
    if (name !== undefined) said.writes.push({ target, name, column: part });
    else if (part.derivations.length > 0) {
      said.unresolved.push({ text: part.derivations[0]?.text ?? '*', reason: 'no name' });
    } else said.unresolved.push(...part.unresolved);
  }
};

/** What a statement is read with and written down to. */
export type StatementContext = {
  readonly reading: SqlReadContext;
  readonly said: StatementFindings;
  /** The columns of what a bare query is read for, when the caller knows them. */
  readonly wanted: readonly string[] | undefined;
};

/** The names in a list of columns, whether they are defined there or only named. */
export const readColumnNames = (node: unknown): readonly Identifier[] =>
  (Array.isArray(node) ? node : []).flatMap((column: unknown) => {
    const name = identifierOf(nodeAt(column)?.['name']) ?? readNameParts(column)?.at(-1) ?? identifierOf(column);
    return name ? [name] : [];
  });
