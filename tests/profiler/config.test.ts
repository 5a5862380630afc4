import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { CHANGE_HEADER_NAME, createPerson, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that profiler configurations are validated and stored. */

const test = suite('profiler: configuration');

const TABLES = '/v1/tables';

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const column = (name: string, more: JsonObject = {}): JsonObject => ({ name, dataType: 'INT', ...more });

const COLUMNS = [
  column('id'),
  column('Amount'),
  column('a.b'),
  column('address', { dataType: 'STRUCT', children: [column('street')] }),
];

const newTable = async (more: JsonObject = {}) => {
  const body = await samples.body('table', { columns: COLUMNS, ...more });
  const made = ok(await service.admin.post(TABLES, body), 201);
  return { body, made, at: `${TABLES}/${made.id}`, flat: `${TABLES}/${made.id}/profilerConfig` };
};

const STANDARD = {
  sampleDataCount: 50,
  randomizedSample: false,
  computeTableMetrics: true,
  computeColumnMetrics: true,
};
const STATIC = { profileSample: 15, profileSampleType: 'PERCENTAGE', samplingMethodType: 'BERNOULLI' };
const NESTED = { sampleConfigType: 'STATIC', config: STATIC };

test('the flat form is stored nested and read in either form, and a table without a configuration has none', async () => {
  const { made, at, flat } = await newTable();
  expectRefused(await service.admin.get(flat), 404);
  expectRefused(await service.admin.delete(flat), 404);
  assert.is(ok(await service.admin.get(`${at}/tableProfilerConfig`)).tableProfilerConfig, undefined);
  const put = await service.admin.put(flat, { ...STATIC, sampleDataCount: 25 });
  assert.equal(ok(put), { ...STANDARD, ...STATIC, sampleDataCount: 25 });
  assert.equal(ok(await service.admin.get(flat)), ok(put));
  const nested = { ...STANDARD, sampleDataCount: 25, profileSampleConfig: NESTED };
  for (const path of [`${at}/tableProfilerConfig`, `${at}?fields=tableProfilerConfig`]) {
    assert.equal(ok(await service.admin.get(path)).tableProfilerConfig, nested);
  }
  assert.is(ok(await service.admin.get(at)).tableProfilerConfig, undefined);
  // The whole is replaced.
  assert.equal(ok(await service.admin.put(flat, { profileQuery: 'SELECT 1' })), {
    ...STANDARD,
    profileQuery: 'SELECT 1',
  });
  const again = ok(
    await service.admin.put(`${at}/tableProfilerConfig`, { profileSampleConfig: NESTED, sampleDataCount: 25 }),
  );
  assert.equal([again.id, again.tableProfilerConfig], [made.id, nested]);
  const gone = await service.admin.delete(flat);
  assert.equal([gone.status, gone.text], [204, '']);
  expectRefused(await service.admin.get(flat), 404);
  ok(await service.admin.put(flat, {}));
  const without = ok(await service.admin.delete(`${at}/tableProfilerConfig`));
  assert.equal([without.id, without.tableProfilerConfig], [made.id, undefined]);
  ok(await service.admin.delete(`${at}/tableProfilerConfig`));
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    for (const part of ['profilerConfig', 'tableProfilerConfig']) {
      const body = method === 'PUT' ? '{}' : undefined;
      expectRefused(await service.admin.raw(method, `${TABLES}/${strayId()}/${part}`, body), 404);
      expectRefused(await service.admin.raw(method, `${TABLES}/nobody/${part}`, body), 404);
    }
  }
});

test('thresholds and all other members are returned as sent', async () => {
  const { flat } = await newTable();
  const dynamic = {
    sampleConfigType: 'DYNAMIC',
    config: {
      smartSampling: false,
      thresholds: [
        { rowCountThreshold: 1, profileSample: 10, profileSampleType: 'ROWS', samplingMethodType: 'SYSTEM' },
      ],
    },
  };
  const full = {
    sampleDataCount: 0,
    randomizedSample: true,
    profileQuery: 'SELECT *',
    excludeColumns: ['id', 'all'],
    includeColumns: [{ columnName: 'Amount', metrics: ['mean', 'max'] }],
    partitioning: {
      enablePartitioning: true,
      partitionColumnName: 'day',
      partitionIntervalType: 'TIME-UNIT',
      partitionInterval: 3,
      partitionIntervalUnit: 'DAY',
      partitionValues: ['x', 1],
      partitionIntegerRangeStart: 1,
      partitionIntegerRangeEnd: 2,
    },
    computeTableMetrics: false,
    computeColumnMetrics: false,
    sparkTableProfilerConfig: { partitioning: { partitionColumn: 'id', lowerBound: 1, upperBound: '9' } },
    profileSampleConfig: dynamic,
  };
  assert.equal(ok(await service.admin.put(flat, full)), full);
  const short = { profileSampleConfig: { config: { thresholds: [{ rowCountThreshold: 5, profileSample: 1 }] } } };
  assert.equal(ok(await service.admin.put(flat, short)).profileSampleConfig, {
    sampleConfigType: 'DYNAMIC',
    config: {
      smartSampling: true,
      thresholds: [{ rowCountThreshold: 5, profileSample: 1, profileSampleType: 'PERCENTAGE' }],
    },
  });
  assert.equal(ok(await service.admin.put(flat, { profileSample: 7 })), {
    ...STANDARD,
    profileSample: 7,
    profileSampleType: 'PERCENTAGE',
  });
  // What clients leave unset arrives as null, and both forms at once are fine while they say the same.
  const nulls = {
    profileSample: 15,
    profileQuery: null,
    profileSampleConfig: { config: { ...STATIC, samplingMethodType: null } },
  };
  const { samplingMethodType: _, ...sample } = STATIC;
  assert.equal(ok(await service.admin.put(flat, nulls)), { ...STANDARD, ...sample });
});

const BAD: readonly JsonObject[] = [
  { excludeColumns: ['nowhere'] },
  { excludeColumns: ['street'] },
  { includeColumns: [{ columnName: 'nowhere', metrics: [] }] },
  { includeColumns: [{ metrics: [] }] },
  { profileSample: 100.5 },
  { profileSample: -1 },
  { profileSample: -1, profileSampleType: 'ROWS' },
  { profileSampleConfig: { sampleConfigType: 'STATIC', config: { profileSample: 101 } } },
  { profileSampleConfig: { config: { thresholds: [{ rowCountThreshold: 1, profileSample: 101 }] } } },
  { profileSampleConfig: { config: { thresholds: [{ rowCountThreshold: 0, profileSample: 1 }] } } },
  { profileSampleConfig: { config: { thresholds: [{ rowCountThreshold: 1 }] } } },
  { profileSampleConfig: { sampleConfigType: 'DYNAMIC', config: STATIC } },
  { profileSampleConfig: { sampleConfigType: 'STATIC', config: { smartSampling: true } } },
  { profileSampleConfig: { sampleConfigType: 'OTHER', config: {} } },
  { profileSample: 20, profileSampleConfig: NESTED },
  { profileSample: 20, profileSampleConfig: { sampleConfigType: 'DYNAMIC', config: {} } },
  { profileSampleType: 'FRACTION' },
  { samplingMethodType: 'RANDOM' },
  { sampleDataCount: -1 },
  { sampleDataCount: 1.5 },
  { partitioning: { partitionIntervalUnit: 'WEEK' } },
  { partitioning: { colour: 1 } },
  { sparkTableProfilerConfig: { partitioning: {} } },
  { colour: 1 },
];

test('an invalid configuration is refused by every write and changes nothing', async () => {
  const { body, made, at, flat } = await newTable({ tableProfilerConfig: { sampleDataCount: 5 } });
  const paths = [flat, `${at}/tableProfilerConfig`];
  for (const config of BAD) {
    for (const path of paths)
      expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(path, config)), 400);
    expectRefused(
      await service.admin.post(TABLES, { ...body, name: uniqueName('t'), tableProfilerConfig: config }),
      400,
    );
    const whole = { ...body, tableProfilerConfig: config };
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(TABLES, whole)), 400);
    const patch = [{ op: 'add', path: '/tableProfilerConfig', value: config }];
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, patch)), 400);
  }
  for (const path of paths) {
    for (const text of ['[]', '"x"', '1', 'null', '']) expectRefused(await service.admin.raw('PUT', path, text), 400);
  }
  expectRefused(await service.admin.put(flat, { excludeColumns: ['nowhere'] }), 400, 'Invalid column name nowhere');
});

test('the create body of a table accepts it, and it causes neither a version nor an event', async () => {
  const { body, made, at, flat } = await newTable({ tableProfilerConfig: STATIC });
  assert.equal(made.tableProfilerConfig, { ...STANDARD, profileSampleConfig: NESTED });
  const count = async () => {
    const [row] = await service.graph.query(
      'MATCH (n:Entity {id: $id}) RETURN n.version AS version, n.updatedAt AS at, COUNT { (n)<-[:ABOUT]-(:ChangeEvent) } AS events, COUNT { (n)-[:HAS_VERSION]->() } AS versions',
      { id: made.id },
    );
    return row;
  };
  const before = await count();
  const put = await service.admin.put(TABLES, { ...body, tableProfilerConfig: { profileSample: 30 } });
  assert.equal(ok(put).tableProfilerConfig.profileSampleConfig.config.profileSample, 30);
  const patched = await service.admin.patch(at, [
    { op: 'replace', path: '/tableProfilerConfig/sampleDataCount', value: 9 },
  ]);
  assert.equal(ok(patched).tableProfilerConfig.sampleDataCount, 9);
  const merged = { tableProfilerConfig: { profileSampleConfig: { config: { profileSample: 40 } } } };
  assert.is(ok(await service.admin.patch(at, merged)).tableProfilerConfig.profileSampleConfig.config.profileSample, 40);
  const flatly = await service.admin.put(flat, { profileSample: 41 });
  assert.equal([flatly.status, flatly.headers.get(CHANGE_HEADER_NAME)], [200, 'entityUpdated']);
  assert.is((await service.admin.put(flat, { profileSample: 41 })).headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  // A PUT of the table that says nothing of it keeps it.
  const { tableProfilerConfig: _, ...silent } = body;
  ok(await service.admin.put(TABLES, silent));
  assert.is(ok(await service.admin.get(flat)).profileSample, 41);
  ok(await service.admin.delete(flat), 204);
  assert.equal(await count(), before);
  const { versions } = ok(await service.admin.get(`${at}/versions`));
  assert.is(JSON.stringify(versions).includes('ProfilerConfig'), false);
});

test('columns are spelled as in the table, follow a rename and are omitted when removed', async () => {
  const { body, at, flat } = await newTable();
  const config = {
    excludeColumns: ['ID', 'ADDRESS.Street', 'a.b', '"a.b"'],
    includeColumns: [{ columnName: 'amount' }, { columnName: 'all' }],
  };
  const names = (json: { excludeColumns: string[]; includeColumns: { columnName: string }[] }) => [
    json.excludeColumns,
    json.includeColumns.map(({ columnName }) => columnName),
  ];
  const first = [
    ['id', 'address.street', 'a.b', 'a.b'],
    ['Amount', 'all'],
  ];
  assert.equal(names(ok(await service.admin.put(flat, config))), first);
  const rename = [{ op: 'replace', path: '/columns/1/name', value: 'total' }];
  ok(await service.admin.patch(at, rename));
  assert.equal(names(ok(await service.admin.get(flat))), [first[0], ['total', 'all']]);
  ok(await service.admin.patch(at, [{ op: 'replace', path: '/columns/3/name', value: 'home' }]));
  assert.equal(names(ok(await service.admin.get(flat)))[0], ['id', 'home.street', 'a.b', 'a.b']);
  // A patch that takes a column away does not have to mend what names it.
  ok(await service.admin.patch(at, [{ op: 'remove', path: '/columns/2' }]));
  assert.equal(names(ok(await service.admin.get(flat)))[0], ['id', 'home.street']);
  ok(await service.admin.put(TABLES, { ...body, columns: [column('total'), column('new')] }));
  assert.equal(names(ok(await service.admin.get(flat))), [[], ['total', 'all']]);
  expectRefused(
    await service.admin.put(TABLES, { ...body, columns: [column('new')], tableProfilerConfig: config }),
    400,
  );
});

test('callers who may view profiles see it, and callers who may not edit them cannot change it', async () => {
  const { made, flat, at } = await newTable();
  ok(await service.admin.put(flat, { profileSample: 3 }));
  const plain = await createPerson(service, uniqueName('plain'));
  ok(await plain.get(flat));
  expectRefused(await plain.put(flat, {}), 403);
  expectRefused(await plain.delete(flat), 403);
  expectRefused(await plain.put(`${at}/tableProfilerConfig`, {}), 403);
  ok(await service.admin.delete(at));
  expectRefused(await service.admin.get(flat), 404);
  expectRefused(await service.admin.put(flat, {}), 404);
  ok(await service.admin.put(`${TABLES}/restore`, { id: made.id }));
  assert.is(ok(await service.admin.get(flat)).profileSample, 3);
});

test.run();
