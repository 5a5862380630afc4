import { type CsvRow, writeCsvLines } from '../http/csv-writer.ts';
import { type CsvLayout, layoutHeader } from './layout.ts';

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
export type RowReport = { readonly cells: CsvRow; readonly outcome: RowOutcome };

/** How many rows passed and failed, without the header, and how many of the latter for want of rights. */
export type RowCounts = { readonly passed: number; readonly failed: number; readonly forbidden: number };

export const NO_ROW_COUNTS: RowCounts = { passed: 0, failed: 0, forbidden: 0 };

const isForbidden = ({ outcome }: RowReport): boolean => outcome.status !== 'success' && outcome.isForbidden === true;

/** The count after some more rows. What was not even tried has not passed. */
export const addRowCounts = ({ passed, failed, forbidden }: RowCounts, told: readonly RowReport[]): RowCounts => {
  const good = told.filter(({ outcome }) => outcome.status === 'success').length;
  return {
    passed: passed + good,
    failed: failed + told.length - good,
    forbidden: forbidden + told.filter(isForbidden).length,
  };
};

/** Clients compare these texts with what they expect. */
const outcomeDetails = (outcome: RowOutcome): string => {
  if (outcome.status === 'success') return outcome.isNew ? 'Entity created' : 'Entity updated';
  return outcome.faults.join(';');
};

/** The first line of what is told of the rows. */
export const writeReportHeader = (layout: CsvLayout): string =>
  writeCsvLines([['status', 'details', ...layoutHeader(layout)]]);

/** Lines of what is told of rows, in their order. */
export const writeReportLines = (told: readonly RowReport[], isSafe: boolean): string =>
  writeCsvLines(
    told.map(({ cells, outcome }) => [outcome.status, outcomeDetails(outcome), ...cells]),
    isSafe,
  );

type ProcessedRows = Pick<RowCounts, 'passed' | 'failed'>;

const importStatus = ({ passed, failed }: ProcessedRows): string => {
  if (failed === 0) return 'success';
  return passed === 0 ? 'failure' : 'partialSuccess';
};

/**
 * A result as JSON text in three parts, as its end is known before its beginning: the opening, which has the counts; the
 * lines in between, header first, each piece made by `insideText`; and the closing.
 */
export const openResult = (dryRun: boolean, counts: ProcessedRows): string => {
  const members = {
    dryRun,
    status: importStatus(counts),
    // The header is a row, and it has passed.
    numberOfRowsProcessed: counts.passed + counts.failed + 1,
    numberOfRowsPassed: counts.passed + 1,
    numberOfRowsFailed: counts.failed,
  };
  return `${JSON.stringify(members).slice(0, -1)},"importResultsCsv":"`;
};

/** A piece of text as it stands within a string of JSON. */
export const escapeForJsonString = (text: string): string => JSON.stringify(text).slice(1, -1);

export const RESULT_END = '"}';
