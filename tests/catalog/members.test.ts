import * as assert from 'uvu/assert';
import { loadKinds } from '../../src/catalog/registry.ts';
import { ok } from '../support/expect.ts';
import { createSamples } from '../support/samples.ts';
import { openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that every kind has exactly the members of the contract. */

const test = suite('catalog: members of the contract');

/** The common blocks of entities.md, written out again so that a declaration is not its own judge. */
const B =
  'id name fullyQualifiedName displayName description version updatedAt updatedBy impersonatedBy href changeDescription incrementalChangeDescription deleted entityStatus sourceUrl';
const G =
  'owners followers votes tags domains dataProducts dataContract extension lifeCycle certification sourceHash usageSummary';
const C =
  'name displayName description owners tags domains domain dataProducts extension lifeCycle sourceHash sourceUrl';

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
const minus = (block: string, dropped: string): string =>
  words(block)
    .filter((word) => !words(dropped).includes(word))
    .join(' ');

type Members = { readonly path: string; readonly create: string; readonly base: string; readonly gated: string };

/** All kinds of services share one shape, but for these three. */
const serviceMembers = (entityType: string): Members => {
  const style = entityType === 'apiService' ? '' : 'style';
  const schedule = entityType === 'pipelineService' ? 'scheduleInterval lifeCycle' : '';
  // OpenMetadata gives drive services no status, and its SDK refuses members that it does not know.
  const dropped = entityType === 'driveService' ? 'entityStatus sourceUrl' : 'sourceUrl';
  return {
    path: `services/${entityType}s`,
    create: `name displayName description serviceType connection tags owners domains domain dataProducts ${style} ingestionRunner ${schedule}`,
    base: `${minus(B, dropped)} serviceType connection ${style} ingestionRunner testConnectionResult`,
    gated: 'owners tags domains dataProducts dataContract followers pipelines',
  };
};

const SERVICES = Object.fromEntries(
  ['database', 'messaging', 'dashboard', 'pipeline', 'mlmodel', 'storage', 'search', 'api', 'drive']
    .map((word) => `${word}Service`)
    .map((entityType) => [entityType, serviceMembers(entityType)]),
);

const KINDS: Readonly<Record<string, Members>> = {
  eventsubscription: {
    path: 'events/subscriptions',
    create:
      'name displayName description owners domains alertType enabled batchSize retries pollInterval provider trigger resources input destinations className notificationTemplate config',
    base: `${minus(B, 'deleted entityStatus sourceUrl')} alertType enabled batchSize retries pollInterval provider trigger input filteringRules destinations className notificationTemplate config`,
    gated: 'owners domains',
  },
  database: {
    path: 'databases',
    create: `${C} service default retentionPeriod`,
    base: `${B} service serviceType default retentionPeriod`,
    gated: `${G} location databaseSchemas databaseProfilerConfig`,
  },
  databaseSchema: {
    path: 'databaseSchemas',
    create: `${C} database retentionPeriod`,
    base: `${B} service serviceType database retentionPeriod`,
    gated: `${G} tables databaseSchemaProfilerConfig`,
  },
  table: {
    path: 'tables',
    create: `${C} tableType columns dataModel locationPath tableConstraints aliases tablePartition tableProfilerConfig databaseSchema schemaDefinition retentionPeriod fileFormat`,
    base: `${B} tableType columns aliases databaseSchema database service serviceType locationPath retentionPeriod compressionEnabled compressionCodec compressionStrategy fileFormat processedLineage`,
    gated: `${G} tableConstraints tablePartition location schemaDefinition joins sampleData tableProfilerConfig customMetrics profile testSuite dataModel queries pipelineObservability`,
  },
  user: {
    path: 'users',
    create:
      'name displayName description domains domain externalId scimUserName email timezone isBot botName isAdmin profile teams roles personas defaultPersona authenticationMechanism createPasswordType password confirmPassword',
    base: `${minus(B, 'entityStatus sourceUrl')} externalId scimUserName email timezone isBot isAdmin allowImpersonation isEmailVerified lastLoginTime lastActivityTime`,
    gated:
      'domains profile teams defaultPersona personas owns follows roles inheritedRoles inheritedPersonas personaPreferences',
  },
  team: {
    path: 'teams',
    create:
      'name displayName description owners domains domain teamType email externalId profile parents children users defaultRoles defaultPersona isJoinable policies',
    base: `${minus(B, 'entityStatus sourceUrl')} teamType email externalId isJoinable`,
    gated:
      'owners domains profile parents children descendantTeams users childrenCount userCount owns defaultRoles inheritedRoles defaultPersona policies',
  },
  role: {
    path: 'roles',
    create: 'name displayName description domains domain policies',
    base: `${minus(B, 'entityStatus sourceUrl')} allowDelete allowEdit provider disabled`,
    gated: 'domains policies users teams',
  },
  policy: {
    path: 'policies',
    create: 'name displayName description owners domains domain rules enabled location',
    base: `${minus(B, 'entityStatus sourceUrl')} enabled rules allowDelete allowEdit provider disabled`,
    gated: 'owners domains teams roles location',
  },
  bot: {
    path: 'bots',
    create: 'name displayName description domains domain botUser provider allowImpersonation',
    base: `${minus(B, 'entityStatus sourceUrl')} botUser provider`,
    gated: 'domains',
  },
  domain: {
    path: 'domains',
    create: `${minus(C, 'domains domain dataProducts lifeCycle sourceHash sourceUrl')} domainType fullyQualifiedName style parent experts`,
    base: `${minus(B, 'deleted sourceUrl')} domainType style`,
    gated: `${minus(G, 'domains dataProducts dataContract lifeCycle sourceHash usageSummary')} parent children childrenCount experts assets`,
  },
  classification: {
    path: 'classifications',
    create:
      'name displayName description owners domains domain provider mutuallyExclusive autoPropagate reviewers autoClassificationConfig',
    base: `${minus(B, 'sourceUrl')} provider disabled mutuallyExclusive autoPropagate autoClassificationConfig`,
    gated: 'owners domains termCount usageCount reviewers',
  },
  tag: {
    path: 'tags',
    create:
      'name displayName description owners domains domain classification parent style associatedTags provider mutuallyExclusive reviewers recognizers autoClassificationEnabled autoClassificationPriority',
    base: `${minus(B, 'sourceUrl')} style classification parent deprecated provider disabled mutuallyExclusive autoClassificationEnabled autoClassificationPriority`,
    gated: 'owners domains dataProducts dataContract children usageCount reviewers recognizers',
  },
  topic: {
    path: 'topics',
    create: `${C} service messageSchema partitions cleanupPolicies replicationFactor retentionTime maximumMessageSize minimumInSyncReplicas retentionSize topicConfig`,
    base: `${B} service serviceType messageSchema partitions cleanupPolicies retentionTime replicationFactor maximumMessageSize minimumInSyncReplicas retentionSize topicConfig`,
    gated: `${minus(G, 'usageSummary')} sampleData`,
  },
  pipeline: {
    path: 'pipelines',
    create: `${C} concurrency pipelineLocation startDate tasks state service scheduleInterval`,
    base: `${B} concurrency pipelineLocation startDate endDate state service serviceType scheduleInterval`,
    gated: `${G} tasks pipelineStatus`,
  },
  container: {
    path: 'containers',
    create: `${C} service parent dataModel prefix numberOfObjects size fileFormats fullPath`,
    base: `${B} service prefix numberOfObjects size fileFormats serviceType retentionPeriod fullPath`,
    gated: `${minus(G, 'usageSummary')} parent children dataModel sampleData`,
  },
  searchIndex: {
    path: 'searchIndexes',
    create: `${minus(C, 'sourceUrl')} service fields searchIndexSettings indexType`,
    base: `${minus(B, 'sourceUrl')} service serviceType fields searchIndexSettings indexType`,
    gated: `${minus(G, 'usageSummary')} sampleData`,
  },
  dashboard: {
    path: 'dashboards',
    create: `${C} dashboardType project charts dataModels service`,
    base: `${B} project dashboardType service serviceType`,
    gated: `${G} charts dataModels`,
  },
  chart: {
    path: 'charts',
    create: `${C} chartType service dashboards`,
    base: `${B} chartType service serviceType`,
    gated: `${G} dashboards`,
  },
  dashboardDataModel: {
    path: 'dashboard/datamodels',
    create: `${C} service serviceType dataModelType sql columns project`,
    base: `${B} service serviceType dataModelType sql columns project`,
    gated: minus(G, 'usageSummary'),
  },
  mlmodel: {
    path: 'mlmodels',
    create: `${C} algorithm mlFeatures target mlHyperParameters dashboard mlStore server service`,
    base: `${B} algorithm mlFeatures mlHyperParameters target mlStore server service serviceType`,
    gated: `${G} dashboard`,
  },
  apiCollection: {
    path: 'apiCollections',
    create: `${minus(C, 'sourceUrl')} endpointURL apiEndpoints service`,
    base: `${minus(B, 'sourceUrl')} endpointURL service serviceType`,
    gated: `${minus(G, 'followers usageSummary')} apiEndpoints`,
  },
  apiEndpoint: {
    path: 'apiEndpoints',
    create: `${C} apiCollection endpointURL requestMethod requestSchema responseSchema`,
    base: `${minus(B, 'sourceUrl')} endpointURL requestMethod requestSchema responseSchema apiCollection service serviceType`,
    gated: minus(G, 'usageSummary'),
  },
  metric: {
    path: 'metrics',
    create: `${minus(C, 'lifeCycle sourceHash sourceUrl')} metricExpression metricType unitOfMeasurement customUnitOfMeasurement granularity dimensions measures filters provider relatedMetrics reviewers`,
    base: `${minus(B, 'sourceUrl')} metricExpression metricType unitOfMeasurement customUnitOfMeasurement granularity dimensions measures filters provider`,
    gated: `${minus(G, 'lifeCycle sourceHash usageSummary')} relatedMetrics reviewers`,
  },
  directory: {
    path: 'drives/directories',
    create: `${C} service parent directoryType path isShared numberOfFiles numberOfSubDirectories totalSize`,
    base: `${B} service serviceType parent directoryType path isShared numberOfFiles numberOfSubDirectories totalSize`,
    gated: `${G} children`,
  },
  file: {
    path: 'drives/files',
    create: `${C} service directory fileType mimeType fileExtension path size columns checksum webViewLink downloadLink isShared fileVersion`,
    base: `${B} service serviceType directory fileType mimeType fileExtension path size columns checksum webViewLink downloadLink isShared fileVersion createdTime modifiedTime lastModifiedBy`,
    gated: `${G} sampleData`,
  },
  storedProcedure: {
    path: 'storedProcedures',
    create: `${C} storedProcedureCode storedProcedureType databaseSchema`,
    base: `${B} storedProcedureCode storedProcedureType databaseSchema database service serviceType code processedLineage`,
    gated: minus(G, 'usageSummary'),
  },
  query: {
    path: 'queries',
    create: `${minus(C, 'dataProducts extension lifeCycle sourceHash sourceUrl')} query query_type exclude_usage duration users usedBy dialect queryDate queryUsedIn triggeredBy processedLineage service`,
    base: `${minus(B, 'deleted sourceUrl')} duration query query_type exclude_usage checksum queryDate usedBy triggeredBy processedLineage service`,
    gated: 'owners followers votes tags domains users queryUsedIn',
  },
  dataProduct: {
    path: 'dataProducts',
    create: `${minus(C, 'dataProducts lifeCycle sourceHash sourceUrl')} fullyQualifiedName style experts reviewers assets dataProductType visibility portfolioPriority`,
    base: `${minus(B, 'deleted sourceUrl')} style lifecycleStage dataProductType visibility portfolioPriority sla`,
    gated: `${minus(G, 'dataProducts dataContract lifeCycle sourceHash usageSummary')} experts reviewers assets consumesFrom providesTo`,
  },
  glossary: {
    path: 'glossaries',
    create: `${minus(C, 'dataProducts lifeCycle sourceHash sourceUrl')} reviewers provider mutuallyExclusive`,
    base: `${minus(B, 'sourceUrl')} provider disabled mutuallyExclusive namespaces`,
    gated: `${minus(G, 'followers lifeCycle certification sourceHash usageSummary')} reviewers usageCount termCount`,
  },
  glossaryTerm: {
    path: 'glossaryTerms',
    create: `${minus(C, 'dataProducts lifeCycle sourceHash sourceUrl')} glossary parent iri style synonyms relatedTerms references conceptMappings reviewers provider mutuallyExclusive`,
    base: `${minus(B, 'sourceUrl')} style iri synonyms glossary parent references conceptMappings provider disabled mutuallyExclusive`,
    gated: `${minus(G, 'followers lifeCycle certification sourceHash usageSummary')} children relatedTerms reviewers usageCount childrenCount`,
  },
  type: {
    path: 'metadata/types',
    create: 'name displayName description domains domain nameSpace category schema',
    base: `${minus(B, 'deleted entityStatus sourceUrl')} category nameSpace schema`,
    gated: 'domains dataProducts customProperties',
  },
  ingestionPipeline: {
    path: 'services/ingestionPipelines',
    create:
      'name displayName description owners domains domain service pipelineType sourceConfig airflowConfig loggerLevel raiseOnError enableStreamableLogs processingEngine provider',
    base: `${minus(B, 'entityStatus sourceUrl')} service pipelineType sourceConfig airflowConfig loggerLevel raiseOnError enableStreamableLogs deployed enabled applicationType ingestionRunner processingEngine provider`,
    gated: 'owners followers domains pipelineStatuses',
  },
  dataContract: {
    path: 'dataContracts',
    create:
      'name entity displayName description entityStatus schema semantics qualityExpectations odcsQualityRules odcsElementExtensions owners reviewers effectiveFrom effectiveUntil sourceUrl termsOfUse security sla extension',
    base: `${minus(B, 'impersonatedBy')} createdAt createdBy status entity testSuite schema semantics termsOfUse security sla qualityExpectations odcsQualityRules odcsElementExtensions odcsAnnotations effectiveFrom effectiveUntil latestResult`,
    gated: 'owners reviewers extension',
  },
  ...SERVICES,
};

const { byType } = await loadKinds();

const sorted = (names: Iterable<string>) => [...names].sort();

for (const [entityType, members] of Object.entries(KINDS)) {
  test(`${entityType}: path, fields and optional members match the contract`, async () => {
    const kind = byType.get(entityType);
    assert.ok(kind);
    assert.is(kind.path, members.path);
    assert.equal(sorted(kind.fieldNames), sorted(new Set([...words(members.base), ...words(members.gated)])));
    const { admin } = await openService();
    for (const name of [...words(members.base), ...words(members.gated)]) {
      ok(await admin.get(`/v1/${members.path}?limit=0&fields=${name}`));
    }
    assert.equal(sorted(kind.gatedNames), sorted(words(members.gated)));
  });

  test(`${entityType}: the create body has exactly the members of the contract`, async () => {
    const service = await openService();
    const kind = byType.get(entityType);
    assert.ok(kind);
    const samples = createSamples(service);
    const body = await samples.body(kind);
    const all = words(members.create);
    const nulls = Object.fromEntries(all.filter((name) => !(name in body)).map((name) => [name, null]));
    ok(await service.admin.post(`/v1/${members.path}`, { ...body, ...nulls }), 201);
    const strangers = [
      'id',
      'version',
      'href',
      'updatedAt',
      'followers',
      'votes',
      'deleted',
      'entityStatus',
      'service2',
    ];
    for (const name of strangers.filter((stranger) => !all.includes(stranger))) {
      const fresh = { ...(await samples.body(kind)), [name]: 'x' };
      const reply = await service.admin.post(`/v1/${members.path}`, fresh);
      assert.is(reply.status, 400, `${name}: ${reply.status}`);
      assert.match(reply.json.message, new RegExp(name));
    }
  });
}

test('every declared kind is in the table', () => {
  // Tests of data stand in a contract of their own.
  const declared = [...byType].filter(([, { path }]) => !path.startsWith('dataQuality/'));
  assert.equal(sorted(declared.map(([type]) => type)), sorted(Object.keys(KINDS)));
});

test.run();
