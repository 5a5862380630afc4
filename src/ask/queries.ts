import { statement } from '../graph/statement.ts';

/** Statements of this room. The statements of queries are written by `translate/`. */

type RecordList = {
  readonly entityType: string;
  /** Whether live records, deleted ones or both are wanted: false, true. */
  readonly deletions: readonly boolean[];
  readonly limit: number;
};

export const listJudgedIds = statement<RecordList, { id: string }>('ask/list_judged_ids', {
  params: ['entityType', 'deletions', 'limit'],
  row: ['id'],
});

/** A query as it is kept. */
export type SavedQueryNode = {
  readonly name: string;
  readonly description?: string;
  readonly query: string;
  readonly parametersJson: string;
  readonly asMetric: boolean;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

type NamedQuery = { readonly name: string };
/** Who changes a saved query: its author, or an administrator. */
type QueryChange = NamedQuery & { readonly userName: string; readonly isAdmin: boolean };
type QueryValues = { readonly values: Readonly<Record<string, unknown>> };

export const createSavedQuery = statement<
  NamedQuery & QueryValues & { most: number },
  { isNew: boolean; fits: boolean }
>('ask/create_saved_query', { params: ['name', 'values', 'most'], row: ['isNew', 'fits'] });
export const updateSavedQuery = statement<QueryChange & QueryValues, NamedQuery>('ask/update_saved_query', {
  params: ['name', 'values', 'userName', 'isAdmin'],
  row: ['name'],
});
export const deleteSavedQuery = statement<QueryChange, NamedQuery>('ask/delete_saved_query', {
  params: ['name', 'userName', 'isAdmin'],
  row: ['name'],
});
export const findSavedQuery = statement<NamedQuery, { node: SavedQueryNode }>('ask/find_saved_query', {
  params: ['name'],
  row: ['node'],
});
export const listSavedQueries = statement<{ after: string; limit: number }, { node: SavedQueryNode }>(
  'ask/list_saved_queries',
  { params: ['after', 'limit'], row: ['node'] },
);
export const countSavedQueries = statement<Record<string, never>, { total: number }>('ask/count_saved_queries', {
  params: [],
  row: ['total'],
});
export const listMetricQueries = statement<Record<string, never>, { node: SavedQueryNode }>('ask/list_metric_queries', {
  params: [],
  row: ['node'],
});
