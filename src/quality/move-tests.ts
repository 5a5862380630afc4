import { buildLifecycleChange, lifecycleSteps } from '../catalog/cascade/lifecycle.ts';
import type { ColumnChangeHook, Engine, Writer } from '../catalog/engine.ts';
import type { ColumnChanges } from '../catalog/plan/columns.ts';
import { createStep, STEP_ORDER, staleStateError } from '../catalog/plan/step.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import type { WriteRequest, WriteStep } from '../graph/group-commit.ts';
import { sortKeyOf } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import { formatEntityLink } from '../model/language/entity-link.ts';
import { joinFqn } from '../model/name.ts';
import { confirmColumnsUntested, listTableTests, type TableTestRow, updateMovedTests } from './queries.ts';

const EMPTY_WRITE: WriteRequest = { keys: [], steps: [] };

/**
 * The note on tests that were soft-deleted because their column was removed. The note finds them when the column
 * returns.
 */
const hiddenNote = (key: string): string => `column ${key}`;

type TableIdentity = Pick<Snapshot, 'id' | 'fullyQualifiedName'>;

/** The new name of a soft-deleted test whose name a live test needs. */
const asideNameOf = (name: string, id: string): string => `${name} (${id.slice(0, 8)})`;

/** Renames the test in its latest result as well, because that contains the test's name. */
const renamedResult = ({ resultJson }: TableTestRow, testCaseFQN: string): Record<string, unknown> =>
  resultJson === null ? {} : { testCaseResultJson: JSON.stringify({ ...JSON.parse(resultJson), testCaseFQN }) };

const renameChanges = (
  { fullyQualifiedName }: TableIdentity,
  row: TableTestRow,
  columnName: string,
): Record<string, unknown> => {
  const entityFQN = `${fullyQualifiedName}.${columnName}`;
  const fqn = joinFqn(entityFQN, row.name);
  const place = { entityType: 'table', fqn: fullyQualifiedName, field: 'columns', item: columnName };
  return {
    columnName,
    entityFQN,
    entityLink: formatEntityLink(place),
    fullyQualifiedName: fqn,
    ...renamedResult(row, fqn),
  };
};

const planMoves = (table: TableIdentity, rows: readonly TableTestRow[], { renamed }: ColumnChanges) => {
  const names = new Map(renamed.map(({ key, to }) => [key, to]));
  const moved = rows.flatMap((row) => {
    const name = row.columnKey === null ? undefined : names.get(row.columnKey);
    return name === undefined ? [] : [{ id: row.id, changes: renameChanges(table, row, name) }];
  });
  const taken = new Set(moved.map(({ changes }) => changes['fullyQualifiedName']));
  // A soft-deleted test of a removed column may have the name that a live test gets now.
  const blocking = rows.filter((row) => row.columnKey === null && row.deleted && taken.has(row.fullyQualifiedName));
  const aside = blocking.map(({ id, name, entityFQN }) => {
    const other = asideNameOf(name, id);
    return {
      id,
      changes: { name: other, fullyQualifiedName: joinFqn(entityFQN, other), sortKey: sortKeyOf(other, id) },
    };
  });
  return {
    ids: [...aside, ...moved].map(({ id }) => id),
    aside: new Set(aside.map(({ id }) => id)),
    steps: [
      createStep(updateMovedTests, STEP_ORDER.rename, aside, staleStateError),
      createStep(updateMovedTests, STEP_ORDER.changeColumns, moved, staleStateError),
    ],
  };
};

/** The names of added or renamed columns, by the note on the tests of a column with that key. */
const returningNames = ({ added, renamed }: ColumnChanges): ReadonlyMap<string, string> =>
  new Map([
    ...added.map(({ key, name }) => [hiddenNote(key), name] as const),
    ...renamed.map(({ toKey, to }) => [hiddenNote(toKey), to] as const),
  ]);

type MoveContext = { readonly engine: Engine; readonly writer: Writer; readonly table: TableIdentity };

const hideSteps = ({ engine, writer }: MoveContext, record: Snapshot, key: string): WriteStep[] =>
  lifecycleSteps(engine, writer, buildLifecycleChange(writer, engine, record, true), hiddenNote(key), false);

/** Restores a test of a returning column, which may be spelled differently. */
const restoreSteps = (
  { engine, writer, table }: MoveContext,
  row: TableTestRow,
  record: Snapshot,
  columnName: string,
): WriteStep[] => {
  const changes = renameChanges(table, row, columnName);
  const { fullyQualifiedName, testCaseResultJson: _result, ...values } = changes as JsonObject;
  const spelled = {
    ...record,
    fullyQualifiedName: String(fullyQualifiedName),
    values: { ...record.values, ...values },
  };
  const { after } = buildLifecycleChange(writer, engine, spelled, false);
  return [
    ...lifecycleSteps(engine, writer, { before: record, after }, row.deletedWith ?? '', false),
    createStep(updateMovedTests, STEP_ORDER.changeColumns, [{ id: row.id, changes }], staleStateError),
  ];
};

/**
 * Updates tests when columns of their table change: tests of a renamed column are renamed, tests of a removed column
 * are soft-deleted, and tests of a returning column are restored.
 */
export const moveTestsWithColumns: ColumnChangeHook = async (
  engine,
  { principal },
  table,
  moves,
): Promise<WriteRequest> => {
  if (table.kind.entityType !== 'table') return EMPTY_WRITE;
  const kind = requireKind(engine.registry, 'testCase');
  const rows = await engine.graph.read(listTableTests, { id: table.id });
  const removed = new Set(moves.removed.map(({ key }) => key));
  const names = returningNames(moves);
  const moving = planMoves(table, rows, moves);
  const going = rows.filter(({ columnKey, deleted }) => columnKey !== null && removed.has(columnKey) && !deleted);
  const coming = rows.filter(({ id, deletedWith }) => names.has(deletedWith ?? '') && !moving.aside.has(id));
  const touched = [...going, ...coming].map(({ id }) => id);
  const records = new Map(
    (await engine.store.records(kind, touched, writeFields(kind))).map((record) => [record.id, record]),
  );
  const context = { engine, writer: { principal, kind }, table };
  const turns = (
    some: readonly TableTestRow[],
    turn: (row: TableTestRow, record: Snapshot) => WriteStep[],
  ): WriteStep[] =>
    some.flatMap((row) => {
      const record = records.get(row.id);
      return record ? turn(row, record) : [];
    });
  // Runs under the table's lock, after the known tests are soft-deleted and before the columns are removed, so that a
  // test added concurrently causes a conflict.
  const confirmation = createStep(
    confirmColumnsUntested,
    STEP_ORDER.rename,
    removed.size > 0 ? [{ keys: [...removed] }] : [],
    staleStateError,
  );
  return {
    keys: [...touched, ...moving.ids],
    steps: [
      confirmation,
      ...turns(going, (row, record) => hideSteps(context, record, row.columnKey ?? '')),
      ...turns(coming, (row, record) => restoreSteps(context, row, record, names.get(row.deletedWith ?? '') ?? '')),
      ...moving.steps,
    ],
  };
};
