import { type IndexedRows, statement } from '../../graph/statement.ts';

type NamedTag = { readonly id: string; readonly entityType: string; readonly fullyQualifiedName: string };

export const listTagsBelow = statement<{ fqn: string; limit: number }, { tag: NamedTag }>('insight/flows/list_tags', {
  params: ['fqn', 'limit'],
  row: ['tag'],
});

export const listTagCarriers = statement<{ tagIds: readonly string[]; limit: number }, { key: string }>(
  'insight/flows/list_carriers',
  { params: ['tagIds', 'limit'], row: ['key'] },
);

export const readExtensions = statement<
  { ids: readonly string[] },
  {
    id: string;
    holders: readonly { readonly id: string; readonly entityType: string; readonly extensionJson: string }[];
  }
>('insight/flows/read_extensions', { params: ['ids'], row: ['id', 'holders'] });

/** An edge, and since when a column pair of it counts as new. */
export type EdgeSince = { readonly from: string; readonly to: string; readonly since: number };

export const listNewPairs = statement<
  IndexedRows<EdgeSince>,
  { at: number; pairs: readonly (readonly [from: string, to: string])[] }
>('insight/flows/list_new_pairs', { params: ['rows'], row: ['at', 'pairs'] });
