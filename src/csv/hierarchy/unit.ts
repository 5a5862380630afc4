import type { Row } from '../../http/csv.ts';
import type { Layout } from '../layout.ts';
import type { RowOutcome } from '../report.ts';
import { openRow, type RowReader } from '../row.ts';
import { type Place, placeField } from './place.ts';

/** A row on its way through an import. */
export type Entry = { readonly cells: Row; readonly place: Place | undefined; outcome?: RowOutcome };

/** A row of which it is known what it is about. */
export type Placed = Entry & { readonly place: Place };

export const isPlaced = (entry: Entry): entry is Placed => entry.place !== undefined;

/** Rows that are one change together: those about one record, and about the columns of that. */
export type Unit = {
  readonly type: string;
  readonly name: string;
  readonly fqn: string;
  readonly parentFqn: string;
  /** The row about the record itself, if there is one, and those about its columns. */
  record?: Placed;
  readonly columns: Placed[];
};

export const newUnit = ({ type, name, fqn, parentFqn }: Place): Unit => ({ type, name, fqn, parentFqn, columns: [] });

export const rowsOf = ({ record, columns }: Unit): readonly Placed[] => (record ? [record, ...columns] : columns);

/** A unit whose rows are read afresh: what is wrong with a row may be another thing when the record is another by then. */
export type Attempt = {
  readonly unit: Unit;
  readonly readers: ReadonlyMap<Entry, RowReader>;
  /** The rows whose record or column comes into being by them. */
  readonly fresh: Set<Entry>;
};

export const newAttempt = (unit: Unit, layout: Layout): Attempt => ({
  unit,
  readers: new Map(rowsOf(unit).map((entry) => [entry, openRow(layout, entry.cells)])),
  fresh: new Set(),
});

/** Fails all rows of a unit before anything is tried. */
export const failUnit = (unit: Unit, layout: Layout, reason: string): void => {
  const attempt = newAttempt(unit, layout);
  failAll(attempt, reason);
  settleRows(attempt);
};

/** Says of every row that nothing speaks against yet that this does, where the row names what it is about. */
export const failAll = ({ readers }: Attempt, reason: string): void => {
  for (const row of readers.values()) if (row.faults.length === 0) row.fail(placeField(row), reason);
};

/** Whether there is a row that may change anything. */
export const hasGoodRows = ({ readers }: Attempt): boolean =>
  [...readers.values()].some((row) => row.faults.length === 0);

/** Notes what became of the rows of an attempt that was carried to its end. */
export const settleRows = ({ readers, fresh }: Attempt): void => {
  for (const [entry, { faults }] of readers) {
    entry.outcome = faults.length > 0 ? { status: 'failure', faults } : { status: 'success', isNew: fresh.has(entry) };
  }
};

/** Why a row fails of which the one that it depends on has failed. */
export const rowFailed = ({ type, fqn }: Pick<Unit, 'type' | 'fqn'>): string => `the row of the ${type} ${fqn} failed`;

/** Says of the rows of a unit that failed that it was for want of rights. */
export const forbidRows = (unit: Unit): void => {
  for (const entry of rowsOf(unit)) {
    if (entry.outcome?.status === 'failure') entry.outcome = { ...entry.outcome, isForbidden: true };
  }
};
