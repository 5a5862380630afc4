import type { RefNode } from '../catalog/queries.ts';
import type { WriteRow } from '../graph/commit.ts';
import { statement } from '../graph/statement.ts';

const written = { params: ['rows'], row: ['at'] } as const;

export const keepSources = statement<{ rows: readonly WriteRow[] }, { at: number }>('contract/keep_source', written);
export const forgetResults = statement<{ rows: readonly WriteRow[] }, { at: number }>(
  'contract/forget_results',
  written,
);
export const deleteSpent = statement<{ limit: number }, { removed: number }>('contract/delete_spent', {
  params: ['limit'],
  row: ['removed'],
});
export const setLatest = statement<{ rows: readonly WriteRow[] }, { at: number }>('contract/set_latest', written);
export const putResults = statement<{ rows: readonly WriteRow[] }, { at: number }>('contract/put_result', written);
export const deleteResults = statement<{ rows: readonly WriteRow[] }, { at: number }>(
  'contract/delete_result',
  written,
);
export const deleteBefore = statement<{ rows: readonly WriteRow[] }, { at: number }>('contract/delete_before', written);

/** A contract as far as its results are concerned. */
export type StandingRow = {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly revision: number;
  /** What it says of its newest result, as JSON. */
  readonly latestJson: string | null;
  /** What its results are known by: its id, until it forgets how it was judged. */
  readonly series: string;
};

export const readStanding = statement<{ id: string }, StandingRow>('contract/read_standing', {
  params: ['id'],
  row: ['id', 'fullyQualifiedName', 'revision', 'latestJson', 'series'],
});

/** Contracts that expect none but tests which are about to go, with their suites. */
export const listBereft = statement<{ ids: readonly string[] }, { id: string; revision: number; suiteId: string }>(
  'contract/list_bereft',
  { params: ['ids'], row: ['id', 'revision', 'suiteId'] },
);

export type ResultRow = { readonly timestamp: number; readonly json: string };

/** The results of a series from one moment to another. */
export type Span = { readonly id: string; readonly start: number; readonly end: number };

export const listResults = statement<Span & { limit: number }, ResultRow>('contract/list_results', {
  params: ['id', 'start', 'end', 'limit'],
  row: ['timestamp', 'json'],
});
export const countResults = statement<Span, { total: number }>('contract/count_results', {
  params: ['id', 'start', 'end'],
  row: ['total'],
});
export const findResult = statement<{ key: string }, ResultRow>('contract/find_result', {
  params: ['key'],
  row: ['timestamp', 'json'],
});

export type SourceRow = {
  readonly version: string;
  readonly sourceJson: string;
  /** Steps with every document that takes the place of another. */
  readonly revision: number;
};

export const readSource = statement<{ id: string }, SourceRow>('contract/read_source', {
  params: ['id'],
  row: ['version', 'sourceJson', 'revision'],
});

/** The products that a record belongs to and that have a contract in force. */
export const listProducts = statement<{ id: string }, { productId: string; contractId: string | null }>(
  'contract/list_products',
  { params: ['id'], row: ['productId', 'contractId'] },
);

export type HandedRow = { readonly id: string; readonly ownId: string | null; readonly contract: RefNode };

/** What records take over from their data products, beside the contracts of their own. */
export const listHanded = statement<{ ids: readonly string[] }, HandedRow>('contract/list_handed', {
  params: ['ids'],
  row: ['id', 'ownId', 'contract'],
});

/** How the tests went that a contract expects to pass. */
export const listExpected = statement<{ ids: readonly string[] }, { id: string; status: string | null }>(
  'contract/list_expected',
  { params: ['ids'], row: ['id', 'status'] },
);

/** Who is in teams: the names of people by the ids of the teams. */
export const listMembers = statement<{ ids: readonly string[] }, { id: string; name: string }>(
  'contract/list_members',
  { params: ['ids'], row: ['id', 'name'] },
);

/** What is looked at of a table, or of a column by what names that for good: the newest that is not after a moment. */
type Measured = { readonly id: string; readonly until: number; readonly limit: number };

export const listMaxima = statement<Measured, { timestamp: number; json: string }>('contract/list_maxima', {
  params: ['id', 'until', 'limit'],
  row: ['timestamp', 'json'],
});

export const listWrites = statement<Measured, { timestamp: number }>('contract/list_writes', {
  params: ['id', 'until', 'limit'],
  row: ['timestamp'],
});

/** Contracts whose newest judgement waits for the results of tests. */
export const listWaiting = statement<{ ids: readonly string[] }, { id: string }>('contract/list_waiting', {
  params: ['ids'],
  row: ['id'],
});

/** People by their mail addresses. */
export const findPeople = statement<{ texts: readonly string[] }, { text: string; id: string; name: string }>(
  'contract/find_people',
  { params: ['texts'], row: ['text', 'id', 'name'] },
);

export type TestRow = {
  readonly id: string;
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly testDefinition: string;
  readonly columnName: string | null;
  readonly valuesJson: string | null;
};

export const listTests = statement<{ ids: readonly string[] }, TestRow>('contract/list_tests', {
  params: ['ids'],
  row: ['id', 'name', 'displayName', 'description', 'testDefinition', 'columnName', 'valuesJson'],
});
