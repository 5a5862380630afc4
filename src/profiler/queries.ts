import type { WriteRow } from '../graph/commit.ts';
import { type Rows, statement } from '../graph/statement.ts';
import type { Sort } from './place.ts';

/** From a place on, up to another one. Places are texts; the newest come first. */
export type Span = { readonly from: string; readonly to: string };
type OneSpan = Span & { readonly id: string };
type Paged = { readonly limit: number };
type Skipped = { readonly skip: number };

export type ProfileRow = {
  readonly place: string;
  readonly tableId: string;
  /** The key of the column, where there is one and it is not known anyway. */
  readonly key: string | null;
  readonly json: string;
  /** Where rows of several sorts stand in one list. */
  readonly sort?: Sort;
};

const written = { params: ['rows'], row: ['at'] } as const;
const listed = ['place', 'tableId', 'key', 'json'] as const;

type Writing = { rows: readonly WriteRow[] };
type Answered = { at: number };

export const putTableProfiles = statement<Writing, Answered>('profile/put_table', written);
export const putColumnProfiles = statement<Writing, Answered>('profile/put_column', written);
export const putSystemProfiles = statement<Writing, Answered>('profile/put_system', written);
export const deleteProfiles = statement<Writing, Answered>('profile/delete', written);

const one = ['id', 'from', 'to'] as const;

export const listSeries = statement<OneSpan & Paged, ProfileRow>('profile/list_series', {
  params: [...one, 'limit'],
  row: listed,
});
export const listColumn = statement<OneSpan & Paged, ProfileRow>('profile/list_column', {
  params: [...one, 'limit'],
  row: listed,
});
export const listColumns = statement<OneSpan & Paged, ProfileRow>('profile/list_columns', {
  params: [...one, 'limit'],
  row: listed,
});
export const listAll = statement<Span & Paged, ProfileRow>('profile/list_all', {
  params: ['from', 'to', 'limit'],
  row: listed,
});

type Placed = { place: string };

export const findSeries = statement<OneSpan & Skipped, Placed>('profile/find_series', {
  params: [...one, 'skip'],
  row: ['place'],
});
export const findColumn = statement<OneSpan & Skipped, Placed>('profile/find_column', {
  params: [...one, 'skip'],
  row: ['place'],
});
export const findColumns = statement<OneSpan & Skipped, Placed>('profile/find_columns', {
  params: [...one, 'skip'],
  row: ['place'],
});
export const findAll = statement<Span & Paged, Placed & { tableId: string }>('profile/find_all', {
  params: ['from', 'to', 'limit'],
  row: ['place', 'tableId'],
});

type Counted = { total: number };

export const countSeries = statement<OneSpan, Counted>('profile/count_series', { params: one, row: ['total'] });
export const countColumns = statement<OneSpan, Counted>('profile/count_columns', { params: one, row: ['total'] });
export const countColumn = statement<OneSpan, Counted>('profile/count_column', { params: one, row: ['total'] });
/** Everything but what lies within a span: most readers ask for all there is, and hardly anything is newer than now. */
export const countColumnUntil = statement<OneSpan, Counted>('profile/count_column_until', {
  params: one,
  row: ['total'],
});
export const countColumnsUntil = statement<OneSpan, Counted>('profile/count_columns_until', {
  params: one,
  row: ['total'],
});
export const countAll = statement<Span, { tableId: string; total: number }>('profile/count_all', {
  params: ['from', 'to'],
  row: ['tableId', 'total'],
});

/** Answers nothing when there is nothing left to be cleared away. */
export const deleteSpent = statement<Paged, { removed: number }>('profile/delete_spent', {
  params: ['limit'],
  row: ['removed'],
});

type LookedAt = { seen: number; removed: number; edge: string | null };

const looked = ['seen', 'removed', 'edge'] as const;

export const deleteOld = statement<{ edge: string; to: string; limit: number }, LookedAt>('profile/delete_old', {
  params: ['edge', 'to', 'limit'],
  row: looked,
});
export const deleteExcessColumns = statement<{ edge: string; kept: number; limit: number }, LookedAt>(
  'profile/delete_excess_column',
  { params: ['edge', 'kept', 'limit'], row: looked },
);
export const deleteExcessTables = statement<{ edge: string; kept: number; limit: number; letter: string }, LookedAt>(
  'profile/delete_excess_table',
  { params: ['edge', 'kept', 'limit', 'letter'], row: looked },
);

type KeptAt = { readonly place: unknown; readonly column: unknown; readonly moment: unknown };

export const readKept = statement<Rows<KeptAt>, { at: number; json: string }>('profile/read_kept', {
  params: ['rows'],
  row: ['at', 'json'],
});
