/**
 * What connectors try when they test the connection of a service. The names are those by which OpenMetadata's
 * connectors know the steps; a connector refuses to start when it is asked for one that it does not know.
 */

type Step = {
  /** What is tried, as it follows «Could not». */
  readonly tries: string;
  /** Whether the metadata of a source cannot be read without it. */
  readonly isNeeded: boolean;
};

const needed = (tries: string): Step => ({ tries, isNeeded: true });
const optional = (tries: string): Step => ({ tries, isNeeded: false });

export const CONNECTION_STEPS = {
  CheckAccess: needed('reach the source and log in'),
  CheckBrokerConnectivity: needed('reach the broker'),
  CheckConfluentTelemetry: optional('read the telemetry of Confluent Cloud'),
  CheckDashboards: needed('list the dashboards'),
  CheckSchema: needed('read the OpenAPI document'),
  CheckSchemaRegistry: optional('reach the schema registry'),
  CheckURL: needed('reach the address of the OpenAPI document'),
  GetAccessHistory: optional('read the history of accesses'),
  GetBlob: optional('read an object'),
  GetBucket: needed('look into a bucket'),
  GetCatalogTags: optional('read the tags of catalogs'),
  GetCharts: optional('list the charts'),
  GetClusterInfo: needed('read what the cluster tells about itself'),
  GetCollections: needed('list the collections'),
  GetColumnLineage: optional('read the lineage of columns'),
  GetColumnMetadata: needed('describe columns'),
  GetColumnTags: optional('read the tags of columns'),
  GetColumns: needed('list the columns'),
  GetDashboards: needed('list the dashboards'),
  GetDataModels: optional('list the data models'),
  GetDatabases: needed('list the databases'),
  GetDictionaries: needed('list the dictionaries'),
  GetDriveFiles: needed('list the files'),
  GetEdges: optional('list the edges'),
  GetInformationSchemaColumns: optional('read the columns of the information schema'),
  GetInstances: needed('list the instances'),
  GetJobs: needed('list the jobs'),
  GetLineage: optional('read the lineage'),
  GetMaterializedViews: optional('list the materialized views'),
  GetMetrics: optional('read the metrics of buckets'),
  GetModels: needed('list the models'),
  GetOwners: optional('read who owns what'),
  GetPipelines: needed('list the pipelines'),
  GetPlugins: optional('list the plugins'),
  GetProjects: needed('list the projects'),
  GetQueries: optional('read the log of queries'),
  GetQueryHistory: optional('read the history of queries'),
  GetRuns: optional('list the runs'),
  GetSchemaTags: optional('read the tags of schemas'),
  GetSchemas: needed('list the schemas'),
  GetSearchIndexes: needed('list the search indexes'),
  GetSourceTables: optional('read which tables are shown'),
  GetSpreadsheets: optional('list the spreadsheets'),
  GetStreams: optional('list the streams'),
  GetTableComments: optional('read the comments of tables'),
  GetTableLineage: optional('read the lineage of tables'),
  GetTableTags: optional('read the tags of tables'),
  GetTables: needed('list the tables'),
  GetTags: optional('read the tags'),
  GetToken: needed('log in'),
  GetTopics: needed('list the topics'),
  GetViewDefinitions: optional('read how views are defined'),
  GetViews: optional('list the views'),
  GetWorkbooks: needed('list the workbooks'),
  ListBlobs: needed('list the objects of a bucket'),
  ListBuckets: needed('list the buckets'),
  ListDashboards: needed('list the dashboards'),
  ListDirectories: needed('list the folders'),
  ListLookMLModels: optional('list the LookML models'),
  ListTables: needed('list the tables'),
  PackageAccess: optional('read stored packages'),
  PipelineDetailsAccess: needed('read the details of a pipeline'),
  ReadRows: optional('read rows'),
  ServerInfo: needed('reach the server and log in'),
  TaskDetailAccess: optional('read the details of a task'),
  ValidateApiVersion: needed('speak a version of the API that the server knows'),
  ValidateSiteUrl: needed('open the site'),
  ValidateSystemWallet: needed('open the system wallet'),
  ValidateVersion: needed('find a version that is understood'),
} as const satisfies Readonly<Record<string, Step>>;

export type ConnectionStep = keyof typeof CONNECTION_STEPS;

/** The steps for each type of service, in their order. A source is out of reach when the first one fails. */
export type ConnectionSteps = Readonly<Record<string, readonly ConnectionStep[]>>;

export type ConnectionStepsDeclaration = {
  /** The steps of the types that are not named below. */
  readonly usual: readonly ConnectionStep[];
  readonly ofType?: ConnectionSteps;
};
