import { ancestor, computedRows, empty, nested, property, secret } from '../model/kind/attribute.ts';
import { BASE_BLOCK, childOf, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { IngestionRun } from '../model/schemas/pipelines/ingestion-run.ts';
import { DateTime, defaulting, Flag, FreeForm, Integer, listOf, oneOf, Ref, shape, Text } from '../model/values.ts';

/** The kinds of records that a pipeline brings in: services, and test suites for the pipelines that run tests. */
const INGESTED = [
  'databaseService',
  'dashboardService',
  'messagingService',
  'pipelineService',
  'mlmodelService',
  'storageService',
  'searchService',
  'apiService',
  'driveService',
  'testSuite',
] as const;

const PIPELINE_TYPES = [
  'metadata',
  'usage',
  'lineage',
  'profiler',
  'autoClassification',
  'TestSuite',
  'dataInsight',
  'elasticSearchReindex',
  'dbt',
  'application',
  'policyAgent',
] as const;

const SourceConfig = shape('SourceConfig', { config: FreeForm });

const Schedule = shape('AirflowConfig', {
  pausePipeline: defaulting(Flag, false),
  concurrency: defaulting(Integer, 1),
  startDate: DateTime,
  endDate: DateTime,
  pipelineTimezone: defaulting(Text, 'UTC'),
  retries: defaulting(Integer, 0),
  retryDelay: defaulting(Integer, 300),
  pipelineCatchup: defaulting(Flag, false),
  scheduleInterval: Text,
  maxActiveRuns: defaulting(Integer, 1),
  workflowTimeout: Integer,
  workflowDefaultView: defaulting(Text, 'tree'),
  workflowDefaultViewOrientation: defaulting(Text, 'LR'),
  email: Text,
});

const parseRuns = (rows: readonly string[]) => rows.map((text) => JSON.parse(text));

/**
 * What brings records into the catalog: how the ingestion framework is to run, and how its runs went. The catalog runs
 * nothing itself.
 */
export const ingestionPipeline = defineKind({
  entityType: 'ingestionPipeline',
  label: 'IngestionPipeline',
  path: 'services/ingestionPipelines',
  title: 'Ingestion pipelines',
  parents: INGESTED.map((kind) => childOf('service', kind, { namedBy: 'ref' })),
  scopeDepth: 4,
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'sourceUrl', 'entityStatus'),
  gated: ['owners', 'followers', 'domains'],
  attributes: {
    service: ancestor(INGESTED),
    pipelineType: property(oneOf(PIPELINE_TYPES), { required: true }),
    sourceConfig: secret(SourceConfig, { required: true }),
    airflowConfig: nested(Schedule, { required: true }),
    loggerLevel: property(oneOf(['DEBUG', 'INFO', 'WARN', 'ERROR']), { fallback: 'INFO' }),
    raiseOnError: property(Flag, { fallback: true }),
    enableStreamableLogs: property(Flag, { fallback: false }),
    deployed: property(Flag, { request: false, onAbsent: 'keep', fallback: false }),
    enabled: property(Flag, { request: false, onAbsent: 'keep', fallback: true }),
    applicationType: property(Text, { request: false, onAbsent: 'keep' }),
    ingestionRunner: empty(Ref, undefined, { gated: false }),
    processingEngine: empty(Ref, undefined, { request: true, gated: false }),
    provider: providerMember(),
    pipelineStatuses: computedRows('pipelines/read_newest_runs', listOf(IngestionRun), parseRuns),
  },
  search: {
    index: 'ingestion_pipeline_search_index',
    keywordMembers: ['pipelineType'],
  },
  filters: {
    service: { by: 'scope' },
    testSuite: { by: 'scope' },
    pipelineType: { by: 'value', property: 'pipelineType', values: PIPELINE_TYPES },
    domain: { by: 'domain' },
  },
});
