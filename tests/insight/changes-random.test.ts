import * as assert from 'uvu/assert';
import { column, feed, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { ok } from '../support/expect.ts';
import { moment } from '../support/patience.ts';
import { createRandom } from '../support/random.ts';
import { manyOr } from '../support/representatives.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Compares the list of changes with a diary of random changes, in random scopes and times, for callers who see less. */

const test = suite('insight: random changes');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const createDraw = (seed: number) => {
  const below = createRandom(seed);
  return { below, of: <T>(items: readonly T[]): T => items[below(items.length)] as T };
};

type Random = ReturnType<typeof createDraw>;

type Table = Made & {
  readonly schema: string;
  readonly isHidden: boolean;
  columns: { name: string; type: string }[];
  isOwned: boolean;
};

/** What the diary says of a change: where it is listed, what it is, and whose sight it needs. */
type Entry = {
  readonly at: number;
  readonly text: string;
  readonly tables: readonly Table[];
  /** The edge, which is listed at its target or at its source. */
  readonly isEdge?: boolean;
};

type Diary = Entry[];

/** Types from narrow to wide: each holds what those before it hold. */
const TYPES = ['SMALLINT', 'INT', 'BIGINT', 'DECIMAL', 'STRING'];

const textOf = (change: string, name: string, isBreaking: boolean): string =>
  `${change} ${name}${isBreaking ? '!' : ''}`;

type Step = (random: Random, table: Table, tables: readonly Table[], diary: Diary) => Promise<void>;

const patch = (table: Table, body: unknown): Promise<unknown> =>
  world.admin.patch(`/v1/tables/${table.id}`, body).then((reply) => ok(reply));

const edges = new Set<string>();

const STEPS: Readonly<Record<string, Step>> = {
  add: async (_random, table, _tables, diary) => {
    const name = uniqueName('n');
    await patch(table, [{ op: 'add', path: '/columns/-', value: column(name, { dataType: 'INT' }) }]);
    table.columns.push({ name, type: 'INT' });
    diary.push({ at: 0, text: textOf('columnAdded', `${table.id} ${name}`, false), tables: [table] });
  },
  remove: async (random, table, _tables, diary) => {
    if (table.columns.length < 2) return;
    const at = random.below(table.columns.length);
    const [gone] = table.columns.splice(at, 1);
    await patch(table, [{ op: 'remove', path: `/columns/${at}` }]);
    diary.push({ at: 0, text: textOf('columnRemoved', `${table.id} ${gone?.name}`, true), tables: [table] });
  },
  retype: async (random, table, _tables, diary) => {
    const at = random.below(table.columns.length);
    const one = table.columns[at];
    const type = random.of(TYPES);
    if (!one || one.type === type) return;
    await patch(table, [{ op: 'replace', path: `/columns/${at}/dataType`, value: type }]);
    const isNarrower = TYPES.indexOf(type) < TYPES.indexOf(one.type);
    diary.push({ at: 0, text: textOf('columnRetyped', `${table.id} ${one.name}`, isNarrower), tables: [table] });
    one.type = type;
  },
  describe: async (_random, table, _tables, diary) => {
    await patch(table, { description: uniqueName('text') });
    diary.push({ at: 0, text: textOf('described', table.id, false), tables: [table] });
  },
  own: async (_random, table, _tables, diary) => {
    const owner = ok(await world.admin.get('/v1/users/loggedInUser'));
    await patch(table, { owners: table.isOwned ? [] : [{ id: owner.id, type: 'user' }] });
    diary.push({
      at: 0,
      text: textOf(table.isOwned ? 'ownerRemoved' : 'ownerAdded', table.id, false),
      tables: [table],
    });
    table.isOwned = !table.isOwned;
  },
  feed: async (random, table, tables, diary) => {
    const target = random.of(tables.filter((one) => one !== table));
    const key = `${table.id} ${target.id}`;
    const isThere = edges.has(key);
    if (isThere) ok(await world.admin.delete(`/v1/lineage/table/${table.id}/table/${target.id}`));
    else ok(await feed(world.admin, table, target));
    if (isThere) edges.delete(key);
    else edges.add(key);
    const text = textOf(isThere ? 'edgeRemoved' : 'edgeAdded', key, isThere);
    diary.push({ at: 0, text, tables: [table, target], isEdge: true });
  },
  change: async (random, table, tables, diary) => {
    const target = random.of(tables.filter((one) => one !== table));
    const key = `${table.id} ${target.id}`;
    if (!edges.has(key)) return;
    ok(await feed(world.admin, table, target, { sqlQuery: uniqueName('select') }));
    diary.push({ at: 0, text: textOf('edgeChanged', key, false), tables: [table, target], isEdge: true });
  },
  follow: async (_random, table) => {
    const { id } = ok(await world.admin.get('/v1/users/loggedInUser'));
    ok(await world.admin.put(`/v1/tables/${table.id}/followers`, id));
  },
  delete: async (_random, table, _tables, diary) => {
    ok(await world.admin.delete(`/v1/tables/${table.id}`));
    ok(await world.admin.put('/v1/tables/restore', { id: table.id }));
    diary.push({ at: 0, text: textOf('deleted', table.id, true), tables: [table] });
    diary.push({ at: 0, text: textOf('restored', table.id, false), tables: [table] });
  },
};

const makeTables = async (random: Random): Promise<readonly Table[]> => {
  const tables: Table[] = [];
  for (const schema of ['one', 'two']) {
    const above = await world.make('databaseSchemas', { name: uniqueName(schema), database: `${world.serviceFqn}.db` });
    for (let at = 0; at < 4; at += 1) {
      const isHidden = random.below(4) === 0;
      const made = await world.make('tables', {
        name: uniqueName('t'),
        databaseSchema: above.fullyQualifiedName,
        columns: [column('a', { dataType: 'INT' }), column('b', { dataType: 'BIGINT' })],
        ...(isHidden ? { tags: [SENSITIVE] } : {}),
      });
      const columns = [
        { name: 'a', type: 'INT' },
        { name: 'b', type: 'BIGINT' },
      ];
      tables.push({ ...made, schema: above.fullyQualifiedName, isHidden, columns, isOwned: false });
    }
  }
  return tables;
};

/** Makes random changes, each at a time of its own, and writes them down. */
const live = async (random: Random, tables: readonly Table[], steps: number): Promise<Diary> => {
  const diary: Diary = [];
  for (let step = 0; step < steps; step += 1) {
    const at = await moment();
    const entries: Diary = [];
    await random.of(Object.values(STEPS))(random, random.of(tables), tables, entries);
    diary.push(...entries.map((entry) => ({ ...entry, at })));
  }
  await moment();
  return diary;
};

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
const told = ({ change, entity, column: one, before, after, breaking }: any): string => {
  const edge = (after ?? before)?.toEntity === undefined ? undefined : (after ?? before);
  if (edge && change.startsWith('edge')) return textOf(change, `${edge.fromEntity.id} ${edge.toEntity.id}`, breaking);
  return textOf(change, one ? `${entity.id} ${one.name}` : entity.id, breaking);
};

const listAll = async (client: Client, query: string): Promise<string[]> => {
  const rows: string[] = [];
  for (let after = ''; ; ) {
    const { data, paging } = ok(await client.get(`/v1/changes?${query}&limit=7${after && `&after=${after}`}`));
    rows.push(...data.filter(({ change }: { change: string }) => change !== 'created').map(told));
    assert.type(paging.total, 'number');
    after = paging.after ?? '';
    if (!after) return rows.sort();
  }
};

for (const seed of [1, 2, 3].slice(0, manyOr(2, 3)))
  test(`random changes are all told, and nothing else (seed ${seed})`, async () => {
    const random = createDraw(seed);
    edges.clear();
    const tables = await makeTables(random);
    const start = Date.now();
    const diary = await live(random, tables, 45);
    const end = Date.now();
    await waitForSequencing(world.service);
    const callers = [
      { client: world.admin, sees: () => true },
      { client: await rights.person([HIDING]), sees: ({ isHidden }: Table) => !isHidden },
    ];
    const times = [start, ...Array.from({ length: 3 }, () => random.of(diary).at), end].sort((a, b) => a - b);
    const [first = start, , second = start] = times;
    const schema = tables[0]?.schema ?? '';
    const table = random.of(tables.filter(({ isHidden }) => !isHidden));
    const places = [
      { query: `scope=${encodeURIComponent(`${world.serviceFqn}.db`)}`, holds: () => true },
      { query: `scope=${encodeURIComponent(schema)}`, holds: (one: Table) => one.schema === schema },
      { query: `id=${table.id}`, holds: (one: Table) => one === table },
    ];
    for (const { client, sees } of callers)
      for (const { query, holds } of places)
        for (const [from, to] of [
          [start, end],
          [first, second],
          [second, end],
        ] as const) {
          const wanted = diary
            .filter(({ at, tables: some }) => at >= from && at < to && some.some(holds) && some.every(sees))
            .map(({ text }) => text)
            .sort();
          assert.equal(await listAll(client, `${query}&from=${from}&to=${to - 1}`), wanted, `${query} ${from} ${to}`);
        }
  });

test.run();
