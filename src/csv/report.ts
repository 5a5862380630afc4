import type { Row } from '../http/csv.ts';
import type { Layout } from './layout.ts';

/** What became of the rows of a file (csv.md 5). */

/** What became of one row. */
export type RowOutcome =
  | { readonly status: 'success'; readonly isNew: boolean }
  | { readonly status: 'failure'; readonly faults: readonly string[] }
  | { readonly status: 'skipped'; readonly faults: readonly string[] };

/** A row that was dealt with. */
export type Told = { readonly cells: Row; readonly outcome: RowOutcome };

/** How many rows passed and failed, without the header. */
export type Tally = { readonly passed: number; readonly failed: number };

export const NO_ROWS: Tally = { passed: 0, failed: 0 };

/** The count after some more rows. A row that was skipped is neither passed nor failed. */
export const tallied = (tally: Tally, told: readonly Told[]): Tally => ({
  passed: tally.passed + told.filter(({ outcome }) => outcome.status === 'success').length,
  failed: tally.failed + told.filter(({ outcome }) => outcome.status === 'failure').length,
});

/** The first line of what is told of the rows. */
export const reportHeader = (_layout: Layout): string => '';

/** Lines of what is told of rows, in their order. */
export const reportLines = (_told: readonly Told[], _isSafe: boolean): string => '';

/**
 * A result as JSON text in three parts, as its end is known before its beginning: the opening, which has the counts, the
 * lines in between, each piece made by `insideText`, and the closing.
 */
export const resultOpening = (_dryRun: boolean, _tally: Tally): string => '';

/** A piece of text as it stands within a string of JSON. */
export const insideText = (text: string): string => JSON.stringify(text).slice(1, -1);

export const RESULT_CLOSING = '"}';
