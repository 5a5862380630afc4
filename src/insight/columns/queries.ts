import type { LabelNode, RefNode } from '../../catalog/queries.ts';
import { statement } from '../../graph/statement.ts';

export const listLeavingPairs = statement<
  { keys: readonly string[]; limit: number },
  { from: string; pairs: readonly (readonly [to: string, edgeId: string])[] }
>('insight/columns/list_leaving_pairs', { params: ['keys', 'limit'], row: ['from', 'pairs'] });

export const listEnteringPairs = statement<
  { keys: readonly string[]; limit: number },
  { to: string; pairs: readonly (readonly [from: string, edgeId: string])[] }
>('insight/columns/list_entering_pairs', { params: ['keys', 'limit'], row: ['to', 'pairs'] });

export const listDerivedColumns = statement<{ ids: readonly string[]; limit: number }, { key: string }>(
  'insight/columns/list_derived',
  { params: ['ids', 'limit'], row: ['key'] },
);

/** A record with some of its columns. */
export type OwnedColumnsRow = {
  readonly owner: RefNode;
  /** The full name is null when a record represents the column: what it is called depends on the record that shows it. */
  readonly columns: readonly (readonly [
    key: string,
    name: string,
    fullyQualifiedName: string | null,
    labels: readonly LabelNode[],
  ])[];
};

export const readOwnedColumns = statement<
  { keys: readonly string[]; edgeIds: readonly string[]; tagNames: readonly string[]; withTerms: boolean },
  OwnedColumnsRow
>('insight/columns/read_columns', {
  params: ['keys', 'edgeIds', 'tagNames', 'withTerms'],
  row: ['owner', 'columns'],
});

export type StatedMappings = {
  readonly edgeId: string;
  readonly source: string;
  readonly seenAt: number;
  readonly contentJson: string;
};

export const listEdgeStatements = statement<{ edgeIds: readonly string[] }, StatedMappings>(
  'insight/columns/list_assertions',
  { params: ['edgeIds'], row: ['edgeId', 'source', 'seenAt', 'contentJson'] },
);
