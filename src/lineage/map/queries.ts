import type { RefNode } from '../../catalog/queries.ts';
import { type Rows, statement, template } from '../../graph/statement.ts';

type Neighbour = readonly [id: string, entityType: string];

export type NeighbourRow = {
  readonly at: number;
  readonly upstream: readonly Neighbour[];
  readonly downstream: readonly Neighbour[];
};

export const listNeighbours = statement<Rows<{ id: string }> & { includeDeleted: boolean }, NeighbourRow>(
  'lineage/list_neighbours',
  { params: ['rows', 'includeDeleted'], row: ['at', 'upstream', 'downstream'] },
);

/** The records of one kind that stand for others. */
export const listInView = template<{ includeDeleted: boolean; limit: number }, { node: RefNode }>(
  'lineage/list_in_view',
  'LABEL',
  { params: ['includeDeleted', 'limit'], row: ['node'] },
);
