import { statement, template } from '../../graph/statement.ts';

/** Finds one record with an edge of the type to the given record. */
export const findIncomingRecord = template<{ id: string }, { entityId: string; entityType: string; name: string }>(
  'catalog/edge/find_incoming',
  'TYPE',
  { params: ['id'], row: ['entityId', 'entityType', 'name'] },
);

/**
 * Which descendants are meant: all, those that are not deleted (`living`), or those deleted with the root (`fallen`).
 */
export type DescendantScope = 'all' | 'living' | 'fallen';

type DescendantPage = {
  readonly id: string;
  readonly types: readonly string[];
  readonly reach: DescendantScope;
  readonly after: string;
  readonly limit: number;
};

export type DescendantKey = { readonly id: string; readonly entityType: string };

export const listDescendants = statement<DescendantPage, DescendantKey>('catalog/cascade/list_descendants', {
  params: ['id', 'types', 'reach', 'after', 'limit'],
  row: ['id', 'entityType'],
});
