import type { RefNode } from '../../../catalog/queries.ts';
import { type IndexedRows, statement } from '../../../graph/statement.ts';

type NeighbourCountParams = { readonly includeDeleted: boolean; readonly judgedTypes: readonly string[] };

/** A record with its implied neighbours, which are no direct edge away. */
type ImpliedNeighbours = { readonly id: string; readonly before: readonly string[]; readonly after: readonly string[] };

export type NeighbourCountRow = {
  readonly at: number;
  readonly upstream: number;
  readonly downstream: number;
  readonly judged: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

/**
 * `otherTypes` are excluded from these counts: types whose records are all hidden, and types that must be judged one by
 * one.
 */
export const countNeighboursByType = statement<
  IndexedRows<ImpliedNeighbours> & NeighbourCountParams & { otherTypes: readonly string[] },
  NeighbourCountRow
>('lineage/map/count_neighbours_by_type', {
  params: ['rows', 'includeDeleted', 'judgedTypes', 'otherTypes'],
  row: ['at', 'upstream', 'downstream', 'judged', 'before', 'after'],
});

type NodeTypeTuple = readonly [id: string, entityType: string];
type JudgedNeighboursRow = {
  readonly at: number;
  readonly upstream: readonly NodeTypeTuple[];
  readonly downstream: readonly NodeTypeTuple[];
};

export const listJudgedNeighbours = statement<IndexedRows<{ id: string }> & NeighbourCountParams, JudgedNeighboursRow>(
  'lineage/map/list_judged_neighbours',
  {
    params: ['rows', 'includeDeleted', 'judgedTypes'],
    row: ['at', 'upstream', 'downstream'],
  },
);

/** The platform records of some kinds. */
export const listNodesOfKinds = statement<
  { entityTypes: readonly string[]; includeDeleted: boolean; limit: number },
  { nodes: readonly RefNode[] }
>('lineage/map/list_nodes_of_kinds', { params: ['entityTypes', 'includeDeleted', 'limit'], row: ['nodes'] });
