import { statement, template } from '../../graph/statement.ts';

/** A record from which an edge leads to another one, if there is any. */
export const findIncomingRecord = template<{ id: string }, { name: string }>('edge/find_incoming', 'TYPE', {
  params: ['id'],
  row: ['name'],
});

/** Which of the records below another are meant. */
export type DescendantScope = 'all' | 'living' | 'fallen';

type DescendantPage = {
  readonly id: string;
  readonly types: readonly string[];
  readonly reach: DescendantScope;
  readonly after: string;
  readonly limit: number;
};

export type DescendantKey = { readonly id: string; readonly entityType: string };

export const listDescendants = statement<DescendantPage, DescendantKey>('cascade/list_descendants', {
  params: ['id', 'types', 'reach', 'after', 'limit'],
  row: ['id', 'entityType'],
});
