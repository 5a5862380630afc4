import { stringify } from 'csv-stringify/sync';
import type { Call } from './route.ts';

/** Writes tables as CSV (csv.md 2): cells, lines, and the headers of the response. */

/** Spreadsheets evaluate such a cell as a formula. */
const FORMULA_START = /^[=+\-@\t\r']/;

/** Cells that some readers would misread without quotes. */
const NEEDS_QUOTES = /^ | $|[\r\n]/;

export type CsvRow = readonly string[];

const guardFormulas = (row: CsvRow): CsvRow => row.map((cell) => (FORMULA_START.test(cell) ? `'${cell}` : cell));

/** Removes the quote that a guarded cell starts with, so that an imported cell has its original text. */
export const removeFormulaGuard = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell);

const stringifyRows = (rows: readonly CsvRow[]): string =>
  stringify([...rows], { record_delimiter: '\r\n', quoted_match: NEEDS_QUOTES });

/** Quotes an empty first cell, because some readers skip a line that begins with nothing. */
const stringifyRow = (row: CsvRow): string => (row[0] === '' ? `""${stringifyRows([row])}` : stringifyRows([row]));

/** Writes lines of CSV. With `isSafe`, no cell can be evaluated as a formula. */
export const writeCsvLines = (rows: readonly CsvRow[], isSafe = false): string => {
  const written = isSafe ? rows.map(guardFormulas) : rows;
  return written.some(([first]) => first === '') ? written.map(stringifyRow).join('') : stringifyRows(written);
};

export const PLAIN_TEXT_TYPE = 'text/plain';
export const CSV_TYPE = 'text/csv';

/** The media type of a CSV response: plain text, unless the caller accepts CSV. */
export const csvContentType = (call: Pick<Call, 'header'>): string =>
  `${call.header('accept')?.includes(CSV_TYPE) ? CSV_TYPE : PLAIN_TEXT_TYPE}; charset=UTF-8`;

/** The headers of a CSV download. The file name holds only characters that are safe in a shell and in a header. */
export const csvFileHeaders = (name: string): Readonly<Record<string, string>> => ({
  'Content-Disposition': `attachment; filename="${name.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 100)}.csv"`,
});
