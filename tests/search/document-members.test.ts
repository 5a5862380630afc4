import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { createQualityTests, entityLinkOf, type QualityTests } from '../support/quality-tests.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { queryAt } from './schema-fixture.ts';

/** Shows that hits and documents contain the members of the contract (search.md 6.1). */

const test = suite('search: members of documents');

let service: Service;
let testing: QualityTests;

test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

/** The document of a record, which is the same however it is come by. */
// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
const shown = async (index: string, id: string): Promise<any> => {
  const { _source, ...rest } = ok(await service.admin.get(`/v1/search/get/${index}/doc/${id}`));
  assert.equal(rest, { _index: index, _id: id, found: true });
  const query_filter = JSON.stringify({ ids: { values: [id] } });
  const { hits } = ok(await service.admin.get(queryAt('query', { index, query_filter }))).hits;
  assert.equal(hits.length, 1);
  assert.equal(hits[0]._source, _source);
  return _source;
};

const isNamed = (ref: JsonObject, { id, name, fullyQualifiedName }: CreatedRecord, type: string): void => {
  assert.equal(
    [ref['id'], ref['type'], ref['name'], ref['fullyQualifiedName'], ref['displayName']],
    [id, type, name, fullyQualifiedName, name],
  );
};

const CASES = 'test_case_search_index';
const SUITES = 'test_suite_search_index';

test('the document of a test case contains its target, its definition and its suites', async () => {
  const table = await testing.table();
  const logical = await testing.samples.create('testSuite');
  const made = await testing.test(table, 'amount');
  const body = { testSuiteId: logical.id, testCaseIds: [made.id] };
  ok(await service.admin.put('/v1/dataQuality/testCases/logicalTestCases', body));
  const document = await shown(CASES, made.id);
  assert.is(document.entityType, 'testCase');
  assert.is(document.entityLink, entityLinkOf(table, 'amount'));
  assert.is(document.originEntityFQN, table.fullyQualifiedName);
  assert.equal(
    [document.testDefinition.type, document.testDefinition.name],
    ['testDefinition', 'columnValuesToBeNotNull'],
  );
  assert.is(document.testDefinition.displayName.length > 0, true);
  assert.is(document.testSuite.fullyQualifiedName, `${table.fullyQualifiedName}.testSuite`);
  assert.equal(
    document.testSuites.map(({ id }: JsonObject) => id).sort(),
    [made.testSuite.id, logical.id].sort(),
    'the suite of the table and the one that somebody chose it for',
  );
  assert.is('testCaseResult' in document, false, 'nobody has run it');
});

test('the document of a table test contains the table', async () => {
  const table = await testing.table();
  const made = await testing.test(table);
  const document = await shown(CASES, made.id);
  assert.equal([document.entityLink, document.originEntityFQN], [entityLinkOf(table), table.fullyQualifiedName]);
});

const report = async (test: CreatedRecord, testCaseStatus: string, timestamp: number): Promise<void> => {
  const at = `/v1/dataQuality/testCases/testCaseResults/${encodeURIComponent(test.fullyQualifiedName)}`;
  ok(await service.admin.post(at, { timestamp, testCaseStatus, result: `It ${testCaseStatus}` }), 201);
};

const NOON = Date.UTC(2026, 4, 20, 12);

test('the document of a test case contains its latest status and is found by it', async () => {
  const made = await testing.test(await testing.table());
  await report(made, 'Failed', NOON);
  await report(made, 'Success', NOON - 1);
  const document = await shown(CASES, made.id);
  assert.is(document.testCaseStatus, 'Failed');
  const { testCaseStatus, timestamp, result } = document.testCaseResult;
  assert.equal([testCaseStatus, timestamp, result], ['Failed', NOON, 'It Failed']);
  const byStatus = async (status: string): Promise<number> => {
    const must = [{ ids: { values: [made.id] } }, { term: { testCaseStatus: status } }];
    const query_filter = JSON.stringify({ query: { bool: { must } } });
    return ok(await service.admin.get(queryAt('query', { index: CASES, query_filter }))).hits.total.value;
  };
  assert.equal([await byStatus('failed'), await byStatus('Success')], [1, 0]);
  await report(made, 'Success', NOON + 1);
  assert.is((await shown(CASES, made.id)).testCaseStatus, 'Success');
});

test('the document of a basic suite says so and contains the status of the tests of its table', async () => {
  const table = await testing.table();
  const [first, second] = [await testing.test(table), await testing.test(table, 'id')];
  await testing.test(table, 'amount');
  await report(first, 'Success', NOON);
  await report(second, 'Failed', NOON);
  const document = await shown(SUITES, first.testSuite.id);
  assert.equal([document.entityType, document.basic], ['testSuite', true]);
  assert.is(document.fullyQualifiedName, `${table.fullyQualifiedName}.testSuite`);
  assert.is(document.basicEntityReference.id, table.id);
  const { success, failed, aborted, queued, total } = document.summary;
  assert.equal([success, failed, aborted, total], [1, 1, 0, 3]);
  assert.type(queued, 'number');
});

test('the document of a logical suite contains the summary of its tests', async () => {
  const logical = await testing.samples.create('testSuite');
  const empty = await shown(SUITES, logical.id);
  assert.equal([empty.basic, empty.summary.total], [false, 0]);
  assert.is('basicEntityReference' in empty, false);
  const made = await testing.test(await testing.table());
  await report(made, 'Aborted', NOON);
  const body = { testSuiteId: logical.id, testCaseIds: [made.id] };
  ok(await service.admin.put('/v1/dataQuality/testCases/logicalTestCases', body));
  const { summary } = await shown(SUITES, logical.id);
  assert.equal([summary.aborted, summary.total], [1, 1]);
});

test('documents of terms, tags, domains and teams contain their parents', async () => {
  const { samples } = testing;
  const glossary = await samples.create('glossary');
  const term = await samples.create('glossaryTerm', { glossary: glossary.fullyQualifiedName });
  const inner = await samples.create('glossaryTerm', {
    glossary: glossary.fullyQualifiedName,
    parent: term.fullyQualifiedName,
    synonyms: ['twig', 'sprig'],
    relatedTerms: [term.fullyQualifiedName],
  });
  const ofTerm = await shown('glossary_term_search_index', inner.id);
  isNamed(ofTerm.glossary, glossary, 'glossary');
  isNamed(ofTerm.parent, term, 'glossaryTerm');
  assert.equal([...ofTerm.synonyms].sort(), ['sprig', 'twig']);
  assert.is(ofTerm.relatedTerms[0].term.id, term.id);
  assert.equal([ofTerm.entityStatus, ofTerm.fqnParts.length], ['Approved', 3]);
  const outer = await shown('glossary_term_search_index', term.id);
  assert.is('parent' in outer, false, 'what lies in the glossary itself lies in no term');
  const classification = await samples.create('classification');
  const tag = await samples.create('tag', { classification: classification.name });
  const below = await samples.create('tag', { classification: classification.name, parent: tag.fullyQualifiedName });
  const ofTag = await shown('tag_search_index', below.id);
  isNamed(ofTag.classification, classification, 'classification');
  isNamed(ofTag.parent, tag, 'tag');
  assert.equal([ofTag.disabled, ofTag.usageCount], [false, 0]);
  const domain = await samples.create('domain');
  const subdomain = await samples.create('domain', { parent: domain.fullyQualifiedName });
  isNamed((await shown('domain_search_index', subdomain.id)).parent, domain, 'domain');
  const team = await samples.create('team', { teamType: 'Department' });
  const squad = await samples.create('team', { parents: [team.id] });
  const ofTeam = await shown('team_search_index', squad.id);
  isNamed(ofTeam.parents[0], team, 'team');
  assert.equal([ofTeam.teamType, ofTeam.isBot], ['Group', false]);
});

test('documents of containers contain their parents and columns', async () => {
  const { samples } = testing;
  const bucket = await samples.create('container');
  const above = ok(await service.admin.get(`/v1/containers/${bucket.id}`));
  const file = await samples.create('container', {
    service: above.service.fullyQualifiedName,
    parent: { id: bucket.id, type: 'container' },
    numberOfObjects: 3,
    dataModel: { columns: [{ name: 'id', dataType: 'INT' }] },
  });
  const document = await shown('container_search_index', file.id);
  isNamed(document.parent, bucket, 'container');
  assert.equal([document.numberOfObjects, document.columnNames], [3, ['id']]);
  assert.is(document.dataModel.columns[0].name, 'id');
  assert.is(document.fullyQualifiedName, `${bucket.fullyQualifiedName}.${file.name}`);
});

test('documents of tables, schemas and procedures contain all ancestors', async () => {
  const { samples } = testing;
  const table = await samples.create('table', { columns: [{ name: 'id', dataType: 'INT' }] });
  const above = ok(await service.admin.get(`/v1/tables/${table.id}`));
  const document = await shown('table_search_index', table.id);
  for (const name of ['service', 'database', 'databaseSchema']) isNamed(document[name], above[name], above[name].type);
  assert.is(document.serviceType, above.serviceType);
  assert.equal(document.upstreamLineage, []);
  const schema = await shown('database_schema_search_index', above.databaseSchema.id);
  isNamed(schema.database, above.database, 'database');
  isNamed(schema.service, above.service, 'databaseService');
  const procedure = await samples.create('storedProcedure');
  const ofProcedure = await shown('stored_procedure_search_index', procedure.id);
  assert.equal([ofProcedure.databaseSchema.type, ofProcedure.database.type], ['databaseSchema', 'database']);
  const endpoint = await samples.create('apiEndpoint');
  const ofEndpoint = await shown('api_endpoint_search_index', endpoint.id);
  assert.equal([ofEndpoint.apiCollection.type, ofEndpoint.service.type], ['apiCollection', 'apiService']);
});

test('documents of users contain teams and roles, those of data products domains, those of services their type', async () => {
  const { samples } = testing;
  const team = await samples.create('team');
  const role = await samples.create('role');
  const name = uniqueName('ann');
  const user = ok(
    await service.admin.post('/v1/users', { name, email: `${name}@example.com`, teams: [team.id], roles: [role.id] }),
    201,
  );
  const person = await shown('user_search_index', user.id);
  isNamed(person.teams[0], team, 'team');
  isNamed(person.roles[0], role, 'role');
  assert.equal([person.email, person.isAdmin, person.isBot], [`${name}@example.com`, false, false]);
  const domain = await samples.create('domain');
  const product = await samples.create('dataProduct', { domains: [domain.fullyQualifiedName], experts: [name] });
  const goods = await shown('data_product_search_index', product.id);
  isNamed(goods.domains[0], domain, 'domain');
  assert.is(goods.experts[0].id, user.id);
  const made = await samples.create('messagingService');
  assert.type((await shown('messaging_service_search_index', made.id)).serviceType, 'string');
});

test.run();
