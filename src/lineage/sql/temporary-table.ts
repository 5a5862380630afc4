import type { Dialect } from './dialect.ts';
import { type Identifier, isSameName } from './identifier.ts';
import {
  countOrigins,
  isUnknownColumns,
  originKey,
  renameColumn,
  type SqlColumn,
  type SqlColumnPath,
  type TableName,
  type Unresolved,
  unclearColumns,
  uniteColumns,
  type YieldedColumns,
} from './sql-column.ts';

/** A table that a statement made, with the origins of its columns. */
export type MadeTable = {
  readonly name: readonly Identifier[];
  readonly parts: YieldedColumns;
  readonly temporary: boolean;
};

/** Adds the origins of a value that a statement writes to a column of a temporary table. */
export const fillTemporary = (
  made: MadeTable,
  name: string,
  column: SqlColumn,
  dialect: Dialect,
  spend: (amount: number) => void,
): MadeTable => {
  const written: Identifier = { text: name, style: 'plain' };
  const at = made.parts.findIndex(
    (part) => !isUnknownColumns(part) && part.name !== undefined && isSameName(part.name, written, dialect),
  );
  const own = made.parts[at];
  spend(1 + countOrigins(column));
  if (own === undefined || isUnknownColumns(own)) {
    const known = made.parts.filter((part) => !isUnknownColumns(part));
    return { ...made, parts: [...known, renameColumn(column, written), ...made.parts.filter(isUnknownColumns)] };
  }
  return { ...made, parts: made.parts.with(at, uniteColumns([own, column], own.name)) };
};

/** A temporary table of a session, as plain data that can be kept between statements. */
export type SessionTemporary = {
  readonly name: readonly Identifier[];
  readonly columns: readonly {
    readonly name?: Identifier;
    readonly derivations: readonly { readonly origins: readonly SqlColumnPath[]; readonly text?: string }[];
    readonly unresolved: readonly Unresolved[];
  }[];
  /** Whether it also has columns that are unknown. */
  readonly isOpen: boolean;
  /** The lasting tables whose rows it is made from. */
  readonly sources: readonly TableName[];
};

export const toSessionTemporary = ({ name, parts }: MadeTable, sources: readonly TableName[]): SessionTemporary => ({
  name,
  columns: parts.flatMap((part) =>
    isUnknownColumns(part)
      ? []
      : [
          {
            ...part,
            derivations: part.derivations.map(({ origins, ...rest }) => ({ ...rest, origins: [...origins.values()] })),
          },
        ],
  ),
  isOpen: parts.some(isUnknownColumns),
  sources,
});

export const fromSessionTemporary = ({ name, columns, isOpen }: SessionTemporary): MadeTable => ({
  name,
  temporary: true,
  parts: [
    ...columns.map((column) => ({
      ...column,
      derivations: column.derivations.map(({ origins, ...rest }) => ({
        ...rest,
        origins: new Map(origins.map((path) => [originKey(path), path])),
      })),
    })),
    ...(isOpen ? [unclearColumns('unknown columns')] : []),
  ],
});
