import * as assert from 'uvu/assert';
import { buildRecordDocuments } from '../../src/catalog/read/documents.ts';
import { markMissingDocuments } from '../../src/search/maintenance/refresher.ts';
import { buildStoredDocument } from '../../src/search-documents/index/stored-document.ts';
import { ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that documents are refreshed when assets that they mention change. */

const test = suite('search: refresh of documents');

let service: Service;

const MARKS = "MATCH (mark:Dirty) WHERE mark.entityId > '' RETURN mark{.*} AS mark LIMIT 20";

/** A wait in vain tells what the service said meanwhile, and what is still marked. */
const until = (is: () => Promise<boolean>, what: string): Promise<void> =>
  waitUntil(is, what, async () => ({
    said: service.logged.filter((line) => !line.includes('"level":"info"')).slice(-5),
    marks: await service.graph.query(MARKS),
  }));

const MARKED = "MATCH (mark:Dirty) WHERE mark.entityId > '' RETURN count(mark) AS count";

test.before(async () => {
  service = await openServiceAt(placeOfRun(), { refresher: {} });
  // Other tests have left their marks.
  await until(async () => (await service.graph.query(MARKED))[0]?.['count'] === 0, 'nothing is marked');
});

test.after(() => closeServiceAt(service));

/** Whether what the index keeps of a record is what it ought to keep. */
const isTrue = async (entityType: string, id: string): Promise<boolean> => {
  const kind = service.registry.byType.get(entityType);
  if (!kind) throw new Error(`no kind is called ${entityType}`);
  const [row] = await service.graph.query('MATCH (doc:SearchDoc {id: $id}) RETURN doc{.*} AS doc', { id });
  const [document] = await buildRecordDocuments(service.app.engine, kind, [id]);
  const { revision: _revision, toldFace: _toldFace, ...kept } = (row?.['doc'] ?? {}) as Record<string, unknown>;
  return (
    JSON.stringify(Object.entries(kept).sort()) ===
    JSON.stringify(Object.entries(document ? buildStoredDocument(kind, document) : {}).sort())
  );
};

const finds = async (filter: object, id: string): Promise<boolean> => {
  const query = new URLSearchParams({
    index: 'all',
    query_filter: JSON.stringify(filter),
    fetch_source: 'false',
    size: '1000',
  });
  const { hits } = ok(await service.admin.get(`/v1/search/query?${query}`)).hits;
  return hits.some((hit: { _id: string }) => hit._id === id);
};

const create = async (path: string, prefix: string, body: object = {}) =>
  ok(await service.admin.post(`/v1/${path}`, { name: uniqueName(prefix), ...body }), 201);

const table = async (owners: readonly object[] = []) => {
  const made = await create('services/databaseServices', 'fresh', { serviceType: 'Mysql', owners });
  const database = await create('databases', 'db', { service: made.fullyQualifiedName });
  const schema = await create('databaseSchemas', 'sc', { database: database.fullyQualifiedName });
  const columns = [{ name: 'id', dataType: 'INT' }];
  return {
    service: made,
    schema,
    table: await create('tables', 'tab', { databaseSchema: schema.fullyQualifiedName, columns }),
  };
};

test('a document gets the new name of an owner, also of an inherited one', async () => {
  const owner = await create('users', 'usr', { email: `${uniqueName('u')}@example.com` });
  const { table: made } = await table([{ id: owner.id, type: 'user' }]);
  const displayName = uniqueName('Somebody');
  ok(await service.admin.patch(`/v1/users/${owner.id}`, { displayName }));
  const filter = { term: { 'owners.displayName.keyword': displayName } };
  await until(() => finds(filter, made.id), 'the table is found by the new name of its owner');
  await until(() => isTrue('table', made.id), 'its document is true');
});

test('a document gets the new names of ancestors', async () => {
  const { table: made, service: above } = await table();
  const displayName = uniqueName('House');
  ok(await service.admin.patch(`/v1/services/databaseServices/${above.id}`, { displayName }));
  await until(
    () => finds({ term: { 'service.displayName.keyword': displayName } }, made.id),
    'the table is found by what its service is called',
  );
  const owner = await create('users', 'usr', { email: `${uniqueName('u')}@example.com` });
  ok(
    await service.admin.patch(`/v1/services/databaseServices/${above.id}`, {
      owners: [{ id: owner.id, type: 'user' }],
    }),
  );
  await until(
    () => finds({ term: { 'owners.id': owner.id } }, made.id),
    'the table is found by the owner of its service',
  );
});

test('a document gets the new tags of its record and columns', async () => {
  const { table: made } = await table();
  const classification = await create('classifications', 'cls', { description: 'x' });
  const tag = await create('tags', 'tag', { classification: classification.name, description: 'x' });
  const label = { tagFQN: tag.fullyQualifiedName, source: 'Classification' };
  ok(await service.admin.patch(`/v1/tables/${made.id}`, [{ op: 'add', path: '/columns/0/tags', value: [label] }]));
  const word = uniqueName('meaning');
  ok(await service.admin.patch(`/v1/tags/${tag.id}`, { description: `What ${word} is` }));
  await until(
    () => finds({ match: { 'columns.tags.description': word } }, made.id),
    'the table is found by what the tag of its column means',
  );
});

test('a document gets the new names of related records', async () => {
  const domain = await create('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const product = await create('dataProducts', 'prod', { description: 'x', domains: [domain.fullyQualifiedName] });
  const { table: made } = await table();
  ok(await service.admin.patch(`/v1/tables/${made.id}`, { domains: [{ id: domain.id, type: 'domain' }] }));
  ok(
    await service.admin.put(`/v1/dataProducts/${encodeURIComponent(product.name)}/assets/add`, {
      assets: [{ id: made.id, type: 'table' }],
    }),
  );
  await until(
    () => finds({ term: { 'dataProducts.id': product.id } }, made.id),
    'the table is found by its data product',
  );
});

test('documents of tests and suites follow their tables, definitions and tests', async () => {
  const { admin } = service;
  const { table: tested } = await table();
  const definition = await create('dataQuality/testDefinitions', 'rule', {
    entityType: 'TABLE',
    testPlatforms: ['Other'],
  });
  const chosen = await create('dataQuality/testSuites', 'chosen');
  const made = await create('dataQuality/testCases', 'check', {
    testDefinition: definition.name,
    entityLink: `<#E::table::${tested.fullyQualifiedName}>`,
    testSuite: chosen.name,
  });
  const told = async (what: string) => {
    await until(() => isTrue('testCase', made.id), `the test tells of ${what}`);
    for (const { id } of [chosen, made.testSuite]) {
      await until(() => isTrue('testSuite', id), `suites tell of ${what}`);
    }
  };
  await told('what there is');
  ok(await admin.patch(`/v1/dataQuality/testDefinitions/${definition.id}`, { displayName: 'Another rule' }));
  ok(await admin.patch(`/v1/dataQuality/testSuites/${chosen.id}`, { displayName: 'Another suite' }));
  await told('other names');
  const fqn = encodeURIComponent(made.fullyQualifiedName);
  const result = { timestamp: 1_763_700_000_000, testCaseStatus: 'Failed' };
  ok(await admin.post(`/v1/dataQuality/testCases/testCaseResults/${fqn}`, result), 201);
  await told('how it went');
  ok(await admin.delete(`/v1/dataQuality/testCases/logicalTestCases/${chosen.id}/${made.id}`));
  await told('what it was taken out of');
  ok(await admin.delete(`/v1/dataQuality/testCases/${made.id}`));
  await until(() => isTrue('testSuite', made.testSuite.id), 'suites tell of what is hidden');
});

test('the document of a contract follows its table, its tests and its results', async () => {
  const { admin } = service;
  const { table: promised } = await table();
  const check = () =>
    create('dataQuality/testCases', 'check', {
      testDefinition: 'tableRowCountToEqual',
      entityLink: `<#E::table::${promised.fullyQualifiedName}>`,
      parameterValues: [{ name: 'value', value: '1' }],
    });
  const [one, other] = [await check(), await check()];
  const made = await create('dataContracts', 'promise', {
    entity: { id: promised.id, type: 'table' },
    qualityExpectations: [one, other].map(({ id }) => ({ id, type: 'testCase' })),
  });
  const follows = (what: string) => until(() => isTrue('dataContract', made.id), `the contract tells of ${what}`);
  const displayName = uniqueName('Promised');
  ok(await admin.patch(`/v1/tables/${promised.id}`, { displayName }));
  await follows('its table');
  ok(await admin.patch(`/v1/dataQuality/testCases/${one.id}`, { displayName }));
  await follows('the name of a test');
  for (const timestamp of [1_763_700_000_000, 1_763_700_000_001]) {
    const result = { timestamp, contractExecutionStatus: 'Failed', result: `At ${timestamp}` };
    ok(await admin.put(`/v1/dataContracts/${made.id}/results`, result));
    await follows(`its result of ${timestamp}`);
  }
  ok(await admin.delete(`/v1/dataQuality/testCases/${one.id}?hardDelete=true`));
  await follows('the test that it keeps');
  ok(await admin.delete(`/v1/dataQuality/testCases/${other.id}?hardDelete=true`));
  await follows('no test');
});

test('an asset whose document cannot be built is logged and delays no other', async () => {
  const { table: good, service: above, schema } = await table();
  const columns = [{ name: 'id', dataType: 'INT' }];
  const bad = await create('tables', 'tab', { databaseSchema: schema.fullyQualifiedName, columns });
  const spoil = (json: string | null) =>
    service.graph.query('MATCH (n:Entity {id: $id}) SET n.tableConstraintsJson = $json', { id: bad.id, json });
  await spoil('{');
  const displayName = uniqueName('House');
  ok(await service.admin.patch(`/v1/services/databaseServices/${above.id}`, { displayName }));
  const renamed = { term: { 'service.displayName.keyword': displayName } };
  await until(() => finds(renamed, good.id), 'the other table is found by the new name');
  const failures = async () => ok(await service.admin.get('/v1/search/reindex/failures?entityType=table&limit=1000'));
  const failure = async () => (await failures()).data.find((one: { entityId: string }) => one.entityId === bad.id);
  await until(async () => (await failure()) !== undefined, 'the failure is told');
  const { entityFqn, entityType, failureStage, errorMessage, attempts } = await failure();
  assert.equal([entityFqn, entityType, failureStage], [bad.fullyQualifiedName, 'table', 'PROCESS']);
  assert.match(errorMessage, /JSON/);
  assert.ok(attempts >= 1);
  assert.ok((await failures()).total >= 1);
  // It is written down before it is logged.
  const isLogged = () =>
    service.logged.some((line) => line.includes('documents could not be built') && line.includes(bad.id));
  await until(async () => isLogged(), 'the log says so');
  await spoil(null);
  await until(async () => (await failure()) === undefined, 'it is tried again until it can be made');
  await until(() => finds(renamed, bad.id), 'the mended table is found by the new name');
});

test('records without a document get one', async () => {
  const { table: made } = await table();
  await service.graph.query('MATCH (doc:SearchDoc {id: $id}) DELETE doc', { id: made.id });
  assert.is(await finds({ ids: { values: [made.id] } }, made.id), false);
  await markMissingDocuments(service.app.engine);
  await until(() => finds({ ids: { values: [made.id] } }, made.id), 'the table is found again');
  assert.is(await isTrue('table', made.id), true);
});

test.run();
