import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRef, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that dashboards, charts, data models and ML models follow the contract. */

const test = suite('catalog: dashboards, charts and data models');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const read = async (path: string, { id }: CreatedRecord, fields: string) =>
  ok(await service.admin.get(`/v1/${path}/${id}?fields=${fields}`));
const ids = (refs: readonly CreatedRecord[]) => refs.map(({ id }) => id);

test('a dashboard lists charts and data models by full name, and both sides show references', async () => {
  const [b, a] = [
    await samples.create('chart', { name: uniqueName('b') }),
    await samples.create('chart', { name: uniqueName('a.x') }),
  ];
  const model = await samples.create('dashboardDataModel');
  const body = {
    ...(await samples.body('dashboard')),
    dashboardType: 'Report',
    project: 'Sales',
    sourceUrl: 'https://bi.example.com/1',
    charts: [b.fullyQualifiedName, a.fullyQualifiedName],
    dataModels: [model.fullyQualifiedName],
  };
  const made = ok(await service.admin.post('/v1/dashboards', body), 201);
  for (const answer of [made, await read('dashboards', made, 'charts,dataModels')]) {
    assert.equal([ids(answer.charts), ids(answer.dataModels)], [[a.id, b.id], [model.id]]);
    for (const ref of [...answer.charts, ...answer.dataModels]) expectRef(ref);
    assert.equal(
      [answer.dashboardType, answer.project, answer.sourceUrl],
      ['Report', 'Sales', 'https://bi.example.com/1'],
    );
  }
  const base = await read('dashboards', made, '');
  assert.equal(
    ['charts', 'dataModels'].filter((name) => name in base),
    [],
  );
  assert.equal(ids((await read('charts', a, 'dashboards')).dashboards), [made.id]);
  assert.is('dashboards' in (await read('charts', a, '')), false);
  const at = `/v1/dashboards/${made.id}`;
  const fewer = ok(await service.admin.patch(at, [{ op: 'remove', path: '/charts/0' }]));
  assert.equal([fewer.version, ids(fewer.charts)], [0.2, [b.id]]);
  assert.equal((await read('charts', a, 'dashboards')).dashboards, []);
  const put = ok(
    await service.admin.put('/v1/dashboards', { ...body, charts: [a.fullyQualifiedName], dataModels: [] }),
  );
  assert.equal([put.id, ids(put.charts), put.dataModels], [made.id, [a.id], []]);
  ok(await service.admin.delete(`/v1/charts/${a.id}`));
  assert.equal((await read('dashboards', made, 'charts')).charts, []);
  ok(await service.admin.put('/v1/charts/restore', { id: a.id }));
  assert.equal(ids((await read('dashboards', made, 'charts')).charts), [a.id]);
  for (const more of [{ charts: ['no.where'] }, { dataModels: [a.fullyQualifiedName] }]) {
    expectRefused(await service.admin.post('/v1/dashboards', { ...body, name: uniqueName('d'), ...more }), 404);
    expectRefused(
      await expectUnchanged(service, made.id, () => service.admin.put('/v1/dashboards', { ...body, ...more })),
      404,
    );
  }
  expectRefused(
    await service.admin.post('/v1/dashboards', {
      ...body,
      name: uniqueName('d'),
      charts: [{ id: a.id, type: 'chart' }],
    }),
    400,
  );
  assert.is((await read('dashboards', await samples.create('dashboard'), '')).dashboardType, 'Dashboard');
});

test('a chart lists its dashboards', async () => {
  const dashboard = await samples.create('dashboard');
  const body = {
    ...(await samples.body('chart')),
    chartType: 'SanKey',
    dashboards: [dashboard.fullyQualifiedName],
  };
  const made = ok(await service.admin.post('/v1/charts', body), 201);
  assert.equal([made.chartType, ids(made.dashboards)], ['SanKey', [dashboard.id]]);
  assert.equal(ids((await read('dashboards', dashboard, 'charts')).charts), [made.id]);
  const gone = ok(await service.admin.patch(`/v1/charts/${made.id}`, { dashboards: [] }));
  assert.equal([gone.version, gone.dashboards], [0.2, []]);
  assert.equal((await read('dashboards', dashboard, 'charts')).charts, []);
  expectRefused(
    await service.admin.post('/v1/charts', { ...body, name: uniqueName('c'), dashboards: ['no.where'] }),
    404,
  );
});

test('the full name of a data model contains the literal segment, and its columns are nodes', async () => {
  const home = await samples.create('dashboardService', { serviceType: 'Looker' });
  const body = {
    name: uniqueName('m.x'),
    service: home.fullyQualifiedName,
    serviceType: 'Tableau',
    dataModelType: 'LookMlView',
    sql: 'SELECT 1',
    project: 'Sales',
    columns: [
      { name: 'a', dataType: 'STRUCT', children: [{ name: 'b', dataType: 'VARCHAR', dataLength: 20 }] },
      { name: 'c', dataType: 'INT' },
    ],
  };
  const path = 'dashboard/datamodels';
  for (const serviceType of ['Excel', 'looker', 7]) {
    expectRefused(
      await service.admin.post(`/v1/${path}`, { ...body, serviceType }),
      400,
      /^\[serviceType must be one of/,
    );
  }
  const made = ok(await service.admin.post(`/v1/${path}`, body), 201);
  const fqn = `${home.name}.model."${body.name}"`;
  const found = ok(await service.admin.get(`/v1/${path}/name/${encodeURIComponent(fqn)}?fields=tags`));
  assert.equal([made.fullyQualifiedName, found.id, found.serviceType], [fqn, made.id, 'Looker']);
  assert.equal(
    [found.sql, found.project, found.dataModelType, found.service.id],
    ['SELECT 1', 'Sales', 'LookMlView', home.id],
  );
  const [a, c] = found.columns;
  assert.equal(
    [a, a.children[0], c].map((column) => [column.fullyQualifiedName, column.tags]),
    [`${fqn}.a`, `${fqn}.a.b`, `${fqn}.c`].map((name) => [name, []]),
  );
  // A chart of the same name is another record, and a model is below its service.
  const chart = await samples.create('chart', { name: 'model', service: home.fullyQualifiedName });
  assert.is(chart.fullyQualifiedName, `${home.name}.model`);
  assert.equal(ids(expectList(await service.admin.get(`/v1/${path}?service=${home.name}`)).data), [made.id]);
  const at = `/v1/${path}/${made.id}`;
  const steps: readonly (readonly [readonly JsonObject[], number])[] = [
    [[{ op: 'replace', path: '/columns/0/children/0/dataLength', value: 30 }], 0.2],
    [[{ op: 'replace', path: '/columns/0/children/0/dataLength', value: 10 }], 1.2],
    [[{ op: 'remove', path: '/columns/1' }], 2.2],
  ];
  for (const [patch, version] of steps) assert.is(ok(await service.admin.patch(at, patch)).version, version);
  for (const more of [
    { columns: null },
    { dataModelType: null },
    { columns: [...body.columns, { name: 'A', dataType: 'INT' }] },
  ]) {
    expectRefused(await service.admin.post(`/v1/${path}`, { ...body, name: uniqueName('m'), ...more }), 400);
  }
});

const FEATURES = [
  {
    name: 'age',
    dataType: 'numerical',
    description: 'How old',
    featureAlgorithm: 'PCA',
    featureSources: [{ name: 'birth', dataType: 'date', description: 'of birth' }, { name: 'now' }],
  },
  { name: 'Age', dataType: 'categorical' },
];

test('an ML model stores features, their sources, parameters, store and dashboard', async () => {
  const [dashboard, table] = [await samples.create('dashboard'), await samples.create('table')];
  const { name } = await samples.create('classification');
  const tag = await samples.create('tag', { classification: name });
  const own = {
    algorithm: 'Random forest',
    target: 'churn',
    server: 'https://models.example.com',
    mlStore: { storage: 's3://models', imageRepository: 'https://hub.example.com' },
    mlHyperParameters: [
      { name: 'depth', value: '7', description: 'how deep' },
      { name: 'alpha', value: '0.1' },
    ],
  };
  const [age, other] = FEATURES;
  const [birth, now] = age?.featureSources ?? [];
  const mlFeatures = [
    {
      ...age,
      tags: [{ tagFQN: tag.fullyQualifiedName }],
      featureSources: [
        { ...birth, dataSource: { id: table.id, type: 'table' }, tags: [{ tagFQN: tag.fullyQualifiedName }] },
        now,
      ],
    },
    other,
  ] as unknown as JsonObject[];
  const body = {
    ...(await samples.body('mlmodel')),
    ...own,
    mlFeatures,
    dashboard: dashboard.fullyQualifiedName,
  };
  const made = ok(await service.admin.post('/v1/mlmodels', body), 201);
  const full = await read('mlmodels', made, '*');
  const plain = await read('mlmodels', made, '');
  for (const answer of [made, full, plain]) {
    for (const [member, value] of Object.entries(own)) assert.equal(answer[member], value, member);
    const [first, second] = answer.mlFeatures;
    assert.equal(
      [first.name, first.dataType, first.description, first.featureAlgorithm, second.name],
      ['age', 'numerical', 'How old', 'PCA', 'Age'],
    );
    assert.is(first.fullyQualifiedName, `${made.fullyQualifiedName}.age`);
    assert.equal(
      [first.featureSources[0].dataSource.id, first.featureSources[0].dataType, first.featureSources[1].name],
      [table.id, 'date', 'now'],
    );
  }
  assert.equal([made.dashboard.id, full.dashboard.id, plain.dashboard], [dashboard.id, dashboard.id, undefined]);
  const labels = (item: { tags?: readonly { tagFQN: string }[] }) => item.tags?.map(({ tagFQN }) => tagFQN);
  const [first, second] = full.mlFeatures;
  assert.equal([first, first.featureSources[0], first.featureSources[1], second].map(labels), [
    [tag.fullyQualifiedName],
    [tag.fullyQualifiedName],
    [],
    [],
  ]);
  assert.is(JSON.stringify(plain.mlFeatures).includes('tagFQN'), false);
  const [row] = await service.graph.query(
    'MATCH (c:Column) WHERE c.fullyQualifiedName STARTS WITH $prefix RETURN count(c) AS nodes',
    { prefix: `${made.fullyQualifiedName}.` },
  );
  assert.is(row?.['nodes'], 4);
  assert.is((await read('mlmodels', await samples.create('mlmodel'), '')).algorithm, 'mlmodel');
  const at = `/v1/mlmodels/${made.id}`;
  const patched = ok(
    await service.admin.patch(at, {
      dashboard: null,
      mlHyperParameters: [own.mlHyperParameters[1]] as unknown as JsonObject[],
    }),
  );
  assert.equal([patched.version, patched.dashboard, patched.mlHyperParameters.length], [0.2, undefined, 1]);
  for (const more of [
    { dashboard: 'no.where' },
    { mlFeatures: [{ name: 'a', featureSources: [{ name: 's', dataSource: { id: tag.id, type: 'table' } }] }] },
  ]) {
    expectRefused(await service.admin.post('/v1/mlmodels', { ...body, name: uniqueName('m'), ...more }), 404);
  }
  for (const more of [
    { mlStore: { place: 'x' } },
    { server: 'no url' },
    { mlHyperParameters: [{ value: 7 }] },
    { mlFeatures: [{ name: 'a' }, { name: 'a' }] },
  ]) {
    expectRefused(await service.admin.post('/v1/mlmodels', { ...body, name: uniqueName('m'), ...more }), 400);
  }
});

test.run();
