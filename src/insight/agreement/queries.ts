import { statement } from '../../graph/statement.ts';

/** What a source presently states of an edge. */
export type SourceStatement = readonly [source: string, createdAt: number, seenAt: number];

export type StatedEdge = {
  readonly from: string;
  readonly to: string;
  readonly assertions: readonly SourceStatement[];
};

/** Edges that have ended since they were found have no row. */
export const listEdgeAssertions = statement<{ pairs: readonly (readonly [from: string, to: string])[] }, StatedEdge>(
  'insight/agreement/list_assertions',
  { params: ['pairs'], row: ['from', 'to', 'assertions'] },
);
