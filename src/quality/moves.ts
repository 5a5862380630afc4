import { lifeSteps, turned } from '../catalog/below/life.ts';
import type { ColumnKeeper, Engine, Writer } from '../catalog/engine.ts';
import type { ColumnMoves } from '../catalog/plan/columns.ts';
import { ORDER, stale, step } from '../catalog/plan/step.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import type { Step, Write } from '../graph/commit.ts';
import { sortKeyOf } from '../model/cursor.ts';
import { formatEntityLink } from '../model/entity-link.ts';
import type { JsonObject } from '../model/json.ts';
import { joinFqn } from '../model/name.ts';
import { confirmUntested, listTesting, moveTests, type TestingRow } from './queries.ts';

const NOTHING: Write = { keys: [], steps: [] };

/** What is noted at tests that were hidden because their column went: by it they are found when it comes back. */
const noteOf = (key: string): string => `column ${key}`;

type Table = Pick<Snapshot, 'id' | 'fullyQualifiedName'>;

/** The name of a hidden test gives way to that of a living one. */
const asideName = (name: string, id: string): string => `${name} (${id.slice(0, 8)})`;

/** What a test says of its last run bears its name too. */
const renamedResult = ({ resultJson }: TestingRow, testCaseFQN: string): Record<string, unknown> =>
  resultJson === null ? {} : { testCaseResultJson: JSON.stringify({ ...JSON.parse(resultJson), testCaseFQN }) };

const movedTo = ({ fullyQualifiedName }: Table, row: TestingRow, columnName: string): Record<string, unknown> => {
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

const moveSteps = (table: Table, rows: readonly TestingRow[], { renamed }: ColumnMoves) => {
  const names = new Map(renamed.map(({ key, to }) => [key, to]));
  const moved = rows.flatMap((row) => {
    const name = row.columnKey === null ? undefined : names.get(row.columnKey);
    return name === undefined ? [] : [{ id: row.id, changes: movedTo(table, row, name) }];
  });
  const taken = new Set(moved.map(({ changes }) => changes['fullyQualifiedName']));
  // A test of a column that went may bear the name that a living one is given now.
  const inTheWay = rows.filter((row) => row.columnKey === null && row.deleted && taken.has(row.fullyQualifiedName));
  const aside = inTheWay.map(({ id, name, entityFQN }) => {
    const other = asideName(name, id);
    return {
      id,
      changes: { name: other, fullyQualifiedName: joinFqn(entityFQN, other), sortKey: sortKeyOf(other, id) },
    };
  });
  return {
    ids: [...aside, ...moved].map(({ id }) => id),
    aside: new Set(aside.map(({ id }) => id)),
    steps: [step(moveTests, ORDER.rename, aside, stale), step(moveTests, ORDER.changeColumns, moved, stale)],
  };
};

/** What columns of the table are called that come, be it anew or under another name, by the note of their tests. */
const namesComing = ({ added, renamed }: ColumnMoves): ReadonlyMap<string, string> =>
  new Map([
    ...added.map(({ key, name }) => [noteOf(key), name] as const),
    ...renamed.map(({ toKey, to }) => [noteOf(toKey), to] as const),
  ]);

type Turning = { readonly engine: Engine; readonly writer: Writer; readonly table: Table };

const hide = ({ engine, writer }: Turning, record: Snapshot, key: string): Step[] =>
  lifeSteps(engine, writer, turned(writer, engine, record, true), noteOf(key), false);

/** The column may come back in another spelling. */
const bringBack = (
  { engine, writer, table }: Turning,
  row: TestingRow,
  record: Snapshot,
  columnName: string,
): Step[] => {
  const changes = movedTo(table, row, columnName);
  const { fullyQualifiedName, testCaseResultJson: _result, ...values } = changes as JsonObject;
  const spelled = {
    ...record,
    fullyQualifiedName: String(fullyQualifiedName),
    values: { ...record.values, ...values },
  };
  const { after } = turned(writer, engine, spelled, false);
  return [
    ...lifeSteps(engine, writer, { before: record, after }, row.deletedWith ?? '', false),
    step(moveTests, ORDER.changeColumns, [{ id: row.id, changes }], stale),
  ];
};

/**
 * Keeps tests true when columns of their table move, go or come: tests of a renamed column bear its name, those of a
 * column that goes are hidden with it, and come back when a column of the same name does.
 */
export const keepTests: ColumnKeeper = async (engine, { principal }, table, moves): Promise<Write> => {
  if (table.kind.entityType !== 'table') return NOTHING;
  const kind = kindNamed(engine.registry, 'testCase');
  const rows = await engine.graph.read(listTesting, { id: table.id });
  const removed = new Set(moves.removed.map(({ key }) => key));
  const names = namesComing(moves);
  const moving = moveSteps(table, rows, moves);
  const going = rows.filter(({ columnKey, deleted }) => columnKey !== null && removed.has(columnKey) && !deleted);
  const coming = rows.filter(({ id, deletedWith }) => names.has(deletedWith ?? '') && !moving.aside.has(id));
  const touched = [...going, ...coming].map(({ id }) => id);
  const records = new Map(
    (await engine.store.records(kind, touched, writeFields(kind))).map((record) => [record.id, record]),
  );
  const turning = { engine, writer: { principal, kind }, table };
  const turns = (some: readonly TestingRow[], turn: (row: TestingRow, record: Snapshot) => Step[]): Step[] =>
    some.flatMap((row) => {
      const record = records.get(row.id);
      return record ? turn(row, record) : [];
    });
  // Under the lock of the table and when all that were seen are hidden, before the columns go.
  const confirmation = step(confirmUntested, ORDER.rename, removed.size > 0 ? [{ keys: [...removed] }] : [], stale);
  return {
    keys: [...touched, ...moving.ids],
    steps: [
      confirmation,
      ...turns(going, (row, record) => hide(turning, record, row.columnKey ?? '')),
      ...turns(coming, (row, record) => bringBack(turning, row, record, names.get(row.deletedWith ?? '') ?? '')),
      ...moving.steps,
    ],
  };
};
