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
  PlainName,
  Ref,
  shape,
  Text,
  Timestamp,
  Uuid,
} from '../../values.ts';

/** The schemas of lineage edges, and of requests that change them. */

/** The sources that can assert that one record feeds another. */
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

/**
 * The views of the whole platform: the edges in a view are derived from those between the records that belong to its
 * nodes.
 */
export const PLATFORM_VIEWS = ['service', 'domain', 'dataProduct'] as const;

export type PlatformView = (typeof PLATFORM_VIEWS)[number];

/** The source of derived edges. */
export const DERIVED_LINEAGE_SOURCE: LineageSource = 'ChildAssets';

/** The kinds of records that an edge can name as its pipeline. */
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
  sourceName: PlainName,
  tempLineageTables: listOf(TempLineageTable, 1000),
};

/** The details of an edge in a request. Other members are ignored, because clients send back what they read. */
export const LineageDetailsInput = openShape('LineageDetailsInput', requestDetails);

/** The statement of a log that showed an edge. */
const ObservedStatement = shape('ObservedStatement', {
  fingerprint: must(Text),
  firstAt: Timestamp,
  lastAt: Timestamp,
});

const answerDetails = {
  ...requestDetails,
  observed: ObservedStatement,
  createdAt: Timestamp,
  createdBy: Text,
  updatedAt: Timestamp,
  updatedBy: Text,
  assetEdges: Integer,
};

/** What an answer may say of an edge. */
export const EDGE_DETAILS: readonly string[] = Object.keys(answerDetails);

/** The details of an edge in an answer. */
export const LineageDetails = shape('LineageDetails', answerDetails);

/** The details of an edge in an answer that names references by ID. */
export const CompactLineageDetails = shape('CompactLineageDetails', { ...answerDetails, pipeline: Uuid });

const edgeMembers = {
  fromEntity: must(Ref),
  toEntity: must(Ref),
  description: Markdown,
  lineageDetails: LineageDetailsInput,
};

const LineageEdgeInput = shape('EntitiesEdge', edgeMembers);

export const AddLineage = shape('AddLineage', { edge: must(LineageEdgeInput) });

/** An edge as a request for many has it: with the time from which on it is so, when that is history. */
const DatedEdge = shape('DatedEdge', { ...edgeMembers, since: Timestamp });

export const AddDatedLineage = shape('AddDatedLineage', { edge: must(DatedEdge) });

/** An edge in a bulk request, either bare or as in a request for a single edge, and with its time or without. */
export const LineageBulkItem = v.union([AddLineage, LineageEdgeInput, AddDatedLineage, DatedEdge]);

/** All edges that one source asserts into a record and its children. */
export const LineageScope = shape('LineageScope', {
  source: must(oneOf(LINEAGE_SOURCES)),
  scopeFqn: must(Fqn),
  edges: must(listOf(AnyJson, 1_000_000)),
  dryRun: Flag,
  maxRemovals: bounded(0, 1_000_000_000),
});

const RemovedEdge = shape('RemovedEdge', { fromEntity: must(Ref), toEntity: must(Ref) });

/** The result of replacing a scope: how many edges were added, changed and unchanged, and which were removed. */
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

const assertionMembers = {
  ...requestDetails,
  observed: ObservedStatement,
  createdAt: Timestamp,
  createdBy: Text,
  updatedAt: Timestamp,
  updatedBy: Text,
  seenAt: Timestamp,
};

/** What one source states about an edge. */
export const LineageAssertion = shape('LineageAssertion', assertionMembers);

/** The same in an answer that names references by ID. */
export const CompactLineageAssertion = shape('CompactLineageAssertion', { ...assertionMembers, pipeline: Uuid });

export const LineageEdgeAnswer = shape('LineageEdge', {
  edge: must(LineageDetails),
  assertions: listOf(LineageAssertion),
});
