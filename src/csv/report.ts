import { csvLines, type Row } from '../http/csv.ts';
import { headerOf, type Layout } from './layout.ts';

/** What became of the rows of a file (csv.md 5). */

/** What became of one row. */
export type RowOutcome =
  | { readonly status: 'success'; readonly isNew: boolean }
  | { readonly status: 'failure' | 'skipped'; readonly faults: readonly string[] };

/** A row that was dealt with. */
export type Told = { readonly cells: Row; readonly outcome: RowOutcome };

/** How many rows passed and failed, without the header. */
export type Tally = { readonly passed: number; readonly failed: number };

export const NO_ROWS: Tally = { passed: 0, failed: 0 };

/** The count after some more rows. What was not even tried has not passed. */
export const tallied = ({ passed, failed }: Tally, told: readonly Told[]): Tally => {
  const good = told.filter(({ outcome }) => outcome.status === 'success').length;
  return { passed: passed + good, failed: failed + told.length - good };
};

/** Clients compare these texts with what they expect. */
const detailsOf = (outcome: RowOutcome): string => {
  if (outcome.status === 'success') return outcome.isNew ? 'Entity created' : 'Entity updated';
  return outcome.faults.join(';');
};

/** The first line of what is told of the rows. */
export const reportHeader = (layout: Layout): string => csvLines([['status', 'details', ...headerOf(layout)]]);

/** Lines of what is told of rows, in their order. */
export const reportLines = (told: readonly Told[], isSafe: boolean): string =>
  csvLines(
    told.map(({ cells, outcome }) => [outcome.status, detailsOf(outcome), ...cells]),
    isSafe,
  );

const statusOf = ({ passed, failed }: Tally): string => {
  if (failed === 0) return 'success';
  return passed === 0 ? 'failure' : 'partialSuccess';
};

/**
 * A result as JSON text in three parts, as its end is known before its beginning: the opening, which has the counts; the
 * lines in between, header first, each piece made by `insideText`; and the closing.
 */
export const resultOpening = (dryRun: boolean, tally: Tally): string => {
  const members = {
    dryRun,
    status: statusOf(tally),
    // The header is a row, and it has passed.
    numberOfRowsProcessed: tally.passed + tally.failed + 1,
    numberOfRowsPassed: tally.passed + 1,
    numberOfRowsFailed: tally.failed,
  };
  return `${JSON.stringify(members).slice(0, -1)},"importResultsCsv":"`;
};

/** A piece of text as it stands within a string of JSON. */
export const insideText = (text: string): string => JSON.stringify(text).slice(1, -1);

export const RESULT_CLOSING = '"}';
