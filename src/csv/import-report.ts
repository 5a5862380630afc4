import { type CsvRow, writeCsvLines } from '../http/csv-writer.ts';
import { type CsvLayout, layoutHeader } from './layout.ts';

/** The report on the rows of an imported file (csv.md 5). */

/** The outcome of one row. */
export type RowOutcome =
  | { readonly status: 'success'; readonly isNew: boolean }
  | {
      readonly status: 'failure' | 'skipped';
      readonly faults: readonly string[];
      /** Whether the row failed because the caller lacks a permission. */
      readonly isForbidden?: boolean;
    };

/** A processed row. */
export type RowReport = { readonly cells: CsvRow; readonly outcome: RowOutcome };

/** The number of rows that passed and failed, without the header, and of those that failed for lack of permission. */
export type RowCounts = { readonly passed: number; readonly failed: number; readonly forbidden: number };

export const NO_ROW_COUNTS: RowCounts = { passed: 0, failed: 0, forbidden: 0 };

const isForbidden = ({ outcome }: RowReport): boolean => outcome.status !== 'success' && outcome.isForbidden === true;

/** Adds more rows to the counts. A row that was not attempted has not passed. */
export const addRowCounts = ({ passed, failed, forbidden }: RowCounts, reports: readonly RowReport[]): RowCounts => {
  const good = reports.filter(({ outcome }) => outcome.status === 'success').length;
  return {
    passed: passed + good,
    failed: failed + reports.length - good,
    forbidden: forbidden + reports.filter(isForbidden).length,
  };
};

/** Clients compare these texts exactly. */
const outcomeDetails = (outcome: RowOutcome): string => {
  if (outcome.status === 'success') return outcome.isNew ? 'Entity created' : 'Entity updated';
  return outcome.faults.join(';');
};

/** The header line of the report. */
export const writeReportHeader = (layout: CsvLayout): string =>
  writeCsvLines([['status', 'details', ...layoutHeader(layout)]]);

/** The report lines of rows, in their order. */
export const writeReportLines = (reports: readonly RowReport[], isSafe: boolean): string =>
  writeCsvLines(
    reports.map(({ cells, outcome }) => [outcome.status, outcomeDetails(outcome), ...cells]),
    isSafe,
  );

type ProcessedRows = Pick<RowCounts, 'passed' | 'failed'>;

const importStatus = ({ passed, failed }: ProcessedRows): string => {
  if (failed === 0) return 'success';
  return passed === 0 ? 'failure' : 'partialSuccess';
};

/**
 * The opening of a result in JSON, which contains the counts. A result is written in three parts because the counts
 * are known last: this opening, the report lines escaped by `escapeForJsonString`, and the closing.
 */
export const openResult = (dryRun: boolean, counts: ProcessedRows): string => {
  const members = {
    dryRun,
    status: importStatus(counts),
    // The header counts as a row that passed.
    numberOfRowsProcessed: counts.passed + counts.failed + 1,
    numberOfRowsPassed: counts.passed + 1,
    numberOfRowsFailed: counts.failed,
  };
  return `${JSON.stringify(members).slice(0, -1)},"importResultsCsv":"`;
};

/** Escapes a text for the inside of a JSON string. */
export const escapeForJsonString = (text: string): string => JSON.stringify(text).slice(1, -1);

export const RESULT_END = '"}';
