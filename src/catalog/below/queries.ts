import { statement, template } from '../../graph/statement.ts';

/** A record from which an edge leads to another one, if there is any. */
export const findIncoming = template<{ id: string }, { name: string }>('edge/find_incoming', 'TYPE', {
  params: ['id'],
  row: ['name'],
});

/** Which of the records below another are meant. */
export type Reach = 'all' | 'living' | 'fallen';

type BelowPage = {
  readonly id: string;
  readonly types: readonly string[];
  readonly reach: Reach;
  readonly after: string;
  readonly limit: number;
};

export type BelowRow = { readonly id: string; readonly entityType: string };

export const listBelow = statement<BelowPage, BelowRow>('cascade/list_below', {
  params: ['id', 'types', 'reach', 'after', 'limit'],
  row: ['id', 'entityType'],
});
