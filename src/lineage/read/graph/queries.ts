import type { AncestorNode, InheritedNode, RefNode } from '../../../catalog/queries.ts';
import { statement } from '../../../graph/statement.ts';
import type { TestStatus } from '../../../model/schemas/quality/test-case.ts';
import type { RawProperties } from '../../edge.ts';
import { type EdgesBetweenParams, statementsBothWays, walksBothWays } from '../../queries.ts';

type PastWalkParams = {
  readonly ids: readonly string[];
  readonly at: number;
  readonly nodes: number;
  readonly edges: number;
};

/** An edge at a past time, with its assertions at that time. */
export type PastEdge = { readonly from: string; readonly to: string; readonly assertions: readonly RawProperties[] };
export type PastStep = PastEdge & { readonly node: RefNode };

/** As in the present, these walks take one step less than the edges they return. */
export const pastWalkStatements = walksBothWays<PastWalkParams, PastStep>('lineage/graph/walk_past', {
  params: ['ids', 'at', 'nodes', 'edges'],
  row: ['from', 'to', 'node', 'assertions'],
});

export type PastPipelineEdge = PastEdge & { readonly nodes: readonly [RefNode, RefNode] };

/** The edges that ran through a record at a past time. */
export const listPastEdgesViaPipeline = statement<{ id: string; at: number; limit: number }, PastPipelineEdge>(
  'lineage/graph/list_past_via_pipeline',
  { params: ['id', 'at', 'limit'], row: ['from', 'to', 'nodes', 'assertions'] },
);

export const listPastEdgesBetween = statement<EdgesBetweenParams & { at: number }, PastEdge>(
  'lineage/graph/list_past_between',
  {
    params: ['near', 'ids', 'limit', 'at'],
    row: ['from', 'to', 'assertions'],
  },
);

export type NeighbourCount = { readonly id: string; readonly upstream: number; readonly downstream: number };

/** Counts deleted neighbours when `deleted` is true, living ones when it is false, and all when it is null. */
export const countNeighboursAt = statement<
  { ids: readonly string[]; at: number; deleted: boolean | null },
  NeighbourCount
>('lineage/graph/count_neighbours', { params: ['ids', 'at', 'deleted'], row: ['id', 'upstream', 'downstream'] });

/** A record next to another one, with no more than it is found and sorted by. */
export type NeighbourTuple = readonly [
  id: string,
  entityType: string,
  name: string,
  fullyQualifiedName: string,
  displayName: string | null,
];

type NeighboursParams = {
  readonly id: string;
  readonly at: number;
  readonly deleted: boolean | null;
  readonly limit: number;
};
type NeighboursRow = { readonly neighbours: readonly NeighbourTuple[] };

/** As the counts do, they list deleted neighbours, living ones, or all. */
export const listNeighboursAt = statementsBothWays<NeighboursParams, NeighboursRow>('lineage/graph/list_neighbours', {
  params: ['id', 'at', 'deleted', 'limit'],
  row: ['neighbours'],
});

/** Who states an edge, without what they state of it. */
export type AssertionAuthor = {
  readonly source: string;
  readonly sourceName: string | null;
  readonly pipelineId: string | null;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
  readonly seenAt: number | null;
};

export type AssertedEdge = {
  readonly from: string;
  readonly to: string;
  readonly assertions: readonly AssertionAuthor[];
};

/** Who states some edges at a time, the newest assertion first. */
export const listAssertionsAbout = statement<
  { pairs: readonly (readonly [from: string, to: string])[]; at: number },
  AssertedEdge
>('lineage/graph/list_assertions', { params: ['pairs', 'at'], row: ['from', 'to', 'assertions'] });

type OwnDescription = {
  readonly id: string;
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
  readonly tags: readonly string[];
  readonly testStatus: TestStatus | null;
};

/** Records with the same parent: what each has itself, and what all inherit. */
export type DescriptionRow = {
  readonly nodes: readonly OwnDescription[];
  /** The topmost ancestors; empty when the records have no parent. */
  readonly roots: readonly AncestorNode[];
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
};

export const describeNodes = statement<{ ids: readonly string[] }, DescriptionRow>('lineage/graph/read_descriptions', {
  params: ['ids'],
  row: ['nodes', 'roots', 'owners', 'domains'],
});

export const listMentioned = statement<
  { ids: readonly string[] },
  { readonly id: string; readonly mentioned: readonly string[] }
>('lineage/graph/list_mentioned', { params: ['ids'], row: ['id', 'mentioned'] });

export const listTestStates = statement<
  { ids: readonly string[] },
  { readonly id: string; readonly testStatus: TestStatus }
>('lineage/graph/list_test_states', { params: ['ids'], row: ['id', 'testStatus'] });

type NextStepParams = { readonly ids: readonly string[]; readonly limit: number };

/** Steps from some records, and each record at their far ends once. */
export type NextStepsRow = {
  readonly hops: readonly (readonly [from: string, to: string])[];
  readonly nodes: readonly RefNode[];
};

/** A step between records or columns; `node` is the record at the far end, or the one that owns the far column. */
export type StepRow = { readonly from: string; readonly to: string; readonly node: RefNode };
export type ColumnStepRow = StepRow & { readonly far: string; readonly name: string };

/** A column with the columns it was reached from. */
export type ReachedColumn = {
  readonly reachedFrom: readonly string[];
  readonly far: string;
  readonly name: string;
  readonly node: RefNode;
};

const nextStepShape = { params: ['ids', 'limit'], row: ['hops', 'nodes'] } as const;

export const listNextSteps = statementsBothWays<NextStepParams, NextStepsRow>('lineage/graph/list_next', nextStepShape);

/**
 * Details are stored as JSON, which escapes quotes inside texts, so no text can look like an empty list of mappings.
 */
export const listNextStepsWithoutColumns = statementsBothWays<NextStepParams, NextStepsRow>(
  'lineage/graph/list_next_without_columns',
  nextStepShape,
);

export const listNextColumns = statementsBothWays<NextStepParams, ReachedColumn>('lineage/graph/list_next_columns', {
  params: ['ids', 'limit'],
  row: ['reachedFrom', 'far', 'name', 'node'],
});

/** A column by key, or a record that represents a column by ID. */
export type LineageColumnRow = { readonly key: string; readonly name: string };

export const findLineageColumns = statement<
  { id: string; keys: readonly string[]; names: readonly string[] },
  LineageColumnRow
>('lineage/graph/find_columns', { params: ['id', 'keys', 'names'], row: ['key', 'name'] });

export const listJoinedColumns = statement<{ id: string; limit: number }, LineageColumnRow>(
  'lineage/graph/list_joined_columns',
  {
    params: ['id', 'limit'],
    row: ['key', 'name'],
  },
);

export type ScopeParams = { readonly scope: string; readonly limit: number };
type NodeType = Pick<RefNode, 'id' | 'entityType'>;

type OfKind = { readonly entityType: string };
export type OfKinds = { readonly entityTypes: readonly string[] };

export type ScopeEdge = { readonly from: NodeType; readonly to: NodeType; readonly seenAt: number };

export const listScopeEdges = statement<ScopeParams & OfKinds, ScopeEdge>('lineage/graph/list_scope_edges', {
  params: ['entityTypes', 'scope', 'limit'],
  row: ['from', 'to', 'seenAt'],
});

type LookLimit = { readonly look: number };

export const listScopeOrphans = statement<
  ScopeParams & OfKind & LookLimit & { carrierTypes: readonly string[] },
  { node: RefNode }
>('lineage/graph/list_scope_orphans', {
  params: ['entityType', 'scope', 'limit', 'look', 'carrierTypes'],
  row: ['node'],
});

export const countScope = statement<ScopeParams & OfKind, { count: number }>('lineage/graph/count_scope', {
  params: ['entityType', 'scope', 'limit'],
  row: ['count'],
});

export type Hub = { readonly node: RefNode; readonly upstream: number; readonly downstream: number };

const hubShape = { params: ['limit', 'least', 'look'], row: ['node', 'upstream', 'downstream'] } as const;

export const listScopeHubs = statement<ScopeParams & OfKind & LookLimit & { least: number }, Hub>(
  'lineage/graph/list_scope_hubs',
  {
    params: [...hubShape.params, 'entityType', 'scope'],
    row: hubShape.row,
  },
);

type NamedNode = NodeType & Pick<RefNode, 'fullyQualifiedName'>;

export type ScopePairs = {
  readonly from: NamedNode;
  readonly to: NamedNode;
  readonly detailsJson: string;
  readonly pairs: readonly (readonly [from: string, to: string])[];
};

export const listScopePairs = statement<ScopeParams & OfKinds, ScopePairs>('lineage/graph/list_scope_column_pairs', {
  params: ['entityTypes', 'scope', 'limit'],
  row: ['from', 'to', 'detailsJson', 'pairs'],
});

type LimitParams = { readonly limit: number };

/** The same for the whole catalog, among the first edges in storage order. */
export const listEdges = statement<LimitParams, ScopeEdge>('lineage/graph/list_edges', {
  params: ['limit'],
  row: ['from', 'to', 'seenAt'],
});
export const listColumnPairs = statement<LimitParams, ScopePairs>('lineage/graph/list_column_pairs', {
  params: ['limit'],
  row: ['from', 'to', 'detailsJson', 'pairs'],
});
export const listHubs = statement<LimitParams & LookLimit & { least: number }, Hub>(
  'lineage/graph/list_hubs',
  hubShape,
);

export const countEdges = statement<Record<string, never>, { count: number }>('lineage/graph/count_edges', {
  params: [],
  row: ['count'],
});
