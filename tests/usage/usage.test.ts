import * as assert from 'uvu/assert';
import { daysBefore, summariseUsage } from '../../src/model/schemas/usage/usage-summary.ts';
import { createCountDistribution } from '../../src/usage/distribution.ts';
import { expectRefused, expectUnchanged, ok, readStored } from '../support/expect.ts';
import { openSecondProcess } from '../support/second-process.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that usage is summed, ranked and rolled up. */

const test = suite('usage: sums, ranks and roll-up');

let service: Service;
let root: string;

type Made = { readonly id: string; readonly fullyQualifiedName: string };

test.before(async () => {
  service = await openService();
  root = uniqueName('used');
  ok(await service.admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Postgres' }), 201);
});

const newSchema = async (): Promise<{ readonly database: Made; readonly schema: Made }> => {
  const database = ok(await service.admin.post('/v1/databases', { name: uniqueName('db'), service: root }), 201);
  const schema = ok(
    await service.admin.post('/v1/databaseSchemas', { name: 'public', database: database.fullyQualifiedName }),
    201,
  );
  return { database, schema };
};

const newTable = async (schema: Made): Promise<Made> =>
  ok(
    await service.admin.post('/v1/tables', {
      name: uniqueName('t'),
      databaseSchema: schema.fullyQualifiedName,
      columns: [],
    }),
    201,
  );

const newTables = async (howMany: number): Promise<Made[]> => {
  const { schema } = await newSchema();
  return Promise.all(Array.from({ length: howMany }, () => newTable(schema)));
};

const post = (table: Made, date: string, count: number) =>
  service.admin.post(`/v1/usage/table/${table.id}`, { date, count });

const summaryOf = async (collection: string, { id }: Made) =>
  ok(await service.admin.get(`/v1/${collection}/${id}?fields=usageSummary`)).usageSummary;

const counts = (usage: { [name: string]: { count: number } }) => [
  usage['dailyStats']?.count,
  usage['weeklyStats']?.count,
  usage['monthlyStats']?.count,
];

test('a week has seven days and a month thirty, including the last one, whatever the order of reports', async () => {
  const [table] = (await newTables(1)) as [Made];
  for (const [back, count] of [
    [29, 1000],
    [0, 1],
    [30, 10_000],
    [6, 10],
    [7, 100],
  ] as const) {
    ok(await post(table, daysBefore('2024-03-31', back), count));
  }
  const summary = await summaryOf('tables', table);
  assert.is(summary.date, '2024-03-31');
  assert.equal(counts(summary), [1, 11, 1111]);
  const month = ok(await service.admin.get(`/v1/usage/table/${table.id}?date=2024-03-31&days=30`));
  assert.equal(
    month.usage.map((day: { date: string }) => day.date),
    ['2024-03-31', '2024-03-25', '2024-03-24', '2024-03-02'],
  );
  assert.equal(month.usage.map(counts), [
    [1, 11, 1111],
    [10, 110, 11_110],
    [100, 100, 11_100],
    [1000, 11_000, 11_000],
  ]);
});

test('days is one by default, and values out of range are clamped', async () => {
  const [table] = (await newTables(1)) as [Made];
  for (let back = 0; back <= 30; back += 1) ok(await post(table, daysBefore('2024-03-31', back), 1));
  const days = async (query: string) =>
    ok(await service.admin.get(`/v1/usage/table/${table.id}?date=2024-03-31${query}`)).usage.length;
  assert.equal(
    [await days(''), await days('&days=7'), await days('&days=0'), await days('&days=-5'), await days('&days=31')],
    [1, 7, 1, 1, 30],
  );
  const today = new Date().toISOString().slice(0, 10);
  ok(await post(table, today, 9));
  assert.is(ok(await service.admin.get(`/v1/usage/table/${table.id}`)).usage[0].dailyStats.count, 9);
});

test('usage of a table is added to its schema and database', async () => {
  const { database, schema } = await newSchema();
  const [one, two] = [await newTable(schema), await newTable(schema)];
  const before = await readStored(service, schema.id);
  ok(await post(one, '2024-05-02', 3));
  ok(await post(two, '2024-05-02', 4));
  ok(await post(two, '2024-05-01', 10));
  for (const [collection, record] of [
    ['databaseSchemas', schema],
    ['databases', database],
  ] as const) {
    const summary = await summaryOf(collection, record);
    assert.is(summary.date, '2024-05-02');
    assert.equal(counts(summary), [7, 17, 17]);
  }
  const after = await readStored(service, schema.id);
  assert.equal([after?.versions, after?.events], [before?.versions, before?.events]);
  assert.ok(Number(after?.properties['revision']) > Number(before?.properties['revision']));
});

test('setting a day again changes the ancestors by the difference only', async () => {
  const { database, schema } = await newSchema();
  const table = await newTable(schema);
  const set = (count: number) => service.admin.put(`/v1/usage/table/${table.id}`, { date: '2024-05-02', count });
  for (const count of [5, 5, 5, 2]) ok(await set(count));
  assert.equal(counts(await summaryOf('databaseSchemas', schema)), [2, 2, 2]);
  assert.equal(counts(await summaryOf('databases', database)), [2, 2, 2]);
});

test('a hundred concurrent reports are all counted, on the table and its ancestors', async () => {
  const { database, schema } = await newSchema();
  const [one, two] = [await newTable(schema), await newTable(schema)];
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, index) => post(index % 2 === 0 ? one : two, '2024-05-02', index + 1)),
  );
  for (const reply of replies) ok(reply);
  assert.equal(counts(await summaryOf('tables', one)), [2500, 2500, 2500]);
  assert.equal(counts(await summaryOf('tables', two)), [2550, 2550, 2550]);
  assert.equal(counts(await summaryOf('databaseSchemas', schema)), [5050, 5050, 5050]);
  assert.equal(counts(await summaryOf('databases', database)), [5050, 5050, 5050]);
});

test('concurrent reports of two processes are all counted, whatever records they share', async () => {
  const { database, schema } = await newSchema();
  const [one, two] = [await newTable(schema), await newTable(schema)];
  const twin = await openSecondProcess(service);
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const client = index % 2 === 0 ? service.admin : twin;
      const [table, date] = [index % 3 === 0 ? one : two, index % 5 === 0 ? '2024-05-01' : '2024-05-02'];
      return client.post(`/v1/usage/table/${table.id}`, { date, count: 1 });
    }),
  );
  for (const reply of replies) ok(reply);
  assert.equal(counts(await summaryOf('tables', one)), [16, 20, 20]);
  assert.equal(counts(await summaryOf('tables', two)), [32, 40, 40]);
  assert.equal(counts(await summaryOf('databaseSchemas', schema)), [48, 60, 60]);
  assert.equal(counts(await summaryOf('databases', database)), [48, 60, 60]);
});

test('usage reports and changes of one asset are both stored', async () => {
  const [table] = (await newTables(1)) as [Made];
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) => [
      post(table, '2024-05-02', 1),
      service.admin.put(`/v1/tables/${table.id}/followers`, ''),
      service.admin.patch(`/v1/tables/${table.id}`, { displayName: `name ${index}` }),
    ]).flat(),
  );
  for (const [index, reply] of replies.entries()) if (index % 3 !== 1) ok(reply);
  const read = ok(await service.admin.get(`/v1/tables/${table.id}?fields=usageSummary`));
  assert.is(read.version, 2.1);
  assert.is(read.usageSummary.dailyStats.count, 20);
});

/** A day that no other test counts anything on, because ranks are among all records of a kind. */
const RANKED = '1999-03-04';

test('percentiles are the share of records with less usage per day, week and month', async () => {
  const tables = await newTables(4);
  const daily = [1, 5, 5, 9];
  for (const [index, table] of tables.entries()) ok(await post(table, RANKED, daily[index] ?? 0));
  // The first was used most over the week, the second most over the month.
  ok(await post(tables[0] as Made, daysBefore(RANKED, 3), 50));
  ok(await post(tables[1] as Made, daysBefore(RANKED, 20), 100));
  const reply = await service.admin.post(`/v1/usage/compute.percentile/table/${RANKED}`, undefined);
  assert.equal([reply.status, reply.text], [202, '']);
  const ranks = await Promise.all(
    tables.map(async (table) => {
      const { dailyStats, weeklyStats, monthlyStats, date } = await summaryOf('tables', table);
      assert.is(date, RANKED);
      return [dailyStats.percentileRank, weeklyStats.percentileRank, monthlyStats.percentileRank];
    }),
  );
  assert.equal(ranks, [
    [0, 75, 50],
    [25, 0, 75],
    [25, 0, 0],
    [75, 50, 25],
  ]);
  const [first] = tables as [Made];
  ok(
    await expectUnchanged(service, first.id, () =>
      service.admin.post(`/v1/usage/compute.percentile/table/${RANKED}`, undefined),
    ),
    202,
  );
});

test('percentiles are correct for more records than one read returns', async () => {
  const date = '1999-08-01';
  await service.graph.query(
    `UNWIND range(1, 2500) AS i
     WITH i, randomUUID() AS id
     CREATE (:Entity {id: id, entityType: 'topicLike', revision: 1})-[:HAS_USAGE]->
       (:UsageDay {key: id + ' ' + $date, ownerId: id, entityType: 'mlmodelLike', date: $date, count: i})`,
    { date },
  );
  const table = service.registry.byType.get('table');
  assert.ok(table);
  if (!table) return;
  const { rankUsage } = await import('../../src/usage/rank-usage.ts');
  await rankUsage(service.app.engine, { ...table, entityType: 'mlmodelLike' }, date);
  const rows = await service.graph.query(
    `MATCH (day:UsageDay) WHERE day.entityType = 'mlmodelLike' AND day.date = $date
     RETURN count(day) AS days, min(day.dailyRank) AS least, max(day.monthlyRank) AS most,
       count(CASE WHEN day.dailyRank = round(100.0 * (day.count - 1) / 2500, 2) THEN 1 END) AS right`,
    { date },
  );
  await service.graph.query(
    "MATCH (n:Entity {entityType: 'topicLike'})-[:HAS_USAGE]->(day) OPTIONAL MATCH (mark:Dirty {entityId: n.id}) DETACH DELETE n, day, mark",
  );
  assert.equal(rows, [{ days: 2500, least: 0, most: 99.96, right: 2500 }]);
});

test('a record keeps its newest days, and reports for earlier days are refused', async () => {
  const [table] = (await newTables(1)) as [Made];
  await service.graph.query(
    `MATCH (n:Entity {id: $id})
     UNWIND range(1, 366) AS back
     WITH n, toString(date('2024-12-31') - duration({days: back})) AS date
     CREATE (n)-[:HAS_USAGE]->(:UsageDay {key: n.id + ' ' + date, ownerId: n.id, entityType: 'table', date: date, count: 1})`,
    { id: table.id },
  );
  const days = async () => {
    const rows = await service.graph.query(
      'MATCH (:Entity {id: $id})-[:HAS_USAGE]->(day) RETURN count(day) AS days, min(day.date) AS first',
      { id: table.id },
    );
    return rows[0];
  };
  assert.equal(await days(), { days: 366, first: '2023-12-31' });
  expectRefused(await expectUnchanged(service, table.id, () => post(table, '2023-12-30', 1)), 400, /366 days/);
  ok(await post(table, '2023-12-31', 1));
  ok(await post(table, '2024-12-31', 1));
  assert.equal(await days(), { days: 366, first: '2024-01-01' });
  assert.equal(counts(await summaryOf('tables', table)), [1, 7, 30]);
});

test('a distribution counts the lower values, and equal values have equal ranks', () => {
  const distribution = createCountDistribution();
  for (const count of [3, 1, 2, 2, 9, 2]) distribution.add(count);
  assert.equal(
    [1, 2, 3, 9, 0, 5, 99].map((count) => distribution.percentileOf(count)),
    [0, 16.67, 66.67, 83.33, 0, 83.33, 100],
  );
  assert.is(createCountDistribution().percentileOf(1), 0);
});

test('sums do not include days after the requested date', () => {
  const day = (date: string, count: number) => ({ date, count, dailyRank: 1, weeklyRank: 2, monthlyRank: null });
  const days = [day('2024-01-01', 1), day('2024-01-02', 10), day('2023-12-26', 100), day('2023-12-03', 1000)];
  assert.equal(summariseUsage('2024-01-01', days), {
    dailyStats: { count: 1, percentileRank: 1 },
    weeklyStats: { count: 101, percentileRank: 2 },
    monthlyStats: { count: 1101, percentileRank: 0 },
    date: '2024-01-01',
  });
});

test.run();
