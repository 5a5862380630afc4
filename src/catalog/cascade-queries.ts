/**
 * Statements about the descendants of a record: their ids, their names, and the intents of changes that take several
 * transactions.
 */
import type { WriteStatementRow } from '../graph/group-commit.ts';
import { type IndexedRows, statement } from '../graph/statement.ts';
import type { AffectedRow, PropertyMap } from './queries.ts';
import { WRITE_SHAPE } from './queries.ts';

export type DescendantRow = {
  readonly id: string;
  readonly entityType: string;
  readonly deleted: boolean;
  readonly deletedWith: string | null;
};

export const walkDescendants = statement<{ id: string; limit: number }, DescendantRow>(
  'catalog/cascade/walk_descendants',
  {
    params: ['id', 'limit'],
    row: ['id', 'entityType', 'deleted', 'deletedWith'],
  },
);

export const walkDepths = statement<CascadePage, CascadeRow & { readonly depth: number }>(
  'catalog/cascade/walk_depths',
  {
    params: ['id', 'limit'],
    row: ['id', 'entityType', 'depth'],
  },
);

export const markForDeletion = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/record/update_deletion_mark',
  WRITE_SHAPE,
);

/** Counts the runs, results and measurements of a record and all its descendants. */
export const countSeriesRows = statement<{ id: string }, { parts: number }>('catalog/cascade/count_series_rows', {
  params: ['id'],
  row: ['parts'],
});
export const countOwnSeriesRows = statement<{ id: string }, { parts: number }>(
  'catalog/cascade/count_own_series_rows',
  {
    params: ['id'],
    row: ['parts'],
  },
);

export type CascadeRow = { readonly id: string; readonly entityType: string; readonly parts?: number };
type CascadePage = { readonly id: string; readonly limit: number };

const CASCADE_SHAPE = { params: ['id', 'limit'], row: ['id', 'entityType'] } as const;

/** A descendant whose name contains the root's name, with the root's name. */
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
  'catalog/rename/list_descendant_names',
  DESCENDANT_NAME_SHAPE,
);
export const listOutdatedNames = statement<DescendantNamePage, DescendantNameRow>(
  'catalog/rename/list_outdated_names',
  DESCENDANT_NAME_SHAPE,
);
export const renameRecords = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/rename/update',
  WRITE_SHAPE,
);
export const findLongestName = statement<{ id: string; kinds: readonly string[] }, { fullyQualifiedName: string }>(
  'catalog/rename/find_longest_name',
  { params: ['id', 'kinds'], row: ['fullyQualifiedName'] },
);

/** A page of the records of one kind whose name references begin with a prefix. */
type NamedInTextsPage = CascadePage & { readonly entityType: string; readonly prefix: string };

export const listNamedInTexts = statement<NamedInTextsPage, DescendantNameRow>('catalog/rename/list_named_in_texts', {
  params: ['id', 'limit', 'entityType', 'prefix'],
  row: DESCENDANT_NAME_SHAPE.row,
});

/** A text of one record that names another record; `at` is the index of the other record's row. */
export type NameReferenceRow = {
  readonly at: number;
  readonly ownerId: string;
  readonly ownerType: string;
  readonly slot: string;
};

export const listNameReferences = statement<IndexedRows<{ target: string }> & { limit: number }, NameReferenceRow>(
  'catalog/rename/list_name_reference',
  {
    params: ['rows', 'limit'],
    row: ['at', 'ownerId', 'ownerType', 'slot'],
  },
);
export const createNameReferences = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/rename/create_name_reference',
  WRITE_SHAPE,
);
export const deleteNameReferences = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/rename/delete_name_reference',
  WRITE_SHAPE,
);
export const confirmNoNameReferences = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/rename/find_unreferenced_name',
  WRITE_SHAPE,
);

export const listLiveDescendants = statement<CascadePage, CascadeRow>(
  'catalog/cascade/list_live_descendants',
  CASCADE_SHAPE,
);
export const listDeletedDescendants = statement<CascadePage, CascadeRow>(
  'catalog/cascade/list_deleted_descendants',
  CASCADE_SHAPE,
);
export const listLeafDescendants = statement<CascadePage, CascadeRow & { readonly parts: number }>(
  'catalog/cascade/list_leaf_descendants',
  {
    params: CASCADE_SHAPE.params,
    row: [...CASCADE_SHAPE.row, 'parts'],
  },
);
export const deleteSeriesRows = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/cascade/delete_series_rows',
  WRITE_SHAPE,
);

export const confirmSoftDeleted = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/cascade/find_soft_deleted',
  WRITE_SHAPE,
);
export const confirmRestored = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/cascade/find_restored',
  WRITE_SHAPE,
);
export const confirmRenamed = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/rename/find_renamed',
  WRITE_SHAPE,
);

export const createIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/cascade/create_intent',
  WRITE_SHAPE,
);
export const lockIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/cascade/claim_intent',
  WRITE_SHAPE,
);
export const deleteIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/cascade/delete_intent',
  WRITE_SHAPE,
);
export const deleteSupersededIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/cascade/delete_superseded_intent',
  WRITE_SHAPE,
);
export const updateIntents = statement<{ rows: readonly WriteStatementRow[] }, AffectedRow>(
  'catalog/cascade/update_intent',
  WRITE_SHAPE,
);
export const listOrphanedIntents = statement<
  { limit: number },
  { intent: PropertyMap; rootType: string; rootFqn: string }
>('catalog/cascade/list_orphaned_intent', { params: ['limit'], row: ['intent', 'rootType', 'rootFqn'] });
export const readIntent = statement<{ id: string }, { intent: PropertyMap; rootId: string; rootType: string }>(
  'catalog/cascade/read_intent',
  { params: ['id'], row: ['intent', 'rootId', 'rootType'] },
);
