import type { RefNode } from '../catalog/queries.ts';
import type { WriteStatementRow } from '../graph/group-commit.ts';
import { statement } from '../graph/statement.ts';

/** Cypher statements for contracts, their results and their source documents. */

const writeShape = { params: ['rows'], row: ['at'] } as const;

export const upsertSources = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'contracts/update_source',
  writeShape,
);
export const detachResults = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'contracts/update_result_series',
  writeShape,
);
export const deleteOrphanedResultBatch = statement<{ limit: number }, { removed: number }>(
  'contracts/delete_orphaned_results',
  {
    params: ['limit'],
    row: ['removed'],
  },
);
export const updateLatestContractResults = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'contracts/update_latest',
  writeShape,
);
export const upsertContractResults = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'contracts/update_results',
  writeShape,
);
export const deleteContractResults = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'contracts/delete_results',
  writeShape,
);
export const deleteContractResultsBefore = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'contracts/delete_results_before',
  writeShape,
);

/** The state of a contract that its results depend on. */
export type ContractStateRow = {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly revision: number;
  /** The summary of its newest result, as JSON. */
  readonly latestJson: string | null;
  /** The key of its series of results: the contract's ID, until a soft delete unlinks its results. */
  readonly series: string;
};

export const readContractState = statement<{ id: string }, ContractStateRow>('contracts/read_state', {
  params: ['id'],
  row: ['id', 'fullyQualifiedName', 'revision', 'latestJson', 'series'],
});

/** Contracts that expect tests which are about to be deleted, with the suites of those that expect no other. */
export const listContractsLosingTests = statement<
  { ids: readonly string[] },
  { id: string; revision: number; suiteId: string | null }
>('contracts/list_losing_tests', { params: ['ids'], row: ['id', 'revision', 'suiteId'] });

export type ContractResultRow = { readonly timestamp: number; readonly json: string };

/** The results of a series within a time span. */
export type ContractResultSpan = { readonly id: string; readonly start: number; readonly end: number };

export const listContractResults = statement<ContractResultSpan & { limit: number }, ContractResultRow>(
  'contracts/list_results',
  {
    params: ['id', 'start', 'end', 'limit'],
    row: ['timestamp', 'json'],
  },
);
export const countContractResults = statement<ContractResultSpan, { total: number }>('contracts/count_results', {
  params: ['id', 'start', 'end'],
  row: ['total'],
});
export const findContractResult = statement<{ key: string }, ContractResultRow>('contracts/find_result', {
  params: ['key'],
  row: ['timestamp', 'json'],
});

export type SourceDocumentRow = {
  readonly version: string;
  readonly sourceJson: string;
  /** Incremented each time another document replaces the source. */
  readonly revision: number;
};

export const readSourceDocument = statement<{ id: string }, SourceDocumentRow>('contracts/read_source', {
  params: ['id'],
  row: ['version', 'sourceJson', 'revision'],
});

/** The data products that a record belongs to, with the contract of each that is in force. */
export const listDataProducts = statement<{ id: string }, { productId: string; contractId: string | null }>(
  'contracts/list_data_products',
  { params: ['id'], row: ['productId', 'contractId'] },
);

export type InheritedContractRow = { readonly id: string; readonly ownId: string | null; readonly contract: RefNode };

/** The contracts that records inherit from their data products, with the records' own contracts. */
export const listInheritedContracts = statement<{ ids: readonly string[] }, InheritedContractRow>(
  'contracts/list_inherited',
  {
    params: ['ids'],
    row: ['id', 'ownId', 'contract'],
  },
);

/** The latest status of each test that a contract expects to pass. */
export const listExpectedTestStatuses = statement<{ ids: readonly string[] }, { id: string; status: string | null }>(
  'contracts/list_expected_test_statuses',
  { params: ['ids'], row: ['id', 'status'] },
);

/** Members of teams: user names by team ID. */
export const listTeamMembers = statement<{ ids: readonly string[] }, { id: string; name: string }>(
  'contracts/list_team_members',
  { params: ['ids'], row: ['id', 'name'] },
);

/** The newest profiles of a table, or of a column by its stable key, up to a moment. */
type ProfileSpan = { readonly id: string; readonly until: number; readonly limit: number };

export const listColumnMaxima = statement<ProfileSpan, { timestamp: number; json: string }>(
  'contracts/list_column_maxima',
  {
    params: ['id', 'until', 'limit'],
    row: ['timestamp', 'json'],
  },
);

export const listTableWrites = statement<ProfileSpan, { timestamp: number }>('contracts/list_table_writes', {
  params: ['id', 'until', 'limit'],
  row: ['timestamp'],
});

/** Contracts whose newest result waits for test results. */
export const listPendingContracts = statement<{ ids: readonly string[] }, { id: string }>('contracts/list_pending', {
  params: ['ids'],
  row: ['id'],
});

/** Users by their email addresses. */
export type ExpectedTestRow = {
  readonly id: string;
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly testDefinition: string;
  readonly columnName: string | null;
  readonly valuesJson: string | null;
};

export const listExpectedTests = statement<{ ids: readonly string[] }, ExpectedTestRow>(
  'contracts/list_expected_tests',
  {
    params: ['ids'],
    row: ['id', 'name', 'displayName', 'description', 'testDefinition', 'columnName', 'valuesJson'],
  },
);
