import { ask } from '../api/ask.ts';
import { KINDS_WITH_ITEMS } from './items.ts';
import {
  filterByItemLabel,
  ITEM_SOURCE_FIELDS,
  type LabelledItem,
  type LabelledSource,
  labelledItemsOf,
} from './labelled-items.ts';

export type LabelledPage = { readonly items: readonly LabelledItem[]; readonly assets: number; readonly read: number };

type Answer = {
  readonly hits: {
    readonly total: { readonly value: number };
    readonly hits: readonly { readonly _source: LabelledSource }[];
  };
};

/** Assets of one page: each brings the names of all of its columns along. */
const PAGE = 10;

export const readLabelledItems = async (label: string, from: number, signal: AbortSignal): Promise<LabelledPage> => {
  const answer = await ask<Answer>('/v1/search/query', {
    query: {
      q: '*',
      index: KINDS_WITH_ITEMS.join(','),
      from,
      size: PAGE,
      query_filter: filterByItemLabel(label),
      sort_field: 'fullyQualifiedName',
      sort_order: 'asc',
      include_aggregations: false,
      include_source_fields: ITEM_SOURCE_FIELDS,
    },
    signal,
  });
  const found = answer.hits.hits.map(({ _source }) => _source);
  return {
    items: found.flatMap((source) => labelledItemsOf(source, label)),
    assets: answer.hits.total.value,
    read: found.length,
  };
};
