import { stringify } from 'csv-stringify/sync';

/** Spreadsheets take such a cell for a formula. */
const FORMULA = /^[=+\-@\t\r']/;

/** Cells that a reader would take for something else without quotes. */
const UNSAFE = /^ | $|[\r\n]/;

export type Row = readonly string[];

const withoutFormulas = (row: Row): Row => row.map((cell) => (FORMULA.test(cell) ? `'${cell}` : cell));

/** Lines of CSV; with `isSafe` no cell is a formula to anybody who opens it. */
export const csvLines = (rows: readonly Row[], isSafe = false): string =>
  stringify(isSafe ? rows.map(withoutFormulas) : [...rows], { record_delimiter: '\r\n', quoted_match: UNSAFE });
