import { stringify } from 'csv-stringify/sync';
import type { Call } from './route.ts';

/** Tables as CSV (csv.md 2): what a cell looks like, and what goes with a file of them. */

/** Spreadsheets take such a cell for a formula. */
const FORMULA_START = /^[=+\-@\t\r']/;

/** Cells that a reader would take for something else without quotes. */
const NEEDS_QUOTES = /^ | $|[\r\n]/;

export type CsvRow = readonly string[];

const guardFormulas = (row: CsvRow): CsvRow => row.map((cell) => (FORMULA_START.test(cell) ? `'${cell}` : cell));

/** A cell that came in as it was before it was kept from being a formula. */
export const removeFormulaGuard = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell);

const stringifyRows = (rows: readonly CsvRow[]): string =>
  stringify([...rows], { record_delimiter: '\r\n', quoted_match: NEEDS_QUOTES });

/** A line that begins with nothing would look to some readers as if it were no line. */
const stringifyRow = (row: CsvRow): string => (row[0] === '' ? `""${stringifyRows([row])}` : stringifyRows([row]));

/** Lines of CSV; with `isSafe` no cell is a formula to anybody who opens it. */
export const writeCsvLines = (rows: readonly CsvRow[], isSafe = false): string => {
  const written = isSafe ? rows.map(guardFormulas) : rows;
  return written.some(([first]) => first === '') ? written.map(stringifyRow).join('') : stringifyRows(written);
};

export const PLAIN_TEXT_TYPE = 'text/plain';
export const CSV_TYPE = 'text/csv';

/** The type of a file of CSV: plain text, unless the caller knows what CSV is. */
export const csvContentType = (call: Pick<Call, 'header'>): string =>
  `${call.header('accept')?.includes(CSV_TYPE) ? CSV_TYPE : PLAIN_TEXT_TYPE}; charset=UTF-8`;

/** What goes with a file, under a name that says nothing to a shell or to a header. */
export const csvFileHeaders = (name: string): Readonly<Record<string, string>> => ({
  'Content-Disposition': `attachment; filename="${name.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 100)}.csv"`,
});
