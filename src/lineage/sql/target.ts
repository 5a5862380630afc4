import {
  type Column,
  type ColumnName,
  columnsOf,
  isRest,
  type TableName,
  type Unresolved,
  type Yield,
} from './column.ts';
import { type Identifier, identifierOf, named, partsOf, sameName, stored, written } from './name.ts';
import type { Reading } from './scope.ts';
import { nodeAt } from './tree.ts';

/** A table that a statement writes to; a bare query writes to none. */
export type Target = { readonly name: readonly Identifier[]; readonly table: TableName };

/** What a statement says: which columns are written from what, what it makes, and what is not clear. */
export type Said = {
  readonly writes: { readonly target: Target | undefined; readonly name: string; readonly column: Column }[];
  readonly unresolved: Unresolved[];
  readonly made: { readonly name: readonly Identifier[]; readonly parts: Yield; readonly temporary: boolean }[];
  readonly variables: string[];
};

export const nothingSaid = (): Said => ({ writes: [], unresolved: [], made: [], variables: [] });

export const targetOf = (name: readonly Identifier[] | undefined): Target | undefined =>
  name && { name, table: name.map((part) => part.text) };

export const topColumns = (reading: Reading, target: Target | undefined): readonly string[] | undefined =>
  target &&
  reading
    .columnsOf(target.table)
    ?.filter((column: ColumnName) => column.length === 1)
    .map(([name = '']) => name);

/** How the target's column is spelled: as the catalog has it, else as the statement does. */
export const spelled = (reading: Reading, target: Target | undefined, name: Identifier): string => {
  const known = topColumns(reading, target) ?? [];
  const [found, ...others] = named(known, name, stored, reading.dialect);
  return found !== undefined && others.length === 0 ? found : name.text;
};

/** The n-th column of a query is written to the n-th name. */
export const byPlace = (
  said: Said,
  target: Target | undefined,
  parts: Yield,
  names: readonly string[],
  fewer: boolean,
): void => {
  const text = target ? written(target.name) : '*';
  const firstRest = parts.findIndex(isRest);
  const matching = fewer ? parts.length <= names.length : parts.length === names.length;
  if (firstRest === -1 && !matching) {
    said.unresolved.push({ text, reason: 'column count' });
    return;
  }
  for (const [index, part] of (firstRest === -1 ? parts : parts.slice(0, firstRest)).entries()) {
    const name = names[index];
    if (name !== undefined && !isRest(part)) said.writes.push({ target, name, column: part });
  }
  const rest = parts[firstRest];
  if (rest && isRest(rest))
    said.unresolved.push(...rest.rest({ text: '*', style: 'plain' }).unresolved, ...opened(rest));
};

/** What is said of a `*` whose columns nobody knows: its own reason, or that they are unknown. */
const opened = (rest: { readonly rest: (name: Identifier) => Column }): readonly Unresolved[] =>
  rest.rest({ text: '*', style: 'plain' }).unresolved.length > 0 ? [] : [{ text: '*', reason: 'unknown columns' }];

/** Columns without a name that stand where a known target has one, while all names around them agree. */
const placedNames = (reading: Reading, parts: Yield, known: readonly string[] | undefined): readonly string[] => {
  if (known === undefined || known.length !== parts.length || parts.some(isRest)) return [];
  const agree = columnsOf(parts).every(({ name }, index) => {
    const own = known[index];
    return name === undefined || (own !== undefined && sameName(name, stored(own), reading.dialect));
  });
  return agree ? known : [];
};

/** Each column of a query is written to the column of its name. */
export const byName = (
  reading: Reading,
  said: Said,
  target: Target | undefined,
  parts: Yield,
  known: readonly string[] | undefined,
): void => {
  const placed = placedNames(reading, parts, known);
  for (const [index, part] of parts.entries()) {
    if (isRest(part)) {
      said.unresolved.push(...part.rest({ text: '*', style: 'plain' }).unresolved, ...opened(part));
      continue;
    }
    const [own] = part.name ? named(known ?? [], part.name, stored, reading.dialect) : [];
    const name = own ?? part.name?.text ?? placed[index];
    if (name !== undefined) said.writes.push({ target, name, column: part });
    else if (part.derivations.length > 0) {
      said.unresolved.push({ text: part.derivations[0]?.text ?? '*', reason: 'no name' });
    } else said.unresolved.push(...part.unresolved);
  }
};

/** What a statement is read with and written down to. */
export type Context = {
  readonly reading: Reading;
  readonly said: Said;
  /** The columns of what a bare query is read for, when the caller knows them. */
  readonly wanted: readonly string[] | undefined;
};

/** The names in a list of columns, whether they are defined there or only named. */
export const columnNames = (node: unknown): readonly Identifier[] =>
  (Array.isArray(node) ? node : []).flatMap((column: unknown) => {
    const name = identifierOf(nodeAt(column)?.['name']) ?? partsOf(column)?.at(-1) ?? identifierOf(column);
    return name ? [name] : [];
  });
