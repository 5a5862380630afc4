import {
  ancestor,
  columns,
  computedByColumn,
  computedRefs,
  empty,
  nested,
  property,
  searchOnlyCount,
} from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK } from '../model/kind/kind.ts';
import { patternFilters } from '../model/kind/list-filter.ts';
import { ColumnListSchema, completeColumn } from '../model/schemas/columns/column.ts';
import { applyDataModel, DataModel } from '../model/schemas/columns/data-model.ts';
import { checkTableConstraints } from '../model/schemas/columns/table-constraints.ts';
import { PipelineObservability } from '../model/schemas/pipelines/pipeline-status.ts';
import { redactColumnProfile, TableProfile } from '../model/schemas/profiler/profile.ts';
import { renameConfigColumns, TableProfilerConfig } from '../model/schemas/profiler/profiler-config.ts';
import { CustomMetric } from '../model/schemas/profiler/profiler-sampling.ts';
import {
  SEPARATE_MEMBER,
  sampleDataResource,
  sampleMasksMember,
  sampleRowsMember,
} from '../model/schemas/profiler/sample-data.ts';
import {
  CalendarDate,
  Duration,
  defaulting,
  Flag,
  Fqn,
  Integer,
  listOf,
  must,
  oneOf,
  Ref,
  shape,
  Text,
} from '../model/values.ts';

/**
 * The declaration of tables, the richest kind. Every file of this folder declares one kind of record in the vocabulary
 * of `model/kind/`. Read this one and `database-service.ts` first; the others follow the same pattern.
 */

const TABLE_TYPES = [
  'Regular',
  'External',
  'Dynamic',
  'View',
  'SecureView',
  'MaterializedView',
  'Iceberg',
  'Local',
  'Partitioned',
  'Foreign',
  'Transient',
  'Stream',
  'Stage',
  'SemanticView',
] as const;
const FILE_FORMATS = [
  'csv',
  'csv.gz',
  'tsv',
  'avro',
  'parquet',
  'pq',
  'pqt',
  'parq',
  'parquet.snappy',
  'json',
  'json.gz',
  'json.zip',
  'jsonl',
  'jsonl.gz',
  'jsonl.zip',
  'MF4',
] as const;
const CONSTRAINT_TYPES = ['UNIQUE', 'PRIMARY_KEY', 'FOREIGN_KEY', 'SORT_KEY', 'DIST_KEY', 'CLUSTER_KEY'] as const;
const RELATIONSHIP_TYPES = ['ONE_TO_ONE', 'ONE_TO_MANY', 'MANY_TO_ONE', 'MANY_TO_MANY'] as const;
const PARTITION_INTERVALS = [
  'TIME-UNIT',
  'INTEGER-RANGE',
  'INGESTION-TIME',
  'COLUMN-VALUE',
  'INJECTED',
  'ENUM',
  'OTHER',
] as const;

const TableConstraint = shape('TableConstraint', {
  constraintType: oneOf(CONSTRAINT_TYPES),
  columns: listOf(Text),
  referredColumns: listOf(Fqn),
  relationshipType: oneOf(RELATIONSHIP_TYPES),
});

const TablePartition = shape('TablePartition', {
  columns: listOf(
    shape('PartitionColumnDetails', { columnName: Text, intervalType: oneOf(PARTITION_INTERVALS), interval: Text }),
  ),
});

const CompressionStrategy = shape('CompressionStrategy', {
  compressionType: oneOf(['AUTOMATIC', 'MANUAL', 'POLICY_BASED']),
  segmentColumns: listOf(Text),
  orderColumns: listOf(Text),
  compressionLevel: Integer,
});

const JoinedWith = listOf(shape('JoinedWith', { fullyQualifiedName: must(Fqn), joinCount: must(Integer) }));

const TableJoins = shape('TableJoins', {
  startDate: CalendarDate,
  dayCount: defaulting(Integer, 1),
  columnJoins: listOf(shape('ColumnJoins', { columnName: Text, joinedWith: JoinedWith })),
  directTableJoins: JoinedWith,
});

export const table = defineKind({
  entityType: 'table',
  label: 'Table',
  path: 'tables',
  title: 'Tables',
  isAsset: true,
  datasetRank: 1,
  contract: { columns: 'typed' },
  parents: [childOf('databaseSchema', 'databaseSchema')],
  scopeDepth: 3,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: GATED_BLOCK,
  attributes: {
    tableType: property(oneOf(TABLE_TYPES)),
    columns: columns(ColumnListSchema, { required: true, complete: completeColumn }),
    aliases: property(listOf(Fqn), { list: 'value' }),
    databaseSchema: ancestor('databaseSchema'),
    database: ancestor('database'),
    service: ancestor('databaseService'),
    serviceType: ancestor('databaseService', 'serviceType'),
    locationPath: property(Text),
    retentionPeriod: property(Duration),
    compressionEnabled: property(Flag, { request: false, onAbsent: 'keep' }),
    compressionCodec: property(Text, { request: false, onAbsent: 'keep' }),
    compressionStrategy: nested(CompressionStrategy, { request: false, onAbsent: 'keep' }),
    fileFormat: property(oneOf(FILE_FORMATS)),
    processedLineage: property(Flag, { request: false, versioned: false, onAbsent: 'keep', fallback: false }),
    tableConstraints: nested(listOf(TableConstraint), { gated: true, list: 'value' }),
    tablePartition: nested(TablePartition, { gated: true }),
    location: empty(Ref, undefined),
    schemaDefinition: property(Text, { gated: true }),
    joins: nested(TableJoins, SEPARATE_MEMBER),
    sampleData: sampleRowsMember,
    sampleMasks: sampleMasksMember,
    tableProfilerConfig: nested(TableProfilerConfig, {
      gated: true,
      versioned: false,
      onAbsent: 'keep',
      namesColumns: renameConfigColumns,
    }),
    customMetrics: nested(listOf(CustomMetric), { ...SEPARATE_MEMBER, readOnly: true, byColumn: true }),
    profile: computedByColumn('profiler/read_latest', TableProfile, { redactPart: redactColumnProfile }),
    testSuite: { ...computedRefs('quality/walk_table_suite'), as: 'single', schema: Ref },
    dataModel: nested(DataModel, { gated: true, onAbsent: 'keep', columnsIn: 'columns' }),
    queries: empty(listOf(Text), []),
    queryCount: searchOnlyCount('kinds/count_query_mentions', 'kinds/count_query_mentions_visible'),
    pipelineObservability: nested(listOf(PipelineObservability), SEPARATE_MEMBER),
  },
  search: {
    index: 'table_search_index',
    aliases: ['all', 'dataAsset', 'databaseService', 'database', 'databaseSchema'],
    includedMembers: ['queryCount'],
    columnNamesMember: 'columnNames',
    facets: ['tableType', 'columns.name.keyword', 'database.displayName.keyword', 'databaseSchema.displayName.keyword'],
    keywordMembers: ['aliases'],
  },
  filters: {
    database: { by: 'scope' },
    databaseSchema: { by: 'scope' },
    service: { by: 'scope' },
    domain: { by: 'domain' },
    includeEmptyTestSuite: { by: 'filled' },
    ...patternFilters('database', 'databaseSchema', 'table'),
  },
  rules: [checkTableConstraints],
  subResources: [
    sampleDataResource(['GET', 'PUT', 'DELETE']),
    { path: 'joins', member: 'joins', methods: ['PUT'], edit: 'EditAll' },
    {
      path: 'pipelineObservability',
      member: 'pipelineObservability',
      methods: ['PUT'],
      item: { member: 'pipeline', type: 'pipeline', schema: PipelineObservability },
      edit: 'EditAll',
    },
    { path: 'dataModel', member: 'dataModel', methods: ['PUT'], edit: 'EditAll', apply: applyDataModel },
    {
      path: 'tableProfilerConfig',
      member: 'tableProfilerConfig',
      methods: ['GET', 'PUT', 'DELETE'],
      edit: 'EditDataProfile',
    },
  ],
});
