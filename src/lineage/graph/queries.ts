import type { AncestorNode, InheritedNode, RefNode } from '../../catalog/queries.ts';
import { statement, template } from '../../graph/statement.ts';
import type { TestStatus } from '../../model/test-values.ts';
import type { Stored } from '../edge.ts';
import type { Among } from '../queries.ts';

type PastWalk = {
  readonly ids: readonly string[];
  readonly at: number;
  readonly nodes: number;
  readonly edges: number;
};

/** An edge as it was at some time: who said what of it then. */
export type PastEdge = { readonly from: string; readonly to: string; readonly assertions: readonly Stored[] };
export type PastStep = PastEdge & { readonly node: RefNode };

const past = { params: ['ids', 'at', 'nodes', 'edges'], row: ['from', 'to', 'node', 'assertions'] } as const;

/** Like walks of the present, these are made for one step less than the edges they answer. */
export const pastWalks = {
  upstream: template<PastWalk, PastStep>('lineage/walk_past_upstream', 'DEPTH', past),
  downstream: template<PastWalk, PastStep>('lineage/walk_past_downstream', 'DEPTH', past),
};

export type PastCarried = PastEdge & { readonly nodes: readonly [RefNode, RefNode] };

/** The edges that ran through a record at some time. */
export const listPastCarried = statement<{ id: string; at: number; limit: number }, PastCarried>(
  'lineage/list_past_carried',
  { params: ['id', 'at', 'limit'], row: ['from', 'to', 'nodes', 'assertions'] },
);

export const listPastAmong = statement<Among & { at: number }, PastEdge>('lineage/list_past_among', {
  params: ['near', 'ids', 'limit', 'at'],
  row: ['from', 'to', 'assertions'],
});

export type NeighbourCount = { readonly id: string; readonly upstream: number; readonly downstream: number };

/** Deleted ones are counted when `deleted` is true, others when it is false, all when it is null. */
export const countNeighbours = statement<
  { ids: readonly string[]; at: number; deleted: boolean | null },
  NeighbourCount
>('lineage/count_neighbours', { params: ['ids', 'at', 'deleted'], row: ['id', 'upstream', 'downstream'] });

type OwnDescription = {
  readonly id: string;
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
  readonly tags: readonly string[];
  readonly testStatus: TestStatus | null;
};

/** Records that lie in one place, each with what it has itself, and what all of them have from above. */
export type DescriptionRow = {
  readonly nodes: readonly OwnDescription[];
  /** The record that holds all others they lie in; none when nothing does. */
  readonly roots: readonly AncestorNode[];
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
};

export const describeNodes = statement<{ ids: readonly string[] }, DescriptionRow>('lineage/describe_nodes', {
  params: ['ids'],
  row: ['nodes', 'roots', 'owners', 'domains'],
});

type Next = { readonly ids: readonly string[]; readonly limit: number };

/** Steps from some records, and the records at their far ends, each once. */
export type NextStep = {
  readonly hops: readonly (readonly [from: string, to: string])[];
  readonly nodes: readonly RefNode[];
};

/** A step from one record, or column, to another; `node` is the record at the far end, or the one whose column it is. */
export type NextRow = { readonly from: string; readonly to: string; readonly node: RefNode };
export type NextColumnRow = NextRow & { readonly far: string; readonly name: string };

/** A column with those it was reached from. */
export type ReachedColumn = {
  readonly reachedFrom: readonly string[];
  readonly far: string;
  readonly name: string;
  readonly node: RefNode;
};

const next = { params: ['ids', 'limit'], row: ['hops', 'nodes'] } as const;
const nextColumn = { params: ['ids', 'limit'], row: ['reachedFrom', 'far', 'name', 'node'] } as const;

export const listNext = {
  upstream: statement<Next, NextStep>('lineage/list_next_upstream', next),
  downstream: statement<Next, NextStep>('lineage/list_next_downstream', next),
};

/** Details are kept as JSON, in whose texts quotes are escaped: no text can be taken for an empty list of mappings. */
export const listNextBare = statement<Next, NextStep>('lineage/list_next_bare', next);

export const listNextColumns = {
  upstream: statement<Next, ReachedColumn>('lineage/list_next_columns_upstream', nextColumn),
  downstream: statement<Next, ReachedColumn>('lineage/list_next_columns_downstream', nextColumn),
};

/** A column by its key, or a record that stands for one by its id. */
export type ColumnRow = { readonly key: string; readonly name: string };

export const findColumns = statement<{ id: string; keys: readonly string[]; names: readonly string[] }, ColumnRow>(
  'lineage/find_columns',
  { params: ['id', 'keys', 'names'], row: ['key', 'name'] },
);

export const listJoinedColumns = statement<{ id: string; limit: number }, ColumnRow>('lineage/list_joined_columns', {
  params: ['id', 'limit'],
  row: ['key', 'name'],
});

type Scope = { readonly scope: string; readonly limit: number };
type Known = Pick<RefNode, 'id' | 'entityType'>;

export type ScopeEdge = { readonly from: Known; readonly to: Known; readonly seenAt: number };

export const listScopeEdges = template<Scope, ScopeEdge>('lineage/list_scope_edges', 'LABEL', {
  params: ['scope', 'limit'],
  row: ['from', 'to', 'seenAt'],
});

type Looking = { readonly look: number };

export const listScopeOrphans = template<Scope & Looking & { carrierTypes: readonly string[] }, { node: RefNode }>(
  'lineage/list_scope_orphans',
  'LABEL',
  { params: ['scope', 'limit', 'look', 'carrierTypes'], row: ['node'] },
);

export const countScope = template<Scope, { count: number }>('lineage/count_scope', 'LABEL', {
  params: ['scope', 'limit'],
  row: ['count'],
});

export type Hub = { readonly node: RefNode; readonly upstream: number; readonly downstream: number };

const hub = { params: ['limit', 'least', 'look'], row: ['node', 'upstream', 'downstream'] } as const;

export const listScopeHubs = template<Scope & Looking & { least: number }, Hub>('lineage/list_scope_hubs', 'LABEL', {
  params: [...hub.params, 'scope'],
  row: hub.row,
});

type NamedEnd = Known & Pick<RefNode, 'fullyQualifiedName'>;

export type ScopePairs = {
  readonly from: NamedEnd;
  readonly to: NamedEnd;
  readonly detailsJson: string;
  readonly pairs: readonly (readonly [from: string, to: string])[];
};

export const listScopePairs = template<Scope, ScopePairs>('lineage/list_scope_pairs', 'LABEL', {
  params: ['scope', 'limit'],
  row: ['from', 'to', 'detailsJson', 'pairs'],
});

type Some = { readonly limit: number };

/** The same for everything there is, among the first edges that are come by. */
export const listEdges = statement<Some, ScopeEdge>('lineage/list_edges', {
  params: ['limit'],
  row: ['from', 'to', 'seenAt'],
});
export const listPairs = statement<Some, ScopePairs>('lineage/list_pairs', {
  params: ['limit'],
  row: ['from', 'to', 'detailsJson', 'pairs'],
});
export const listHubs = statement<Some & Looking & { least: number }, Hub>('lineage/list_hubs', hub);

export const countEdges = statement<Record<string, never>, { count: number }>('lineage/count_edges', {
  params: [],
  row: ['count'],
});
