import type { InheritedNode, RefNode } from '../catalog/queries.ts';
import { declareRevisionStatement } from '../catalog/read/kept-answers.ts';
import type { WriteStatementRow } from '../graph/group-commit.ts';
import { declareVariants, type IndexedRows, type StatementShape, statement, template } from '../graph/statement.ts';
import type { RawProperties } from './edge.ts';
import type { TestNode } from './read/record-tests.ts';

export type EdgeReadKey = {
  readonly from: string;
  readonly to: string;
  readonly keys: readonly string[];
  readonly fromParts: readonly string[];
  readonly toParts: readonly string[];
};

export type EdgeStateRow = {
  readonly at: number;
  readonly edge: RawProperties | null;
  readonly assertions: readonly RawProperties[];
  readonly columns: readonly (readonly [key: string, fqn: string])[];
  readonly parts: readonly (readonly [ownerId: string, name: string, id: string])[];
};

export const readEdges = statement<IndexedRows<EdgeReadKey>, EdgeStateRow>('lineage/read_edge', {
  params: ['rows'],
  row: ['at', 'edge', 'assertions', 'columns', 'parts'],
});

export type EventSubjectRow = {
  readonly at: number;
  readonly version: number;
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
};

export const readEventSubjects = statement<IndexedRows<{ id: string }>, EventSubjectRow>('lineage/read_event_subject', {
  params: ['rows'],
  row: ['at', 'version', 'owners', 'domains'],
});

type EdgeWriteParams = { readonly rows: readonly WriteStatementRow[] };
type WrittenEdgeRow = { readonly at: number };

const writeShape = { params: ['rows'], row: ['at'] } as const;

export const putEdges = statement<EdgeWriteParams, WrittenEdgeRow>('lineage/update_edge', writeShape);
export const closeEdges = statement<EdgeWriteParams, WrittenEdgeRow>('lineage/close_edge', writeShape);
export const closeAssertions = statement<EdgeWriteParams, WrittenEdgeRow>('lineage/close_assertion', writeShape);
export const confirmAssertions = statement<EdgeWriteParams, WrittenEdgeRow>('lineage/update_seen_at', writeShape);
export const linkColumns = statement<EdgeWriteParams, WrittenEdgeRow>('lineage/create_column_pairs', writeShape);
export const linkParts = statement<EdgeWriteParams, WrittenEdgeRow>('lineage/create_part_pairs', writeShape);
export const closeColumns = statement<EdgeWriteParams, WrittenEdgeRow>('lineage/close_column_pairs', writeShape);

/** An edge as walks return it. */
export type EdgeTuple = readonly [
  from: string,
  to: string,
  pipelineId: string | null,
  detailsJson: string,
  /**
   * The complete edge when this tuple is only half of it: data runs through a requested pipeline, and the walk splits
   * the edge there.
   */
  whole?: EdgeTuple,
];

type WalkStart = { readonly ids: readonly string[] };
type WalkBudget = { readonly nodes: number; readonly edges: number };

/** A record as walks return it. */
type NodeTuple = readonly [
  id: string,
  entityType: string,
  name: string,
  fullyQualifiedName: string,
  displayName: string | null,
  description: string | null,
  deleted: boolean | null,
  lineageRevision?: number,
];

/** A record of a walk. */
export type LineageNode = RefNode & {
  /** Grows with every change of the record and of its edges; absent where no kept answer needs it. */
  readonly lineageRevision?: number | undefined;
};

export const decodeNode = (node: NodeTuple): LineageNode => {
  const [id, entityType, name, fullyQualifiedName, displayName, description, deleted, lineageRevision] = node;
  return { id, entityType, name, fullyQualifiedName, displayName, description, deleted, lineageRevision };
};

/** Reads the numbers that walks return with their records. */
export const readLineageRevisions = declareRevisionStatement('lineage/read_revisions');

export type WalkRow = {
  readonly at: number;
  readonly edges: readonly EdgeTuple[];
  readonly nodes: readonly NodeTuple[];
};

/**
 * The direction of a step from a record `near` to a record `far`: the ends of its arrow, those of an arrow against it, and
 * the origin and the target of its edge.
 */
const STEP_DIRECTIONS = declareVariants({
  upstream: { IN: '<', OUT: '', BACK_IN: '', BACK_OUT: '>', FROM: 'far', TO: 'near' },
  downstream: { IN: '', OUT: '>', BACK_IN: '<', BACK_OUT: '', FROM: 'near', TO: 'far' },
});

/** Declares a statement for steps in both directions. */
export const statementsBothWays = <P extends object, R extends object>(file: string, shape: StatementShape<P, R>) => ({
  upstream: statement<P, R>(file, shape, STEP_DIRECTIONS.upstream),
  downstream: statement<P, R>(file, shape, STEP_DIRECTIONS.downstream),
});

/** Declares a statement for walks of any depth in both directions. */
export const walksBothWays = <P extends object, R extends object>(file: string, shape: StatementShape<P, R>) => ({
  upstream: template<P, R>(file, 'DEPTH', shape, STEP_DIRECTIONS.upstream),
  downstream: template<P, R>(file, 'DEPTH', shape, STEP_DIRECTIONS.downstream),
});

/**
 * Walks take one step less than the edges they return: each walk also returns the edges that leave the last records it
 * reached.
 */
export const walkStatements = walksBothWays<IndexedRows<WalkStart> & WalkBudget, WalkRow>('lineage/walk', {
  params: ['rows', 'nodes', 'edges'],
  row: ['at', 'edges', 'nodes'],
});

export type AdjacentEdgesRow = {
  readonly at: number;
  readonly above: readonly EdgeTuple[];
  readonly below: readonly EdgeTuple[];
  readonly nodes: readonly NodeTuple[];
  readonly isCut: boolean;
};

/** The edges that enter or leave some records. */
export const listAdjacentEdges = statement<IndexedRows<{ id: string }> & { edges: number }, AdjacentEdgesRow>(
  'lineage/list_adjacent',
  {
    params: ['rows', 'edges'],
    row: ['at', 'above', 'below', 'nodes', 'isCut'],
  },
);

export const listEdgesViaPipeline = statement<
  { id: string; limit: number },
  { edge: EdgeTuple; nodes: readonly [RefNode, RefNode] }
>('lineage/list_via_pipeline', { params: ['id', 'limit'], row: ['edge', 'nodes'] });

export type EdgesBetweenParams = {
  readonly near: readonly string[];
  readonly ids: readonly string[];
  readonly limit: number;
};

/** The edges from one set of records to another. */
export const listEdgesBetween = statement<EdgesBetweenParams, { edge: EdgeTuple }>('lineage/list_between', {
  params: ['near', 'ids', 'limit'],
  row: ['edge'],
});

type EdgesOfSourceParams = { readonly id: string; readonly source: string; readonly sourceName: string | null };
export type EndpointIds = { readonly from: string; readonly to: string };

const edgesOfSourceShape = { params: ['id', 'source', 'sourceName'], row: ['from', 'to'] } as const;

export const listEdgesOfSource = statement<EdgesOfSourceParams, EndpointIds>(
  'lineage/list_of_source',
  edgesOfSourceShape,
);
export const listPipelineEdgesOfSource = statement<EdgesOfSourceParams, EndpointIds>(
  'lineage/list_of_source_via_pipeline',
  edgesOfSourceShape,
);

/** The edges that one of those that share a source asserts. */
export const listEdgesOfAsserter = statement<{ source: string; sourceName: string }, EndpointIds>(
  'lineage/list_of_asserter',
  { params: ['source', 'sourceName'], row: ['from', 'to'] },
);

export type ColumnEdgeRow = {
  readonly fromId: string;
  readonly toId: string;
  /** The requested columns that the edge joins, each with whether it is at the origin. */
  readonly joined: readonly (readonly [key: string, isFrom: boolean])[];
  readonly edge: RawProperties;
  readonly assertions: readonly RawProperties[];
};

export const listEdgesOfColumns = statement<{ keys: readonly string[] }, ColumnEdgeRow>(
  'lineage/list_edges_of_columns',
  {
    params: ['keys'],
    row: ['fromId', 'toId', 'joined', 'edge', 'assertions'],
  },
);
export const countEdgesOfColumns = statement<{ keys: readonly string[] }, { key: string; count: number }>(
  'lineage/count_edges_of_columns',
  { params: ['keys'], row: ['key', 'count'] },
);
export const closePartEdges = statement<EdgeWriteParams, WrittenEdgeRow>('lineage/close_part_pairs', writeShape);
export const lockColumnCounts = statement<EdgeWriteParams, WrittenEdgeRow>('lineage/claim_column_count', writeShape);
export const updateAssertions = statement<EdgeWriteParams, WrittenEdgeRow>(
  'lineage/update_assertion_content',
  writeShape,
);

/** The edges that one source asserts into a record of some kinds, or into records below it. */
export const listSourceEdgesInScope = statement<
  { entityTypes: readonly string[]; scope: string; below: string; source: string; limit: number },
  EndpointIds
>('lineage/list_of_source_in_scope', {
  params: ['entityTypes', 'scope', 'below', 'source', 'limit'],
  row: ['from', 'to'],
});

/** The number of edges of a source in a scope that one request looks at. */
export const MAX_SCOPE_EDGES = 100_000;

/**
 * Which edges count: those between records of types that are not hidden, and optionally only between living records.
 */
export type EdgeCountOptions = {
  readonly hiddenTypes: readonly string[];
  /**
   * Types with partly hidden records: the statement returns those records so that the caller's visibility can be
   * applied.
   */
  readonly judgedTypes: readonly string[];
  readonly includeDeleted: boolean;
  readonly limit: number;
};

/** The records that edges are counted around. */
export type EdgeCountScope = { readonly ids: readonly string[] };

const countParams = ['hiddenTypes', 'judgedTypes', 'includeDeleted', 'limit'] as const;

/** The records behind a count whose visibility must be judged. */
type JudgedCount = { readonly judged: readonly (readonly [id: string, entityType: string])[] };

type ServiceCount = JudgedCount & {
  readonly fromType: string;
  readonly fromScope: string | null;
  readonly toType: string;
  readonly toScope: string | null;
  readonly pipelineId: string | null;
  readonly edges: number;
};

const serviceCountColumns = ['fromType', 'fromScope', 'toType', 'toScope', 'pipelineId', 'judged', 'edges'] as const;

/** Counts of edges between services: of all edges, or of those around some services. */
export const countServiceEdges = {
  between: statement<EdgeCountOptions, ServiceCount>('lineage/count_between_services', {
    params: countParams,
    row: serviceCountColumns,
  }),
  around: statement<EdgeCountOptions & EdgeCountScope & { carrierTypes: readonly string[] }, ServiceCount>(
    'lineage/count_around_services',
    { params: [...countParams, 'ids', 'carrierTypes'], row: serviceCountColumns },
  ),
};

type RecordCount = JudgedCount & { readonly fromId: string; readonly toId: string; readonly edges: number };

const betweenShape = { params: countParams, row: ['fromId', 'toId', 'judged', 'edges'] } as const;
const aroundShape = { params: [...countParams, 'ids'], row: betweenShape.row } as const;

/** Counts of edges between the records that determine domains: of all edges, or of those around some domains. */
export const countDomainEdges = {
  between: statement<EdgeCountOptions, RecordCount>('lineage/count_between_domains', betweenShape),
  around: statement<EdgeCountOptions & EdgeCountScope, RecordCount>('lineage/count_around_domains', aroundShape),
};

/** Counts of edges between data products: of all edges, or of those around some products. */
export const countProductEdges = {
  between: statement<EdgeCountOptions, RecordCount>('lineage/count_between_products', betweenShape),
  around: statement<EdgeCountOptions & EdgeCountScope, RecordCount>('lineage/count_around_products', aroundShape),
};

/** Counts of edges between services or data products, kept as edges change. */
export const listSupplies = statement<
  {
    view: string;
    entityTypes: readonly string[];
    ids: readonly string[] | null;
    includeDeleted: boolean;
    limit: number;
  },
  { fromId: string; toId: string; edges: number }
>('lineage/list_supplies', {
  params: ['view', 'entityTypes', 'ids', 'includeDeleted', 'limit'],
  row: ['fromId', 'toId', 'edges'],
});

/** Counts of edges between records that determine domains, kept as edges change. */
export const listDomainSupplies = statement<
  { includeDeleted: boolean; limit: number },
  { fromId: string; toIds: readonly string[]; edges: readonly number[] }
>('lineage/list_domain_supplies', { params: ['includeDeleted', 'limit'], row: ['fromId', 'toIds', 'edges'] });

export const readNearestDomains = statement<{ ids: readonly string[] }, { id: string; domainIds: readonly string[] }>(
  'lineage/read_nearest_domains',
  { params: ['ids'], row: ['id', 'domainIds'] },
);

type RecordTestsRow = { readonly id: string; readonly tests: readonly TestNode[] };

export const listRecordTests = statement<
  { ids: readonly string[]; status: string | null; limit: number },
  RecordTestsRow
>('lineage/list_tests', { params: ['ids', 'status', 'limit'], row: ['id', 'tests'] });

/** A contract with its latest result as JSON. */
type RecordContractRow = {
  readonly id: string;
  readonly contract: RefNode & { readonly latestJson: string | null; readonly annotationsJson: string | null };
};

export const listRecordContracts = statement<{ ids: readonly string[] }, RecordContractRow>('lineage/list_contracts', {
  params: ['ids'],
  row: ['id', 'contract'],
});
