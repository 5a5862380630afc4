import * as assert from 'node:assert/strict';
import type { ColumnLineage } from '../../src/lineage/sql/column-lineage.ts';
import { findDialect } from '../../src/lineage/sql/dialect.ts';
import type { SqlReader } from '../../src/lineage/sql/reader.ts';
import type { ColumnName } from '../../src/lineage/sql/sql-column.ts';

/** Helpers for tests of SQL lineage: sample tables and expectations. */

/** The tables of the samples and their columns; a slash separates a column from its field. */
const TABLES: Readonly<Record<string, string>> = {
  t: 'id a b c addr addr/city addr/zip',
  u: 'id x y',
  v: 'k z',
  tgt: 'p q r',
  'dbo.tgt': 'p q r',
  's.orders': 'order_id amount items items/sku items/qty',
  mixed: 'Id ID',
};

const columnsIn = (table: readonly string[]): readonly ColumnName[] | undefined =>
  TABLES[table.join('.').toLowerCase()]?.split(' ').map((column) => column.split('/'));

/** What was read, one line each: `target.column <- table:column, … {expression}`. */
const linesOf = ({ mappings }: ColumnLineage): readonly string[] =>
  mappings.map(({ target, toColumn, fromColumns, function: text }) => {
    const from = fromColumns.map(({ table, column }) => `${table.join('.')}:${column.join('/')}`).join(', ');
    return `${target ? `${target.join('.')}.` : ''}${toColumn} <- ${from}${text === undefined ? '' : ` {${text}}`}`;
  });

export type Sample = {
  readonly sql: string;
  readonly dialect?: string;
  readonly wanted?: readonly string[];
  readonly lines?: readonly string[];
  /** What is reported, as `text: reason`. */
  readonly unresolved?: readonly string[];
};

export const requireDialect = (name: string) => {
  const dialect = findDialect(name);
  assert.ok(dialect, name);
  return dialect;
};

/** Reads a sample and expects exactly its lines, and exactly its reports. */
export const expectLineage = async (reader: SqlReader, sample: Sample): Promise<void> => {
  const { sql, dialect = 'postgres', wanted, lines = [], unresolved = [] } = sample;
  const lineage = await reader.columnLineageOf(sql, requireDialect(dialect), columnsIn, wanted);
  assert.deepEqual(linesOf(lineage), lines, sql);
  assert.deepEqual(
    lineage.unresolved.map(({ text, reason }) => `${text}: ${reason}`),
    unresolved,
    sql,
  );
};
