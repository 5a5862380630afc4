import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, expectUnchanged, ok, pathByName, readStored } from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that queries are identified by their service and text, and stored procedures follow the contract. */

const test = suite('catalog: queries and stored procedures');

const PATH = '/v1/queries';

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const md5 = (text: string) => createHash('md5').update(text, 'utf8').digest('hex');
const text = () => `SELECT '${uniqueName('größe')}'`;
const ids = (refs: readonly CreatedRecord[]) => refs.map(({ id }) => id).sort();
const ref = ({ id }: CreatedRecord, type: string) => ({ id, type });

test('a query without a name is named by its checksum and found by its full name only', async () => {
  const home = await samples.create('databaseService');
  const query = text();
  const made = ok(await service.admin.post(PATH, { query, service: home.name }), 201);
  const fqn = `${home.name}.${md5(query)}`;
  assert.equal([made.name, made.checksum, made.fullyQualifiedName], [md5(query), md5(query), fqn]);
  assert.is('deleted' in made, false);
  assert.is(ok(await service.admin.get(pathByName(samples.kind('query'), fqn))).id, made.id);
  expectRefused(await service.admin.get(pathByName(samples.kind('query'), md5(query))), 404);
  expectRefused(await service.admin.post(PATH, { query, service: home.name }), 409, 'Entity already exists');
  expectRefused(await service.admin.post(PATH, { service: home.name }), 400, /query must not be null/);
  expectRefused(await service.admin.post(PATH, { query }), 400, /service must not be null/);
  const changed = ok(await service.admin.patch(`${PATH}/${made.id}`, { query: `${query};` }));
  assert.equal([changed.checksum, changed.name, changed.version], [md5(`${query};`), md5(query), 0.2]);
});

test('PUT finds a query by its service and text, whatever its name', async () => {
  const [home, other] = [await samples.create('databaseService'), await samples.create('databaseService')];
  const query = text();
  const made = ok(await service.admin.put(PATH, { name: uniqueName('named'), query, service: home.name }), 201);
  const again = ok(await service.admin.put(PATH, { query, service: home.name, description: 'said' }));
  assert.equal([again.id, again.name, again.description, again.version], [made.id, made.name, 'said', 0.2]);
  const renamed = ok(
    await service.admin.put(PATH, { name: uniqueName('other'), query, service: home.name, description: 'said' }),
  );
  assert.equal([renamed.id, renamed.name], [made.id, made.name]);
  const elsewhere = ok(await service.admin.put(PATH, { query, service: other.name }), 201);
  assert.is.not(elsewhere.id, made.id);
  const rows = [
    { query, service: home.name, description: 'bulk' },
    { query: `${query} `, service: home.name },
  ];
  const bulk = ok(await service.admin.put(`${PATH}/bulk`, rows));
  assert.equal([bulk.status, bulk.numberOfRowsPassed], ['success', 2]);
  assert.is(ok(await service.admin.get(`${PATH}/${made.id}`)).description, 'bulk');
  assert.is(expectList(await service.admin.get(`${PATH}?limit=0&service=${home.name}`)).paging.total, 2);
});

test('queries without names are created concurrently, except those with one text', async () => {
  const home = await samples.create('databaseService');
  const row = (query: string, more: JsonObject = {}) => ({ query, service: home.name, ...more });
  const twin = text();
  const rows = [row(twin, { description: 'first' }), ...Array.from({ length: 200 }, () => row(text())), row(twin)];
  const [looks, writes] = [service.sent('kinds/find_query'), service.sent('catalog/record/create')];
  const made = ok(await service.admin.put(`${PATH}/bulk`, rows));
  assert.equal([made.status, made.numberOfRowsPassed], ['success', rows.length]);
  const { total } = expectList(await service.admin.get(`${PATH}?limit=0&service=${home.name}`)).paging;
  assert.is(total, rows.length - 1);
  const read = ok(await service.admin.get(pathByName(samples.kind('query'), `${home.name}.${md5(twin)}`)));
  assert.equal([read.version, read.description], [0.2, undefined]);
  assert.ok(service.sent('kinds/find_query') - looks <= 20, 'the rows share their look-ups');
  assert.ok(service.sent('catalog/record/create') - writes <= 20, 'the rows share their transactions');
});

test('rows for one query are applied in the order they were sent', async () => {
  const home = await samples.create('databaseService');
  const [one, two] = [text(), text()];
  const [a, b] = [uniqueName('a'), uniqueName('b')];
  const row = (query: string, description: string, more: JsonObject = {}) => ({
    query,
    service: home.name,
    description,
    ...more,
  });
  const rows = [
    row(one, '1', { name: a }),
    row(one, '2', { name: b }),
    row(one, '3'),
    row(two, '4', { name: md5(two) }),
    row(two, '5', { name: null }),
    row(one, '6', { name: a }),
  ];
  const result = ok(await service.admin.put(`${PATH}/bulk`, rows));
  assert.equal(
    result.successRequest.map(({ request }: { request: string }) => request),
    [a, a, a, md5(two), md5(two), a].map((name) => `${home.name}.${name}`),
  );
  const { data } = expectList(await service.admin.get(`${PATH}?limit=10&service=${home.name}`));
  const told = data.map((query: JsonObject) => [query['query'], query['description'], query['version']]);
  assert.equal(
    told.sort(),
    [
      [one, '6', 0.4],
      [two, '5', 0.2],
    ].sort(),
  );
});

test('every member is stored and returned by the contract', async () => {
  const [user, table, procedure] = [
    await samples.create('user'),
    await samples.create('table'),
    await samples.create('storedProcedure'),
  ];
  const { name } = await samples.create('classification');
  const tag = await samples.create('tag', { classification: name });
  const domain = await samples.create('domain');
  const own = {
    displayName: 'Shown',
    description: 'Told',
    query: text(),
    query_type: 'SELECT',
    exclude_usage: true,
    duration: 1.25,
    usedBy: ['tableau', 'jobs'],
    queryDate: 1700000000000,
    processedLineage: true,
  };
  const body = {
    ...(await samples.body('query')),
    ...own,
    dialect: 'postgres',
    users: [user.fullyQualifiedName],
    queryUsedIn: [ref(table, 'table')],
    triggeredBy: ref(procedure, 'storedProcedure'),
    owners: [ref(user, 'user')],
    tags: [{ tagFQN: tag.fullyQualifiedName }],
    domains: [domain.fullyQualifiedName],
  };
  const made = ok(await service.admin.post(PATH, body), 201);
  const full = ok(await service.admin.get(`${PATH}/${made.id}?fields=*`));
  const plain = ok(await service.admin.get(`${PATH}/${made.id}`));
  for (const answer of [made, full, plain]) {
    for (const [member, value] of Object.entries(own)) assert.equal(answer[member], value, member);
    assert.equal([answer.triggeredBy.id, answer.triggeredBy.name], [procedure.id, procedure.name]);
    assert.is('dialect' in answer, false);
  }
  for (const answer of [made, full]) {
    assert.equal(
      [ids(answer.users), ids(answer.queryUsedIn), ids(answer.owners), ids(answer.domains)],
      [[user.id], [table.id], [user.id], [domain.id]],
    );
    assert.is(answer.tags[0].tagFQN, tag.fullyQualifiedName);
  }
  assert.equal(
    ['users', 'queryUsedIn', 'owners', 'tags', 'domains', 'followers', 'votes'].filter((member) => member in plain),
    [],
  );
  const after = ok(await service.admin.patch(`${PATH}/${made.id}`, { processedLineage: false }));
  assert.equal([after.version, after.processedLineage], [0.1, false]);
  for (const [more, status] of [
    [{ users: ['nobody'] }, 404],
    [{ queryUsedIn: [{ id: strayId(), type: 'table' }] }, 404],
    [{ triggeredBy: { id: strayId(), type: 'table' } }, 404],
    [{ duration: 'long' }, 400],
    [{ extension: {} }, 400],
    [{ sourceUrl: 'https://example.com' }, 400],
  ] as const) {
    expectRefused(await service.admin.post(PATH, { ...body, name: uniqueName('q'), query: text(), ...more }), status);
  }
});

test('usages, users and programs are added and removed one by one', async () => {
  const [a, b] = [await samples.create('table'), await samples.create('table')];
  const [one, two] = [await samples.create('user'), await samples.create('user')];
  const made = await samples.create('query', { queryUsedIn: [ref(a, 'table')], users: [one.name], usedBy: ['x'] });
  const at = `${PATH}/${made.id}`;
  const used = ok(
    await service.admin.put(`${at}/usage`, [
      ref(b, 'table'),
      { type: 'table', fullyQualifiedName: a.fullyQualifiedName },
    ]),
  );
  assert.equal([used.id, ids(used.queryUsedIn)], [made.id, ids([a, b])]);
  const fewer = ok(await service.admin.raw('DELETE', `${at}/usage`, JSON.stringify([ref(a, 'table')])));
  assert.equal(ids(fewer.queryUsedIn), [b.id]);
  assert.equal(ids(ok(await service.admin.put(`${at}/users`, [two.name])).users), ids([one, two]));
  assert.equal([...ok(await service.admin.put(`${at}/usedBy`, ['y', 'x'])).usedBy].sort(), ['x', 'y']);
  for (const [part, body, status] of [
    ['usage', [{ id: strayId(), type: 'table' }], 404],
    ['usage', {}, 400],
    ['usage', ['x'], 400],
    ['users', ['nobody'], 404],
    ['users', [1], 400],
    ['usedBy', [1], 400],
    ['usedBy', 'x', 400],
  ] as const) {
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(`${at}/${part}`, body)), status);
  }
  expectRefused(await service.admin.put(`${PATH}/${strayId()}/usage`, [ref(a, 'table')]), 404);
});

test('queries are listed by asset, service and domain, alone and together', async () => {
  const [table, dashboard] = [await samples.create('table'), await samples.create('dashboard')];
  const home = await samples.create('databaseService');
  const domain = await samples.create('domain');
  const one = await samples.create('query', {
    queryUsedIn: [ref(table, 'table'), ref(dashboard, 'dashboard')],
    service: home.name,
  });
  const two = await samples.create('query', { queryUsedIn: [ref(table, 'table')], domains: [domain.name] });
  const three = await samples.create('query', { service: home.name, domains: [domain.name] });
  const list = async (query: string) => expectList(await service.admin.get(`${PATH}?limit=100&${query}`));
  const of = async (query: string) => ids((await list(query)).data);
  assert.equal(await of(`entityId=${table.id}`), ids([one, two]));
  assert.equal(await of(`entityId=${dashboard.id}`), [one.id]);
  assert.equal(await of(`entityId=${table.id}&service=${home.name}`), [one.id]);
  assert.equal(await of(`service=${home.name}`), ids([one, three]));
  assert.equal(await of(`entityId=${strayId()}`), []);
  expectRefused(await service.admin.get(`${PATH}?entityId=nope`), 400);
  assert.equal(await of(`domain=${domain.name}`), ids([two, three]));
  assert.equal(await of(`domain=${domain.name}&service=${home.name}`), [three.id]);
  assert.equal(await of(`domain=${domain.name}&entityId=${table.id}`), [two.id]);
  assert.is((await list(`domain=${domain.name}&entityId=${table.id}`)).paging.total, 1);
  expectRefused(await service.admin.get(`${PATH}?domain=nowhere`), 404);
});

test('a deleted query is removed permanently', async () => {
  const made = await samples.create('query');
  const gone = ok(await service.admin.delete(`${PATH}/${made.id}`));
  assert.equal([gone.id, 'deleted' in gone], [made.id, false]);
  assert.is(await readStored(service, made.id), undefined);
  expectRefused(await service.admin.get(`${PATH}/${made.id}?include=all`), 404);
});

test('a stored procedure keeps its code and parent, and both are required', async () => {
  const path = '/v1/storedProcedures';
  const body = await samples.body('storedProcedure');
  const own = {
    storedProcedureCode: { language: 'SQL', code: 'BEGIN; END' },
    storedProcedureType: 'UDF',
    sourceUrl: 'https://example.com/p',
  };
  const made = ok(await service.admin.post(path, { ...body, ...own }), 201);
  const read = ok(await service.admin.get(`${path}/${made.id}`));
  for (const answer of [made, read]) {
    for (const [member, value] of Object.entries(own)) assert.equal(answer[member], value, member);
    const { databaseSchema, database, service: home } = answer;
    assert.equal(
      [answer.fullyQualifiedName, databaseSchema.fullyQualifiedName, home.type, answer.processedLineage],
      [
        `${databaseSchema.fullyQualifiedName}.${made.name}`,
        `${home.name}.${database.name}.${databaseSchema.name}`,
        'databaseService',
        false,
      ],
    );
  }
  for (const filter of ['databaseSchema', 'database', 'service']) {
    const { data } = expectList(
      await service.admin.get(`${path}?limit=1000&${filter}=${read[filter].fullyQualifiedName}`),
    );
    assert.ok(
      data.some(({ id }: CreatedRecord) => id === made.id),
      filter,
    );
    const none = expectList(await service.admin.get(`${path}?${filter}=${read[filter].fullyQualifiedName}x`));
    assert.equal(none.data, []);
  }
  const name = uniqueName('p');
  expectRefused(
    await service.admin.post(path, { ...body, name, databaseSchema: null }),
    400,
    /databaseSchema must not be null/,
  );
  expectRefused(await service.admin.post(path, { ...body, name, storedProcedureCode: null }), 400);
  expectRefused(await service.admin.post(path, { ...body, name, databaseSchema: 'no.such.schema' }), 404);
  expectRefused(await service.admin.post(path, { ...body, name, code: 'x' }), 400);
  expectRefused(await service.admin.post(path, { ...body, name, processedLineage: true }), 400);
  assert.is(
    ((await samples.create('storedProcedure')) as unknown as JsonObject)['storedProcedureType'],
    'StoredProcedure',
  );
  const patched = ok(await service.admin.patch(`${path}/${made.id}`, { code: 'BEGIN' }));
  assert.equal([patched.code, patched.version], ['BEGIN', 0.2]);
  const lineage = ok(await service.admin.patch(`${path}/${made.id}`, { processedLineage: true }));
  assert.equal([lineage.processedLineage, lineage.version], [true, 0.2]);
});

test('a search index stores fields as nodes, its settings unchanged, and messages as sample data', async () => {
  const path = '/v1/searchIndexes';
  const { name } = await samples.create('classification');
  const tag = await samples.create('tag', { classification: name });
  const searchIndexSettings = { number_of_shards: 3, analysis: { filter: [null, 'x'] } };
  const fields = [
    {
      name: 'a',
      dataType: 'NESTED',
      dataTypeDisplay: 'nested',
      displayName: 'A',
      description: 'd',
      children: [{ name: 'b.c', dataType: 'TEXT', tags: [{ tagFQN: tag.fullyQualifiedName }] }],
    },
    { name: 'A', dataType: 'KEYWORD' },
  ];
  const body = {
    ...(await samples.body('searchIndex')),
    fields,
    searchIndexSettings,
    indexType: 'IndexTemplate',
  };
  const made = ok(await service.admin.post(path, body), 201);
  const read = ok(await service.admin.get(`${path}/${made.id}?fields=tags`));
  const fqn = made.fullyQualifiedName;
  assert.equal(
    [read.searchIndexSettings, read.indexType, read.serviceType],
    [searchIndexSettings, 'IndexTemplate', 'ElasticSearch'],
  );
  const [a, upper] = read.fields;
  assert.equal(
    [a, a.children[0], upper].map((field) => field.fullyQualifiedName),
    [`${fqn}.a`, `${fqn}.a."b.c"`, `${fqn}.A`],
  );
  assert.equal(
    [a.tags, a.children[0].tags[0].tagFQN, upper.tags, a.displayName],
    [[], tag.fullyQualifiedName, [], 'A'],
  );
  const gone = ok(await service.admin.patch(`${path}/${made.id}`, [{ op: 'remove', path: '/fields/1' }]));
  assert.equal([gone.version, gone.fields.length], [1.1, 1]);
  assert.is(((await samples.create('searchIndex')) as unknown as JsonObject)['indexType'], 'Index');
  const sampled = ok(await service.admin.put(`${path}/${made.id}/sampleData`, { messages: ['{}'] }));
  assert.equal([sampled.version, sampled.sampleData], [1.1, { messages: ['{}'] }]);
  assert.equal(ok(await service.admin.get(`${path}/${made.id}/sampleData`)).sampleData, { messages: ['{}'] });
  const other = uniqueName('i');
  expectRefused(await service.admin.post(path, { ...body, name: other, fields: null }), 400);
  expectRefused(await service.admin.post(path, { ...body, name: other, fields: [{ name: 'a' }] }), 400);
  expectRefused(await service.admin.post(path, { ...body, name: other, sourceUrl: 'https://example.com' }), 400);
});

test.run();
