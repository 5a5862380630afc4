/**
 * What of OpenMetadata is imported, in an order in which everything that a record refers to is there before it. Where two
 * kinds refer to each other, those that are missing come first without what cannot be there yet.
 */

export type ImportStep = {
  /** The entity type, by which the report and lineage name it. */
  readonly type: string;
  /** The collection, which has the same path in both catalogs. */
  readonly path: string;
  /** What lists are asked for besides what they always have. */
  readonly fields: readonly string[];
  /**
   * Where records lie in records of the same type, the number of names in the full name of the outermost. They are written
   * before those in them.
   */
  readonly nestedFrom?: number;
  /** Writes only what is missing, without these members, which a later step adds. */
  readonly missingWithout?: readonly string[];
};

const COMMON = ['owners', 'tags', 'domains', 'dataProducts', 'extension', 'lifeCycle', 'sourceHash', 'certification'];
const GOVERNED = ['owners', 'tags', 'domains', 'extension', 'reviewers', 'certification'];

const step = (type: string, path: string, fields: readonly string[], more: Partial<ImportStep> = {}): ImportStep => ({
  type,
  path,
  fields,
  ...more,
});

const service = (kind: string): ImportStep =>
  step(`${kind}Service`, `services/${kind}Services`, ['owners', 'tags', 'domains', 'dataProducts']);

const TERM_FIELDS = [...GOVERNED, 'relatedTerms'];
const METRIC_FIELDS = [...COMMON, 'reviewers', 'relatedMetrics'];
const DOMAIN_FIELDS = ['owners', 'tags', 'experts', 'parent', 'extension'];

/** Domains, tags and terms, which everything else refers to. */
export const GOVERNANCE_STEPS: readonly ImportStep[] = [
  step('domain', 'domains', DOMAIN_FIELDS, { nestedFrom: 1, missingWithout: ['tags'] }),
  step('classification', 'classifications', ['owners', 'domains', 'reviewers']),
  step('tag', 'tags', ['owners', 'domains', 'reviewers', 'recognizers'], { nestedFrom: 2 }),
  step('glossary', 'glossaries', GOVERNED),
  step('glossaryTerm', 'glossaryTerms', TERM_FIELDS, { nestedFrom: 2, missingWithout: ['relatedTerms', 'tags'] }),
  step('glossaryTerm', 'glossaryTerms', TERM_FIELDS, { nestedFrom: 2 }),
  step('domain', 'domains', DOMAIN_FIELDS, { nestedFrom: 1 }),
  step('dataProduct', 'dataProducts', ['owners', 'tags', 'domains', 'experts', 'reviewers', 'extension']),
];

export const ASSET_STEPS: readonly ImportStep[] = [
  ...['database', 'messaging', 'pipeline', 'dashboard', 'mlmodel', 'storage', 'search', 'api', 'drive'].map(service),
  step('database', 'databases', COMMON),
  step('databaseSchema', 'databaseSchemas', COMMON),
  step('table', 'tables', [
    ...COMMON,
    'columns',
    'tableConstraints',
    'tablePartition',
    'schemaDefinition',
    'dataModel',
  ]),
  step('storedProcedure', 'storedProcedures', COMMON),
  step('topic', 'topics', COMMON),
  step('chart', 'charts', COMMON),
  step('dashboardDataModel', 'dashboard/datamodels', COMMON),
  step('dashboard', 'dashboards', [...COMMON, 'charts', 'dataModels']),
  step('pipeline', 'pipelines', [...COMMON, 'tasks']),
  step('mlmodel', 'mlmodels', [...COMMON, 'dashboard']),
  step('container', 'containers', [...COMMON, 'parent', 'dataModel'], { nestedFrom: 2 }),
  step('searchIndex', 'searchIndexes', COMMON),
  step('apiCollection', 'apiCollections', COMMON),
  step('apiEndpoint', 'apiEndpoints', COMMON),
  step('directory', 'drives/directories', [...COMMON, 'parent'], { nestedFrom: 2 }),
  step('file', 'drives/files', [...COMMON, 'directory']),
  step('metric', 'metrics', METRIC_FIELDS, { missingWithout: ['relatedMetrics'] }),
  step('metric', 'metrics', METRIC_FIELDS),
  step('query', 'queries', ['owners', 'tags', 'domains', 'queryUsedIn', 'users']),
];

export const TEST_STEPS: readonly ImportStep[] = [
  step('testDefinition', 'dataQuality/testDefinitions', ['owners']),
  step('testCase', 'dataQuality/testCases', ['owners', 'tags', 'testDefinition', 'testCaseResult']),
];

export const TEAM_FIELDS = ['owners', 'domains', 'parents', 'profile', 'defaultRoles', 'policies', 'defaultPersona'];
export const USER_FIELDS = ['profile', 'teams', 'roles', 'domains', 'personas', 'defaultPersona'];

/** The types of assets between which lineage is. */
export const LINEAGE_STEPS: readonly ImportStep[] = ASSET_STEPS.filter(
  ({ type, missingWithout }) =>
    missingWithout === undefined && !/Service$|^(database|databaseSchema|query|directory|file)$/.test(type),
);

/** The member that is the state of a record, by its type; `silent` is what it is when nobody has decided on it. */
export const STATES: Readonly<Record<string, { readonly member: string; readonly silent: string }>> = {
  glossaryTerm: { member: 'entityStatus', silent: 'Unprocessed' },
  dataProduct: { member: 'lifecycleStage', silent: 'DEVELOPMENT' },
};

/** What does not come, with the reason. Only how much there is of it is read. */
export const NOT_IMPORTED: Readonly<Record<string, string>> = {
  roles: 'rights are given here',
  policies: 'rights are given here',
  bots: 'their tokens are those of the other catalog',
  personas: 'the catalog has no place for them',
  'services/ingestionPipelines': 'they are deployed where they run; the framework creates them anew',
  'services/metadataServices': 'the catalog has no place for them',
  'services/securityServices': 'the catalog has no place for them',
  'events/subscriptions': 'their receivers would be told twice',
  dataContracts: 'export them as ODCS and import that',
  'drives/spreadsheets': 'the catalog has no place for them',
  'drives/worksheets': 'the catalog has no place for them',
  kpi: 'the catalog has no place for them',
  apps: 'the catalog has no place for them',
};
