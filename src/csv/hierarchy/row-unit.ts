import type { CsvRow } from '../../http/csv-writer.ts';
import type { RowOutcome } from '../import-report.ts';
import type { CsvLayout } from '../layout.ts';
import { type CsvRowReader, openRowReader } from '../row-reader.ts';
import { type RowTarget, targetField } from './row-target.ts';

/** A row on its way through an import. */
export type RowEntry = { readonly cells: CsvRow; readonly target: RowTarget | undefined; outcome?: RowOutcome };

/** A row of which it is known what it is about. */
export type TargetedRow = RowEntry & { readonly target: RowTarget };

export const hasTarget = (entry: RowEntry): entry is TargetedRow => entry.target !== undefined;

/** Rows that are one change together: those about one record, and about the columns of that. */
export type RowUnit = {
  readonly type: string;
  readonly name: string;
  readonly fqn: string;
  readonly parentFqn: string;
  /** The row about the record itself, if there is one, and those about its columns. */
  record?: TargetedRow;
  readonly columns: TargetedRow[];
};

export const createRowUnit = ({ type, name, fqn, parentFqn }: RowTarget): RowUnit => ({
  type,
  name,
  fqn,
  parentFqn,
  columns: [],
});

export const rowsOfUnit = ({ record, columns }: RowUnit): readonly TargetedRow[] =>
  record ? [record, ...columns] : columns;

/** A unit whose rows are read afresh: what is wrong with a row may be another thing when the record is another by then. */
export type UnitAttempt = {
  readonly unit: RowUnit;
  readonly readers: ReadonlyMap<RowEntry, CsvRowReader>;
  /** The rows whose record or column comes into being by them. */
  readonly fresh: Set<RowEntry>;
};

export const createAttempt = (unit: RowUnit, layout: CsvLayout): UnitAttempt => ({
  unit,
  readers: new Map(rowsOfUnit(unit).map((entry) => [entry, openRowReader(layout, entry.cells)])),
  fresh: new Set(),
});

/** Fails all rows of a unit before anything is tried. */
export const failRowsOfUnit = (unit: RowUnit, layout: CsvLayout, reason: string): void => {
  const attempt = createAttempt(unit, layout);
  failAllRows(attempt, reason);
  recordOutcomes(attempt);
};

/** Says of every row that nothing speaks against yet that this does, where the row names what it is about. */
export const failAllRows = ({ readers }: UnitAttempt, reason: string): void => {
  for (const row of readers.values()) if (row.faults.length === 0) row.fail(targetField(row), reason);
};

/** Whether there is a row that may change anything. */
export const hasValidRows = ({ readers }: UnitAttempt): boolean =>
  [...readers.values()].some((row) => row.faults.length === 0);

/** Notes what became of the rows of an attempt that was carried to its end. */
export const recordOutcomes = ({ readers, fresh }: UnitAttempt): void => {
  for (const [entry, { faults }] of readers) {
    entry.outcome = faults.length > 0 ? { status: 'failure', faults } : { status: 'success', isNew: fresh.has(entry) };
  }
};

/** Why a row fails of which the one that it depends on has failed. */
export const rowFailedReason = ({ type, fqn }: Pick<RowUnit, 'type' | 'fqn'>): string =>
  `the row of the ${type} ${fqn} failed`;

/** Says of the rows of a unit that failed that it was for want of rights. */
export const forbidRows = (unit: RowUnit): void => {
  for (const entry of rowsOfUnit(unit)) {
    if (entry.outcome?.status === 'failure') entry.outcome = { ...entry.outcome, isForbidden: true };
  }
};
