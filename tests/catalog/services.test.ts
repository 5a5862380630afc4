import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../src/model/json.ts';
import {
  CHANGE_HEADER_NAME,
  countStored,
  createPerson,
  expectRefused,
  expectUnchanged,
  ok,
} from '../support/expect.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that services accept and return every member of the contract. */

const test = suite('catalog: services, containers and pipelines by the contract');

const MASK = '*********';
const SECRET = 'kept-under-lock-7';

let service: Service;
let samples: Samples;
let onlooker: Awaited<ReturnType<typeof createPerson>>;
let user: JsonObject & { readonly id: string };
let tag: JsonObject & { readonly fullyQualifiedName: string };
let domain: JsonObject & { readonly fullyQualifiedName: string };
let product: JsonObject & { readonly fullyQualifiedName: string };

test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  onlooker = await createPerson(service, uniqueName('srv'));
  user = await samples.create('user');
  const { name } = await samples.create('classification');
  tag = await samples.create('tag', { classification: name });
  domain = await samples.create('domain');
  product = await samples.create('dataProduct', { domains: [domain.fullyQualifiedName] });
});

const SERVICES: readonly (readonly [entityType: string, serviceType: string, another: string])[] = [
  ['databaseService', 'Postgres', 'Mysql'],
  ['messagingService', 'Redpanda', 'Kinesis'],
  ['dashboardService', 'CustomDashboard', 'Tableau'],
  ['pipelineService', 'Dagster', 'Airflow'],
  ['mlmodelService', 'Mlflow', 'Sklearn'],
  ['storageService', 'GCS', 'S3'],
  ['searchService', 'OpenSearch', 'ElasticSearch'],
  ['apiService', 'Rest', 'WEBHOOK'],
];

const styleOf = (entityType: string): JsonObject =>
  entityType === 'apiService' ? {} : { style: { color: '#123456', iconURL: 'https://example.com/i.png' } };

const connection = (type: string): JsonObject => ({
  config: { type, sourcePythonClass: 'acme.Src', connectionOptions: { k: 'v', apiKey: SECRET }, verify: null },
});

const common = () => ({
  displayName: 'Shown',
  description: 'Told **aloud**',
  owners: [{ id: user.id, type: 'user' }],
  tags: [{ tagFQN: tag.fullyQualifiedName }],
  domains: [domain.fullyQualifiedName],
  dataProducts: [product.fullyQualifiedName],
});

type Answer = { readonly [member: string]: Json };

const ids = (answer: Answer, member: string) => (answer[member] as readonly { id: string }[]).map(({ id }) => id);

const hasCommon = (answer: Answer, what: string) => {
  assert.equal([answer['displayName'], answer['description']], ['Shown', 'Told **aloud**'], what);
  assert.equal(
    [ids(answer, 'owners'), ids(answer, 'domains'), ids(answer, 'dataProducts')],
    [[user.id], [domain['id']], [product['id']]],
    what,
  );
  assert.equal(
    (answer['tags'] as readonly JsonObject[]).map((one) => one['tagFQN']),
    [tag.fullyQualifiedName],
    what,
  );
};

for (const [entityType, serviceType, another] of SERVICES) {
  const path = `/v1/services/${entityType}s`;
  const wish = (name: string): JsonObject => ({
    name,
    serviceType,
    connection: connection(serviceType),
    ...common(),
    ...styleOf(entityType),
  });

  test(`${entityType}: POST, PUT and bulk store and return every member at version 0.1`, async () => {
    const [posted, put, bulked] = [uniqueName('p'), uniqueName('u.x'), uniqueName('b')];
    const first = await service.admin.post(path, wish(posted));
    const made = ok(first, 201);
    assert.is(first.headers.get('location'), made.href);
    assert.is(first.headers.get(CHANGE_HEADER_NAME), 'entityCreated');
    const second = ok(await service.admin.put(path, wish(put)), 201);
    assert.is(second.fullyQualifiedName, `"${put}"`);
    const bulk = ok(await service.admin.put(`${path}/bulk`, [wish(bulked)]));
    assert.equal(bulk.successRequest, [{ request: bulked, status: 200 }]);
    for (const name of [posted, put, bulked]) {
      const read = ok(await service.admin.get(`${path}/name/${name}?fields=*`));
      hasCommon(read, name);
      assert.equal([read.version, read.serviceType, read.style], [0.1, serviceType, wish(name)['style']]);
      assert.equal(read.connection, { config: { ...(connection(serviceType)['config'] as JsonObject), verify: null } });
      assert.equal(read.pipelines, []);
      const seen = ok(await onlooker.get(`${path}/name/${name}`));
      assert.equal(seen.connection.config.connectionOptions, { k: 'v', apiKey: MASK });
      assert.equal(
        ['owners', 'tags', 'domains', 'dataProducts', 'followers', 'pipelines'].filter((it) => it in seen),
        [],
      );
    }
    hasCommon(made, 'POST');
    hasCommon(second, 'PUT');
    const again = await service.admin.post(path, wish(posted));
    expectRefused(again, 409, 'Entity already exists', 'ENTITY_ALREADY_EXISTS');
    const same = await expectUnchanged(service, made.id, () => service.admin.put(path, wish(posted)));
    assert.equal([same.status, same.headers.get(CHANGE_HEADER_NAME), same.json.version], [200, 'entityNoChange', 0.1]);
    const changed = ok(await service.admin.put(path, { ...wish(posted), description: 'other' }));
    assert.equal([changed.version, changed.id], [0.2, made.id]);
    const rebulk = ok(await service.admin.put(`${path}/bulk`, [{ ...wish(posted), displayName: 'Third' }]));
    assert.equal([rebulk.status, rebulk.numberOfRowsPassed], ['success', 1]);
    assert.is(ok(await service.admin.get(`${path}/${made.id}`)).version, 0.3);
  });

  test(`${entityType}: invalid bodies are refused, and the type is required`, async () => {
    const body = wish(uniqueName('r'));
    const made = ok(await service.admin.post(path, body), 201);
    const other = SERVICES.find(([type]) => type !== entityType)?.[1] ?? '';
    const before = await countStored(service);
    const bad: readonly JsonObject[] = [
      { serviceType: null },
      { serviceType: other },
      { connection: { config: { type: 'Elsewhere' } } },
      { connection: { config: [] } },
      { connection: { other: {} } },
      { votes: {} },
      { extension: { a: 1 } },
      { sourceUrl: 'https://example.com' },
      { testConnectionResult: { steps: [] } },
      ...(entityType === 'apiService' ? [{ style: {} }] : [{ style: { colour: 'x' } }]),
      ...(entityType === 'pipelineService' ? [] : [{ scheduleInterval: 'x' }, { lifeCycle: {} }]),
    ];
    for (const more of bad) {
      expectRefused(await service.admin.post(path, { ...body, name: uniqueName('r'), ...more }), 400);
      expectRefused(await service.admin.put(path, { ...body, name: uniqueName('r'), ...more }), 400);
    }
    expectRefused(
      await service.admin.post(path, {
        ...body,
        name: uniqueName('r'),
        ingestionRunner: { id: user.id, type: 'user' },
      }),
      404,
    );
    expectRefused(await service.admin.post(path, { ...body, name: uniqueName('r'), domains: ['nowhere'] }), 404);
    assert.equal(await countStored(service), before);
    expectRefused(
      await expectUnchanged(service, made.id, () => service.admin.patch(`${path}/${made.id}`, { serviceType: null })),
      400,
    );
  });

  test(`${entityType}: no write changes its service type`, async () => {
    const body = { name: uniqueName('fix'), serviceType };
    const { id } = ok(await service.admin.post(path, body), 201);
    const changed = { ...body, serviceType: another };
    expectRefused(await expectUnchanged(service, id, () => service.admin.put(path, changed)), 400);
    expectRefused(
      await expectUnchanged(service, id, () => service.admin.patch(`${path}/${id}`, { serviceType: another })),
      400,
    );
    const replace = [{ op: 'replace', path: '/serviceType', value: another }];
    expectRefused(await expectUnchanged(service, id, () => service.admin.patch(`${path}/${id}`, replace)), 400);
    const bulk = await expectUnchanged(service, id, () => service.admin.put(`${path}/bulk`, [changed]));
    assert.equal([bulk.json.status, bulk.json.failedRequest[0].status], ['failure', 400]);
  });

  test(`${entityType}: the result of a connection test is stored separately`, async () => {
    const made = ok(await service.admin.post(path, wish(uniqueName('c'))), 201);
    const result = {
      lastUpdatedAt: 1700000000000,
      status: 'Failed',
      steps: [{ name: 'connect', mandatory: true, passed: false, message: 'no route', durationMs: 12 }],
    };
    for (const status of ['Successful', 'Running', 'Failed']) {
      const put = ok(await service.admin.put(`${path}/${made.id}/testConnectionResult`, { ...result, status }));
      assert.equal([put.id, put.version, put.testConnectionResult], [made.id, 0.1, { ...result, status }]);
    }
    assert.equal(ok(await service.admin.get(`${path}/${made.id}`)).testConnectionResult, result);
    for (const bad of [{}, { ...result, status: 'Pending' }, { steps: [{ name: 'x', mandatory: true }] }]) {
      expectRefused(await service.admin.put(`${path}/${made.id}/testConnectionResult`, bad), 400);
    }
  });
}

test('a pipeline service accepts and ignores its schedule and life cycle', async () => {
  const body = {
    name: uniqueName('s'),
    serviceType: 'Airflow',
    scheduleInterval: '@daily',
    lifeCycle: { created: { timestamp: 1 } },
  };
  const made = ok(await service.admin.post('/v1/services/pipelineServices', body), 201);
  const read = ok(await service.admin.get(`/v1/services/pipelineServices/${made.id}?fields=*`));
  assert.equal(
    ['scheduleInterval', 'lifeCycle'].filter((name) => name in made || name in read),
    [],
  );
  for (const name of ['scheduleInterval', 'lifeCycle', 'votes', 'extension', 'sourceUrl']) {
    expectRefused(
      await service.admin.get(`/v1/services/pipelineServices?fields=${name}`),
      400,
      `Invalid field name ${name}`,
    );
  }
});

test('a service without a limit lists up to a thousand', async () => {
  const names = Array.from({ length: 12 }, (_, at) => ({
    name: uniqueName(`many${at}`),
    serviceType: 'Sklearn',
    domains: [domain.fullyQualifiedName],
  }));
  ok(await service.admin.put('/v1/services/mlmodelServices/bulk', names));
  const listed = ok(await service.admin.get(`/v1/services/mlmodelServices?domain=${domain.fullyQualifiedName}`));
  assert.ok(listed.data.length >= 12);
});

const property = async (entityType: string, name: string): Promise<void> => {
  const type = ok(await service.admin.get(`/v1/metadata/types/name/${entityType}`));
  const { id } = ok(await service.admin.get('/v1/metadata/types/name/string'));
  ok(
    await service.admin.put(`/v1/metadata/types/${type.id}`, {
      name,
      description: 'd',
      propertyType: { id, type: 'type' },
    }),
  );
};

/** The two asset kinds that are to be right to the letter, with every member of theirs. */
const ASSETS: readonly {
  readonly kind: string;
  readonly path: string;
  readonly own: JsonObject;
  readonly gated: readonly string[];
}[] = [
  {
    kind: 'container',
    path: '/v1/containers',
    own: {
      prefix: '/raw/orders',
      numberOfObjects: 12,
      size: 1e12,
      fileFormats: ['parquet', 'gz', 'MF4'],
      fullPath: 's3://lake/raw/orders',
      sourceUrl: 'https://s3.example.com/lake',
      dataModel: {
        isPartitioned: true,
        columns: [
          { name: 'id', dataType: 'INT' },
          { name: 'who', dataType: 'STRUCT', children: [{ name: 'first', dataType: 'VARCHAR', dataLength: 9 }] },
        ],
      },
    },
    gated: ['dataModel'],
  },
  {
    kind: 'pipeline',
    path: '/v1/pipelines',
    own: {
      concurrency: 4,
      pipelineLocation: '/dags/orders.py',
      startDate: '2024-01-02T03:04:05Z',
      state: 'Inactive',
      scheduleInterval: '0 5 * * *',
      sourceUrl: 'https://airflow.example.com/dags/orders',
      tasks: [
        {
          name: 'load.raw',
          displayName: 'Load',
          description: 'Loads',
          sourceUrl: 'https://airflow.example.com/dags/orders/load',
          downstreamTasks: ['clean'],
          taskType: 'Python',
          taskSQL: 'SELECT 1',
          startDate: '2024-01-01',
          endDate: '2024-12-31',
        },
        { name: 'clean' },
      ],
    },
    gated: ['tasks'],
  },
];

const includes = (answer: Json | undefined, wished: Json, what: string): void => {
  if (typeof wished !== 'object' || wished === null) assert.is(answer, wished, what);
  else {
    for (const [name, value] of Object.entries(wished))
      includes((answer as JsonObject)?.[name], value, `${what}.${name}`);
  }
};

for (const { kind: entityType, path, own, gated } of ASSETS) {
  test(`${entityType}: POST, PUT and bulk store and return every member at version 0.1`, async () => {
    const custom = uniqueName('c');
    await property(entityType, custom);
    const { service: home } = await samples.parents(samples.kind(entityType));
    const wish = (name: string): JsonObject => ({
      ...own,
      ...common(),
      name,
      service: home as Json,
      extension: { [custom]: 'mine' },
      sourceHash: 'h1',
      lifeCycle: { created: { timestamp: 5, accessedByAProcess: 'etl' } },
    });
    const [posted, put, bulked] = [uniqueName('p'), uniqueName('u.x'), uniqueName('b')];
    const made = ok(await service.admin.post(path, wish(posted)), 201);
    const second = ok(await service.admin.put(path, wish(put)), 201);
    const bulk = ok(await service.admin.put(`${path}/bulk`, [wish(bulked)]));
    assert.equal(bulk.successRequest, [{ request: `${home}.${bulked}`, status: 200 }]);
    const fqns = [`${home}.${posted}`, `${home}."${put}"`, `${home}.${bulked}`];
    for (const fqn of fqns) {
      const read = ok(await service.admin.get(`${path}/name/${encodeURIComponent(fqn)}?fields=*`));
      hasCommon(read, fqn);
      includes(read, own, fqn);
      assert.equal([read.version, read.fullyQualifiedName, read.extension], [0.1, fqn, { [custom]: 'mine' }]);
      assert.equal([read.sourceHash, read.lifeCycle.created.timestamp], ['h1', 5]);
      const plain = ok(await service.admin.get(`${path}/name/${encodeURIComponent(fqn)}`));
      const hidden = [...gated, 'owners', 'tags', 'domains', 'dataProducts', 'extension', 'lifeCycle', 'sourceHash'];
      assert.equal(
        hidden.filter((name) => name in plain),
        [],
      );
      const shown = Object.fromEntries(Object.entries(own).filter(([name]) => !gated.includes(name)));
      includes(plain, shown, fqn);
    }
    for (const answer of [made, second]) {
      hasCommon(answer, 'write');
      includes(answer, own, 'write');
      assert.equal(answer.extension, { [custom]: 'mine' });
    }
    expectRefused(await service.admin.post(path, wish(posted)), 409, 'Entity already exists', 'ENTITY_ALREADY_EXISTS');
    const same = await expectUnchanged(service, made.id, () => service.admin.put(path, wish(posted)));
    assert.equal([same.status, same.headers.get(CHANGE_HEADER_NAME)], [200, 'entityNoChange']);
    const skipped = ok(await service.admin.put(`${path}/bulk`, [{ ...wish(posted), description: 'unseen' }]));
    assert.is(skipped.numberOfRowsPassed, 1);
    assert.is(ok(await service.admin.get(`${path}/${made.id}`)).description, 'Told **aloud**');
    const mixed = ok(
      await service.admin.put(`${path}/bulk`, [
        { ...wish(posted), sourceHash: 'h2', description: 'seen' },
        { name: uniqueName('x') },
        { ...wish(uniqueName('x')), service: 'nowhere' },
        { ...wish(uniqueName('x')), extension: { nope: 1 } },
      ]),
    );
    assert.equal([mixed.status, mixed.numberOfRowsPassed, mixed.numberOfRowsFailed], ['partialSuccess', 1, 3]);
    assert.equal(
      mixed.failedRequest.map((row: { status: number }) => row.status),
      [400, 400, 400],
    );
    assert.is(ok(await service.admin.get(`${path}/${made.id}`)).version, 0.2);
    expectRefused(await service.admin.post(path, { ...wish(uniqueName('x')), service: 'nowhere' }), 404);
    expectRefused(await service.admin.post(path, { ...wish(uniqueName('x')), service: null }), 400);
    const { service: _, ...rest } = wish(uniqueName('x'));
    expectRefused(await service.admin.post(path, rest), 400);
  });
}

test('the singular domain works on services and assets', async () => {
  const body = { name: uniqueName('d'), serviceType: 'S3', domain: domain.fullyQualifiedName };
  const made = ok(await service.admin.post('/v1/services/storageServices', body), 201);
  assert.equal(ids(made, 'domains'), [domain['id']]);
  assert.is('domain' in made, false);
});

test.run();
