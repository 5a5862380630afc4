import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import { DATA_KINDS } from '../api/kinds.ts';

export type KindCount = { readonly type: string; readonly count: number };

type CountsAnswer = {
  readonly aggregations: {
    readonly entityType?: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] };
  };
};

/** How many assets of each kind of data the caller may see, the most frequent first. */
export const useKindCounts = () =>
  useQuery({
    queryKey: ['kind counts'],
    queryFn: async ({ signal }): Promise<readonly KindCount[]> => {
      const { aggregations } = await ask<CountsAnswer>('/v1/search/entityTypeCounts', {
        query: { q: '*', index: 'all' },
        signal,
      });
      return (aggregations.entityType?.buckets ?? [])
        .map(({ key, doc_count }) => ({ type: key, count: doc_count }))
        .filter(({ type }) => DATA_KINDS.includes(type));
    },
  });
