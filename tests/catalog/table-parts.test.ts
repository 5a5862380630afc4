import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../src/model/json.ts';
import {
  CHANGE_HEADER_NAME,
  expectList,
  expectRecord,
  expectRef,
  expectRefused,
  expectUnchanged,
  ok,
} from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('catalog: table sub-resources');

const TABLES = '/v1/tables';

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

type Column = JsonObject & { readonly name: string; readonly children?: readonly Column[] };

const column = (name: string, more: JsonObject = {}): JsonObject => ({ name, dataType: 'INT', ...more });

const COLUMNS = [
  column('id', { description: 'What tells orders apart' }),
  column('address', {
    dataType: 'STRUCT',
    tags: [{ tagFQN: 'PII.Sensitive' }],
    children: [
      column('street', { displayName: 'Road' }),
      column('geo', { dataType: 'STRUCT', children: [column('lat')] }),
    ],
  }),
  column('total'),
];

const newTable = (more: JsonObject = {}): Promise<CreatedRecord> =>
  samples.create('table', { columns: COLUMNS, ...more });
const at = ({ id }: CreatedRecord): string => `${TABLES}/${id}`;
const read = async (made: CreatedRecord, fields: string) => ok(await service.admin.get(`${at(made)}?fields=${fields}`));
const names = (columns: readonly Column[]) => columns.map(({ name }) => name);

/** What an operation beside the record leaves alone: its version, its time, and what reads show unasked. */
const keepsVersion = async (made: CreatedRecord, shown: string, request: () => Promise<Json>): Promise<void> => {
  await request();
  const plain = ok(await service.admin.get(at(made)));
  assert.equal([plain.version, plain.updatedAt, shown in plain], [0.1, made['updatedAt'], false]);
};

test('columns are listed in full or page by page, by id and by name', async () => {
  const wide = Array.from({ length: 1100 }, (_, index) => column(`c${index}`));
  const made = await newTable({ columns: wide });
  for (const place of [at(made), `${TABLES}/name/${encodeURIComponent(made.fullyQualifiedName)}`]) {
    const all = expectList(await service.admin.get(`${place}/columns`));
    assert.equal(
      names(all.data),
      wide.map((one) => one['name'] as string),
    );
    assert.is(all.paging.total, 1100);
    const page = expectList(await service.admin.get(`${place}/columns?limit=3&offset=1098`));
    assert.equal([names(page.data), page.paging.total], [['c1098', 'c1099'], 1100]);
    assert.is(expectList(await service.admin.get(`${place}/columns?offset=100`)).data.length, 1000);
    assert.equal(names(expectList(await service.admin.get(`${place}/columns?limit=1`)).data), ['c0']);
    assert.is(expectList(await service.admin.get(`${place}/columns?limit=1000`)).data.length, 1000);
    assert.equal(expectList(await service.admin.get(`${place}/columns?offset=5000`)).data, []);
    for (const wrong of ['limit=0', 'limit=1001', 'limit=-1', 'limit=x', 'offset=-1', 'offset=x', 'fields=nonsense']) {
      expectRefused(await service.admin.get(`${place}/columns?${wrong}`), 400);
    }
  }
  expectRefused(await service.admin.get(`${TABLES}/${strayId()}/columns`), 404);
  expectRefused(await service.admin.get(`${TABLES}/name/no.such.table.here/columns`), 404);
  ok(await service.admin.delete(at(made)));
  expectRefused(await service.admin.get(`${at(made)}/columns`), 404);
});

test('columns are listed with labels on request, including nested ones', async () => {
  const made = await newTable();
  const plain = expectList(await service.admin.get(`${at(made)}/columns`)).data;
  assert.equal(plain, ok(await service.admin.get(at(made))).columns);
  assert.is(JSON.stringify(plain).includes('"tags"'), false);
  const tagged = expectList(await service.admin.get(`${at(made)}/columns?fields=tags`)).data;
  assert.equal(tagged, (await read(made, 'tags')).columns);
  assert.equal(
    [tagged[0].tags, tagged[1].tags[0].tagFQN, tagged[1].children[1].children[0].tags],
    [[], 'PII.Sensitive', []],
  );
});

test('columns are searched by name and description, at every depth', async () => {
  const made = await newTable();
  const find = async (query: string) => expectList(await service.admin.get(`${at(made)}/columns/search?${query}`));
  const found = async (query: string) => names((await find(query)).data);
  assert.equal(await found('q=LAT'), ['lat']);
  assert.equal(await found('q=road'), ['street']);
  assert.equal(await found('q=orders'), ['id']);
  assert.equal(await found('q=a&limit=2'), ['id', 'address']);
  assert.equal(await found('q=a&limit=2&offset=2'), ['street', 'lat']);
  assert.is((await find('q=a&limit=1')).paging.total, 5);
  assert.equal(await found('q=nothing'), []);
  const [address] = (await find('q=address&fields=tags')).data;
  assert.is(address.tags[0].tagFQN, 'PII.Sensitive');
  const byName = `${TABLES}/name/${encodeURIComponent(made.fullyQualifiedName)}/columns/search?q=lat`;
  const [lat] = expectList(await service.admin.get(byName)).data;
  assert.is(lat.fullyQualifiedName, `${made.fullyQualifiedName}.address.geo.lat`);
  for (const wrong of ['limit=0', 'limit=1001']) {
    expectRefused(await service.admin.get(`${at(made)}/columns/search?q=a&${wrong}`), 400);
  }
});

const metric = (name: string, more: JsonObject = {}) => ({ name, expression: 'SELECT 1', ...more });

test('a custom metric is returned with its table or column on request', async () => {
  const made = await newTable();
  const put = async (body: JsonObject) => ok(await service.admin.put(`${at(made)}/customMetric`, body));
  await keepsVersion(made, 'customMetrics', async () => {
    await put(metric('rows'));
    await put(metric('rows', { columnName: 'total' }));
    return put(metric('far', { columnName: 'Address.Street' }));
  });
  const full = await read(made, 'customMetrics');
  const listed = expectList(await service.admin.get(`${at(made)}/columns?fields=customMetrics`)).data;
  const [street] = expectList(await service.admin.get(`${at(made)}/columns/search?q=street&fields=customMetrics`)).data;
  assert.equal(names(full.customMetrics), ['rows']);
  assert.is('columnName' in full.customMetrics[0], false);
  for (const columns of [full.columns, listed]) {
    const [id, address, total] = columns;
    assert.equal([names(total.customMetrics), names(address.children[0].customMetrics)], [['rows'], ['far']]);
    assert.equal(['customMetrics' in id, 'customMetrics' in address], [false, false]);
  }
  assert.equal(names(street.customMetrics), ['far']);
  for (const path of [at(made), `${at(made)}/columns`, `${at(made)}?fields=tags`]) {
    assert.is((await service.admin.get(path)).text.includes('customMetrics'), false, path);
  }
  expectRecord(samples.kind('table'), full);
});

test('a custom metric is replaced by its name and column, and the column must exist', async () => {
  const made = await newTable();
  const path = `${at(made)}/customMetric`;
  const first = ok(await service.admin.put(path, metric('rows', { columnName: 'total' }))).columns[2].customMetrics[0];
  const reply = await service.admin.put(path, metric('rows', { columnName: 'TOTAL', expression: 'SELECT 2' }));
  const [second, ...others] = ok(reply).columns[2].customMetrics;
  assert.equal([second.id, second.expression, second.updatedBy, others], [first.id, 'SELECT 2', 'admin', []]);
  for (const columnName of ['nowhere', 'street', 'address.nowhere', '']) {
    const wrong = metric('rows', { columnName });
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(path, wrong)), 400);
  }
  expectRefused(await service.admin.put(path, { name: 'rows' }), 400, /expression must not be null/);
  expectRefused(await service.admin.put(path, metric('rows', { nonsense: 1 })), 400);
  expectRefused(await service.admin.put(`${TABLES}/${strayId()}/customMetric`, metric('rows')), 404);
});

test('a custom metric is removed from its own table or column only', async () => {
  const made = await newTable();
  const path = `${at(made)}/customMetric`;
  ok(await service.admin.put(path, metric('rows')));
  ok(await service.admin.put(path, metric('rows', { columnName: 'total' })));
  ok(await service.admin.put(path, metric('other', { columnName: 'address.street' })));
  for (const unknown of ['other', 'none', 'id/rows', 'total/other', 'nowhere/rows']) {
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.delete(`${path}/${unknown}`)), 404);
  }
  await keepsVersion(made, 'customMetrics', async () => {
    const left = ok(await service.admin.delete(`${path}/rows`));
    assert.equal([left.customMetrics, names(left.columns[2].customMetrics)], [[], ['rows']]);
    const none = ok(await service.admin.delete(`${path}/total/rows`));
    assert.equal(['customMetrics' in none.columns[2], none.columns[1].children[0].customMetrics.length], [false, 1]);
    return ok(await service.admin.delete(`${path}/address.street/other`));
  });
  assert.is((await read(made, 'customMetrics')).columns[1].children[0].customMetrics, undefined);
  expectRefused(await service.admin.delete(`${path}/rows`), 404);
  expectRefused(await service.admin.delete(`${path}/total/rows`), 404);
});

test('joins are stored separately: returned on request, replaced, without a version', async () => {
  const made = await newTable();
  const joins = (joinCount: number) => ({
    startDate: '2024-02-29',
    dayCount: 7,
    columnJoins: [{ columnName: 'id', joinedWith: [{ fullyQualifiedName: 'a.b.c.d.id', joinCount }] }],
    directTableJoins: [{ fullyQualifiedName: 'a.b.c.d', joinCount: 2 }],
  });
  for (const count of [3, 4]) {
    await keepsVersion(made, 'joins', async () => {
      const put = ok(await service.admin.put(`${at(made)}/joins`, joins(count)));
      assert.equal(put.joins, joins(count));
      expectRecord(samples.kind('table'), put);
      return put;
    });
    assert.equal((await read(made, 'joins')).joins, joins(count));
  }
  const wrong: readonly Json[] = [
    { startDate: '2024-02-30' },
    { columnJoins: [{ columnName: 'id', joinedWith: [{ fullyQualifiedName: 'a.b.c.d.id' }] }] },
    { nonsense: 1 },
    [],
  ];
  for (const body of wrong) {
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(`${at(made)}/joins`, body)), 400);
  }
  expectRefused(await service.admin.put(`${TABLES}/${strayId()}/joins`, joins(1)), 404);
});

test('sample data is stored, read and removed without a version', async () => {
  const made = await newTable();
  const path = `${at(made)}/sampleData`;
  const sampleData = {
    columns: ['id', 'total'],
    rows: [
      [1, null],
      ['two', { deep: [true] }],
    ],
  };
  assert.is('sampleData' in ok(await service.admin.get(path)), false);
  await keepsVersion(made, 'sampleData', async () => {
    const put = ok(await service.admin.put(path, sampleData));
    assert.equal([put.id, put.sampleData], [made.id, sampleData]);
    return put;
  });
  const shown = ok(await service.admin.get(path));
  assert.equal(
    [shown.id, shown.sampleData, (await read(made, 'sampleData')).sampleData],
    [made.id, sampleData, sampleData],
  );
  expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(path, { columns: 'id' })), 400);
  await keepsVersion(made, 'sampleData', async () => {
    const gone = ok(await service.admin.delete(path));
    assert.equal([gone.id, 'sampleData' in gone], [made.id, false]);
    return gone;
  });
  const none = ok(await service.admin.get(path));
  assert.equal(
    [none.id, 'sampleData' in none, 'sampleData' in (await read(made, 'sampleData'))],
    [made.id, false, false],
  );
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const body = method === 'PUT' ? JSON.stringify(sampleData) : undefined;
    expectRefused(await service.admin.raw(method, `${TABLES}/${strayId()}/sampleData`, body), 404);
  }
});

const DBT = { modelType: 'DBT', sql: 'SELECT 1' };

test('a data model is stored by its own route, returned on request, and steps the version', async () => {
  const made = await newTable();
  const path = `${at(made)}/dataModel`;
  const put = ok(await service.admin.put(path, { ...DBT, columns: [column('a')] }));
  assert.equal([put.version, put.dataModel.sql, names(put.dataModel.columns)], [0.2, 'SELECT 1', ['a']]);
  assert.equal(
    [(await read(made, 'dataModel')).dataModel, 'dataModel' in (await read(made, 'tags'))],
    [put.dataModel, false],
  );
  const again = await service.admin.put(path, { ...DBT, columns: [column('a')] });
  assert.equal([ok(again).version, again.headers.get(CHANGE_HEADER_NAME)], [0.2, 'entityNoChange']);
  const other = ok(await service.admin.put(path, { modelType: 'DDL' }));
  assert.equal([other.version, other.dataModel], [0.3, { modelType: 'DDL' }]);
  for (const body of [{ sql: 'SELECT 1' }, { modelType: 'ELSE' }, { ...DBT, nonsense: 1 }]) {
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(path, body)), 400);
  }
  expectRefused(await service.admin.put(`${TABLES}/${strayId()}/dataModel`, DBT), 404);
});

/** The ways in which a data model gets into a table. */
const INTO = {
  post: async (columns: Json) =>
    service.admin.post(TABLES, await samples.body('table', { dataModel: { ...DBT, columns } })),
  put: async (columns: Json) =>
    service.admin.put(TABLES, await samples.body('table', { dataModel: { ...DBT, columns } })),
  patch: async (columns: Json) => service.admin.patch(at(await newTable()), { dataModel: { ...DBT, columns } }),
  'sub-resource': async (columns: Json) => service.admin.put(`${at(await newTable())}/dataModel`, { ...DBT, columns }),
} as const;

for (const [way, send] of Object.entries(INTO)) {
  test(`columns of a data model become columns: by ${way}`, async () => {
    const bad: Json[] = [
      [column('a', { dataType: 'ARRAY' })],
      [column('s', { dataType: 'STRUCT', children: [column('a', { dataType: 'ARRAY' })] })],
      [column('a'), column('A')],
      [column('s', { dataType: 'STRUCT', children: [column('x'), column('X')] })],
      [column('a::b')],
      [column('a', { dataType: 'NONSENSE' })],
      [{ name: 'a' }],
    ];
    for (const columns of bad) expectRefused(await send(columns), 400);
    const reply = await send([
      column('a.b', {
        dataType: 'CHAR',
        fullyQualifiedName: 'some.where.else',
        profile: { timestamp: 1 },
        customMetrics: [{ name: 'rows' }],
      }),
      column('s', {
        dataType: 'STRUCT',
        children: [column('x', { dataType: 'VARBINARY', profile: {}, tags: [{ tagFQN: 'PII.Sensitive' }] })],
      }),
    ]);
    const { dataModel, fullyQualifiedName, id } = ok(reply, way === 'post' || way === 'put' ? 201 : 200);
    const [first, second] = dataModel.columns;
    const [below] = second.children;
    assert.equal(first, {
      name: 'a.b',
      dataType: 'CHAR',
      dataLength: 1,
      fullyQualifiedName: `${fullyQualifiedName}."a.b"`,
      tags: [],
    });
    assert.equal([second.tags, below.dataLength, 'profile' in below, below.tags.length], [[], 1, false, 1]);
    assert.is(below.fullyQualifiedName, `${fullyQualifiedName}.s.x`);
    const whole = ok(await service.admin.get(`${TABLES}/${id}?fields=*`));
    assert.equal(whole.dataModel, dataModel);
    const back = await expectUnchanged(service, id, () => service.admin.patch(`${TABLES}/${id}`, whole));
    assert.is(back.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
    const add = [{ op: 'add', path: '/dataModel/columns/0/tags/-', value: { tagFQN: 'PII.None' } }];
    const labelled = ok(await service.admin.patch(`${TABLES}/${id}`, add));
    assert.is(labelled.dataModel.columns[0].tags[0].tagFQN, 'PII.None');
  });
}

const seen = (pipeline: CreatedRecord, more: JsonObject = {}) => ({
  pipeline: { id: pipeline.id, type: 'pipeline' },
  ...more,
});

test('pipeline observability is replaced as a whole or for one pipeline', async () => {
  const [made, one, two] = [await newTable(), await samples.create('pipeline'), await samples.create('pipeline')];
  const path = `${at(made)}/pipelineObservability`;
  const of = ({ fullyQualifiedName }: CreatedRecord) => `${path}/${encodeURIComponent(fullyQualifiedName)}`;
  const told = (record: { pipelineObservability: { pipeline: JsonObject; lastRunStatus?: string }[] }) =>
    record.pipelineObservability.map(({ pipeline, lastRunStatus }) => [pipeline['name'], lastRunStatus]);
  await keepsVersion(made, 'pipelineObservability', async () => {
    const all = ok(await service.admin.put(path, [seen(one, { lastRunStatus: 'Failed' })]));
    assert.equal(told(all), [[one.name, 'Failed']]);
    const more = ok(await service.admin.put(of(two), seen(two, { lastRunStatus: 'Pending' })));
    expectRecord(samples.kind('table'), more);
    assert.equal(told(more), [
      [one.name, 'Failed'],
      [two.name, 'Pending'],
    ]);
    const changed = ok(await service.admin.put(of(one), { lastRunStatus: 'Successful', averageRunTime: 1.5 }));
    assert.equal(told(changed), [
      [one.name, 'Successful'],
      [two.name, 'Pending'],
    ]);
    const fqn = { type: 'pipeline', fullyQualifiedName: one.fullyQualifiedName };
    return ok(await service.admin.put(of(one), { pipeline: fqn, lastRunStatus: 'Running' }));
  });
  const kept = (await read(made, 'pipelineObservability')).pipelineObservability;
  assert.equal([kept.length, kept[0].lastRunStatus, 'averageRunTime' in kept[0]], [2, 'Running', false]);
  expectRef(kept[0].pipeline);
  for (const [where, body, status] of [
    [of(one), seen(two), 400],
    [of(one), { lastRunStatus: 'Sometimes' }, 400],
    [of(one), { nonsense: 1 }, 400],
    [of(one), [], 400],
    [`${path}/no.such`, {}, 404],
    [of(one), { pipeline: { id: strayId(), type: 'pipeline' } }, 404],
    [of(one).replace(made.id, strayId()), {}, 404],
    [path, seen(one), 400],
  ] as const) {
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(where, body)), status);
  }
  assert.equal(told(ok(await service.admin.put(path, []))), []);
});

const tagNames = ({ tags = [] }: { tags?: readonly JsonObject[] }) => tags.map(({ tagFQN }) => tagFQN);

test('a data model labels its table and columns, and gives owners where there are none', async () => {
  const [owner, other] = [await samples.create('user'), await samples.create('user')];
  const made = await newTable();
  const model = {
    modelType: 'DBT',
    rawSql: 'select 1',
    owners: [{ id: owner.id, type: 'user' }],
    tags: [
      { tagFQN: 'PII.Sensitive', source: 'Classification' },
      { tagFQN: 'Tier.Tier2', source: 'Classification' },
    ],
    columns: [
      column('TOTAL', { tags: [{ tagFQN: 'PII.NonSensitive' }] }),
      column('address', {
        tags: [{ tagFQN: 'PII.Sensitive' }],
        children: [column('street', { tags: [{ tagFQN: 'PII.None' }] })],
      }),
      column('nobody', { tags: [{ tagFQN: 'PII.None' }] }),
    ],
  };
  const put = (body: JsonObject) => service.admin.put(`${at(made)}/dataModel`, body);
  const shown = () => read(made, 'tags,owners,columns,dataModel');
  const state = async () => {
    const { tags, owners = [], columns } = (await shown()) as JsonObject & { owners?: readonly JsonObject[] };
    const [, address, total] = columns as unknown as readonly (Column & { tags: readonly JsonObject[] })[];
    return {
      tags: tagNames({ tags: tags as unknown as readonly JsonObject[] }),
      owners: owners.map(({ id }) => id),
      address: tagNames(address ?? {}),
      street: tagNames((address?.children?.[0] ?? {}) as { tags?: readonly JsonObject[] }),
      total: tagNames(total ?? {}),
    };
  };
  ok(await put(model));
  const labelled = {
    tags: ['PII.Sensitive', 'Tier.Tier2'],
    owners: [owner.id],
    address: ['PII.Sensitive'],
    street: ['PII.None'],
    total: ['PII.NonSensitive'],
  };
  assert.equal(await state(), labelled);
  const { version } = await shown();

  ok(await put(model));
  assert.is((await shown()).version, version);

  ok(await put({ modelType: 'DBT', tags: [{ tagFQN: 'Tier.Tier5' }], owners: [{ id: other.id, type: 'user' }] }));
  assert.equal(await state(), labelled);

  expectRefused(await put({ ...model, tags: [{ tagFQN: 'No.Such' }] }), 404);
  expectRefused(await put({ ...model, columns: 'all' }), 400);
  assert.equal(await state(), labelled);
});

test.run();
