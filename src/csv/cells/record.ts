import type { Engine } from '../../catalog/engine.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { RowReader } from '../row.ts';
import type { Properties } from './extension.ts';

/** Cells by the names of their columns. */
export type Cells = Readonly<Record<string, string>>;

/** What cells are made of and read with: made once per export or import. */
export type CellDesk = {
  readonly engine: Engine;
  /** The custom properties of a kind. */
  readonly properties: (kind: Kind) => Promise<Properties>;
};

export const cellDesk = (_engine: Engine): CellDesk => {
  throw new Error('to be written');
};

/** Cells `name` to `extension` of a record's document, as `render` makes it with owners, tags, domains, certification and extension. */
export const recordCells = (_document: JsonObject, _properties: Properties): Cells => ({});

/**
 * The document that a row wants of a record that has this one, `{}` for a new one. A cell that says what it would say of
 * the present document leaves its attribute alone; faults are added to the row. References are `{ id, type }`.
 */
export const wantedRecord = async (
  _desk: CellDesk,
  _kind: Kind,
  _row: RowReader,
  _present: JsonObject,
): Promise<JsonObject> => ({});

/** What is seen of a column in cells that begin with `column.`, and in those of the recursive layout. */
export const columnCells = (_column: JsonObject, _layout: 'table' | 'recursive'): Cells => ({});

/** The same as `wantedRecord` of one column: its own members, without name and children. */
export const wantedColumn = async (_desk: CellDesk, _row: RowReader, _present: JsonObject): Promise<JsonObject> => ({});
