import { csvLines, type Row } from '../http/csv.ts';
import { headerOf, type Layout } from './layout.ts';

/** What became of the rows of a file (csv.md 5). */

/** What became of one row. */
export type RowOutcome =
  | { readonly status: 'success'; readonly isNew: boolean }
  | {
      readonly status: 'failure' | 'skipped';
      readonly faults: readonly string[];
      /** Whether the row failed because whoever sent it may not do what it says. */
      readonly isForbidden?: boolean;
    };

/** A row that was dealt with. */
export type Told = { readonly cells: Row; readonly outcome: RowOutcome };

/** How many rows passed and failed, without the header, and how many of the latter for want of rights. */
export type Tally = { readonly passed: number; readonly failed: number; readonly forbidden: number };

export const NO_ROWS: Tally = { passed: 0, failed: 0, forbidden: 0 };

const isForbidden = ({ outcome }: Told): boolean => outcome.status !== 'success' && outcome.isForbidden === true;

/** The count after some more rows. What was not even tried has not passed. */
export const tallied = ({ passed, failed, forbidden }: Tally, told: readonly Told[]): Tally => {
  const good = told.filter(({ outcome }) => outcome.status === 'success').length;
  return {
    passed: passed + good,
    failed: failed + told.length - good,
    forbidden: forbidden + told.filter(isForbidden).length,
  };
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

type RowCounts = Pick<Tally, 'passed' | 'failed'>;

const statusOf = ({ passed, failed }: RowCounts): string => {
  if (failed === 0) return 'success';
  return passed === 0 ? 'failure' : 'partialSuccess';
};

/**
 * A result as JSON text in three parts, as its end is known before its beginning: the opening, which has the counts; the
 * lines in between, header first, each piece made by `insideText`; and the closing.
 */
export const resultOpening = (dryRun: boolean, tally: RowCounts): string => {
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
