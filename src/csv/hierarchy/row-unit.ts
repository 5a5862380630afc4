import type { CsvRow } from '../../http/csv-writer.ts';
import type { RowOutcome } from '../import-report.ts';
import type { CsvLayout } from '../layout.ts';
import { type CsvRowReader, openRowReader } from '../row-reader.ts';
import { type RowTarget, targetField } from './row-target.ts';

/** A row in an import, with its outcome once it is known. */
export type RowEntry = { readonly cells: CsvRow; readonly target: RowTarget | undefined; outcome?: RowOutcome };

/** A row with a known target. */
export type TargetedRow = RowEntry & { readonly target: RowTarget };

export const hasTarget = (entry: RowEntry): entry is TargetedRow => entry.target !== undefined;

/** Rows that form one change: those about one record and its columns. */
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

/**
 * One attempt at a unit, with fresh row readers, because the faults of a row may differ once the record has changed.
 */
export type UnitAttempt = {
  readonly unit: RowUnit;
  readonly readers: ReadonlyMap<RowEntry, CsvRowReader>;
  /** The rows that create their record or column. */
  readonly fresh: Set<RowEntry>;
};

export const createAttempt = (unit: RowUnit, layout: CsvLayout): UnitAttempt => ({
  unit,
  readers: new Map(rowsOfUnit(unit).map((entry) => [entry, openRowReader(layout, entry.cells)])),
  fresh: new Set(),
});

/** Fails all rows of a unit before an attempt. */
export const failRowsOfUnit = (unit: RowUnit, layout: CsvLayout, reason: string): void => {
  const attempt = createAttempt(unit, layout);
  failAllRows(attempt, reason);
  recordOutcomes(attempt);
};

/** Adds a fault to every row that has none, at the field that identifies its target. */
export const failAllRows = ({ readers }: UnitAttempt, reason: string): void => {
  for (const row of readers.values()) if (row.faults.length === 0) row.fail(targetField(row), reason);
};

/** Whether any row is free of faults. */
export const hasValidRows = ({ readers }: UnitAttempt): boolean =>
  [...readers.values()].some((row) => row.faults.length === 0);

/** Records the outcomes of the rows of a completed attempt. */
export const recordOutcomes = ({ readers, fresh }: UnitAttempt): void => {
  for (const [entry, { faults }] of readers) {
    entry.outcome = faults.length > 0 ? { status: 'failure', faults } : { status: 'success', isNew: fresh.has(entry) };
  }
};

/** The reason for failing a row because the row it depends on failed. */
export const rowFailedReason = ({ type, fqn }: Pick<RowUnit, 'type' | 'fqn'>): string =>
  `the row of the ${type} ${fqn} failed`;

/** Marks the failed rows of a unit as forbidden. */
export const forbidRows = (unit: RowUnit): void => {
  for (const entry of rowsOfUnit(unit)) {
    if (entry.outcome?.status === 'failure') entry.outcome = { ...entry.outcome, isForbidden: true };
  }
};
