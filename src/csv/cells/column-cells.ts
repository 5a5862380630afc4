import { type Json, type JsonObject, member } from '../../model/json.ts';
import { COLUMN_TYPES } from '../../model/schemas/columns/column.ts';
import { validate } from '../../model/validate.ts';
import { Integer, Markdown, Text } from '../../model/values.ts';
import type { CsvRowReader } from '../row-reader.ts';
import type { CellContext } from './cell-context.ts';
import { CellError } from './cell-error.ts';
import {
  applyCell,
  applyLabelCells,
  type CellValues,
  createRowDraft,
  createTextReader,
  isCellChanged,
  type RowDraft,
  writeLabelCells,
} from './record-cells.ts';

/**
 * Reads and writes columns of tables as cells (csv.md 3.1, 3.4). Files that contain only columns prefix every field
 * name.
 */

/** The entity type in the rows of columns. */
export const COLUMN_TYPE_NAME = 'column';

const COLUMN_PREFIX = 'column.';

const TYPE_CELLS = ['dataTypeDisplay', 'dataType', 'arrayDataType', 'dataLength'] as const;

/** The name of a field that columns and records share, in the layout of a row. */
const columnFieldName = (row: Pick<CsvRowReader, 'has'>, name: string): string =>
  row.has(`${COLUMN_PREFIX}${name}`) ? `${COLUMN_PREFIX}${name}` : name;

const scalarText = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/**
 * The cells of a column, under the field names of both layouts. Neither layout has a field for tiers. An export calls this
 * for every column, so the cells are one literal: spreading such an object takes ten times as long.
 */
export const columnCells = (column: JsonObject, path: string): CellValues => {
  const { tags, glossaryTerms } = writeLabelCells(column);
  const displayName = scalarText(member(column, 'displayName'));
  const description = scalarText(member(column, 'description'));
  return {
    name: path,
    displayName,
    description,
    tags,
    glossaryTerms,
    entityType: COLUMN_TYPE_NAME,
    fullyQualifiedName: scalarText(member(column, 'fullyQualifiedName')),
    'column.name': path,
    'column.displayName': displayName,
    'column.description': description,
    'column.dataTypeDisplay': scalarText(member(column, 'dataTypeDisplay')),
    'column.dataType': scalarText(member(column, 'dataType')),
    'column.arrayDataType': scalarText(member(column, 'arrayDataType')),
    'column.dataLength': scalarText(member(column, 'dataLength')),
    'column.tags': tags,
    'column.glossaryTerms': glossaryTerms,
  };
};

const KNOWN_COLUMN_TYPES: ReadonlySet<string> = new Set(COLUMN_TYPES);

const parseDataType = (cell: string): Json => {
  if (!KNOWN_COLUMN_TYPES.has(cell)) throw new CellError(`${cell} is not a data type`);
  return cell;
};

const parseDataLength = (cell: string): Json => {
  if (!/^\d+$/.test(cell)) throw new CellError(`${cell} is not a data length`);
  return validate(Integer, Number(cell), 'dataLength');
};

const ARRAY_TYPE = 'ARRAY';
const VARCHAR_TYPE = 'VARCHAR';

/** Checks the members that a column's data type requires. A column whose type does not change is not checked. */
const checkColumnType = (draft: RowDraft): void => {
  const { row, target, present } = draft;
  const isNew = !('dataType' in present);
  if (!isNew && !TYPE_CELLS.some((name) => isCellChanged(draft, `${COLUMN_PREFIX}${name}`))) return;
  const type = target['dataType'];
  if (type === ARRAY_TYPE && target['arrayDataType'] === undefined && row.cell(`${COLUMN_PREFIX}arrayDataType`) === '')
    row.fail(`${COLUMN_PREFIX}arrayDataType`, 'an ARRAY needs the type of its items');
  const length = target['dataLength'];
  if (type !== VARCHAR_TYPE || (typeof length === 'number' && length > 0)) return;
  const isReadable = row.cell(`${COLUMN_PREFIX}dataLength`) === '' || length !== undefined;
  if (isReadable) row.fail(`${COLUMN_PREFIX}dataLength`, 'a VARCHAR needs a data length of more than 0');
};

/** The fields of records that must be empty in rows of columns. */
const RECORD_ONLY_FIELDS: readonly string[] = [
  'owner',
  'tiers',
  'certification',
  'retentionPeriod',
  'sourceUrl',
  'domains',
  'extension',
];

/**
 * Builds the column that a row describes, from the present column, or `{}` for a new one. The name and the children
 * are left unchanged, and faults are added to the row.
 */
export const buildTargetColumn = async (
  context: CellContext,
  row: CsvRowReader,
  present: JsonObject,
): Promise<JsonObject> => {
  const draft = createRowDraft(
    row,
    present,
    'dataType' in present ? columnCells(present, row.cell(columnFieldName(row, 'name'))) : {},
  );
  for (const name of RECORD_ONLY_FIELDS) {
    if (row.cell(name) !== '') row.fail(name, `a column has no ${name}`);
  }
  const type = `${COLUMN_PREFIX}dataType`;
  const isMissing =
    row.cell(type) === '' && !row.layout.fields.some(({ name, isRequired }) => name === type && isRequired);
  if (isMissing) row.failMissing(type);
  await Promise.all([
    ...(['displayName', 'description'] as const).map((name) =>
      applyCell(
        draft,
        columnFieldName(row, name),
        name,
        createTextReader(name === 'description' ? Markdown : Text, name),
      ),
    ),
    applyCell(draft, `${COLUMN_PREFIX}dataTypeDisplay`, 'dataTypeDisplay', createTextReader(Text, 'dataTypeDisplay')),
    applyCell(draft, type, 'dataType', parseDataType),
    applyCell(draft, `${COLUMN_PREFIX}arrayDataType`, 'arrayDataType', parseDataType),
    applyCell(draft, `${COLUMN_PREFIX}dataLength`, 'dataLength', parseDataLength),
    applyLabelCells(context, draft, (cell) => columnFieldName(row, cell)),
  ]);
  checkColumnType(draft);
  return draft.target;
};
