import type { WriteStatementRow } from '../graph/group-commit.ts';
import { type IndexedRows, statement } from '../graph/statement.ts';
import type { ProfileType } from './sort-key.ts';

/** Cypher statements for profiles. */

/** A range of sort keys. Sort keys are texts in which newer profiles sort first. */
export type SortKeyRange = { readonly from: string; readonly to: string };
type SeriesRange = SortKeyRange & { readonly id: string };
type PageLimit = { readonly limit: number };
type RowSkip = { readonly skip: number };

export type ProfileRow = {
  readonly place: string;
  readonly tableId: string;
  /** The key of the column, for column profiles of more than one column. */
  readonly key: string | null;
  readonly json: string;
  /** The profile type, for lists of several types. */
  readonly sort?: ProfileType;
};

const writeShape = { params: ['rows'], row: ['at'] } as const;
const rowColumns = ['place', 'tableId', 'key', 'json'] as const;

type ProfileWrite = { rows: readonly WriteStatementRow[] };
type ProfileWriteAnswer = { at: number };

export const upsertTableProfiles = statement<ProfileWrite, ProfileWriteAnswer>('profiler/update_table', writeShape);
export const upsertColumnProfiles = statement<ProfileWrite, ProfileWriteAnswer>('profiler/update_column', writeShape);
export const upsertSystemProfiles = statement<ProfileWrite, ProfileWriteAnswer>('profiler/update_system', writeShape);
export const deleteProfiles = statement<ProfileWrite, ProfileWriteAnswer>('profiler/delete_profiles', writeShape);

const rangeParams = ['id', 'from', 'to'] as const;

export const listSeriesProfiles = statement<SeriesRange & PageLimit, ProfileRow>('profiler/list_series', {
  params: [...rangeParams, 'limit'],
  row: rowColumns,
});
export const listColumnProfiles = statement<SeriesRange & PageLimit, ProfileRow>('profiler/list_column', {
  params: [...rangeParams, 'limit'],
  row: rowColumns,
});
export const listProfilesOfColumns = statement<SeriesRange & PageLimit, ProfileRow>('profiler/list_columns', {
  params: [...rangeParams, 'limit'],
  row: rowColumns,
});
export const listAllProfiles = statement<SortKeyRange & PageLimit, ProfileRow>('profiler/list_all', {
  params: ['from', 'to', 'limit'],
  row: rowColumns,
});

type SortKeyRow = { place: string };

export const findSeriesPageStart = statement<SeriesRange & RowSkip, SortKeyRow>('profiler/find_series_page', {
  params: [...rangeParams, 'skip'],
  row: ['place'],
});
export const findColumnPageStart = statement<SeriesRange & RowSkip, SortKeyRow>('profiler/find_column_page', {
  params: [...rangeParams, 'skip'],
  row: ['place'],
});
export const findColumnsPageStart = statement<SeriesRange & RowSkip, SortKeyRow>('profiler/find_columns_page', {
  params: [...rangeParams, 'skip'],
  row: ['place'],
});
export const findProfilesBefore = statement<SortKeyRange & PageLimit, SortKeyRow & { tableId: string }>(
  'profiler/find_profiles_before',
  {
    params: ['from', 'to', 'limit'],
    row: ['place', 'tableId'],
  },
);

type TotalRow = { total: number };

export const countSeriesProfiles = statement<SeriesRange, TotalRow>('profiler/count_series', {
  params: rangeParams,
  row: ['total'],
});
export const countProfilesOfColumns = statement<SeriesRange, TotalRow>('profiler/count_columns', {
  params: rangeParams,
  row: ['total'],
});
export const countColumnProfiles = statement<SeriesRange, TotalRow>('profiler/count_column', {
  params: rangeParams,
  row: ['total'],
});
/** Counts everything except the rows in a range: most callers request all profiles, and few are newer than now. */
export const countColumnProfilesUntil = statement<SeriesRange, TotalRow>('profiler/count_column_until', {
  params: rangeParams,
  row: ['total'],
});
export const countProfilesOfColumnsUntil = statement<SeriesRange, TotalRow>('profiler/count_columns_until', {
  params: rangeParams,
  row: ['total'],
});
export const countAllProfiles = statement<SortKeyRange, { tableId: string; total: number }>('profiler/count_all', {
  params: ['from', 'to'],
  row: ['tableId', 'total'],
});

/** Deletes a batch of orphaned profiles; returns no row when none are left. */
export const deleteOrphanedProfileBatch = statement<PageLimit, { removed: number }>(
  'profiler/delete_orphaned_profiles',
  {
    params: ['limit'],
    row: ['removed'],
  },
);

type ProfileScan = { seen: number; removed: number; edge: string | null };

const scanColumns = ['seen', 'removed', 'edge'] as const;

export const deleteOldProfiles = statement<{ edge: string; to: string; limit: number }, ProfileScan>(
  'profiler/delete_old',
  {
    params: ['edge', 'to', 'limit'],
    row: scanColumns,
  },
);
export const deleteExcessColumnProfiles = statement<{ edge: string; kept: number; limit: number }, ProfileScan>(
  'profiler/delete_excess_column',
  { params: ['edge', 'kept', 'limit'], row: scanColumns },
);
export const deleteExcessTableProfiles = statement<
  { edge: string; kept: number; limit: number; letter: string },
  ProfileScan
>('profiler/delete_excess_table', { params: ['edge', 'kept', 'limit', 'letter'], row: scanColumns });

type StoredAt = { readonly place: unknown; readonly column: unknown; readonly moment: unknown };

export const readStoredProfiles = statement<IndexedRows<StoredAt>, { at: number; json: string }>(
  'profiler/read_stored',
  {
    params: ['rows'],
    row: ['at', 'json'],
  },
);
