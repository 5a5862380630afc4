import type { WriteStatementRow } from '../graph/group-commit.ts';
import {
  type IndexedRows,
  type StatementPlaceholder,
  type StatementTemplate,
  statement,
  template,
} from '../graph/statement.ts';
import type { HistoryPosition } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import type { DailyUsage } from '../model/schemas/usage/usage-summary.ts';

/** A record at the other end of an edge, as statements answer it. */
export type RefNode = {
  readonly id: string;
  readonly entityType: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly deleted: boolean | null;
  readonly teamType?: string | null;
};

/** What is needed of a record that a request names: to point at it, and to judge whether that is allowed. */
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

/** A label as statements answer it: what the edge carries and what the tag says of itself. */
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

export type PropertyMap = { readonly [name: string]: unknown };

/** One record as `record/read` answers it. Relations that were not asked for are null. */
export type RecordRow = {
  readonly at: number;
  readonly node: PropertyMap;
  readonly ancestors: readonly AncestorNode[];
  readonly owners: readonly InheritedNode[] | null;
  readonly domains: readonly InheritedNode[] | null;
  readonly dataProducts: readonly RefNode[] | null;
  readonly followers: readonly RefNode[] | null;
  readonly voters: readonly VoterNode[] | null;
  readonly tags: readonly LabelNode[] | null;
  readonly columnTags: readonly LabelNode[] | null;
};

/** Which record, by id or by name, and which of its relations. */
export type RecordKey = {
  readonly id: string | null;
  readonly fqn: string | null;
  readonly owners: boolean;
  readonly domains: boolean;
  readonly dataProducts: boolean;
  readonly followers: boolean;
  readonly votes: boolean;
  readonly tags: boolean;
};

type AffectedRow = { readonly at: number };

const WRITE_SHAPE = { params: ['rows'], row: ['at'] } as const;

export const readRecordRows = statement<IndexedRows<RecordKey & { readonly entityType: string }>, RecordRow>(
  'record/read',
  {
    params: ['rows'],
    row: ['at', 'node', 'ancestors', 'owners', 'domains', 'dataProducts', 'followers', 'voters', 'tags', 'columnTags'],
  },
);

export type PlainRecordRow = Pick<RecordRow, 'at' | 'node' | 'ancestors'>;

const PLAIN_SHAPE = { params: ['rows'], row: ['at', 'node', 'ancestors'] } as const;

/**
 * The reads of those who ask for no relation: most reads, and each relation costs even when it is not wanted. So does
 * looking for a name where an id is given.
 */
export const readPlainRecords = {
  id: template<IndexedRows<{ key: string }>, PlainRecordRow>('record/read_plain_by_id', 'LABEL', PLAIN_SHAPE),
  fqn: template<IndexedRows<{ key: string }>, PlainRecordRow>('record/read_plain_by_name', 'LABEL', PLAIN_SHAPE),
} as const;

export const readReferences = template<IndexedRows<{ fqn: string }>, { at: number; node: TargetNode }>(
  'record/read_reference',
  'LABEL',
  { params: ['rows'], row: ['at', 'node'] },
);

export const readReferencesById = statement<IndexedRows<{ id: string }>, { at: number; node: TargetNode }>(
  'record/read_reference_by_id',
  { params: ['rows'], row: ['at', 'node'] },
);

type EdgeListKey = { readonly id: string; readonly kinds: readonly string[] | null };
type EdgeListRow = { readonly at: number; readonly ref: RefNode };

export const listOutgoingRefs = template<IndexedRows<EdgeListKey>, EdgeListRow>('edge/list_outgoing', 'TYPE', {
  params: ['rows'],
  row: ['at', 'ref'],
});
export const listIncomingRefs = template<IndexedRows<EdgeListKey>, EdgeListRow>('edge/list_incoming', 'TYPE', {
  params: ['rows'],
  row: ['at', 'ref'],
});
export const walkCycles = template<IndexedRows<{ from: string; to: string }>, AffectedRow>(
  'edge/find_cycles',
  'TYPE',
  WRITE_SHAPE,
);

export type ComputedRefRow = { readonly id: string; readonly ref: RefNode };
export type ComputedCountRow = { readonly id: string; readonly count: number };
export type ComputedObjectRow = { readonly id: string; readonly row: JsonObject };
export type ComputedValueRow = { readonly id: string; readonly json: string };
export type ComputedPartRow = ComputedValueRow & { readonly key: string | null };

export const createRecords = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'record/create',
  'LABEL',
  WRITE_SHAPE,
);
export const updateRecords = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'record/update',
  WRITE_SHAPE,
);
export const bumpRevisions = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'record/update_revision',
  WRITE_SHAPE,
);
export const linkParents = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'record/link_parent',
  'TYPE',
  WRITE_SHAPE,
);
export const createVersions = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'version/create',
  WRITE_SHAPE,
);
export const linkEdges = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'edge/link',
  'TYPE',
  WRITE_SHAPE,
);
/** Answers the rows whose target no other record holds by such an edge, or which has no target at all. */
export const claimTargets = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'edge/claim',
  'TYPE',
  WRITE_SHAPE,
);
export const upsertEdges = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'edge/upsert',
  'TYPE',
  WRITE_SHAPE,
);
export const unlinkEdges = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'edge/unlink',
  'TYPE',
  WRITE_SHAPE,
);
export const createColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'column/create',
  WRITE_SHAPE,
);
export const createNestedColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'column/create_nested',
  WRITE_SHAPE,
);
export const linkNestedColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'column/link_nested',
  WRITE_SHAPE,
);
export const updateColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'column/update',
  WRITE_SHAPE,
);
export const deleteColumns = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'column/delete',
  WRITE_SHAPE,
);
export const linkColumnTags = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'tag/link_column',
  WRITE_SHAPE,
);
export const unlinkColumnTags = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'tag/unlink_column',
  WRITE_SHAPE,
);
export const createEvents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>('event/create', WRITE_SHAPE);

/** Where it is told how often what callers may do has changed. */
export const ACCESS_REVISION = 'rights';

/** Tells every process that what callers may do has changed. */
export const updateAccessRevision = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'permissions/update_revision',
  WRITE_SHAPE,
);

export const createDeletionEvents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'event/create_deletion',
  WRITE_SHAPE,
);
export const createDocuments = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'search/create_document',
  WRITE_SHAPE,
);
export const upsertDocuments = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'search/update_document',
  WRITE_SHAPE,
);
export const markDocumentsStale = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'search/mark_stale',
  WRITE_SHAPE,
);
export const markRecordsChanged = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'record/mark_changed',
  WRITE_SHAPE,
);
export const softDeleteRecords = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'record/soft_delete',
  'LABEL',
  WRITE_SHAPE,
);
export const restoreRecords = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'record/restore',
  'LABEL',
  WRITE_SHAPE,
);
export const deleteRecords = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'record/delete',
  WRITE_SHAPE,
);

/** A stretch of days of one record, both ends included. */
export type UsageSpan = { readonly id: string; readonly from: string; readonly to: string };

export const readUsageDays = statement<IndexedRows<UsageSpan>, { at: number; day: DailyUsage }>('usage/read_days', {
  params: ['rows'],
  row: ['at', 'day'],
});

export type DescendantRow = {
  readonly id: string;
  readonly entityType: string;
  readonly deleted: boolean;
  readonly deletedWith: string | null;
};

export const walkDescendants = statement<{ id: string; limit: number }, DescendantRow>('cascade/walk_descendants', {
  params: ['id', 'limit'],
  row: ['id', 'entityType', 'deleted', 'deletedWith'],
});

export const walkDepths = statement<CascadePage, CascadeRow & { readonly depth: number }>('cascade/walk_depths', {
  params: ['id', 'limit'],
  row: ['id', 'entityType', 'depth'],
});

export const markForDeletion = template<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'record/mark_for_deletion',
  'LABEL',
  WRITE_SHAPE,
);

/** How much was told of the runs, results and measurements of a record, and of all that hangs below it. */
export const countSeriesRows = statement<{ id: string }, { parts: number }>('cascade/count_series_rows', {
  params: ['id'],
  row: ['parts'],
});
export const countOwnSeriesRows = statement<{ id: string }, { parts: number }>('cascade/count_own_series_rows', {
  params: ['id'],
  row: ['parts'],
});

export type CascadeRow = { readonly id: string; readonly entityType: string; readonly parts?: number };
type CascadePage = { readonly id: string; readonly limit: number };

const CASCADE_SHAPE = { params: ['id', 'limit'], row: ['id', 'entityType'] } as const;

/** A record that is named below another one, and the name which that one has. */
export type DescendantNameRow = CascadeRow & {
  readonly fullyQualifiedName: string;
  readonly updatedAt: number;
  readonly rootName: string;
};
type DescendantNamePage = CascadePage & { readonly kinds: readonly string[] };

const DESCENDANT_NAME_SHAPE = {
  params: ['id', 'limit', 'kinds'],
  row: ['id', 'entityType', 'fullyQualifiedName', 'updatedAt', 'rootName'],
} as const;

export const listDescendantNames = statement<DescendantNamePage, DescendantNameRow>(
  'rename/list_descendant_names',
  DESCENDANT_NAME_SHAPE,
);
export const listOutdatedNames = statement<DescendantNamePage, DescendantNameRow>(
  'rename/list_outdated_names',
  DESCENDANT_NAME_SHAPE,
);
export const renameRecords = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'rename/update',
  WRITE_SHAPE,
);
export const findLongestName = statement<{ id: string; kinds: readonly string[] }, { fullyQualifiedName: string }>(
  'rename/find_longest_name',
  { params: ['id', 'kinds'], row: ['fullyQualifiedName'] },
);

/** The records of one kind whose names, with the kind before them, begin with a prefix. */
type NamedInTextsPage = CascadePage & { readonly entityType: string; readonly prefix: string };

export const listNamedInTexts = template<NamedInTextsPage, DescendantNameRow>('rename/list_named_in_texts', 'LABEL', {
  params: ['id', 'limit', 'entityType', 'prefix'],
  row: DESCENDANT_NAME_SHAPE.row,
});

/** A text of one record that names another one; `at` tells which. */
export type NameReferenceRow = {
  readonly at: number;
  readonly ownerId: string;
  readonly ownerType: string;
  readonly slot: string;
};

export const listNameReferences = statement<IndexedRows<{ target: string }> & { limit: number }, NameReferenceRow>(
  'rename/list_name_reference',
  {
    params: ['rows', 'limit'],
    row: ['at', 'ownerId', 'ownerType', 'slot'],
  },
);
export const createNameReferences = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'rename/create_name_reference',
  WRITE_SHAPE,
);
export const deleteNameReferences = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'rename/delete_name_reference',
  WRITE_SHAPE,
);
export const confirmNoNameReferences = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'rename/confirm_no_name_reference',
  WRITE_SHAPE,
);

export const listLiveDescendants = statement<CascadePage, CascadeRow>('cascade/list_live_descendants', CASCADE_SHAPE);
export const listDeletedDescendants = statement<CascadePage, CascadeRow>(
  'cascade/list_deleted_descendants',
  CASCADE_SHAPE,
);
export const listLeafDescendants = statement<CascadePage, CascadeRow & { readonly parts: number }>(
  'cascade/list_leaf_descendants',
  {
    params: CASCADE_SHAPE.params,
    row: [...CASCADE_SHAPE.row, 'parts'],
  },
);
export const deleteSeriesRows = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'cascade/delete_series_rows',
  WRITE_SHAPE,
);

export const confirmSoftDeleted = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'cascade/confirm_soft_deleted',
  WRITE_SHAPE,
);
export const confirmRestored = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'cascade/confirm_restored',
  WRITE_SHAPE,
);
export const confirmRenamed = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'rename/confirm_renamed',
  WRITE_SHAPE,
);

export const createIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'cascade/create_intent',
  WRITE_SHAPE,
);
export const lockIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'cascade/lock_intent',
  WRITE_SHAPE,
);
export const deleteIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'cascade/delete_intent',
  WRITE_SHAPE,
);
export const deleteSupersededIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'cascade/delete_superseded_intent',
  WRITE_SHAPE,
);
export const updateIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'cascade/update_intent',
  WRITE_SHAPE,
);
export const listOrphanedIntents = statement<
  { limit: number },
  { intent: PropertyMap; rootType: string; rootFqn: string }
>('cascade/list_orphaned_intent', { params: ['limit'], row: ['intent', 'rootType', 'rootFqn'] });
export const readIntent = statement<{ id: string }, { intent: PropertyMap; rootId: string; rootType: string }>(
  'cascade/read_intent',
  { params: ['id'], row: ['intent', 'rootId', 'rootType'] },
);

export const listNameRange = template<
  { edge: string; end: string; limit: number },
  { id: string; fullyQualifiedName: string }
>('record/list_name_range', 'LABEL', { params: ['edge', 'end', 'limit'], row: ['id', 'fullyQualifiedName'] });

export type ListedRow = { readonly id: string; readonly sortKey: string };

/** Conditions every list shares: equal properties, lists that hold an item, and name prefixes. */
type ListConditions = {
  readonly equals: PropertyMap;
  readonly items: PropertyMap;
  readonly prefixes: readonly string[];
};
type ListPaging = { readonly edge: string; readonly limit: number };
type ListTotalRow = { readonly total: number };

const CONDITION_PARAMS = ['equals', 'items', 'prefixes'] as const;
const PAGING_PARAMS = [...CONDITION_PARAMS, 'edge', 'limit'] as const;
const LISTED_COLUMNS = ['id', 'sortKey'] as const;

/** The three forms of one list: onwards, backwards, and counted. */
export type ListStatements<P extends object> = {
  readonly forward: StatementTemplate<P & ListConditions & ListPaging, ListedRow>;
  readonly backward: StatementTemplate<P & ListConditions & ListPaging, ListedRow>;
  readonly count: StatementTemplate<P & ListConditions, ListTotalRow>;
};

const declareListStatements = <P extends object>(
  name: string,
  placeholder: StatementPlaceholder,
  params: readonly (keyof P & string)[],
): ListStatements<P> => ({
  forward: template(`record/list_${name}_forward`, placeholder, {
    params: [...params, ...PAGING_PARAMS] as never,
    row: LISTED_COLUMNS,
  }),
  backward: template(`record/list_${name}_backward`, placeholder, {
    params: [...params, ...PAGING_PARAMS] as never,
    row: LISTED_COLUMNS,
  }),
  count: template(`record/count_${name}`, placeholder, {
    params: [...params, ...CONDITION_PARAMS] as never,
    row: ['total'],
  }),
});

export const listWholeKind = declareListStatements<{ deleted: boolean }>('page', 'LABEL', ['deleted']);
export const listFilled = declareListStatements<{ deleted: boolean; domainId: string | null }>('filled', 'LABEL', [
  'deleted',
  'domainId',
]);
export const listScopes = [1, 2, 3, 4].map((depth) =>
  declareListStatements<{ deleted: boolean; scope: string }>(`scope${depth}`, 'LABEL', ['deleted', 'scope']),
);
export const listLinked = declareListStatements<{ deleted: boolean; anchorId: string; entityType: string }>(
  'linked',
  'TYPE',
  ['deleted', 'anchorId', 'entityType'],
);
export const listPointing = declareListStatements<{
  deleted: boolean;
  anchorId: string;
  entityType: string;
  domainId: string | null;
}>('pointing', 'TYPE', ['deleted', 'anchorId', 'entityType', 'domainId']);
export const listDomain = declareListStatements<{ deleted: boolean; anchorId: string }>('domain', 'LABEL', [
  'deleted',
  'anchorId',
]);

export const countRecordsOfKind = template<Record<string, never>, { stored: number; live: number }>(
  'record/count_all',
  'LABEL',
  {
    params: [],
    row: ['stored', 'live'],
  },
);

/** A stretch of the history of a kind, and a place in it. */
type HistoryRange = { readonly entityType: string; readonly from: number; readonly to: number };
type HistoryRangePage = HistoryRange & HistoryPosition & { readonly limit: number };

/** A state of a record in the history of its kind; former ones come with what they said. */
export type StateRow = HistoryPosition & { readonly json?: string };

const HISTORY_RANGE_PARAMS = ['entityType', 'from', 'to'] as const;
const HISTORY_PAGE_PARAMS = [...HISTORY_RANGE_PARAMS, 'at', 'id', 'version', 'limit'] as const;
const POSITION_COLUMNS = ['id', 'at', 'version'] as const;

export const listCurrentStates = {
  older: statement<HistoryRangePage, HistoryPosition>('version/list_current_older', {
    params: HISTORY_PAGE_PARAMS,
    row: POSITION_COLUMNS,
  }),
  newer: statement<HistoryRangePage, HistoryPosition>('version/list_current_newer', {
    params: HISTORY_PAGE_PARAMS,
    row: POSITION_COLUMNS,
  }),
};
export const listFormerStates = {
  older: statement<HistoryRangePage, StateRow>('version/list_former_older', {
    params: HISTORY_PAGE_PARAMS,
    row: [...POSITION_COLUMNS, 'json'],
  }),
  newer: statement<HistoryRangePage, StateRow>('version/list_former_newer', {
    params: HISTORY_PAGE_PARAMS,
    row: [...POSITION_COLUMNS, 'json'],
  }),
};
export const countCurrentStates = statement<HistoryRange, ListTotalRow>('version/count_current', {
  params: HISTORY_RANGE_PARAMS,
  row: ['total'],
});
export const countFormerStates = statement<HistoryRange, ListTotalRow>('version/count_former', {
  params: HISTORY_RANGE_PARAMS,
  row: ['total'],
});

/** How many states there are of each record. */
type RecordTotalRow = ListTotalRow & { readonly id: string };

export const countStatesByRecord = {
  current: statement<HistoryRange, RecordTotalRow>('version/count_current_by_record', {
    params: HISTORY_RANGE_PARAMS,
    row: ['id', 'total'],
  }),
  former: statement<HistoryRange, RecordTotalRow>('version/count_former_by_record', {
    params: HISTORY_RANGE_PARAMS,
    row: ['id', 'total'],
  }),
};
