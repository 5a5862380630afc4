import type { RefNode } from '../../catalog/queries.ts';
import { type Rows, statement, template } from '../../graph/statement.ts';

type Counting = { readonly includeDeleted: boolean; readonly judgedTypes: readonly string[] };

/** A record, and those it is said to be next to in some other way. */
type Implied = { readonly id: string; readonly before: readonly string[]; readonly after: readonly string[] };

export type NextCount = {
  readonly at: number;
  readonly upstream: number;
  readonly downstream: number;
  readonly judged: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

/** Of the other types, some hide all records; those that are judged hide some. */
export const countNext = statement<Rows<Implied> & Counting & { otherTypes: readonly string[] }, NextCount>(
  'lineage/count_next',
  {
    params: ['rows', 'includeDeleted', 'judgedTypes', 'otherTypes'],
    row: ['at', 'upstream', 'downstream', 'judged', 'before', 'after'],
  },
);

type Known = readonly [id: string, entityType: string];
type NextJudged = { readonly at: number; readonly upstream: readonly Known[]; readonly downstream: readonly Known[] };

export const listNextJudged = statement<Rows<{ id: string }> & Counting, NextJudged>('lineage/list_next_judged', {
  params: ['rows', 'includeDeleted', 'judgedTypes'],
  row: ['at', 'upstream', 'downstream'],
});

/** The records of one kind that stand for others. */
export const listInView = template<{ includeDeleted: boolean; limit: number }, { node: RefNode }>(
  'lineage/list_in_view',
  'LABEL',
  { params: ['includeDeleted', 'limit'], row: ['node'] },
);
