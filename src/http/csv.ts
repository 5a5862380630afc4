import { stringify } from 'csv-stringify/sync';
import type { Call } from './route.ts';

/** Tables as CSV (csv.md 2): what a cell looks like, and what goes with a file of them. */

/** Spreadsheets take such a cell for a formula. */
const FORMULA = /^[=+\-@\t\r']/;

/** Cells that a reader would take for something else without quotes. */
const UNSAFE = /^ | $|[\r\n]/;

export type Row = readonly string[];

const withoutFormulas = (row: Row): Row => row.map((cell) => (FORMULA.test(cell) ? `'${cell}` : cell));

/** A cell that came in as it was before it was kept from being a formula. */
export const withoutGuard = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell);

const linesOf = (rows: readonly Row[]): string =>
  stringify([...rows], { record_delimiter: '\r\n', quoted_match: UNSAFE });

/** A line that begins with nothing would look to some readers as if it were no line. */
const lineOf = (row: Row): string => (row[0] === '' ? `""${linesOf([row])}` : linesOf([row]));

/** Lines of CSV; with `isSafe` no cell is a formula to anybody who opens it. */
export const csvLines = (rows: readonly Row[], isSafe = false): string => {
  const written = isSafe ? rows.map(withoutFormulas) : rows;
  return written.some(([first]) => first === '') ? written.map(lineOf).join('') : linesOf(written);
};

export const PLAIN = 'text/plain';
export const CSV = 'text/csv';

/** The type of a file of CSV: plain text, unless the caller knows what CSV is. */
export const csvType = (call: Pick<Call, 'header'>): string =>
  `${call.header('accept')?.includes(CSV) ? CSV : PLAIN}; charset=UTF-8`;

/** What goes with a file, under a name that says nothing to a shell or to a header. */
export const fileHeaders = (name: string): Readonly<Record<string, string>> => ({
  'Content-Disposition': `attachment; filename="${name.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 100)}.csv"`,
});
