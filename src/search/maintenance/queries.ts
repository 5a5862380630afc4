import { statement } from '../../graph/statement.ts';

/** A record to check, because it changed or something that its document contains changed. */
export type DirtyMark = {
  readonly id: string;
  readonly entityType: string;
  readonly isStale: boolean;
  /**
   * The digest of what other documents contain of the record, now and at the last check; null for records without a
   * document.
   */
  readonly face: string | null;
  readonly toldFace: string | null;
};

const MARK_COLUMNS = ['id', 'entityType', 'isStale', 'face', 'toldFace'] as const;

type PageAfter = { readonly after: string; readonly limit: number };

export const listMarks = statement<PageAfter, DirtyMark>('search/list_marks', {
  params: ['after', 'limit'],
  row: MARK_COLUMNS,
});

export const readMarks = statement<{ ids: readonly string[] }, DirtyMark>('search/read_marks', {
  params: ['ids'],
  row: MARK_COLUMNS,
});

export const lockMarks = statement<{ ids: readonly string[] }, Pick<DirtyMark, 'id' | 'entityType' | 'isStale'>>(
  'search/claim_marks',
  { params: ['ids'], row: ['id', 'entityType', 'isStale'] },
);

export const deleteMarks = statement<{ rows: readonly Pick<DirtyMark, 'id' | 'face'>[] }, { readonly id: string }>(
  'search/delete_marks',
  { params: ['rows'], row: ['id'] },
);

/** Why the document of a record could not be built. */
export type DocumentFailure = { readonly id: string; readonly failure: string };

export const updateMarkFailures = statement<{ rows: readonly DocumentFailure[] }, { readonly id: string }>(
  'search/update_mark_failures',
  {
    params: ['rows'],
    row: ['id'],
  },
);

export type DocumentFailureRow = DocumentFailure & {
  readonly entityType: string;
  readonly fullyQualifiedName: string | null;
  readonly failedAt: number;
  readonly attempts: number;
  readonly retryAt: number;
  /** Whether building or sending the document failed. */
  readonly stage: 'PROCESS' | 'SINK';
};

type TypeParam = { readonly entityType: string | null };

export const listDocumentFailures = statement<
  TypeParam & { readonly offset: number; readonly limit: number },
  DocumentFailureRow
>('search/list_failures', {
  params: ['entityType', 'offset', 'limit'],
  row: ['id', 'entityType', 'fullyQualifiedName', 'failure', 'failedAt', 'attempts', 'retryAt', 'stage'],
});

export const countDocumentFailures = statement<TypeParam, { readonly total: number }>('search/count_failures', {
  params: ['entityType'],
  row: ['total'],
});

/** Pages are read in the order of ids, after one id. */
type IdRow = { readonly id: string };

export const listDependents = statement<PageAfter & { readonly ids: readonly string[] }, IdRow>(
  'search/list_dependents',
  {
    params: ['ids', 'after', 'limit'],
    row: ['id'],
  },
);

type TypesParam = { readonly types: readonly string[] };
type FormatParam = { readonly form: number };

export const listMissingDocuments = statement<PageAfter & TypesParam & FormatParam, IdRow>(
  'search/list_missing_documents',
  {
    params: ['after', 'limit', 'types', 'form'],
    row: ['id'],
  },
);

export const listRecordIds = statement<PageAfter & TypesParam, IdRow>('search/list_records', {
  params: ['after', 'limit', 'types'],
  row: ['id'],
});

export const countRecordsOfTypes = statement<TypesParam, { readonly total: number }>('search/count_records', {
  params: ['types'],
  row: ['total'],
});

/** The comparison of the records of one type on a page with their documents. */
export type ComparisonRow = {
  readonly entityType: string;
  readonly records: number;
  readonly documents: number;
  readonly pending: number;
  readonly drifted: readonly string[];
  readonly last: string;
};

export const compareRecords = statement<PageAfter & TypesParam & FormatParam, ComparisonRow>(
  'search/count_drifted_records',
  {
    params: ['after', 'limit', 'types', 'form'],
    row: ['entityType', 'records', 'documents', 'pending', 'drifted', 'last'],
  },
);

export type DriftedRecord = {
  readonly id: string;
  readonly entityType: string;
  readonly fullyQualifiedName: string;
  readonly revision: number;
  /** Null when there is no document. */
  readonly documentRevision: number | null;
};

export const readDrift = statement<FormatParam & { readonly ids: readonly string[] }, DriftedRecord>(
  'search/read_drift',
  {
    params: ['ids', 'form'],
    row: ['id', 'entityType', 'fullyQualifiedName', 'revision', 'documentRevision'],
  },
);

export const listOrphanedDocuments = statement<
  PageAfter,
  { readonly documents: number; readonly orphans: readonly string[]; readonly last: string | null }
>('search/list_orphaned_documents', { params: ['after', 'limit'], row: ['documents', 'orphans', 'last'] });

export const deleteDocuments = statement<{ ids: readonly string[] }, { readonly id: string }>(
  'search/delete_documents',
  {
    params: ['ids'],
    row: ['id'],
  },
);

/** The number of documents, and the average number of characters in a sample of them. */
export const readIndexSize = statement<
  { readonly index: string; readonly query: string; readonly some: number },
  { readonly documents: number; readonly size: number }
>('search/read_index_size', { params: ['index', 'query', 'some'], row: ['documents', 'size'] });

export const listIndexes = statement<Record<string, never>, { readonly name: string; readonly state: string }>(
  'search/list_indexes',
  { params: [], row: ['name', 'state'] },
);
