import type { InheritedNode, RefNode } from '../catalog/queries.ts';
import type { WriteRow } from '../graph/commit.ts';
import { type Rows, statement, template } from '../graph/statement.ts';
import type { Stored } from './edge.ts';
import type { TestNode } from './tests.ts';

export type EdgeKey = {
  readonly from: string;
  readonly to: string;
  readonly keys: readonly string[];
  readonly fromParts: readonly string[];
  readonly toParts: readonly string[];
};

export type EdgeRow = {
  readonly at: number;
  readonly edge: Stored | null;
  readonly assertions: readonly Stored[];
  readonly columns: readonly (readonly [key: string, fqn: string])[];
  readonly parts: readonly (readonly [ownerId: string, name: string, id: string])[];
};

export const readEdges = statement<Rows<EdgeKey>, EdgeRow>('lineage/read_edge', {
  params: ['rows'],
  row: ['at', 'edge', 'assertions', 'columns', 'parts'],
});

export type SubjectRow = {
  readonly at: number;
  readonly version: number;
  readonly owners: readonly InheritedNode[];
  readonly domains: readonly InheritedNode[];
};

export const readSubjects = statement<Rows<{ id: string }>, SubjectRow>('lineage/read_subject', {
  params: ['rows'],
  row: ['at', 'version', 'owners', 'domains'],
});

type Written = { readonly rows: readonly WriteRow[] };
type Changed = { readonly at: number };

const written = { params: ['rows'], row: ['at'] } as const;

export const putEdges = statement<Written, Changed>('lineage/put_edge', written);
export const closeEdges = statement<Written, Changed>('lineage/close_edge', written);
export const createAssertions = statement<Written, Changed>('lineage/create_assertion', written);
export const closeAssertions = statement<Written, Changed>('lineage/close_assertion', written);
export const confirmAssertions = statement<Written, Changed>('lineage/confirm_assertion', written);
export const linkColumns = statement<Written, Changed>('lineage/link_column', written);
export const linkParts = statement<Written, Changed>('lineage/link_part', written);
export const closeColumns = statement<Written, Changed>('lineage/close_column', written);

/** An edge as walks answer it. */
export type EdgeTuple = readonly [
  from: string,
  to: string,
  pipelineId: string | null,
  detailsJson: string,
  /** The edge of which this one is half, where data runs through a record that was asked for. */
  whole?: EdgeTuple,
];

type Start = { readonly ids: readonly string[] };
type Budget = { readonly nodes: number; readonly edges: number };

/** A record as walks answer it. */
type NodeTuple = readonly [
  id: string,
  entityType: string,
  name: string,
  fullyQualifiedName: string,
  displayName: string | null,
  description: string | null,
  deleted: boolean | null,
];

export const nodeOf = (node: NodeTuple): RefNode => {
  const [id, entityType, name, fullyQualifiedName, displayName, description, deleted] = node;
  return { id, entityType, name, fullyQualifiedName, displayName, description, deleted };
};

export type WalkRow = {
  readonly at: number;
  readonly edges: readonly EdgeTuple[];
  readonly nodes: readonly NodeTuple[];
};

const walked = { params: ['rows', 'nodes', 'edges'], row: ['at', 'edges', 'nodes'] } as const;

/** Walks are made for one step less than the edges they answer: those leave what was reached. */
export const walks = {
  upstream: template<Rows<Start> & Budget, WalkRow>('lineage/walk_upstream', 'DEPTH', walked),
  downstream: template<Rows<Start> & Budget, WalkRow>('lineage/walk_downstream', 'DEPTH', walked),
};

export type BesideRow = {
  readonly at: number;
  readonly above: readonly EdgeTuple[];
  readonly below: readonly EdgeTuple[];
  readonly nodes: readonly NodeTuple[];
  readonly isCut: boolean;
};

/** The edges next to records. */
export const listBeside = statement<Rows<{ id: string }> & { edges: number }, BesideRow>('lineage/list_beside', {
  params: ['rows', 'edges'],
  row: ['at', 'above', 'below', 'nodes', 'isCut'],
});

export const listCarried = statement<
  { id: string; limit: number },
  { edge: EdgeTuple; nodes: readonly [RefNode, RefNode] }
>('lineage/list_carried', { params: ['id', 'limit'], row: ['edge', 'nodes'] });

export type Among = { readonly near: readonly string[]; readonly ids: readonly string[]; readonly limit: number };

/** The edges that lead from some records to some others. */
export const listAmong = statement<Among, { edge: EdgeTuple }>('lineage/list_among', {
  params: ['near', 'ids', 'limit'],
  row: ['edge'],
});

type SaidBy = { readonly id: string; readonly source: string };
export type EndIds = { readonly from: string; readonly to: string };

const said = { params: ['id', 'source'], row: ['from', 'to'] } as const;

export const listSaid = statement<SaidBy, EndIds>('lineage/list_said', said);
export const listCarriedSaid = statement<SaidBy, EndIds>('lineage/list_carried_said', said);

export type TouchingRow = {
  readonly fromId: string;
  readonly toId: string;
  /** Which of the columns that were asked for it joins, and whether at the end it comes from. */
  readonly joined: readonly (readonly [key: string, isFrom: boolean])[];
  readonly edge: Stored;
  readonly assertions: readonly Stored[];
};

export const readTouching = statement<{ keys: readonly string[] }, TouchingRow>('lineage/read_touching', {
  params: ['keys'],
  row: ['fromId', 'toId', 'joined', 'edge', 'assertions'],
});
export const countTouching = statement<{ keys: readonly string[] }, { key: string; count: number }>(
  'lineage/count_touching',
  { params: ['keys'], row: ['key', 'count'] },
);
export const closeParts = statement<Written, Changed>('lineage/close_part', written);
export const confirmCounts = statement<Written, Changed>('lineage/confirm_count', written);
export const updateAssertions = statement<Written, Changed>('lineage/update_assertion', written);

/** The edges of one source into a record of one kind, or into what lies below it. */
export const listScope = template<{ scope: string; below: string; source: string }, EndIds>(
  'lineage/list_scope',
  'LABEL',
  { params: ['scope', 'below', 'source'], row: ['from', 'to'] },
);

/** Which edges count: those between records of no hidden types, and perhaps only between living ones. */
export type Counting = {
  readonly hiddenTypes: readonly string[];
  /** Types of which some records may be hidden: those are told, so that somebody can judge. */
  readonly judgedTypes: readonly string[];
  readonly includeDeleted: boolean;
  readonly limit: number;
};

/** What edges are counted around. */
export type Around = { readonly ids: readonly string[] };

const counting = ['hiddenTypes', 'judgedTypes', 'includeDeleted', 'limit'] as const;

/** The records behind a count of which it is not known whether they are hidden. */
type Judged = { readonly judged: readonly (readonly [id: string, entityType: string])[] };

type ServiceCount = Judged & {
  readonly fromType: string;
  readonly fromScope: string | null;
  readonly toType: string;
  readonly toScope: string | null;
  readonly pipelineId: string | null;
  readonly edges: number;
};

const serviceRow = ['fromType', 'fromScope', 'toType', 'toScope', 'pipelineId', 'judged', 'edges'] as const;

/** Edges between services: all of them, or those around some. */
export const countServices = {
  between: statement<Counting, ServiceCount>('lineage/count_between_services', { params: counting, row: serviceRow }),
  around: statement<Counting & Around & { carrierTypes: readonly string[] }, ServiceCount>(
    'lineage/count_around_services',
    { params: [...counting, 'ids', 'carrierTypes'], row: serviceRow },
  ),
};

type RecordCount = Judged & { readonly fromId: string; readonly toId: string; readonly edges: number };

const between = { params: counting, row: ['fromId', 'toId', 'judged', 'edges'] } as const;
const around = { params: [...counting, 'ids'], row: between.row } as const;

/** Edges between what tells the domains of records: all of them, or those around some domains. */
export const countPlaces = {
  between: statement<Counting, RecordCount>('lineage/count_between_places', between),
  around: statement<Counting & Around, RecordCount>('lineage/count_around_places', around),
};

/** Edges between data products: all of them, or those around some. */
export const countProducts = {
  between: statement<Counting, RecordCount>('lineage/count_between_products', between),
  around: statement<Counting & Around, RecordCount>('lineage/count_around_products', around),
};

type TestRow = { readonly id: string; readonly tests: readonly TestNode[] };

export const listTests = statement<{ ids: readonly string[]; status: string | null; limit: number }, TestRow>(
  'lineage/list_tests',
  { params: ['ids', 'status', 'limit'], row: ['id', 'tests'] },
);

/** A contract, and what it says of its newest result, as JSON. */
type Contracted = { readonly id: string; readonly contract: RefNode & { readonly latestJson: string | null } };

export const listContracts = statement<{ ids: readonly string[] }, Contracted>('lineage/list_contracts', {
  params: ['ids'],
  row: ['id', 'contract'],
});
