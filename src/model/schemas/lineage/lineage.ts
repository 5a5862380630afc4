import * as v from 'valibot';
import {
  AnyJson,
  bounded,
  Flag,
  Fqn,
  Integer,
  listOf,
  Markdown,
  must,
  oneOf,
  openShape,
  Ref,
  shape,
  Text,
  Timestamp,
  Uuid,
} from '../../values.ts';

/** Who may say that one record feeds another. */
export const LINEAGE_SOURCES = [
  'Manual',
  'ViewLineage',
  'QueryLineage',
  'PipelineLineage',
  'DashboardLineage',
  'DbtLineage',
  'SparkLineage',
  'OpenLineage',
  'ExternalTableLineage',
  'CrossDatabaseLineage',
  'ChildAssets',
] as const;

export type LineageSource = (typeof LINEAGE_SOURCES)[number];

export const DEFAULT_LINEAGE_SOURCE: LineageSource = 'Manual';

/** What the whole platform can be looked at as: in each view, edges follow from those between the records that belong there. */
export const PLATFORM_VIEWS = ['service', 'domain', 'dataProduct'] as const;

export type PlatformView = (typeof PLATFORM_VIEWS)[number];

/** The source of edges that follow from others. */
export const DERIVED_LINEAGE_SOURCE: LineageSource = 'ChildAssets';

/** Kinds of records that data can be said to run through on an edge. */
export const PIPELINE_KINDS = ['pipeline', 'storedProcedure'] as const;

const MAX_COLUMN_MAPPINGS = 10_000;
const MAX_SQL = 1_000_000;

const ColumnLineage = openShape('ColumnLineage', {
  fromColumns: must(v.pipe(listOf(Fqn, 1000), v.minLength(1, 'must have at least one item'))),
  toColumn: must(Fqn),
  function: Text,
});

const TempLineageTable = openShape('TempLineageTable', { fromEntity: must(Text), toEntity: must(Text) });

const Sql = v.pipe(Text, v.maxLength(MAX_SQL, `size must be at most ${MAX_SQL}`));

const requestDetails = {
  sqlQuery: Sql,
  columnsLineage: listOf(ColumnLineage, MAX_COLUMN_MAPPINGS),
  pipeline: Ref,
  description: Markdown,
  source: oneOf(LINEAGE_SOURCES),
  tempLineageTables: listOf(TempLineageTable, 1000),
};

/** What a request says of an edge; everything else in it is ignored, because clients send back what they read. */
export const LineageDetailsInput = openShape('LineageDetails', requestDetails);

/** What is answered of an edge. */
export const LineageDetails = shape('LineageDetails', {
  ...requestDetails,
  createdAt: Timestamp,
  createdBy: Text,
  updatedAt: Timestamp,
  updatedBy: Text,
  assetEdges: Integer,
});

const LineageEdgeInput = shape('EntitiesEdge', {
  fromEntity: must(Ref),
  toEntity: must(Ref),
  description: Markdown,
  lineageDetails: LineageDetailsInput,
});

export const AddLineage = shape('AddLineage', { edge: must(LineageEdgeInput) });

/** An edge among many, bare or as a request about it alone has it. */
export const LineageBulkItem = v.union([AddLineage, LineageEdgeInput]);

/** Everything that one source knows of the edges into a record and what lies below it. */
export const LineageScope = shape('LineageScope', {
  source: must(oneOf(LINEAGE_SOURCES)),
  scopeFqn: must(Fqn),
  edges: must(listOf(AnyJson, 1_000_000)),
  dryRun: Flag,
  maxRemovals: bounded(0, 1_000_000_000),
});

const RemovedEdge = shape('RemovedEdge', { fromEntity: must(Ref), toEntity: must(Ref) });

/** What became of a scope: how many edges were added, changed and left alone, and those that were taken back. */
export const LineageScopeResult = shape('LineageScopeResult', {
  dryRun: must(Flag),
  added: must(Integer),
  changed: must(Integer),
  unchanged: must(Integer),
  removed: must(Integer),
  removedEdges: must(listOf(RemovedEdge, 1_000_000)),
});

const EntityLineageEdge = shape('Edge', {
  fromEntity: must(Uuid),
  toEntity: must(Uuid),
  description: Text,
  lineageDetails: LineageDetails,
});

export const EntityLineage = shape('EntityLineage', {
  entity: must(Ref),
  nodes: must(listOf(Ref)),
  upstreamEdges: must(listOf(EntityLineageEdge)),
  downstreamEdges: must(listOf(EntityLineageEdge)),
});

export const LineageEdgeAnswer = shape('LineageEdge', { edge: must(LineageDetails) });
