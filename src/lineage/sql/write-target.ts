import {
  findByName,
  formatName,
  type Identifier,
  identifierOf,
  indexByName,
  isSameName,
  type NameIndex,
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
import type { MadeTable } from './temporary-table.ts';

/** A table that a statement writes to; a bare query has no target. */
export type WriteTarget = { readonly name: readonly Identifier[]; readonly table: TableName };

/** The findings of a statement: which columns it writes from which, what it creates, and what is unclear. */
export type StatementFindings = {
  readonly writes: { readonly target: WriteTarget | undefined; readonly name: string; readonly column: SqlColumn }[];
  readonly unresolved: Unresolved[];
  readonly made: MadeTable[];
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

/** The columns of target tables, which statements may name very many of. */
const spellings = new WeakMap<readonly ColumnName[], NameIndex<string>>();

const indexSpellings = (reading: SqlReadContext, target: WriteTarget | undefined): NameIndex<string> | undefined => {
  const columns = target && reading.columnsOf(target.table);
  if (columns === undefined) return undefined;
  const index = spellings.get(columns) ?? indexByName(topLevelColumns(reading, target) ?? [], storedIdentifier);
  spellings.set(columns, index);
  return index;
};

/** Returns the spelling of a target column: that of the catalog, otherwise that of the statement. */
export const spellColumn = (reading: SqlReadContext, target: WriteTarget | undefined, name: Identifier): string => {
  const known = indexSpellings(reading, target);
  const [found, ...others] = known ? findByName(known, name, storedIdentifier, reading.dialect) : [];
  return found !== undefined && others.length === 0 ? found : name.text;
};

/** Writes the n-th column of a query to the n-th name. */
export const writeByPosition = (
  statementFindings: StatementFindings,
  target: WriteTarget | undefined,
  parts: YieldedColumns,
  names: readonly string[],
  fewer: boolean,
): void => {
  const text = target ? formatName(target.name) : '*';
  const firstRest = parts.findIndex(isUnknownColumns);
  const matching = fewer ? parts.length <= names.length : parts.length === names.length;
  if (firstRest === -1 && !matching) {
    statementFindings.unresolved.push({ text, reason: 'column count' });
    return;
  }
  for (const [index, part] of (firstRest === -1 ? parts : parts.slice(0, firstRest)).entries()) {
    const name = names[index];
    if (name !== undefined && !isUnknownColumns(part)) statementFindings.writes.push({ target, name, column: part });
  }
  const rest = parts[firstRest];
  if (rest && isUnknownColumns(rest))
    statementFindings.unresolved.push(
      ...rest.rest({ text: '*', style: 'plain' }).unresolved,
      ...unknownColumnsReason(rest),
    );
};

/** Returns the reason to report for a `*` with unknown columns: its own reason, or that the columns are unknown. */
const unknownColumnsReason = (rest: { readonly rest: (name: Identifier) => SqlColumn }): readonly Unresolved[] =>
  rest.rest({ text: '*', style: 'plain' }).unresolved.length > 0 ? [] : [{ text: '*', reason: 'unknown columns' }];

/**
 * Names unnamed columns after the known target's columns at the same positions, if all named columns agree with the
 * target.
 */
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

/** Writes each column of a query to the target column with the same name. */
export const writeByName = (
  reading: SqlReadContext,
  statementFindings: StatementFindings,
  target: WriteTarget | undefined,
  parts: YieldedColumns,
  known: readonly string[] | undefined,
): void => {
  const placed = namesByPosition(reading, parts, known);
  const names = indexByName(known ?? [], storedIdentifier);
  for (const [index, part] of parts.entries()) {
    if (isUnknownColumns(part)) {
      statementFindings.unresolved.push(
        ...part.rest({ text: '*', style: 'plain' }).unresolved,
        ...unknownColumnsReason(part),
      );
      continue;
    }
    const [own] = part.name ? findByName(names, part.name, storedIdentifier, reading.dialect) : [];
    const name = own ?? part.name?.text ?? placed[index];
    if (name !== undefined) statementFindings.writes.push({ target, name, column: part });
    else if (part.derivations.length > 0) {
      statementFindings.unresolved.push({ text: part.derivations[0]?.text ?? '*', reason: 'no name' });
    } else statementFindings.unresolved.push(...part.unresolved);
  }
};

/** The context for reading a statement, and its findings. */
export type StatementContext = {
  readonly reading: SqlReadContext;
  readonly statementFindings: StatementFindings;
  /** The result columns needed of a bare query, when the caller knows them. */
  readonly wanted: readonly string[] | undefined;
};

/** Returns the names in a list of columns, which may be definitions or plain names. */
export const readColumnNames = (node: unknown): readonly Identifier[] =>
  (Array.isArray(node) ? node : []).flatMap((column: unknown) => {
    const name = identifierOf(nodeAt(column)?.['name']) ?? readNameParts(column)?.at(-1) ?? identifierOf(column);
    return name ? [name] : [];
  });
