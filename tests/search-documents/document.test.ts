import * as assert from 'uvu/assert';
import { readDocuments } from '../../src/catalog/read/documents.ts';
import { loadKinds } from '../../src/catalog/registry.ts';
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { everyKind } from '../support/every-kind.ts';
import { createPerson, ok } from '../support/expect.ts';
import { createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a search document contains the searchable members of its asset, and no secrets. */

const test = suite('search: documents');
const each = everyKind(test);

const HREFS = 'http://localhost';

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
const documentFor = async (service: Service, id: string): Promise<any> => {
  const document = (await readDocuments(service.app.engine, [id], { hrefBase: HREFS })).get(id);
  assert.ok(document, 'there is a document');
  return document;
};

/** What no document may hold: history, opinions of single people, secrets, and rows of data. */
const FORBIDDEN = [
  'changeDescription',
  'incrementalChangeDescription',
  'changeSummary',
  'votes',
  'connection',
  'sampleData',
  'upstreamLineage',
];

/** The members that the contract adds, of those that every record with all its plain values has. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  table: [
    'tableType',
    'columns',
    'columnNames',
    'columnNamesFuzzy',
    'columnDescriptionStatus',
    'database',
    'databaseSchema',
    'schemaDefinition',
    'processedLineage',
    'tableConstraints',
    'aliases',
    'queryCount',
  ],
  topic: ['messageSchema', 'fieldNames', 'fieldNamesFuzzy', 'partitions', 'retentionTime'],
  dashboard: ['charts', 'dataModels', 'project'],
  chart: ['chartType'],
  dashboardDataModel: ['columns', 'columnNames', 'dataModelType'],
  pipeline: ['tasks', 'scheduleInterval', 'state'],
  mlmodel: ['algorithm', 'mlFeatures', 'mlHyperParameters', 'server', 'target'],
  container: ['prefix', 'fullPath', 'numberOfObjects', 'size', 'fileFormats', 'dataModel'],
  searchIndex: ['fields', 'fieldNames', 'searchIndexSettings'],
  database: ['retentionPeriod'],
  databaseSchema: ['database', 'retentionPeriod'],
  glossaryTerm: ['glossary', 'synonyms', 'relatedTerms', 'entityStatus', 'references'],
  tag: ['classification', 'disabled', 'usageCount'],
  user: ['email', 'isAdmin', 'isBot', 'teams', 'roles'],
  team: ['teamType', 'parents', 'users', 'isJoinable', 'isBot'],
  domain: ['domainType', 'experts'],
  dataProduct: ['domains', 'experts', 'assetCount'],
  apiEndpoint: ['requestMethod', 'endpointURL', 'requestSchema', 'responseSchema', 'apiCollection'],
  query: ['query', 'queryType', 'checksum', 'processedLineage', 'queryUsedIn'],
};

const isAbout = (value: Json): value is JsonObject =>
  isObject(value) && typeof value['id'] === 'string' && typeof value['type'] === 'string';

each('a document contains the record and its derived members', async ({ service, samples, kind, path }) => {
  const body = await samples.fullBody(kind, { description: 'Told' });
  const { id } = ok(await service.admin.post(path, body), 201);
  const record = ok(await service.admin.get(`${path}/${id}?fields=*`));
  const document = await documentFor(service, id);
  for (const name of FORBIDDEN) assert.is(name in document, false, `${name} is in the document`);
  assert.is(document.entityType, kind.entityType);
  assert.is(document.deleted, false);
  assert.is(document.displayName, record.displayName || record.name);
  assert.is(document.fullyQualifiedName, record.fullyQualifiedName);
  if (kind.namePrefix === undefined) assert.is(document.fqnParts.at(-1), record.name);
  assert.is(document.fqnDepth, document.fqnParts.length);
  assert.is(document.fqnHash.split('.').length, document.fqnDepth);
  assert.match(document.fqnHash, /^[0-9a-f]{32}(\.[0-9a-f]{32})*$/);
  assert.is(document.totalVotes, 0);
  assert.is(document.descriptionStatus, 'COMPLETE');
  for (const name of ADDED[kind.entityType] ?? []) assert.ok(document[name] !== undefined, `${name} is missing`);
  if (kind.entityType.endsWith('Service')) assert.is(document.serviceType, record.serviceType);
  for (const [name, attribute] of Object.entries(kind.members)) {
    const isOwn = (attribute.store === 'property' || attribute.store === 'json') && attribute.versioned;
    // What a definition is meant for has the name of what every document says of its record.
    if (isOwn && name !== 'entityType') assert.equal(document[name], record[name], `${name} is the record's`);
  }
  for (const [name, value] of Object.entries<Json>(document)) {
    for (const ref of [value].flat().filter(isAbout)) assert.ok(ref['displayName'], `${name} has no display name`);
  }
});

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const tagged = (tagFQN: string) => ({ tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });

test('the document of a table contains its people, labels, votes, followers, uses and columns', async () => {
  const owner = await createPerson(service, uniqueName('owner'));
  const term = await samples.create('glossaryTerm');
  const table = await samples.create('table', {
    owners: [{ id: owner.id, type: 'user' }],
    tags: [tagged('PII.Sensitive'), tagged('Tier.Tier2'), { ...tagged(term.fullyQualifiedName), source: 'Glossary' }],
    columns: [
      { name: 'id', dataType: 'INT', description: 'Number', tags: [tagged('PII.None')] },
      { name: 'address', dataType: 'STRUCT', children: [{ name: 'post.code', dataType: 'INT', description: 'Code' }] },
    ],
  });
  ok(await service.admin.put(`/v1/tables/${table.id}/vote`, { updatedVoteType: 'votedUp' }));
  ok(await service.admin.put(`/v1/tables/${table.id}/followers`, owner.id));
  ok(await service.admin.post(`/v1/usage/table/${table.id}`, { date: '2024-05-06', count: 3 }));
  ok(await service.admin.put(`/v1/tables/${table.id}/sampleData`, { columns: ['id'], rows: [['secret']] }));
  const document = await documentFor(service, table.id);
  assert.equal(document.ownerName, [owner.name]);
  assert.equal(document.ownerDisplayName, [owner.name]);
  assert.is(document.owners[0].displayName, owner.name);
  assert.is(document.owners[0].href, `${HREFS}/v1/users/${owner.id}`);
  assert.equal(document.followers, [owner.id]);
  assert.is(document.totalVotes, 1);
  assert.is(document.tier.tagFQN, 'Tier.Tier2');
  const labels: JsonObject[] = document.tags;
  assert.equal(labels.map(({ tagFQN }) => tagFQN).sort(), ['PII.Sensitive', term.fullyQualifiedName].sort());
  const known = new Set(['tagFQN', 'name', 'description', 'style', 'source', 'labelType', 'state']);
  for (const name of labels.flatMap(Object.keys)) assert.ok(known.has(name), `a label has ${name}`);
  assert.equal(document.classificationTags, ['PII.Sensitive']);
  assert.equal(document.glossaryTags, [term.fullyQualifiedName]);
  assert.equal(document.classificationTagFQNs, ['PII.Sensitive', 'Tier.Tier2']);
  assert.equal(document.glossaryTermFQNs, [term.fullyQualifiedName]);
  assert.is(document.columns[0].tags[0].tagFQN, 'PII.None');
  assert.equal(document.columnNames, ['id', 'address', 'address."post.code"']);
  assert.is(document.columnNamesFuzzy, 'id address address."post.code"');
  assert.is(document.columnDescriptionStatus, 'INCOMPLETE');
  assert.is(document.usageSummary.dailyStats.count, 3);
  assert.equal(Object.keys(document.usageSummary).sort(), ['dailyStats', 'monthlyStats', 'weeklyStats']);
  assert.not.match(JSON.stringify(document), /"secret"/);
});

test('a document without a description is incomplete, and its votes are not negative', async () => {
  const table = await samples.create('table');
  ok(await service.admin.put(`/v1/tables/${table.id}/vote`, { updatedVoteType: 'votedDown' }));
  const document = await documentFor(service, table.id);
  assert.is(document.totalVotes, 0);
  assert.is(document.descriptionStatus, 'INCOMPLETE');
  assert.is('ownerName' in document, false);
  assert.is('tier' in document, false);
  assert.equal(document.tags, []);
});

test('documents of dashboards, queries and teams contain charts, mentions and users', async () => {
  const chart = await samples.create('chart', { description: 'Sold books' });
  const dashboard = await samples.create('dashboard', { charts: [chart.fullyQualifiedName] });
  const shown = await documentFor(service, dashboard.id);
  assert.equal(
    shown.charts.map(({ id, description }: JsonObject) => [id, description]),
    [[chart.id, 'Sold books']],
  );
  const table = await samples.create('table');
  const query = await samples.create('query', { query_type: 'SELECT', queryUsedIn: [{ id: table.id, type: 'table' }] });
  const asked = await documentFor(service, query.id);
  assert.is(asked.queryType, 'SELECT');
  assert.is(asked.queryUsedIn[0].id, table.id);
  assert.is((await documentFor(service, table.id)).queryCount, 1);
  const product = await samples.create('dataProduct');
  assert.is((await documentFor(service, product.id)).assetCount, 0);
  const member = await createPerson(service, uniqueName('member'));
  const team = await samples.create('team', { users: [member.id] });
  const people = await documentFor(service, team.id);
  assert.is(people.isBot, false);
  assert.is(people.users[0].id, member.id);
});

test('secrets of a service are in no document', async () => {
  const made = await samples.create('databaseService', {
    serviceType: 'Mysql',
    connection: { config: { type: 'Mysql', username: 'reader', password: 'very-secret' } },
  });
  const document = await documentFor(service, made.id);
  assert.is('connection' in document, false);
  assert.not.match(JSON.stringify(document), /very-secret|reader/);
});

test('records of many kinds are read together, hard-deleted ones are omitted and soft-deleted ones are not', async () => {
  const kinds = ['table', 'topic', 'user', 'pipeline', 'glossaryTerm'];
  const made = await Promise.all(kinds.map((kind) => samples.create(kind)));
  const tables = await Promise.all([1, 2, 3, 4, 5, 6].map(() => samples.create('table')));
  const hidden = await samples.create('table');
  ok(await service.admin.delete(`/v1/tables/${hidden.id}`));
  const ids = [...made, ...tables, hidden].map(({ id }) => id);
  const before = service.sent('catalog/record/read');
  const documents = await readDocuments(service.app.engine, [...ids, ...ids, strayId()]);
  assert.ok(service.sent('catalog/record/read') - before < 9, 'records of one kind share a statement');
  assert.equal([...documents.keys()].sort(), [...ids].sort());
  made.forEach(({ id }, at) => {
    assert.is(documents.get(id)?.['entityType'], kinds[at]);
    assert.is(documents.get(id)?.['deleted'], false);
  });
  assert.is(documents.get(hidden.id)?.['deleted'], true);
  assert.not.match(JSON.stringify([...documents.values()]), /"href"/);
});

/** Section 2 of the contract: the indexes that a name stands for, as far as there are kinds for them. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  databaseService: ['database_service', 'database', 'database_schema', 'stored_procedure', 'table'],
  database: ['database', 'database_schema', 'stored_procedure', 'table'],
  databaseSchema: ['database_schema', 'stored_procedure', 'table'],
  dashboardService: ['dashboard_service', 'dashboard', 'dashboard_data_model', 'chart'],
  dashboard: ['dashboard', 'chart'],
  messagingService: ['messaging_service', 'topic'],
  pipelineService: ['pipeline_service', 'pipeline'],
  storageService: ['storage_service', 'container'],
  searchService: ['search_service', 'search_entity'],
  driveService: ['drive_service', 'directory', 'file'],
  directory: ['directory', 'file'],
  mlModelService: ['mlmodel_service', 'mlmodel'],
  apiService: ['api_service', 'api_collection', 'api_endpoint'],
  apiCollection: ['api_collection', 'api_endpoint'],
  glossary: ['glossary', 'glossary_term'],
  classification: ['classification', 'tag'],
  domain: ['domain', 'data_product'],
  dataAsset: [
    ...['table', 'stored_procedure', 'database_schema', 'database', 'chart', 'dashboard', 'dashboard_data_model'],
    ...['pipeline', 'topic', 'container', 'search_entity', 'mlmodel', 'data_product', 'glossary_term', 'tag'],
    ...['api_collection', 'api_endpoint', 'metric'],
  ],
  service: ['api', 'database', 'messaging', 'dashboard', 'pipeline', 'mlmodel', 'storage', 'search', 'drive'].map(
    (name) => `${name}_service`,
  ),
  table: ['table'],
  user: ['user'],
  query: ['query'],
};

test('indexes are found by their own names and by shared aliases', async () => {
  const { kinds } = await loadKinds();
  const covered = (alias: string): string[] =>
    kinds.flatMap(({ entityType, search: { index, aliases = [] } }) =>
      index !== undefined && (entityType === alias || aliases.includes(alias)) ? [index] : [],
    );
  for (const [alias, members] of Object.entries(ALIASES)) {
    assert.equal(covered(alias).sort(), members.map((name) => `${name}_search_index`).sort(), alias);
  }
  const searched = kinds.flatMap(({ search: { index } }) => index ?? []);
  assert.is(new Set(searched).size, searched.length, 'every index is of one kind');
  const outside = searched.filter((index) => !covered('all').includes(index));
  assert.equal(outside.sort(), [
    'data_contract_search_index',
    'ingestion_pipeline_search_index',
    'team_search_index',
    'user_search_index',
  ]);
  const unsearched = kinds.filter(({ search: { index } }) => index === undefined);
  assert.equal(unsearched.map(({ entityType }) => entityType).sort(), [
    'bot',
    'eventsubscription',
    'policy',
    'role',
    'testDefinition',
    'type',
  ]);
});

test.run();
