import { COLUMN_TYPES } from '../../model/column-values.ts';
import { type Json, type JsonObject, member } from '../../model/json.ts';
import { check } from '../../model/validate.ts';
import { Integer, Markdown, Text } from '../../model/values.ts';
import type { RowReader } from '../row.ts';
import type { CellDesk } from './desk.ts';
import { CellFault } from './fault.ts';
import { type Cells, type Draft, isChanged, labelCells, newDraft, take, takeLabels, textAs } from './record.ts';

/** Columns of tables in cells (csv.md 3.1, 3.4). A file of nothing else says so in front of every name. */

const PREFIX = 'column.';

const TYPE_CELLS = ['dataTypeDisplay', 'dataType', 'arrayDataType', 'dataLength'] as const;

/** How the layout of a row calls what is said of columns and records alike. */
const columnIn = (row: Pick<RowReader, 'has'>, name: string): string =>
  row.has(`${PREFIX}${name}`) ? `${PREFIX}${name}` : name;

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** The cells of a column but for its name, under the names of both layouts. Tiers have a cell in neither. */
export const columnCells = (column: JsonObject): Cells => {
  const { tags, glossaryTerms } = labelCells(column);
  const common: Cells = {
    displayName: textOf(member(column, 'displayName')),
    description: textOf(member(column, 'description')),
    tags,
    glossaryTerms,
  };
  const types = TYPE_CELLS.map((name) => [`${PREFIX}${name}`, textOf(member(column, name))] as const);
  const prefixed = Object.entries(common).map(([name, cell]) => [`${PREFIX}${name}`, cell] as const);
  return { ...common, ...Object.fromEntries([...prefixed, ...types]) };
};

const KNOWN_TYPES: ReadonlySet<string> = new Set(COLUMN_TYPES);

const typeFrom = (cell: string): Json => {
  if (!KNOWN_TYPES.has(cell)) throw new CellFault(`${cell} is no data type`);
  return cell;
};

const lengthFrom = (cell: string): Json => {
  if (!/^\d+$/.test(cell)) throw new CellFault(`${cell} is no data length`);
  return check(Integer, Number(cell), 'dataLength');
};

const ARRAY = 'ARRAY';
const VARCHAR = 'VARCHAR';

/** What a type needs beside its name; a column that stays of the type that it has is left as it is. */
const judgeType = (draft: Draft): void => {
  const { row, wanted, present } = draft;
  const isNew = !('dataType' in present);
  if (!isNew && !TYPE_CELLS.some((name) => isChanged(draft, `${PREFIX}${name}`))) return;
  const type = wanted['dataType'];
  if (type === ARRAY && wanted['arrayDataType'] === undefined && row.cell(`${PREFIX}arrayDataType`) === '')
    row.fail(`${PREFIX}arrayDataType`, 'an ARRAY needs the type of its items');
  const length = wanted['dataLength'];
  if (type !== VARCHAR || (typeof length === 'number' && length > 0)) return;
  const isReadable = row.cell(`${PREFIX}dataLength`) === '' || length !== undefined;
  if (isReadable) row.fail(`${PREFIX}dataLength`, 'a VARCHAR needs a data length of more than 0');
};

/** The cells that rows of columns leave empty where rows of records have some. */
const OF_RECORDS: readonly string[] = [
  'owner',
  'tiers',
  'certification',
  'retentionPeriod',
  'sourceUrl',
  'domains',
  'extension',
];

/**
 * What a row wants a column to be that is like this; `{}` is a new one. Its name and what lies below it are left alone,
 * faults are added to the row.
 */
export const wantedColumn = async (desk: CellDesk, row: RowReader, present: JsonObject): Promise<JsonObject> => {
  const draft = newDraft(row, present, 'dataType' in present ? columnCells(present) : {});
  for (const name of OF_RECORDS) {
    if (row.cell(name) !== '') row.fail(name, 'a column has nothing of that');
  }
  const type = `${PREFIX}dataType`;
  const isMissing =
    row.cell(type) === '' && !row.layout.fields.some(({ name, isRequired }) => name === type && isRequired);
  if (isMissing) row.miss(type);
  await Promise.all([
    ...(['displayName', 'description'] as const).map((name) =>
      take(draft, columnIn(row, name), name, textAs(name === 'description' ? Markdown : Text, name)),
    ),
    take(draft, `${PREFIX}dataTypeDisplay`, 'dataTypeDisplay', textAs(Text, 'dataTypeDisplay')),
    take(draft, type, 'dataType', typeFrom),
    take(draft, `${PREFIX}arrayDataType`, 'arrayDataType', typeFrom),
    take(draft, `${PREFIX}dataLength`, 'dataLength', lengthFrom),
    takeLabels(desk, draft, (cell) => columnIn(row, cell)),
  ]);
  judgeType(draft);
  return draft.wanted;
};
