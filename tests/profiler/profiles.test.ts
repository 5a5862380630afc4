import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { CHANGE_HEADER_NAME, expectList, expectRecord, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { strayId } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { COLUMNS, column, day, keep, newTable, ofColumn, ofTable, TABLES } from './fixture.ts';

/** Shows that profiles are stored, listed and shown with their table. */

const test = suite('profiler: profiles');

let service: Service;
test.before(async () => {
  service = await openService();
});

const FULL_TABLE = {
  timestamp: day(1),
  profileSample: 10,
  profileSampleType: 'ROWS',
  columnCount: 3,
  rowCount: 1200,
  sizeInByte: 90112,
  createDateTime: '2024-01-01T00:00:00Z',
  customMetrics: [{ name: 'late', value: 1.5 }],
};

const FULL_COLUMN = {
  name: 'Amount',
  timestamp: day(1),
  valuesCount: 1,
  valuesPercentage: 2,
  validCount: 3,
  duplicateCount: 4,
  nullCount: 5,
  nullProportion: 0.6,
  missingCount: 7,
  missingPercentage: 8,
  uniqueCount: 9,
  uniqueProportion: 0.1,
  distinctCount: 11,
  distinctProportion: 0.12,
  min: 1,
  max: 'z',
  minLength: 1,
  maxLength: 2,
  mean: 1.5,
  sum: 3,
  stddev: 0.5,
  variance: 0.25,
  median: 1,
  firstQuartile: 1,
  thirdQuartile: 2,
  interQuartileRange: 1,
  nonParametricSkew: 0.1,
  histogram: { boundaries: ['1 to 2', 3], frequencies: [1, 2] },
  cardinalityDistribution: { categories: ['a'], counts: [1], percentages: [100], allValuesUnique: false },
  customMetrics: [{ name: 'odd', value: 3 }],
};

const data = async (path: string): Promise<JsonObject[]> => expectList(await service.admin.get(path)).data;

test('profiles are stored, listed and shown with table and columns, without a new version', async () => {
  const { id, at, named } = await newTable(service);
  for (const sort of ['table', 'column', 'system']) {
    assert.equal(expectList(await service.admin.get(`${at}/${sort}Profile`)), { data: [], paging: { total: 0 } });
  }
  const kind = service.registry.byType.get('table');
  const none = ok(await service.admin.get(`${named}/tableProfile/latest`));
  assert.equal(
    [none.id, 'profile' in none, none.columns.some((one: JsonObject) => 'profile' in one)],
    [id, false, false],
  );
  const before = ok(await service.admin.get(`${at}?fields=profile`));
  const report = {
    tableProfile: FULL_TABLE,
    columnProfile: [FULL_COLUMN, ofColumn('address.street', day(1), { min: null }), ofColumn('ID', day(1))],
    systemProfile: [
      { timestamp: day(1), operation: 'INSERT', rowsAffected: 5 },
      { timestamp: day(1), operation: 'DELETE' },
    ],
  };
  const put = await service.admin.put(`${at}/tableProfile`, report);
  const shown = ok(put);
  assert.is(put.headers.get(CHANGE_HEADER_NAME), 'entityFieldsChanged');
  const isShown = (table: JsonObject) => {
    if (kind) expectRecord(kind, table);
    assert.equal(table['profile'], FULL_TABLE);
    const columns = table['columns'] as readonly JsonObject[];
    assert.equal(
      columns.map((one) => one['profile']),
      [{ name: 'id', timestamp: day(1), valuesCount: 1 }, FULL_COLUMN, undefined],
    );
    const [street] = (columns[2]?.['children'] ?? []) as readonly JsonObject[];
    assert.equal(street?.['profile'], { name: 'address.street', timestamp: day(1), valuesCount: 1 });
  };
  isShown(shown);
  const table = ok(await service.admin.get(`${at}?fields=profile`));
  isShown(table);
  isShown(ok(await service.admin.get(`${named}/tableProfile/latest`)));
  isShown(
    expectList(
      await service.admin.get(
        `${TABLES}?fields=profile&databaseSchema=${encodeURIComponent(table.databaseSchema.fullyQualifiedName)}&limit=1000`,
      ),
    ).data.find((one: JsonObject) => one['id'] === id),
  );
  const columns = expectList(await service.admin.get(`${at}/columns?fields=profile`)).data;
  assert.equal(columns[1].profile, FULL_COLUMN);
  assert.is('profile' in expectList(await service.admin.get(`${at}/columns`)).data[1], false);
  assert.equal([table.version, table.updatedAt], [before.version, before.updatedAt]);
  const short = ok(await service.admin.get(`${named}/tableProfile/latest?includeColumnProfile=False`));
  assert.equal([short.profile, short.columns.some((one: JsonObject) => 'profile' in one)], [FULL_TABLE, false]);
  assert.equal(await data(`${at}/tableProfile`), [FULL_TABLE]);
  assert.equal(
    (await data(`${named}/columnProfile`)).map((one) => one['name']),
    ['Amount', 'address.street', 'id'],
  );
  assert.equal(
    (await data(`${named}/systemProfile`)).map((one) => one['operation']),
    ['DELETE', 'INSERT'],
  );
  const [row] = await service.graph.query(
    `MATCH (n:Entity {id: $id}) RETURN COUNT { (n)<-[:ABOUT]-(:ChangeEvent) } AS events,
       COUNT { (n)-[:HAS_PROFILE]->(:TableProfile) } AS tables, COUNT { (n)-[:HAS_PROFILE]->(:SystemProfile) } AS systems,
       COUNT { (n)-[:HAS_COLUMN*1..2]->(:Column)-[:HAS_PROFILE]->(:ColumnProfile) } AS columns`,
    { id },
  );
  assert.equal(row, { events: 1, tables: 1, systems: 2, columns: 3 });
});

test('a profile with the same timestamp replaces the former one, and the latest is by timestamp', async () => {
  const { id, at } = await newTable(service);
  const columnProfile = (timestamp: number, valuesCount: number) => [
    ofColumn('id', timestamp, { valuesCount: 0 }),
    ofColumn('ID', timestamp, { valuesCount }),
  ];
  await keep(service.admin, id, day(2), { columnProfile: columnProfile(day(2), 2) });
  await keep(service.admin, id, day(1), { columnProfile: columnProfile(day(1), 1) });
  await keep(service.admin, id, day(2), { columnProfile: columnProfile(day(2), 3) });
  assert.equal(
    (await data(`${at}/tableProfile`)).map((one) => one['timestamp']),
    [day(2), day(1)],
  );
  assert.equal(
    (await data(`${at}/columnProfile`)).map((one) => [one['timestamp'], one['valuesCount']]),
    [
      [day(2), 3],
      [day(1), 1],
    ],
  );
  const operation = 'WRITE';
  const system = (rowsAffected: number) => ({ systemProfile: [{ timestamp: day(2), operation, rowsAffected }] });
  await keep(service.admin, id, day(2), system(1));
  await keep(service.admin, id, day(2), system(2));
  assert.equal(await data(`${at}/systemProfile`), [{ timestamp: day(2), operation, rowsAffected: 2 }]);
  const shown = ok(await service.admin.get(`${at}?fields=profile`));
  assert.equal([shown.profile.timestamp, shown.columns[0].profile.valuesCount], [day(2), 3]);
});

test('an invalid profile is refused with the whole request', async () => {
  const { id, at } = await newTable(service);
  const good = { tableProfile: ofTable(day(1)), columnProfile: [ofColumn('id', day(1))] };
  const bad: readonly unknown[] = [
    {},
    [],
    { columnProfile: [] },
    { ...good, colour: 1 },
    { ...good, tableProfile: { rowCount: 1 } },
    { ...good, tableProfile: ofTable(day(1), { colour: 1 }) },
    { ...good, tableProfile: ofTable(17_000_000_000) },
    { ...good, tableProfile: ofTable(-day(1)) },
    { ...good, tableProfile: ofTable(day(1) + 0.5) },
    { ...good, tableProfile: ofTable(day(1), { createDateTime: 'yesterday' }) },
    { ...good, columnProfile: [ofColumn('id', day(1)), ofColumn('street', day(1))] },
    { ...good, columnProfile: [ofColumn('id', 1_700_000_000)] },
    { ...good, columnProfile: [{ timestamp: day(1) }] },
    { ...good, columnProfile: [ofColumn('id', day(1), { min: [] })] },
    { ...good, columnProfile: [ofColumn('id', day(1), { histogram: 1 })] },
    { ...good, systemProfile: [{ timestamp: day(1), operation: 'MERGE' }] },
    { ...good, systemProfile: [{ timestamp: day(1) }] },
    { ...good, systemProfile: [{ timestamp: 1_700_000_000, operation: 'INSERT' }] },
  ];
  for (const body of bad)
    expectRefused(await expectUnchanged(service, id, () => service.admin.put(`${at}/tableProfile`, body)), 400);
  const unknown = { ...good, columnProfile: [ofColumn('nowhere', day(1))] };
  expectRefused(await service.admin.put(`${at}/tableProfile`, unknown), 400, 'Invalid column name nowhere');
  for (const sort of ['table', 'column', 'system']) assert.equal(await data(`${at}/${sort}Profile`), []);
  for (const path of [strayId(), 'nobody', 'a.b.c.d', 'a.b.c.d.e']) {
    const place = `${TABLES}/${path}`;
    expectRefused(await service.admin.put(`${place}/tableProfile`, good), 404);
    for (const sort of ['table', 'column', 'system'])
      expectRefused(await service.admin.get(`${place}/${sort}Profile`), 404);
    expectRefused(await service.admin.get(`${place}/tableProfile/latest`), 404);
    expectRefused(await service.admin.delete(`${place}/table/${day(1)}/profile`), 404);
  }
});

test('profiles of a column are listed by name, those of a table by time and column name', async () => {
  const { id, at, fqn } = await newTable(service, { columns: [...COLUMNS, column('a.b')] });
  for (const count of [1, 2]) {
    const names = ['id', 'a.b', 'Amount', 'address.street'];
    await keep(service.admin, id, day(count), { columnProfile: names.map((name) => ofColumn(name, day(count))) });
  }
  const rows = (await data(`${at}/columnProfile`)).map((one) => [one['timestamp'], one['name']]);
  const names = ['Amount', 'a.b', 'address.street', 'id'];
  assert.equal(
    rows,
    [day(2), day(1)].flatMap((moment) => names.map((name) => [moment, name])),
  );
  const ofOne = async (path: string) => data(`${TABLES}/${encodeURIComponent(`${fqn}.${path}`)}/columnProfile`);
  for (const [path, name] of [
    ['id', 'id'],
    ['AMOUNT', 'Amount'],
    ['address.street', 'address.street'],
    ['"a.b"', 'a.b'],
  ] as const) {
    assert.equal(
      (await ofOne(path)).map((one) => [one['timestamp'], one['name']]),
      [day(2), day(1)].map((moment) => [moment, name]),
    );
  }
  assert.equal(await ofOne('address'), []);
  const columnOf = (path: string) => `${TABLES}/${encodeURIComponent(`${fqn}.${path}`)}`;
  expectRefused(await service.admin.get(`${columnOf('nowhere')}/columnProfile`), 404);
  expectRefused(await service.admin.get(`${columnOf('id')}/tableProfile`), 404);
  expectRefused(await service.admin.get(`${columnOf('id')}/systemProfile`), 404);
  expectRefused(await service.admin.get(`${columnOf('id')}/tableProfile/latest`), 404);
});

test('time windows include both ends, and pages work in both directions', async () => {
  const { id, at, fqn } = await newTable(service);
  const days = [1, 2, 3, 4, 5];
  for (const count of days) {
    await keep(service.admin, id, day(count), {
      columnProfile: [ofColumn('id', day(count)), ofColumn('Amount', day(count))],
      systemProfile: ['INSERT', 'DELETE'].map((operation) => ({ timestamp: day(count), operation })),
    });
  }
  const ofOne = `${TABLES}/${encodeURIComponent(`${fqn}.id`)}/columnProfile`;
  const series = [
    [`${at}/tableProfile`, 1],
    [`${at}/columnProfile`, 2],
    [`${at}/systemProfile`, 2],
    [ofOne, 1],
  ] as const;
  for (const [path, each] of series) {
    const window = async (query: string) => {
      const list = expectList(await service.admin.get(`${path}?${query}`));
      return [list.paging.total, list.data.map((one: JsonObject) => one['timestamp'])];
    };
    const some = (...counts: number[]) => [
      counts.length * each,
      counts.flatMap((count) => new Array(each).fill(day(count))),
    ];
    assert.equal(await window(''), some(5, 4, 3, 2, 1));
    assert.equal(await window(`startTs=${day(2)}&endTs=${day(4)}`), some(4, 3, 2));
    assert.equal(await window(`startTs=${day(2) + 1}`), some(5, 4, 3));
    assert.equal(await window(`endTs=${day(2) - 1}`), some(1));
    assert.equal(await window(`endTs=${day(5)}`), some(5, 4, 3, 2, 1));
    assert.equal(await window(`endTs=${day(0)}`), some());
    assert.equal(await window('limit=0'), [5 * each, []]);
    for (const bad of [
      'startTs=x',
      'endTs=-1',
      'limit=-1',
      'limit=1000001',
      `startTs=${day(2)}&endTs=${day(1)}`,
      'after=!',
      'before=eyJ4IjoxfQ',
      'after=a&before=b',
    ]) {
      expectRefused(await service.admin.get(`${path}?${bad}`), 400);
    }
    const all = await data(path);
    for (const limit of [1, 2, 3]) {
      const pages: JsonObject[][] = [];
      const cursors: (string | undefined)[] = [];
      for (let after = ''; ; ) {
        const { data: rows, paging } = expectList(
          await service.admin.get(`${path}?limit=${limit}${after && `&after=${after}`}`),
        );
        pages.push(rows);
        cursors.push(paging.before);
        assert.is(paging.total, 5 * each);
        if (paging.after === undefined) break;
        after = paging.after;
      }
      assert.equal(pages.flat(), all);
      assert.equal(
        cursors.map((cursor) => cursor !== undefined),
        pages.map((_, index) => index > 0),
      );
      for (const [index, cursor] of cursors.entries()) {
        if (cursor === undefined) continue;
        const { data: rows, paging } = expectList(await service.admin.get(`${path}?limit=${limit}&before=${cursor}`));
        assert.equal(rows, pages[index - 1]);
        assert.equal([paging.before !== undefined, paging.after !== undefined], [index > 1, true]);
      }
    }
    // A cursor leads on within the window it was given with.
    const first = expectList(await service.admin.get(`${path}?limit=${each}&startTs=${day(3)}`));
    const next = expectList(await service.admin.get(`${path}?startTs=${day(3)}&after=${first.paging.after}`));
    assert.equal(
      next.data.map((one: JsonObject) => one['timestamp']),
      some(4, 3)[1],
    );
  }
  // What lies ahead of now is found by those who ask for it.
  const ahead = Date.now() + 1_000_000;
  await keep(service.admin, id, ahead, { columnProfile: [ofColumn('id', ahead)] });
  for (const [path] of series) {
    if (path.endsWith('systemProfile')) continue;
    const totals = [
      expectList(await service.admin.get(path)),
      expectList(await service.admin.get(`${path}?endTs=${ahead}`)),
    ];
    assert.is(totals[1].paging.total - totals[0].paging.total, 1);
    assert.equal(
      totals.map(({ data: rows, paging }) => rows.length === paging.total),
      [true, true],
    );
  }
});

test('the profile of one timestamp is deleted', async () => {
  const { id, at, named, fqn } = await newTable(service);
  const fill = (count: number) =>
    keep(service.admin, id, day(count), {
      columnProfile: [ofColumn('id', day(count)), ofColumn('Amount', day(count))],
      systemProfile: ['INSERT', 'DELETE'].map((operation) => ({ timestamp: day(count), operation })),
    });
  await fill(1);
  await fill(2);
  const left = async () =>
    Promise.all(['table', 'column', 'system'].map(async (sort) => (await data(`${at}/${sort}Profile`)).length));
  const gone = await service.admin.delete(`${named}/table/${day(2)}/profile`);
  assert.equal([gone.status, gone.text], [200, '']);
  assert.equal(await left(), [1, 4, 4]);
  assert.is(ok(await service.admin.get(`${at}?fields=profile`)).profile.timestamp, day(1));
  expectRefused(await service.admin.delete(`${named}/table/${day(2)}/profile`), 404);
  assert.is((await service.admin.delete(`${named}/system/${day(2)}/profile`)).status, 200);
  const ofId = `${TABLES}/${encodeURIComponent(`${fqn}.id`)}`;
  assert.is((await service.admin.delete(`${ofId}/column/${day(2)}/profile`)).status, 200);
  assert.equal(await left(), [1, 3, 2]);
  assert.is((await service.admin.delete(`${named}/column/${day(1)}/profile`)).status, 200);
  assert.equal(await left(), [1, 1, 2]);
  for (const path of [`column/${day(1)}`, 'table/1', 'table/x', 'system/99999999999999999999']) {
    expectRefused(await service.admin.delete(`${named}/${path}/profile`), 404);
  }
  expectRefused(await service.admin.delete(`${ofId}/table/${day(1)}/profile`), 404);
  expectRefused(await service.admin.delete(`${named}/topic/${day(1)}/profile`), 400);
});

test('a renamed column keeps its profiles, and a removed one loses them', async () => {
  const { id, at, body, fqn } = await newTable(service);
  const both = (count: number, name: string) => [ofColumn(name, day(count)), ofColumn('address.street', day(count))];
  await keep(service.admin, id, day(1), { columnProfile: both(1, 'Amount') });
  ok(await service.admin.patch(at, [{ op: 'replace', path: '/columns/1/name', value: 'total' }]));
  ok(await service.admin.patch(at, [{ op: 'replace', path: '/columns/2/name', value: 'home' }]));
  const names = async () =>
    (await data(`${at}/columnProfile`)).map((one) => `${one['name']} ${one['timestamp']}`).sort();
  assert.equal(await names(), [`home.street ${day(1)}`, `total ${day(1)}`]);
  expectRefused(
    await service.admin.put(`${at}/tableProfile`, { tableProfile: ofTable(day(2)), columnProfile: both(2, 'Amount') }),
    400,
  );
  const more = [ofColumn('total', day(2)), ofColumn('home.street', day(2))];
  await keep(service.admin, id, day(2), { columnProfile: more });
  assert.equal(await names(), [`home.street ${day(1)}`, `home.street ${day(2)}`, `total ${day(1)}`, `total ${day(2)}`]);
  const ofOne = await data(`${TABLES}/${encodeURIComponent(`${fqn}.total`)}/columnProfile`);
  assert.equal(
    ofOne.map((one) => one['timestamp']),
    [day(2), day(1)],
  );
  const shown = ok(await service.admin.get(`${at}?fields=profile`));
  assert.equal([shown.columns[1].profile.name, shown.columns[2].children[0].profile.name], ['total', 'home.street']);
  // Everything a column says of itself may change, and its place too.
  const moved = [
    column('home', { dataType: 'STRUCT', children: [column('street', { description: 'x' })] }),
    column('TOTAL'),
    column('id'),
  ];
  ok(await service.admin.put(TABLES, { ...body, columns: moved }));
  assert.equal((await names()).length, 4);
  ok(await service.admin.put(TABLES, { ...body, columns: [column('total'), column('id')] }));
  assert.equal(await names(), [`total ${day(1)}`, `total ${day(2)}`]);
  ok(
    await service.admin.put(TABLES, {
      ...body,
      columns: [column('total'), column('home', { dataType: 'STRUCT', children: [column('street')] })],
    }),
  );
  assert.equal(await names(), [`total ${day(1)}`, `total ${day(2)}`]);
  const [row] = await service.graph.query('MATCH (p:ColumnProfile {tableId: $id}) RETURN count(p) AS left', { id });
  assert.is(row?.['left'], 2);
});

test('profiles survive soft deletion of the table, and not hard deletion', async () => {
  const { id, at } = await newTable(service);
  await keep(service.admin, id, day(1), {
    columnProfile: [ofColumn('id', day(1)), ofColumn('address.street', day(1))],
    systemProfile: [{ timestamp: day(1), operation: 'INSERT' }],
  });
  ok(await service.admin.delete(at));
  for (const path of ['tableProfile', 'columnProfile', 'systemProfile'])
    expectRefused(await service.admin.get(`${at}/${path}`), 404);
  expectRefused(await service.admin.put(`${at}/tableProfile`, { tableProfile: ofTable(day(2)) }), 404);
  ok(await service.admin.put(`${TABLES}/restore`, { id }));
  assert.equal((await data(`${at}/columnProfile`)).length, 2);
  ok(await service.admin.delete(`${at}?hardDelete=true`));
  const [row] = await service.graph.query('MATCH (p:Profile {tableId: $id}) RETURN count(p) AS left', { id });
  assert.is(row?.['left'], 0);
});

test('concurrent profiles are all stored', async () => {
  const { id, at } = await newTable(service);
  await Promise.all(
    Array.from({ length: 20 }, (_, count) =>
      keep(service.admin, id, day(count), { columnProfile: [ofColumn('id', day(count))] }),
    ),
  );
  assert.equal((await data(`${at}/columnProfile`)).length, 20);
  const [row] = await service.graph.query(
    'MATCH (p:ColumnProfile {tableId: $id}) RETURN count(DISTINCT p.series) AS series',
    { id },
  );
  assert.is(row?.['series'], 1);
});

test.run();
