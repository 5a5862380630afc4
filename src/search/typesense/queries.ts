import { statement } from '../../graph/statement.ts';

/** The search document of a record, as Neo4j stores it. */
export type StoredDocumentRow = {
  readonly id: string;
  readonly entityType: string;
  readonly revision: number;
  readonly stored: Readonly<Record<string, string | number | boolean>>;
};

const STORED_COLUMNS = ['id', 'entityType', 'revision', 'stored'] as const;

export const listStoredDocuments = statement<
  { readonly after: string; readonly entityTypes: readonly string[]; readonly limit: number },
  StoredDocumentRow
>('search/list_documents', { params: ['after', 'entityTypes', 'limit'], row: STORED_COLUMNS });

export const readStoredDocuments = statement<{ readonly ids: readonly string[] }, StoredDocumentRow>(
  'search/read_documents',
  {
    params: ['ids'],
    row: STORED_COLUMNS,
  },
);

export const listDocumentRevisions = statement<
  { readonly after: string; readonly entityType: string; readonly limit: number },
  Pick<StoredDocumentRow, 'id' | 'revision'>
>('search/list_revisions', { params: ['after', 'entityType', 'limit'], row: ['id', 'revision'] });

/** A record whose current state the server lacks, and how often it was queued. */
export type UnsentRecord = {
  readonly id: string;
  readonly entityType: string;
  readonly times: number;
  readonly attempts: number;
};

export const markUnsent = statement<
  { readonly rows: readonly Pick<UnsentRecord, 'id' | 'entityType'>[] },
  Pick<UnsentRecord, 'id'>
>('search/create_unsent', { params: ['rows'], row: ['id'] });

export const listUnsent = statement<{ readonly limit: number }, UnsentRecord>('search/list_unsent', {
  params: ['limit'],
  row: ['id', 'entityType', 'times', 'attempts'],
});

export const deleteUnsent = statement<
  { readonly rows: readonly Pick<UnsentRecord, 'id' | 'times'>[] },
  Pick<UnsentRecord, 'id'>
>('search/delete_unsent', { params: ['rows'], row: ['id'] });

export const updateUnsentFailures = statement<
  { readonly rows: readonly { readonly id: string; readonly reason: string; readonly waitMs: number }[] },
  Pick<UnsentRecord, 'id'>
>('search/update_unsent_failures', { params: ['rows'], row: ['id'] });

export const findOverdueUnsent = statement<{ readonly forMs: number }, Pick<UnsentRecord, 'id'>>(
  'search/find_overdue_unsent',
  {
    params: ['forMs'],
    row: ['id'],
  },
);

/** Reads which server receives every change; null while its collections are incomplete. */
export const readFeeding = statement<Record<string, never>, { readonly server: string | null }>('search/read_feeding', {
  params: [],
  row: ['server'],
});

export const updateFeeding = statement<
  { readonly rows: readonly { readonly server: string | null }[] },
  { readonly name: string }
>('search/update_feeding', { params: ['rows'], row: ['name'] });
