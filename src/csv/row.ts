import { CatalogError } from '../errors.ts';
import type { Row } from '../http/csv.ts';
import { CellFault } from './cells/fault.ts';
import { type Layout, placeOf } from './layout.ts';

/** One row on its way in: what its cells say, and everything that is wrong with them. */
export type RowReader = {
  readonly layout: Layout;
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
  /** Says that a cell is empty that must not be. */
  readonly miss: (name: string) => void;
};

const fieldOf = (layout: Layout, name: string): number => (placeOf(layout, name) ?? -1) + 1;

const invalid = (field: number, reason: string): string => `#INVALID_FIELD: Field ${field} error - ${reason}`;

/** What a cell can be blamed for: everything else is a failure of the import itself. */
const reasonOf = (failure: unknown): string | undefined => {
  if (failure instanceof CellFault) return failure.message;
  const isRefusal = failure instanceof CatalogError && (failure.code === 'bad_request' || failure.code === 'not_found');
  return isRefusal ? failure.message : undefined;
};

const lengthFault = ({ fields, mayEndEarly }: Layout, cells: Row): string | undefined => {
  const fits = mayEndEarly ? cells.length <= fields.length : cells.length === fields.length;
  return fits ? undefined : `#INVALID_FIELD_COUNT: The row has ${cells.length} fields instead of ${fields.length}`;
};

/** Begins with a row: its length and its required cells are judged at once. */
export const openRow = (layout: Layout, cells: Row): RowReader => {
  const faults: string[] = [];
  const fields: number[] = [];
  const cell = (name: string) => cells[placeOf(layout, name) ?? -1] ?? '';
  /** Faults stand in the order of their fields, whichever look-up ends first. */
  const note = (field: number, fault: string) => {
    const later = fields.findIndex((one) => one > field);
    const at = later === -1 ? fields.length : later;
    fields.splice(at, 0, field);
    faults.splice(at, 0, fault);
  };
  const fail = (name: string, reason: string) => {
    const field = fieldOf(layout, name);
    note(field, invalid(field, reason));
  };
  const miss = (name: string) => {
    const field = fieldOf(layout, name);
    note(field, `#FIELD_REQUIRED: Field ${field} is required`);
  };
  const wrongLength = lengthFault(layout, cells);
  if (wrongLength !== undefined) note(0, wrongLength);
  else {
    for (const { name, isRequired } of layout.fields) {
      if (isRequired && cell(name) === '') miss(name);
    }
  }
  return {
    layout,
    cells,
    faults,
    cell,
    has: (name) => placeOf(layout, name) !== undefined,
    read: async (name, decode) => {
      if (wrongLength !== undefined) return undefined;
      try {
        return await decode(cell(name));
      } catch (failure) {
        const reason = reasonOf(failure);
        if (reason === undefined) throw failure;
        fail(name, reason);
        return undefined;
      }
    },
    fail,
    miss,
  };
};
