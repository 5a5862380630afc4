import { redactValues } from '../../catalog/read/redaction.ts';
import { renderRecord } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { storageView } from '../../catalog/read/stored-snapshot.ts';
import { reviseRecord } from '../../catalog/write/update.ts';
import { CatalogError, recordNotFound } from '../../errors.ts';
import type { CsvRow } from '../../http/csv-writer.ts';
import type { JsonObject } from '../../model/json.ts';
import { joinFqnUnquoted, normaliseName } from '../../model/name.ts';
import { MAX_COLUMNS } from '../../model/schemas/columns/column.ts';
import { type CellContext, createCellContext } from '../cells/cell-context.ts';
import { CellError } from '../cells/cell-error.ts';
import { columnCells } from '../cells/column-cells.ts';
import {
  applyColumnRows,
  type ColumnRow,
  columnPathKey,
  createColumnTree,
  parseColumnPath,
  readColumnTree,
  walkColumns,
} from '../column-tree.ts';
import type { CsvExporter, CsvImporter, CsvImportRequest } from '../import-export.ts';
import type { RowOutcome } from '../import-report.ts';
import { createLayoutRow } from '../layout.ts';
import { openRowReader } from '../row-reader.ts';
import { readCsvRows } from '../text/read-rows.ts';

/**
 * Exports and imports a table (csv.md 3.1): each row is one of its columns, and all rows together are one change of
 * the table.
 */

const COLUMN_NAME_FIELD = 'column.name';

/** The number of rows processed at once. */
const ROW_BATCH = 500;

const TAGS_FIELD: ReadonlySet<string> = new Set(['tags']);

const columnsOfDocument = (document: JsonObject): readonly JsonObject[] =>
  (document['columns'] ?? []) as readonly JsonObject[];

/** Exports the columns of a table as rows. */
export const exportTable: CsvExporter = async function* ({ engine, principal, record: { kind, id }, layout }) {
  const table = await engine.store.record(kind, { id }, TAGS_FIELD);
  if (!table || table.deleted) throw recordNotFound(kind.entityType, id);
  let rows: CsvRow[] = [];
  const [document = {}] = await redactValues(engine, principal, [renderRecord(table, storageView(engine, TAGS_FIELD))]);
  for (const { path, column } of walkColumns(columnsOfDocument(document))) {
    rows.push(createLayoutRow(layout, columnCells(column, path)));
    if (rows.length === ROW_BATCH) {
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
};

/** The outcomes of rows, by their index in the file. */
type RowOutcomes = RowOutcome[];

type TableImportPass = {
  readonly cells: CellContext;
  readonly table: Pick<Snapshot, 'fullyQualifiedName'>;
  /** The columns that earlier rows were about. */
  readonly seen: Set<string>;
  /** The columns that exist so far. */
  readonly known: Set<string>;
};

const checkColumnCount = ({ known }: TableImportPass, key: string): void => {
  if (known.size >= MAX_COLUMNS && !known.has(key)) throw new CellError(`a table has at most ${MAX_COLUMNS} columns`);
};

const openColumnRow = async (
  pass: TableImportPass,
  { layout }: CsvImportRequest,
  cells: CsvRow,
): Promise<ColumnRow> => {
  const { table, seen, known } = pass;
  const row = openRowReader(layout, cells);
  const path = await row.read(COLUMN_NAME_FIELD, (cell) => {
    if (cell === '') return [];
    const names = parseColumnPath(cell).map(normaliseName);
    joinFqnUnquoted(table.fullyQualifiedName, cell);
    const key = columnPathKey(names);
    if (seen.has(key)) throw new CellError(`there is another row for the column ${cell}`);
    checkColumnCount(pass, key);
    seen.add(key);
    known.add(key);
    return names;
  });
  return { path: path ?? [], row, nameField: COLUMN_NAME_FIELD };
};

/** Shared outcomes, because a file may have very many rows with the same one. */
const CREATED_OUTCOME: RowOutcome = { status: 'success', isNew: true };
const UPDATED_OUTCOME: RowOutcome = { status: 'success', isNew: false };

const rowOutcome = (one: ColumnRow, added: ReadonlySet<ColumnRow>): RowOutcome => {
  const { faults } = one.row;
  if (faults.length > 0) return { status: 'failure', faults };
  return added.has(one) ? CREATED_OUTCOME : UPDATED_OUTCOME;
};

/** Applies all valid rows to the columns and records the outcomes in the order of the rows. */
const applyColumnFile = async (
  pass: TableImportPass,
  request: CsvImportRequest,
  before: readonly JsonObject[],
  outcomes: RowOutcomes,
) => {
  const tree = createColumnTree(before);
  for (const key of tree.byKey.keys()) pass.known.add(key);
  for await (const rows of readCsvRows(request.source, { isSafe: request.isSafe, atOnce: ROW_BATCH })) {
    request.checkRunning();
    const opened = await Promise.all(rows.map((cells) => openColumnRow(pass, request, cells)));
    const added = await applyColumnRows(pass.cells, tree, opened);
    for (const one of opened) outcomes.push(rowOutcome(one, added));
  }
  return readColumnTree(tree);
};

const isRefusal = (failure: unknown): failure is CatalogError =>
  failure instanceof CatalogError && (failure.code === 'bad_request' || failure.code === 'conflict');

/** A fault of the table as a whole fails every row that would have changed it. */
const failAllOutcomes = (outcomes: RowOutcomes, { message }: CatalogError): void => {
  outcomes.forEach(({ status }, at) => {
    if (status === 'success') outcomes[at] = { status: 'failure', faults: [`#UNKNOWN: ${message}`] };
  });
};

const applyTableRows = async (request: CsvImportRequest): Promise<RowOutcomes> => {
  const { engine, principal, record, dryRun } = request;
  const outcomes: RowOutcomes = [];
  try {
    await reviseRecord(
      engine,
      { principal, kind: record.kind },
      {
        address: { id: record.id },
        revise: async (document) => {
          outcomes.length = 0;
          const pass = {
            cells: createCellContext({ engine, principal }),
            table: record,
            seen: new Set<string>(),
            known: new Set<string>(),
          };
          const columns = await applyColumnFile(pass, request, columnsOfDocument(document), outcomes);
          return { ...document, columns };
        },
        touched: [],
        isJsonPatch: false,
        operations: ['EditAll'],
        precondition: () => undefined,
        viewFor: (fields) => storageView(engine, fields),
        dryRun: dryRun ? 'whole' : undefined,
      },
    );
  } catch (failure) {
    if (!isRefusal(failure)) throw failure;
    failAllOutcomes(outcomes, failure);
  }
  return outcomes;
};

/** Imports rows as columns of a table: all valid rows become one change. */
export const importTable: CsvImporter = async function* (request) {
  const outcomes = await applyTableRows(request);
  let at = 0;
  for await (const rows of readCsvRows(request.source, { isSafe: request.isSafe, atOnce: ROW_BATCH })) {
    const reports = rows.flatMap((cells, offset) => {
      const outcome = outcomes[at + offset];
      return outcome ? [{ cells, outcome }] : [];
    });
    at += rows.length;
    yield reports;
  }
};
