import * as assert from 'uvu/assert';
import { loadKinds, requireKind } from '../../src/catalog/registry.ts';
import { CatalogError } from '../../src/errors.ts';
import { indexResolverOf } from '../../src/search/request/index-names.ts';
import { suite } from '../support/suite.ts';

/** Shows that index names and aliases select the right documents. */

const test = suite('search: index names');
const registry = await loadKinds();
const named = indexResolverOf(registry.kinds);

/** Types whose indexes the contract knows although no record of theirs is stored. */
const EMPTY: Readonly<Record<string, string>> = {
  testCaseResult: 'test_case_result_search_index',
  testCaseResolutionStatus: 'test_case_resolution_status_search_index',
  metadataService: 'metadata_service_search_index',
  spreadsheet: 'spreadsheet_search_index',
  worksheet: 'worksheet_search_index',
};

const INDEXES: Readonly<Record<string, string>> = {
  table: 'table_search_index',
  topic: 'topic_search_index',
  dashboard: 'dashboard_search_index',
  pipeline: 'pipeline_search_index',
  mlmodel: 'mlmodel_search_index',
  container: 'container_search_index',
  searchIndex: 'search_entity_search_index',
  glossaryTerm: 'glossary_term_search_index',
  tag: 'tag_search_index',
  user: 'user_search_index',
  team: 'team_search_index',
  domain: 'domain_search_index',
  dataProduct: 'data_product_search_index',
  database: 'database_search_index',
  databaseSchema: 'database_schema_search_index',
  storedProcedure: 'stored_procedure_search_index',
  chart: 'chart_search_index',
  dashboardDataModel: 'dashboard_data_model_search_index',
  apiCollection: 'api_collection_search_index',
  apiEndpoint: 'api_endpoint_search_index',
  apiService: 'api_service_search_index',
  query: 'query_search_index',
  glossary: 'glossary_search_index',
  classification: 'classification_search_index',
  databaseService: 'database_service_search_index',
  messagingService: 'messaging_service_search_index',
  dashboardService: 'dashboard_service_search_index',
  pipelineService: 'pipeline_service_search_index',
  mlmodelService: 'mlmodel_service_search_index',
  storageService: 'storage_service_search_index',
  searchService: 'search_service_search_index',
  testCase: 'test_case_search_index',
  testSuite: 'test_suite_search_index',
  metric: 'metric_search_index',
  driveService: 'drive_service_search_index',
  directory: 'directory_search_index',
  file: 'file_search_index',
  ingestionPipeline: 'ingestion_pipeline_search_index',
  dataContract: 'data_contract_search_index',
};

const ALL = [
  ...['user', 'team', 'testCaseResult', 'testCaseResolutionStatus', 'metadataService', 'ingestionPipeline'],
  'dataContract',
];
const SERVICES = Object.keys(INDEXES).filter((type) => type.endsWith('Service'));
const BELOW_SCHEMA = ['databaseSchema', 'storedProcedure', 'table'];
const ALONE = [
  ...['table', 'topic', 'pipeline', 'container', 'searchIndex', 'mlmodel', 'glossaryTerm', 'tag', 'user', 'team'],
  ...['dataProduct', 'metric', 'query', 'storedProcedure', 'apiEndpoint', 'chart', 'dashboardDataModel'],
  ...['testCaseResult', 'testCaseResolutionStatus', 'metadataService', 'ingestionPipeline'],
  ...['file', 'spreadsheet', 'worksheet', 'dataContract'],
];

/** The aliases of the contract, and the types whose documents each stands for. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  all: [...Object.keys(INDEXES), ...Object.keys(EMPTY)].filter((type) => !ALL.includes(type)),
  dataAsset: [
    ...['table', 'storedProcedure', 'databaseSchema', 'database', 'chart', 'dashboard', 'dashboardDataModel'],
    ...['pipeline', 'topic', 'container', 'searchIndex', 'mlmodel', 'dataProduct', 'metric', 'glossaryTerm', 'tag'],
    ...['apiCollection', 'apiEndpoint'],
  ],
  service: SERVICES,
  databaseService: ['databaseService', 'database', ...BELOW_SCHEMA],
  database: ['database', ...BELOW_SCHEMA],
  databaseSchema: BELOW_SCHEMA,
  dashboardService: ['dashboardService', 'dashboard', 'dashboardDataModel', 'chart'],
  dashboard: ['dashboard', 'chart'],
  messagingService: ['messagingService', 'topic'],
  pipelineService: ['pipelineService', 'pipeline'],
  storageService: ['storageService', 'container'],
  searchService: ['searchService', 'searchIndex'],
  driveService: ['driveService', 'directory', 'file'],
  directory: ['directory', 'file'],
  mlModelService: ['mlmodelService', 'mlmodel'],
  apiService: ['apiService', 'apiCollection', 'apiEndpoint'],
  apiCollection: ['apiCollection', 'apiEndpoint'],
  glossary: ['glossary', 'glossaryTerm'],
  classification: ['classification', 'tag'],
  domain: ['domain', 'dataProduct'],
  testSuite: ['testSuite', 'testCase', 'testCaseResult'],
  testCase: ['testCase', 'testCaseResult'],
  ...Object.fromEntries(ALONE.map((type) => [type, [type]])),
};

const typesIn = (text: string): string[] =>
  named(text)
    .kinds.map(({ entityType }) => entityType)
    .sort();

for (const [alias, types] of Object.entries(ALIASES)) {
  test(`${alias} selects the indexes of the contract`, () => {
    const stored = types.filter((type) => type in INDEXES);
    assert.equal(typesIn(alias), [...stored].sort());
    assert.is(named(alias).indexes, types.length);
  });
}

for (const [type, index] of Object.entries(INDEXES)) {
  test(`${index} contains exactly the documents of ${type}`, () => {
    assert.is(requireKind(registry, type).search.index, index);
    assert.equal(typesIn(index), [type]);
    assert.is(named(index).indexes, 1);
  });
}

for (const index of Object.values(EMPTY)) {
  test(`${index} exists and is empty`, () => {
    assert.equal(named(index), { kinds: [], indexes: 1 });
  });
}

test('every kind with an index is found by the name of the index and of the type', () => {
  for (const kind of registry.kinds) {
    if (kind.search.index === undefined) continue;
    assert.ok(named(kind.search.index).kinds.includes(kind), kind.entityType);
    assert.ok(named(kind.entityType).kinds.includes(kind), kind.entityType);
    assert.is(INDEXES[kind.entityType], kind.search.index, 'the contract names it');
  }
});

test('a list of names is searched together, each index once', () => {
  assert.equal(typesIn('topic, table_search_index,table,'), ['table', 'topic']);
  assert.is(named('topic, table_search_index,table,').indexes, 2);
  assert.is(named('database,databaseSchema,testCase').indexes, 6);
  assert.equal(named('topic,table').kinds, named('table,topic').kinds);
});

test('the index of a type that is stored later is not empty', () => {
  const topic = requireKind(registry, 'topic');
  const worksheet = {
    ...topic,
    entityType: 'worksheet',
    search: { index: 'worksheet_search_index', aliases: ['all'] },
  };
  const searched = indexResolverOf([worksheet])('worksheet');
  assert.equal(searched, { kinds: [worksheet], indexes: 1 });
  assert.is(indexResolverOf([worksheet])('worksheet,all').kinds.length, 1);
});

for (const text of ['nothing_search_index', 'table,Nothing', 'bot', 'TABLE', 'constructor', '*', '', ' , ']) {
  test(`«${text}» is refused`, () => {
    try {
      named(text);
    } catch (failure) {
      assert.instance(failure, CatalogError);
      assert.is((failure as CatalogError).status, 400);
      const strange = text.split(',').at(-1)?.trim() ?? '';
      if (strange !== '') assert.match((failure as CatalogError).message, strange);
      return;
    }
    assert.unreachable('it was taken');
  });
}

test.run();
