import { type Rows, statement } from '../../graph/statement.ts';

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
