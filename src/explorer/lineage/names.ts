import { kindOf } from '../api/kinds.ts';

/** What records and columns are called on the page. */

export type Named = {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly displayName?: string | undefined;
  readonly fullyQualifiedName?: string | undefined;
  readonly hidden?: boolean | undefined;
};

export const kindName = (type: string): string => kindOf(type)?.one ?? type;

export const recordName = ({ id = '', type = '', name, displayName, fullyQualifiedName, hidden }: Named): string =>
  hidden ? `${kindName(type)} that you may not see` : displayName || name || fullyQualifiedName || id;

/** The names of both ends of an edge, with their kinds where they are called the same. */
export const pairNames = (from: Named, to: Named): readonly [from: string, to: string] => {
  const names = [recordName(from), recordName(to)] as const;
  if (names[0] !== names[1]) return names;
  const nameOf = (record: Named) => `${recordName(record)} (${kindName(record.type ?? '')})`;
  return [nameOf(from), nameOf(to)];
};

/** The name of a column below its record, which a nested column keeps whole. */
export const columnName = (column: string, record: string | undefined): string =>
  record !== undefined && column.startsWith(`${record}.`)
    ? column.slice(record.length + 1)
    : (column.split('.').at(-1) ?? column);

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString()} ${number === 1 ? one : many}`;
