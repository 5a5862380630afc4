/** The statements that read and write records, columns and edges, with the types of their rows. */
import type { WriteStatementRow } from '../graph/group-commit.ts';
import { type IndexedRows, statement, template } from '../graph/statement.ts';
import { EDGE_DIRECTIONS } from '../graph/statement-variants.ts';
import type { JsonObject } from '../model/json.ts';
import type { DailyUsage } from '../model/schemas/usage/usage-summary.ts';

/** A record at the other end of an edge, as statements return it. */
export type RefNode = {
  readonly id: string;
  readonly entityType: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly deleted: boolean | null;
  readonly teamType?: string | null;
  /** The revision that the other properties belong to, or a later one; absent where no cached answer needs it. */
  readonly revision?: number;
};

/** The properties of a record that a request refers to, needed to link it and to check whether linking is allowed. */
export type TargetNode = RefNode & {
  readonly isBot: boolean | null;
  readonly allowImpersonation: boolean | null;
  readonly disabled: boolean | null;
  readonly mutuallyExclusive: boolean | null;
  readonly serviceType: string | null;
  readonly styleJson: string | null;
  readonly category: string | null;
};

export type InheritedNode = RefNode & { readonly distance: number };
export type VoterNode = RefNode & { readonly vote: string };
export type AncestorNode = RefNode & { readonly serviceType: string | null };

/** A label as statements return it: the properties of the edge and of the tag. */
export type LabelNode = {
  readonly tagId: string;
  readonly tagFQN: string;
  readonly entityType: string;
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly styleJson: string | null;
  readonly columnKey?: string;
  readonly source: string;
  readonly labelType: string;
  readonly state: string;
  readonly reason?: string;
  readonly appliedAt?: string;
  readonly appliedBy?: string;
  readonly metadataJson?: string;
};

/** A label with the state of its tag, as `catalog/record/read` returns it. */
type ReadLabel = LabelNode & { readonly tagRevision: number; readonly tagDeleted: boolean };

export type PropertyMap = { readonly [name: string]: unknown };

/** One record as `catalog/record/read` returns it. Relations that were not requested are null. */
export type RecordRow = {
  readonly at: number;
  readonly node: PropertyMap;
  readonly ancestors: readonly AncestorNode[];
  readonly owners: readonly InheritedNode[] | null;
  readonly domains: readonly InheritedNode[] | null;
  readonly dataProducts: readonly RefNode[] | null;
  readonly followers: readonly RefNode[] | null;
  readonly voters: readonly VoterNode[] | null;
  /** Labels come with those of deleted tags, which appear again when their tags are restored. */
  readonly tags: readonly ReadLabel[] | null;
  readonly columnTags: readonly ReadLabel[] | null;
};

/** The key of one record, by id or by name, and which of its relations to read. */
export type RecordKey = {
  readonly entityType: string;
  readonly id: string | null;
  readonly fqn: string | null;
  readonly owners: boolean;
  readonly domains: boolean;
  readonly dataProducts: boolean;
  readonly followers: boolean;
  readonly votes: boolean;
  readonly tags: boolean;
};

export type AffectedRow = { readonly at: number };

export const WRITE_SHAPE = { params: ['rows'], row: ['at'] } as const;

export const readRecordRows = statement<IndexedRows<RecordKey>, RecordRow>('catalog/record/read', {
  params: ['rows'],
  row: ['at', 'node', 'ancestors', 'owners', 'domains', 'dataProducts', 'followers', 'voters', 'tags', 'columnTags'],
});

export type PlainRecordRow = Pick<RecordRow, 'at' | 'node' | 'ancestors'>;

type PlainKey = { readonly entityType: string; readonly key: string };

const PLAIN_SHAPE = { params: ['rows'], row: ['at', 'node', 'ancestors'] } as const;

/**
 * Reads without relations. Most reads are of this form, and each relation costs time even when it is not requested. So
 * does a lookup by name when an id is given.
 */
export const readPlainRecords = {
  id: statement<IndexedRows<PlainKey>, PlainRecordRow>('catalog/record/read_plain_by_id', PLAIN_SHAPE),
  fqn: statement<IndexedRows<PlainKey>, PlainRecordRow>('catalog/record/read_plain_by_name', PLAIN_SHAPE),
} as const;

/** The kind and the name of a record. */
export type NameKey = { readonly entityType: string; readonly fqn: string };

export const readReferences = statement<IndexedRows<NameKey>, { at: number; node: TargetNode }>(
  'catalog/record/read_reference',
  { params: ['rows'], row: ['at', 'node'] },
);

export const readReferencesById = statement<IndexedRows<{ id: string }>, { at: number; node: TargetNode }>(
  'catalog/record/read_reference_by_id',
  { params: ['rows'], row: ['at', 'node'] },
);

type EdgeListKey = { readonly id: string; readonly kinds: readonly string[] | null };
type EdgeListRow = { readonly at: number; readonly ref: RefNode };

const EDGE_LIST_SHAPE = { params: ['rows'], row: ['at', 'ref'] } as const;

export const listOutgoingRefs = template<IndexedRows<EdgeListKey>, EdgeListRow>(
  'catalog/edge/list',
  'TYPE',
  EDGE_LIST_SHAPE,
  EDGE_DIRECTIONS.outgoing,
);
export const listIncomingRefs = template<IndexedRows<EdgeListKey>, EdgeListRow>(
  'catalog/edge/list',
  'TYPE',
  EDGE_LIST_SHAPE,
  EDGE_DIRECTIONS.incoming,
);
export const walkCycles = template<IndexedRows<{ from: string; to: string }>, AffectedRow>(
  'catalog/edge/find_cycles',
  'TYPE',
  WRITE_SHAPE,
);

export type ComputedRefRow = { readonly id: string; readonly ref: RefNode };
export type ComputedCountRow = { readonly id: string; readonly count: number };
export type ComputedObjectRow = { readonly id: string; readonly row: JsonObject };
export type ComputedValueRow = { readonly id: string; readonly json: string };
export type ComputedPartRow = ComputedValueRow & { readonly key: string | null };

export const createRecords = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/record/create',
  WRITE_SHAPE,
);
export const updateRecords = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/record/update',
  WRITE_SHAPE,
);
export const bumpRevisions = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/record/update_revision',
  WRITE_SHAPE,
);
export const linkParents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/record/create_parent_edge',
  WRITE_SHAPE,
);
export const createVersions = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/version/create',
  WRITE_SHAPE,
);
export const linkEdges = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/edge/create',
  WRITE_SHAPE,
);
/** Returns the rows whose target has no such edge from another record, and the rows without a target. */
export const claimTargets = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/edge/claim',
  'TYPE',
  WRITE_SHAPE,
);
export const upsertEdges = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/edge/update',
  'TYPE',
  WRITE_SHAPE,
);
export const unlinkEdges = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/edge/delete',
  'TYPE',
  WRITE_SHAPE,
);
export const createColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/column/create',
  WRITE_SHAPE,
);
export const createNestedColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/column/create_nested',
  WRITE_SHAPE,
);
export const linkNestedColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/column/create_nested_edges',
  WRITE_SHAPE,
);
export const updateColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/column/update',
  WRITE_SHAPE,
);
export const deleteColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/column/delete',
  WRITE_SHAPE,
);
export const linkColumnTags = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/column/create_tag_edge',
  WRITE_SHAPE,
);
export const unlinkColumnTags = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/column/delete_tag_edge',
  WRITE_SHAPE,
);
export const createEvents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/write/create_event',
  WRITE_SHAPE,
);
/** For events that change nothing in a record's search document. Documents contain no lineage: it is read when shown. */
export const createUnmarkedEvents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/write/create_unmarked_event',
  WRITE_SHAPE,
);

/** The name of the node that counts changes of what callers may do. */
export const ACCESS_REVISION = 'rights';

/** Steps the access revision, by which every process notices that what callers may do has changed. */
export const updateAccessRevision = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/write/update_permission_revision',
  WRITE_SHAPE,
);

export const createDeletionEvents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/write/create_deletion_event',
  WRITE_SHAPE,
);
export const createDocuments = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/write/create_search_document',
  WRITE_SHAPE,
);
export const upsertDocuments = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/write/update_search_document',
  WRITE_SHAPE,
);
export const markDocumentsStale = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/write/create_stale_search_mark',
  WRITE_SHAPE,
);
export const markRecordsChanged = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/write/create_search_mark',
  WRITE_SHAPE,
);
export const softDeleteRecords = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/record/update_soft_deleted',
  WRITE_SHAPE,
);
export const restoreRecords = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/record/update_restored',
  WRITE_SHAPE,
);
export const deleteRecords = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/record/delete',
  WRITE_SHAPE,
);

/** A range of days of one record, both ends included. */
export type UsageSpan = { readonly id: string; readonly from: string; readonly to: string };

export const readUsageDays = statement<IndexedRows<UsageSpan>, { at: number; day: DailyUsage }>(
  'catalog/record/read_usage_days',
  {
    params: ['rows'],
    row: ['at', 'day'],
  },
);

export const listNameRange = statement<
  { entityType: string; edge: string; end: string; limit: number },
  { id: string; fullyQualifiedName: string }
>('catalog/record/list_name_range', {
  params: ['entityType', 'edge', 'end', 'limit'],
  row: ['id', 'fullyQualifiedName'],
});

export const findUsersByEmail = statement<{ texts: readonly string[] }, { text: string; id: string; name: string }>(
  'people/find_users_by_email',
  { params: ['texts'], row: ['text', 'id', 'name'] },
);
