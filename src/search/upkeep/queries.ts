import { statement } from '../../graph/statement.ts';

/** A record that has to be looked at, because it or what it tells of has changed. */
export type Mark = {
  readonly id: string;
  readonly entityType: string;
  readonly isStale: boolean;
  /** What others tell of the record now, and when it was last looked at; null of records that have no document. */
  readonly face: string | null;
  readonly toldFace: string | null;
};

const MARK = ['id', 'entityType', 'isStale', 'face', 'toldFace'] as const;

type Page = { readonly after: string; readonly limit: number };

export const listMarks = statement<Page, Mark>('search/list_marks', { params: ['after', 'limit'], row: MARK });

export const readMarks = statement<{ ids: readonly string[] }, Mark>('search/read_marks', {
  params: ['ids'],
  row: MARK,
});

export const takeMarks = statement<{ ids: readonly string[] }, Pick<Mark, 'id' | 'entityType' | 'isStale'>>(
  'search/take_marks',
  { params: ['ids'], row: ['id', 'entityType', 'isStale'] },
);

export const deleteMarks = statement<{ rows: readonly Pick<Mark, 'id' | 'face'>[] }, { readonly id: string }>(
  'search/delete_marks',
  { params: ['rows'], row: ['id'] },
);

/** Why the document of a record could not be made. */
export type Failed = { readonly id: string; readonly failure: string };

export const keepFailures = statement<{ rows: readonly Failed[] }, { readonly id: string }>('search/keep_failure', {
  params: ['rows'],
  row: ['id'],
});

export type FailureRow = Failed & {
  readonly entityType: string;
  readonly fullyQualifiedName: string | null;
  readonly failedAt: number;
  readonly attempts: number;
  readonly retryAt: number;
  /** Whether it could not be made, or not be sent. */
  readonly stage: 'PROCESS' | 'SINK';
};

type OfType = { readonly entityType: string | null };

export const listFailures = statement<OfType & { readonly offset: number; readonly limit: number }, FailureRow>(
  'search/list_failures',
  {
    params: ['entityType', 'offset', 'limit'],
    row: ['id', 'entityType', 'fullyQualifiedName', 'failure', 'failedAt', 'attempts', 'retryAt', 'stage'],
  },
);

export const countFailures = statement<OfType, { readonly total: number }>('search/count_failures', {
  params: ['entityType'],
  row: ['total'],
});

/** What is read page by page is read in the order of ids, after one of them. */
type Ids = { readonly id: string };

export const listTellers = statement<Page & { readonly ids: readonly string[] }, Ids>('search/list_tellers', {
  params: ['ids', 'after', 'limit'],
  row: ['id'],
});

type OfTypes = { readonly types: readonly string[] };
type Formed = { readonly form: number };

export const listMissing = statement<Page & OfTypes & Formed, Ids>('search/list_missing', {
  params: ['after', 'limit', 'types', 'form'],
  row: ['id'],
});

export const listRecords = statement<Page & OfTypes, Ids>('search/list_records', {
  params: ['after', 'limit', 'types'],
  row: ['id'],
});

export const countRecords = statement<OfTypes, { readonly total: number }>('search/count_records', {
  params: ['types'],
  row: ['total'],
});

/** What came of comparing the records of one type on a page with their documents. */
export type Compared = {
  readonly entityType: string;
  readonly records: number;
  readonly documents: number;
  readonly pending: number;
  readonly drifted: readonly string[];
  readonly last: string;
};

export const compareRecords = statement<Page & OfTypes & Formed, Compared>('search/compare_records', {
  params: ['after', 'limit', 'types', 'form'],
  row: ['entityType', 'records', 'documents', 'pending', 'drifted', 'last'],
});

export type Drifted = {
  readonly id: string;
  readonly entityType: string;
  readonly fullyQualifiedName: string;
  readonly revision: number;
  /** Null when there is no document. */
  readonly documentRevision: number | null;
};

export const readDrift = statement<Formed & { readonly ids: readonly string[] }, Drifted>('search/read_drift', {
  params: ['ids', 'form'],
  row: ['id', 'entityType', 'fullyQualifiedName', 'revision', 'documentRevision'],
});

export const listOrphans = statement<
  Page,
  { readonly documents: number; readonly orphans: readonly string[]; readonly last: string | null }
>('search/list_orphans', { params: ['after', 'limit'], row: ['documents', 'orphans', 'last'] });

export const deleteOrphans = statement<{ ids: readonly string[] }, { readonly id: string }>('search/delete_orphans', {
  params: ['ids'],
  row: ['id'],
});

/** Documents, and how many characters of text some of them hold on average. */
export const readSize = statement<
  { readonly index: string; readonly query: string; readonly some: number },
  { readonly documents: number; readonly size: number }
>('search/read_size', { params: ['index', 'query', 'some'], row: ['documents', 'size'] });

export const listIndexes = statement<Record<string, never>, { readonly name: string; readonly state: string }>(
  'search/list_indexes',
  { params: [], row: ['name', 'state'] },
);
