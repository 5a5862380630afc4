import type { WriteStatementRow } from '../../graph/group-commit.ts';
import { statement } from '../../graph/statement.ts';
import type { RawProperties } from '../edge.ts';

export type StoredEdgeRow = {
  readonly from: string;
  readonly to: string;
  readonly isLive: boolean;
  readonly edge: RawProperties;
  readonly assertions: readonly RawProperties[];
};

export const listStoredEdges = statement<
  { id: string; others: readonly string[] | null; limit: number },
  StoredEdgeRow
>('lineage/move/list_edges', {
  params: ['id', 'others', 'limit'],
  row: ['from', 'to', 'isLive', 'edge', 'assertions'],
});

export const listColumnsByPrefix = statement<
  { prefixes: readonly string[]; limit: number },
  { prefix: string; key: string; fqn: string }
>('lineage/move/list_columns', { params: ['prefixes', 'limit'], row: ['prefix', 'key', 'fqn'] });

type ColumnPairRow = { readonly edgeId: string; readonly from: string; readonly to: string; readonly since: number };

/** A present column pair, with the names of its ends as mappings of the edge may contain them. */
export type LivePairRow = ColumnPairRow & { readonly label: string };

export const listLivePairs = statement<{ edgeIds: readonly string[]; limit: number }, LivePairRow>(
  'lineage/move/list_column_pairs',
  { params: ['edgeIds', 'limit'], row: ['edgeId', 'from', 'to', 'label', 'since'] },
);

export type PastPairRow = ColumnPairRow & { readonly until: number };

export const listPastPairs = statement<{ prefix: string; limit: number }, PastPairRow>(
  'lineage/move/list_past_column_pairs',
  { params: ['prefix', 'limit'], row: ['edgeId', 'from', 'to', 'since', 'until'] },
);

type MoveParams = { readonly rows: readonly WriteStatementRow[] };
const moveShape = { params: ['rows'], row: ['at'] } as const;

export const claimRevisions = statement<MoveParams, { at: number }>('lineage/move/claim_revisions', moveShape);
export const deleteEdges = statement<MoveParams, { at: number }>('lineage/move/delete_edges', moveShape);
export const createEdges = statement<MoveParams, { at: number }>('lineage/move/create_edges', moveShape);
export const moveAssertions = statement<MoveParams, { at: number }>('lineage/move/update_assertions', moveShape);
export const deleteLivePairs = statement<MoveParams, { at: number }>('lineage/move/delete_column_pairs', moveShape);
export const deletePastPairs = statement<MoveParams, { at: number }>(
  'lineage/move/delete_past_column_pairs',
  moveShape,
);
export const createPairs = statement<MoveParams, { at: number }>('lineage/move/create_column_pairs', moveShape);
