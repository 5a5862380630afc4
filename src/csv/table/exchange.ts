import { plainView } from '../../catalog/read/kept.ts';
import { render } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { redactAll } from '../../catalog/read/visibility.ts';
import { reviseRecord } from '../../catalog/write/write.ts';
import { CatalogError, recordNotFound } from '../../errors.ts';
import type { Row } from '../../http/csv.ts';
import { MAX_COLUMNS } from '../../model/column-values.ts';
import type { JsonObject } from '../../model/json.ts';
import { checkName, joinRaw } from '../../model/name.ts';
import { columnCells } from '../cells/column.ts';
import { type CellDesk, cellDesk } from '../cells/desk.ts';
import { CellFault } from '../cells/fault.ts';
import {
  type ColumnRow,
  changeColumns,
  columnsWithPaths,
  harvestColumns,
  pathKey,
  plantColumns,
  readPath,
} from '../columns.ts';
import type { Exporter, Importer, Importing } from '../exchange.ts';
import { rowOf } from '../layout.ts';
import type { RowOutcome } from '../report.ts';
import { openRow } from '../row.ts';
import { readRows } from '../text/rows.ts';

/** A table as a file (csv.md 3.1): each row is one of its columns, and all rows together are one change of the table. */

const NAME = 'column.name';

/** So many rows are in hand at once. */
const AT_ONCE = 500;

const TAGS: ReadonlySet<string> = new Set(['tags']);

const columnsOf = (document: JsonObject): readonly JsonObject[] => (document['columns'] ?? []) as readonly JsonObject[];

/** The columns of a table as rows. */
export const exportTable: Exporter = async function* ({ engine, principal, record: { kind, id }, layout }) {
  const table = await engine.store.record(kind, { id }, TAGS);
  if (!table || table.deleted) throw recordNotFound(kind.entityType, id);
  let rows: Row[] = [];
  const [document = {}] = await redactAll(engine, principal, [render(table, plainView(engine, TAGS))]);
  for (const { path, column } of columnsWithPaths(columnsOf(document))) {
    rows.push(rowOf(layout, { ...columnCells(column), [NAME]: path }));
    if (rows.length === AT_ONCE) {
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
};

/** What became of the rows of a file, by their places in it. */
type Outcomes = RowOutcome[];

type Pass = {
  readonly desk: CellDesk;
  readonly table: Pick<Snapshot, 'fullyQualifiedName'>;
  /** The columns that rows before were about. */
  readonly seen: Set<string>;
  /** All columns that there are by now. */
  readonly known: Set<string>;
};

const refuseTooMany = ({ known }: Pass, key: string): void => {
  if (known.size >= MAX_COLUMNS && !known.has(key)) throw new CellFault(`a table has at most ${MAX_COLUMNS} columns`);
};

const openColumn = async (pass: Pass, { layout }: Importing, cells: Row): Promise<ColumnRow> => {
  const { table, seen, known } = pass;
  const row = openRow(layout, cells);
  const path = await row.read(NAME, (cell) => {
    if (cell === '') return [];
    const names = readPath(cell).map(checkName);
    joinRaw(table.fullyQualifiedName, cell);
    const key = pathKey(names);
    if (seen.has(key)) throw new CellFault(`there is another row for the column ${cell}`);
    refuseTooMany(pass, key);
    seen.add(key);
    known.add(key);
    return names;
  });
  return { path: path ?? [], row, nameField: NAME };
};

/** A file may have very many rows, of most of which the same is told. */
const CREATED: RowOutcome = { status: 'success', isNew: true };
const UPDATED: RowOutcome = { status: 'success', isNew: false };

const outcomeOf = (one: ColumnRow, added: ReadonlySet<ColumnRow>): RowOutcome => {
  const { faults } = one.row;
  if (faults.length > 0) return { status: 'failure', faults };
  return added.has(one) ? CREATED : UPDATED;
};

/** The columns after all rows that can be applied; what becomes of each row is noted in the order of the rows. */
const columnsAfter = async (pass: Pass, wish: Importing, before: readonly JsonObject[], outcomes: Outcomes) => {
  const forest = plantColumns(before);
  for (const key of forest.byKey.keys()) pass.known.add(key);
  for await (const rows of readRows(wish.source, { isSafe: wish.isSafe, atOnce: AT_ONCE })) {
    wish.check();
    const opened = await Promise.all(rows.map((cells) => openColumn(pass, wish, cells)));
    const added = await changeColumns(pass.desk, forest, opened);
    for (const one of opened) outcomes.push(outcomeOf(one, added));
  }
  return harvestColumns(forest);
};

const isRefusal = (failure: unknown): failure is CatalogError =>
  failure instanceof CatalogError && (failure.code === 'bad_request' || failure.code === 'conflict');

/** What the table as a whole does not allow is the fault of every row that would have changed it. */
const refuseAll = (outcomes: Outcomes, { message }: CatalogError): void => {
  outcomes.forEach(({ status }, at) => {
    if (status === 'success') outcomes[at] = { status: 'failure', faults: [`#UNKNOWN: ${message}`] };
  });
};

const applyRows = async (wish: Importing): Promise<Outcomes> => {
  const { engine, principal, record, dryRun } = wish;
  const outcomes: Outcomes = [];
  try {
    await reviseRecord(
      engine,
      { principal, kind: record.kind },
      {
        address: { id: record.id },
        revise: async (document) => {
          outcomes.length = 0;
          const pass = {
            desk: cellDesk({ engine, principal }),
            table: record,
            seen: new Set<string>(),
            known: new Set<string>(),
          };
          const columns = await columnsAfter(pass, wish, columnsOf(document), outcomes);
          return { ...document, columns };
        },
        touched: [],
        isJsonPatch: false,
        operations: ['EditAll'],
        precondition: () => undefined,
        viewFor: (fields) => plainView(engine, fields),
        rehearses: dryRun,
      },
    );
  } catch (failure) {
    if (!isRefusal(failure)) throw failure;
    refuseAll(outcomes, failure);
  }
  return outcomes;
};

/** Rows as columns of a table: those that can be applied become one change of it. */
export const importTable: Importer = async function* (wish) {
  const outcomes = await applyRows(wish);
  let at = 0;
  for await (const rows of readRows(wish.source, { isSafe: wish.isSafe, atOnce: AT_ONCE })) {
    const told = rows.flatMap((cells, offset) => {
      const outcome = outcomes[at + offset];
      return outcome ? [{ cells, outcome }] : [];
    });
    at += rows.length;
    yield told;
  }
};
