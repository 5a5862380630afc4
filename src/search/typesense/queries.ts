import { statement } from '../../graph/statement.ts';

/** What a record is found by, as the index of the graph has it. */
export type StoredRow = {
  readonly id: string;
  readonly entityType: string;
  readonly revision: number;
  readonly stored: Readonly<Record<string, string | number | boolean>>;
};

const stored = ['id', 'entityType', 'revision', 'stored'] as const;

export const listStored = statement<
  { readonly after: string; readonly entityTypes: readonly string[]; readonly limit: number },
  StoredRow
>('search/list_stored', { params: ['after', 'entityTypes', 'limit'], row: stored });

export const readStored = statement<{ readonly ids: readonly string[] }, StoredRow>('search/read_stored', {
  params: ['ids'],
  row: stored,
});

export const listRevisions = statement<
  { readonly after: string; readonly entityType: string; readonly limit: number },
  Pick<StoredRow, 'id' | 'revision'>
>('search/list_revisions', { params: ['after', 'entityType', 'limit'], row: ['id', 'revision'] });

/** A record that a server does not know as it is, and how often that has been noted. */
export type Unsent = {
  readonly id: string;
  readonly entityType: string;
  readonly times: number;
  readonly attempts: number;
};

export const markUnsent = statement<
  { readonly rows: readonly Pick<Unsent, 'id' | 'entityType'>[] },
  Pick<Unsent, 'id'>
>('search/mark_unsent', { params: ['rows'], row: ['id'] });

export const listUnsent = statement<{ readonly limit: number }, Unsent>('search/list_unsent', {
  params: ['limit'],
  row: ['id', 'entityType', 'times', 'attempts'],
});

export const deleteUnsent = statement<{ readonly rows: readonly Pick<Unsent, 'id' | 'times'>[] }, Pick<Unsent, 'id'>>(
  'search/delete_unsent',
  { params: ['rows'], row: ['id'] },
);

export const failUnsent = statement<
  { readonly rows: readonly { readonly id: string; readonly reason: string; readonly waitMs: number }[] },
  Pick<Unsent, 'id'>
>('search/fail_unsent', { params: ['rows'], row: ['id'] });

export const findOverdue = statement<{ readonly forMs: number }, Pick<Unsent, 'id'>>('search/find_overdue', {
  params: ['forMs'],
  row: ['id'],
});

/** The server that hears of every change; null while its collections are not complete. */
export const readFeeding = statement<Record<string, never>, { readonly server: string | null }>('search/read_feeding', {
  params: [],
  row: ['server'],
});

export const putFeeding = statement<
  { readonly rows: readonly { readonly server: string | null }[] },
  { readonly name: string }
>('search/put_feeding', { params: ['rows'], row: ['name'] });
