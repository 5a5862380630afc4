import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { countStored, expectList, expectRefused, ok } from '../support/expect.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that every enumeration accepts exactly the values of the contract. */

const test = suite('catalog: enumerations');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The values of entities.md, written out again so that a declaration is not its own judge. */
const DATA_TYPES = [
  ...words(`NUMBER TINYINT SMALLINT INT BIGINT BYTEINT BYTES FLOAT DOUBLE DECIMAL NUMERIC TIMESTAMP TIMESTAMPZ TIME DATE
    DATETIME INTERVAL STRING MEDIUMTEXT TEXT CHAR LONG VARCHAR BOOLEAN BINARY VARBINARY ARRAY BLOB LONGBLOB MEDIUMBLOB
    MAP STRUCT UNION SET GEOGRAPHY ENUM JSON UUID VARIANT GEOMETRY BYTEA AGGREGATEFUNCTION ERROR FIXED RECORD NULL SUPER
    HLLSKETCH PG_LSN PG_SNAPSHOT TSQUERY TXID_SNAPSHOT XML MACADDR TSVECTOR UNKNOWN CIDR INET CLOB ROWID LOWCARDINALITY
    YEAR POINT POLYGON TUPLE SPATIAL TABLE NTEXT IMAGE IPV4 IPV6 DATETIMERANGE HLL LARGEINT QUANTILE_STATE AGG_STATE
    BITMAP UINT BIT MONEY MEASURE KPI HEIRARCHY HIERARCHYID`),
  'MEASURE HIDDEN',
  'MEASURE VISIBLE',
];
const FIELD_TYPES = words(`RECORD NULL BOOLEAN INT LONG BYTES FLOAT DOUBLE TIMESTAMP TIMESTAMPZ TIME DATE STRING ARRAY
  MAP ENUM UNION FIXED ERROR UNKNOWN`);
const INDEX_TYPES = words(`NUMBER TEXT BINARY TIMESTAMP TIMESTAMPZ TIME DATE DATETIME KEYWORD ARRAY OBJECT FLATTENED
  NESTED JOIN RANGE IP VERSION MURMUR3 AGGREGATE_METRIC_DOUBLE HISTOGRAM ANNOTATED-TEXT COMPLETION SEARCH_AS_YOU_TYPE
  DENSE_VECTOR RANK_FEATURE RANK_FEATURES GEO_POINT GEO_SHAPE POINT SHAPE PERCOLATOR BOOLEAN CONSTANT_KEYWORD WILDCARD
  LONG INTEGER SHORT BYTE DOUBLE FLOAT HALF_FLOAT SCALED_FLOAT UNSIGNED_LONG UNKNOWN`);
const SCHEMA_TYPES = words('Avro Protobuf JSON Other None');
const PROVIDERS = words('user automation system');

const column = (dataType: string) => [
  { name: 'c', dataType, ...(dataType === 'ARRAY' ? { arrayDataType: 'INT' } : {}) },
];
const element = (dataType: string) => [{ name: 'c', dataType: 'ARRAY', arrayDataType: dataType }];

type Row = {
  readonly kind: string;
  readonly values: readonly string[];
  /** The members of a create body that hold a value. */
  readonly wish: (value: string) => JsonObject;
};

const single = (kind: string, member: string, text: string): Row => ({
  kind,
  values: words(text),
  wish: (value) => ({ [member]: value }),
});
const row = (kind: string, values: readonly string[], wish: Row['wish']): Row => ({ kind, values, wish });

/** The same enums where an item lies below another. */
const insideColumns = (kind: string, wish: (children: JsonObject[]) => JsonObject): Row[] => [
  row(kind, DATA_TYPES, (value) => wish(column(value))),
  row(kind, DATA_TYPES, (value) => wish(element(value))),
  row(kind, words('NULL NOT_NULL UNIQUE PRIMARY_KEY'), (constraint) =>
    wish([{ name: 'c', dataType: 'INT', constraint }]),
  ),
];
const struct = (children: JsonObject[]): JsonObject[] => [{ name: 's', dataType: 'STRUCT', children }];
const record = (dataType: string): JsonObject[] => [
  { name: 'r', dataType: 'RECORD', children: [{ name: 'f', dataType }] },
];
const nestedRows: readonly Row[] = [
  ...insideColumns('table', (children) => ({ columns: struct(children) })),
  ...insideColumns('container', (children) => ({ dataModel: { columns: struct(children) } })),
  ...insideColumns('dashboardDataModel', (children) => ({ columns: struct(struct(children)) })),
  row('topic', FIELD_TYPES, (value) => ({ messageSchema: { schemaFields: record(value) } })),
  row('apiEndpoint', FIELD_TYPES, (value) => ({ requestSchema: { schemaFields: record(value) } })),
  row('searchIndex', INDEX_TYPES, (dataType) => ({
    fields: [{ name: 'n', dataType: 'NESTED', children: [{ name: 'f', dataType }] }],
  })),
];

const TABLE: readonly Row[] = [
  single(
    'table',
    'tableType',
    'Regular External Dynamic View SecureView MaterializedView Iceberg Local Partitioned Foreign Transient Stream Stage SemanticView',
  ),
  single(
    'table',
    'fileFormat',
    'csv csv.gz tsv avro parquet pq pqt parq parquet.snappy json json.gz json.zip jsonl jsonl.gz jsonl.zip MF4',
  ),
  row('table', DATA_TYPES, (value) => ({ columns: column(value) })),
  row('table', DATA_TYPES, (value) => ({ columns: element(value) })),
  row('table', words('NULL NOT_NULL UNIQUE PRIMARY_KEY'), (constraint) => ({
    columns: [{ name: 'c', dataType: 'INT', constraint }],
  })),
  row('table', words('UNIQUE PRIMARY_KEY FOREIGN_KEY SORT_KEY DIST_KEY CLUSTER_KEY'), (constraintType) => ({
    columns: column('INT'),
    tableConstraints: [{ constraintType, columns: ['c'] }],
  })),
  row('table', words('ONE_TO_ONE ONE_TO_MANY MANY_TO_ONE MANY_TO_MANY'), (relationshipType) => ({
    columns: column('INT'),
    tableConstraints: [{ constraintType: 'FOREIGN_KEY', columns: ['c'], relationshipType }],
  })),
  row('table', words('TIME-UNIT INTEGER-RANGE INGESTION-TIME COLUMN-VALUE INJECTED ENUM OTHER'), (intervalType) => ({
    columns: column('INT'),
    tablePartition: { columns: [{ columnName: 'c', intervalType, interval: 'DAY' }] },
  })),
  ...nestedRows,
  row('table', words('Manual Propagated Automated Derived Generated'), (labelType) => ({
    tags: [{ tagFQN: 'Tier.Tier1', labelType }],
  })),
  row('table', words('Suggested Confirmed'), (state) => ({ tags: [{ tagFQN: 'Tier.Tier1', state }] })),
  row('classification', words('highest_confidence highest_priority most_specific'), (conflictResolution) => ({
    autoClassificationConfig: { conflictResolution },
  })),
  row('table', words('DBT DDL'), (modelType) => ({ dataModel: { modelType } })),
  single('storedProcedure', 'storedProcedureType', 'StoredProcedure UDF StoredPackage Function'),
  row('storedProcedure', words('SQL Java JavaScript Python External'), (language) => ({
    storedProcedureCode: { language, code: 'x' },
  })),
  row('topic', words('delete compact'), (value) => ({ cleanupPolicies: [value] })),
  row('topic', SCHEMA_TYPES, (schemaType) => ({ messageSchema: { schemaType } })),
  row('topic', FIELD_TYPES, (dataType) => ({ messageSchema: { schemaFields: [{ name: 'f', dataType }] } })),
  single('pipeline', 'state', 'Active Inactive'),
  row('container', words('zip gz zstd csv tsv json parquet avro MF4 jsonl jsonGz jsonZip'), (value) => ({
    fileFormats: [value],
  })),
  row('container', DATA_TYPES, (value) => ({ dataModel: { columns: column(value) } })),
  row('searchIndex', INDEX_TYPES, (dataType) => ({ fields: [{ name: 'f', dataType }] })),
  single('searchIndex', 'indexType', 'Index IndexTemplate'),
  single('dashboard', 'dashboardType', 'Dashboard Report'),
  single(
    'chart',
    'chartType',
    'Line Table Bar Area Pie Histogram Scatter Text BoxPlot SanKey Gauge Map Graph Heatmap Timeline Other',
  ),
  single(
    'dashboardDataModel',
    'dataModelType',
    `TableauDataModel TableauPublishedDatasource TableauEmbeddedDatasource SupersetDataModel MetabaseDataModel
     ModeDataModel LookMlView LookMlExplore PowerBIDataModel QlikDataModel QuickSightDataModel SigmaDataModel
     PowerBIDataFlow PowerBIDatamart MicroStrategyDataset ThoughtSpotDataModel SapS4HanaCdsView SsrsDataModel
     OmniDataModel`,
  ),
  row('dashboardDataModel', DATA_TYPES, (value) => ({ columns: column(value) })),
  row('mlmodel', words('numerical categorical'), (dataType) => ({ mlFeatures: [{ name: 'f', dataType }] })),
  row('mlmodel', words('integer number string array date timestamp object boolean'), (dataType) => ({
    mlFeatures: [{ name: 'f', dataType: 'numerical', featureSources: [{ name: 's', dataType }] }],
  })),
  single('apiEndpoint', 'requestMethod', 'GET POST PUT PATCH DELETE HEAD CONNECT OPTIONS TRACE'),
  row('apiEndpoint', SCHEMA_TYPES, (schemaType) => ({ requestSchema: { schemaType } })),
  row('apiEndpoint', FIELD_TYPES, (dataType) => ({ responseSchema: { schemaFields: [{ name: 'f', dataType }] } })),
  single('team', 'teamType', 'Group Department Division BusinessUnit'),
  single('domain', 'domainType', 'Source-aligned Consumer-aligned Aggregate'),
  single(
    'dataProduct',
    'dataProductType',
    `RAW_DATA DERIVED_DATA DATASET REPORTS ANALYTIC_VIEW VISUALISATION_3D ALGORITHM DECISION_SUPPORT
     AUTOMATED_DECISION_MAKING DATA_ENHANCED_PRODUCT DATA_DRIVEN_SERVICE DATA_ENABLED_PERFORMANCE BI_DIRECTIONAL`,
  ),
  single('dataProduct', 'visibility', 'PRIVATE INVITATION ORGANISATION DATASPACE PUBLIC'),
  single('dataProduct', 'portfolioPriority', 'CRITICAL HIGH MEDIUM LOW'),
  ...words('glossary glossaryTerm classification tag bot eventsubscription').map((kind) =>
    row(kind, PROVIDERS, (provider) => ({ provider })),
  ),
  row(
    'glossaryTerm',
    words('EXACT_MATCH CLOSE_MATCH BROAD_MATCH NARROW_MATCH RELATED_MATCH SAME_AS'),
    (mappingType) => ({ conceptMappings: [{ conceptIri: 'https://example.com/c', mappingType }] }),
  ),
  single('type', 'category', 'field entity'),
  single(
    'databaseService',
    'serviceType',
    `BigQuery BigTable Mysql Redshift Snowflake Postgres Timescale Mssql MicrosoftAccess Oracle Athena Hive Impala
     Presto Trino Vertica Glue MariaDB Druid Db2 Clickhouse Databricks AzureSQL DynamoDB SingleStore SQLite DeltaLake
     Salesforce PinotDB Datalake DomoDatabase QueryLog CustomDatabase Dbt SapHana SapSuccessFactors MongoDB Cassandra
     Couchbase Greenplum Doris StarRocks UnityCatalog SAS Teradata SapErp Synapse Exasol Cockroach SSAS Epic ServiceNow
     Dremio MicrosoftFabric BurstIQ Informix Iomete QuestDB SapBw4Hana`,
  ),
  single('messagingService', 'serviceType', 'Kafka Redpanda Kinesis PubSub CustomMessaging'),
  single(
    'dashboardService',
    'serviceType',
    `Superset Looker Tableau Redash Metabase PowerBI PowerBIReportServer Mode CustomDashboard DomoDashboard QuickSight
     QlikSense Lightdash MicroStrategy QlikCloud Sigma ThoughtSpot Grafana Hex Ssrs SapS4Hana Omni`,
  ),
  single(
    'pipelineService',
    'serviceType',
    `Airflow GluePipeline KinesisFirehose Airbyte Fivetran Flink Dagster Nifi DomoPipeline CustomPipeline
     DatabricksPipeline Spline Spark OpenLineage Prefect KafkaConnect DBTCloud Matillion Stitch DataFactory Wherescape
     SSIS Snowplow Mulesoft MicrosoftFabricPipeline SapBw4HanaPipeline`,
  ),
  single('mlmodelService', 'serviceType', 'Mlflow Sklearn CustomMlModel SageMaker VertexAI'),
  single('storageService', 'serviceType', 'S3 ADLS GCS CustomStorage'),
  single('searchService', 'serviceType', 'ElasticSearch OpenSearch CustomSearch'),
  single('driveService', 'serviceType', 'GoogleDrive SharePoint Sftp CustomDrive'),
  single('directory', 'directoryType', 'Root MyDrive SharedDrive TeamDrive Folder SharePointSite SharePointLibrary'),
  single(
    'file',
    'fileType',
    'Document Spreadsheet Presentation Image Video Audio PDF Archive Code Data CSV Text Other',
  ),
  single(
    'metric',
    'metricType',
    `COUNT SUM AVERAGE RATIO PERCENTAGE MIN MAX MEDIAN MODE STANDARD_DEVIATION VARIANCE SIMPLE CUMULATIVE DERIVED
     CONVERSION OTHER`,
  ),
  single('metric', 'unitOfMeasurement', 'COUNT DOLLARS PERCENTAGE TIMESTAMP SIZE REQUESTS EVENTS TRANSACTIONS OTHER'),
  single('metric', 'granularity', 'SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR'),
  row('metric', words('SQL Java JavaScript Python External'), (language) => ({
    metricExpression: { language, code: '1' },
  })),
  single('apiService', 'serviceType', 'Rest WEBHOOK'),
];

/** Whatever was sent stands in the answer, which may say more. */
const holds = (answer: Json | undefined, wish: Json, what: string): void => {
  if (typeof wish !== 'object' || wish === null) assert.is(answer, wish, what);
  else
    for (const [name, value] of Object.entries(wish)) holds((answer as JsonObject)?.[name], value, `${what}.${name}`);
};

/** A place in the order of names just before all that begin with a prefix. */
const cursorBefore = (prefix: string): string =>
  Buffer.from(JSON.stringify({ name: prefix, id: '' })).toString('base64url');

const memberPath = (value: Json): string => {
  if (Array.isArray(value)) return memberPath(value[0] as Json);
  if (typeof value !== 'object' || value === null) return '';
  const [name, inner] = Object.entries(value).at(-1) ?? ['', ''];
  const below = memberPath(inner as Json);
  return below === '' ? name : `${name}.${below}`;
};

for (const { kind: entityType, values, wish } of TABLE) {
  test(`${entityType}: ${memberPath(wish('x'))} accepts exactly ${values.length} values`, async () => {
    const kind = samples.kind(entityType);
    const prefix = uniqueName('s_enum');
    const named = values.map((_, at) => `${prefix}_${String(at).padStart(3, '0')}`);
    const bodies = await Promise.all(
      values.map((value, at) => samples.body(kind, { name: named[at] ?? '', ...wish(value) })),
    );
    const result = ok(await service.admin.put(`/v1/${kind.path}/bulk`, bodies));
    assert.equal(result.failedRequest ?? [], [], entityType);
    const listed = `limit=${values.length}&fields=*&after=${cursorBefore(prefix)}`;
    const { data } = expectList(await service.admin.get(`/v1/${kind.path}?${listed}`));
    for (const [at, value] of values.entries()) {
      assert.is(data[at].name, named[at]);
      holds(data[at], wish(value), value);
    }
    const unknown = ['Nope', ` ${values[0]}`, swapCase(values[0] ?? '')].filter((value) => !values.includes(value));
    const strangers = await Promise.all(unknown.map((value) => samples.body(kind, wish(value))));
    const before = await countStored(service);
    for (const body of strangers) {
      expectRefused(await service.admin.post(`/v1/${kind.path}`, body), 400, /must be one of/);
    }
    assert.equal(await countStored(service), before);
  });
}

const swapCase = (text: string): string => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase());

/** Members that only a patch sets. */
const PATCHED: readonly Row[] = [
  row('table', words('AUTOMATIC MANUAL POLICY_BASED'), (compressionType) => ({
    compressionStrategy: { compressionType },
  })),
  row('dataProduct', words('GOLD SILVER BRONZE CUSTOM'), (tier) => ({ sla: { tier } })),
  // What belongs to the system stays with it, so that comes last.
  ...words('role policy').map((kind) => row(kind, PROVIDERS, (provider) => ({ provider }))),
  single('dataProduct', 'lifecycleStage', 'IDEATION DESIGN DEVELOPMENT TESTING PRODUCTION DEPRECATED RETIRED'),
  ...['topic', 'glossaryTerm', 'dataProduct', 'messagingService', 'query'].map((kind) =>
    row(kind, ['Draft', 'In Review', 'Approved', 'Archived', 'Deprecated', 'Rejected', 'Unprocessed'], (value) => ({
      entityStatus: value,
    })),
  ),
];

for (const { kind: entityType, values, wish } of PATCHED) {
  test(`${entityType}: a patch sets ${memberPath(wish('x'))} to one of ${values.length} values`, async () => {
    const kind = samples.kind(entityType);
    const { id } = await samples.create(kind);
    for (const value of values) {
      ok(await service.admin.patch(`/v1/${kind.path}/${id}`, wish(value)));
      holds(ok(await service.admin.get(`/v1/${kind.path}/${id}`)), wish(value), value);
    }
    expectRefused(await service.admin.patch(`/v1/${kind.path}/${id}`, wish('Nope')), 400);
  });
}

test.run();
