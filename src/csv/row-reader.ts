import { CatalogError } from '../errors.ts';
import type { CsvRow } from '../http/csv-writer.ts';
import { CellError } from './cells/cell-error.ts';
import { type CsvLayout, fieldIndex } from './layout.ts';

/** Reads one row of an import and collects its faults. */
export type CsvRowReader = {
  readonly layout: CsvLayout;
  readonly cells: CsvRow;
  /** The faults so far, as the report shows them: `#INVALID_FIELD: Field 2 error - …`. */
  readonly faults: readonly string[];
  /** The cell of a field; '' when it is empty or not in this layout. */
  readonly cell: (name: string) => string;
  /** Whether the layout has the field, so that an empty cell clears the member. */
  readonly has: (name: string) => boolean;
  /** Decodes a cell; a `CellError` or the refusal of a look-up becomes a fault of the row. */
  readonly read: <T>(name: string, decode: (cell: string) => T | Promise<T>) => Promise<T | undefined>;
  /** Adds a fault of a cell. */
  readonly fail: (name: string, reason: string) => void;
  /** Adds the fault of a required cell that is empty. */
  readonly failMissing: (name: string) => void;
};

const fieldNumber = (layout: CsvLayout, name: string): number => (fieldIndex(layout, name) ?? -1) + 1;

const invalidField = (field: number, reason: string): string => `#INVALID_FIELD: Field ${field} error - ${reason}`;

/** The reason when a cell caused the failure; every other failure is one of the import itself. */
const cellErrorReason = (failure: unknown): string | undefined => {
  if (failure instanceof CellError) return failure.message;
  const isRefusal = failure instanceof CatalogError && (failure.code === 'bad_request' || failure.code === 'not_found');
  return isRefusal ? failure.message : undefined;
};

const findLengthFault = ({ fields, allowsShortRows }: CsvLayout, cells: CsvRow): string | undefined => {
  const fits = allowsShortRows ? cells.length <= fields.length : cells.length === fields.length;
  return fits ? undefined : `#INVALID_FIELD_COUNT: The row has ${cells.length} fields instead of ${fields.length}`;
};

/** Opens a row and checks its length and its required cells. */
export const openRowReader = (layout: CsvLayout, cells: CsvRow): CsvRowReader => {
  const faults: string[] = [];
  const fields: number[] = [];
  const cell = (name: string) => cells[fieldIndex(layout, name) ?? -1] ?? '';
  /** Inserts a fault in the order of the fields, whichever look-up ends first. */
  const note = (field: number, fault: string) => {
    const later = fields.findIndex((one) => one > field);
    const at = later === -1 ? fields.length : later;
    fields.splice(at, 0, field);
    faults.splice(at, 0, fault);
  };
  const fail = (name: string, reason: string) => {
    const field = fieldNumber(layout, name);
    note(field, invalidField(field, reason));
  };
  const failMissing = (name: string) => {
    const field = fieldNumber(layout, name);
    note(field, `#FIELD_REQUIRED: Field ${field} is required`);
  };
  const wrongLength = findLengthFault(layout, cells);
  if (wrongLength !== undefined) note(0, wrongLength);
  else {
    for (const { name, isRequired } of layout.fields) {
      if (isRequired && cell(name) === '') failMissing(name);
    }
  }
  return {
    layout,
    cells,
    faults,
    cell,
    has: (name) => fieldIndex(layout, name) !== undefined,
    read: async (name, decode) => {
      if (wrongLength !== undefined) return undefined;
      try {
        return await decode(cell(name));
      } catch (failure) {
        const reason = cellErrorReason(failure);
        if (reason === undefined) throw failure;
        fail(name, reason);
        return undefined;
      }
    },
    fail,
    failMissing,
  };
};
