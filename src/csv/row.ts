import type { Row } from '../http/csv.ts';
import type { Layout } from './layout.ts';

/** One row on its way in: what its cells say, and everything that is wrong with them. */
export type RowReader = {
  readonly cells: Row;
  /** Everything that is wrong so far, as it is told: `#INVALID_FIELD: Field 2 error - …`. */
  readonly faults: readonly string[];
  /** The cell of a column, '' when it is empty or not of this layout. */
  readonly cell: (name: string) => string;
  /** Whether the layout has the column, so that an empty cell clears. */
  readonly has: (name: string) => boolean;
  /** What a cell means; a `CellFault`, and what a look-up refuses, becomes a fault of the row. */
  readonly read: <T>(name: string, decode: (cell: string) => T | Promise<T>) => Promise<T | undefined>;
  /** Says that something is wrong with a cell. */
  readonly fail: (name: string, reason: string) => void;
};

/** Begins with a row: its length and its required cells are judged at once. */
export const openRow = (_layout: Layout, _cells: Row): RowReader => {
  throw new Error('to be written');
};
