import { ask } from './ask.ts';
import {
  buildFilter,
  type Chosen,
  EVERYTHING,
  FACETS,
  type FacetField,
  type LabelBucket,
  readLabels,
} from './facets.ts';
import type { Schemas } from './types.ts';

/** Asks how many hits have each value of a facet, and how the values are written. */

export type FacetValue = { readonly key: string; readonly count: number };
export type ValueCounts = {
  readonly values: readonly FacetValue[];
  /** Whether there are values that are not listed. */
  readonly hasMore: boolean;
};

export type FacetQuestion = {
  readonly name: FacetField;
  readonly text: string;
  readonly chosen: Chosen;
  readonly size: number;
  /** Letters that the values have. */
  readonly containing?: string;
};

export const countFacet = async (
  { name, text, chosen, size, containing = '' }: FacetQuestion,
  signal?: AbortSignal,
): Promise<ValueCounts> => {
  const { field } = FACETS[name];
  const { aggregations } = await ask<Schemas['FieldCounts']>('/v1/search/aggregate', {
    query: {
      index: EVERYTHING,
      field,
      q: text.trim() === '' ? '*' : text,
      query_filter: buildFilter(chosen, name),
      value: containing,
      size,
    },
    signal,
  });
  const counted = aggregations[`sterms#${field}`];
  return {
    values: (counted?.buckets ?? []).map(({ key, doc_count: count }) => ({ key: String(key), count })),
    hasMore: (counted?.sum_other_doc_count ?? 0) > 0 || (counted?.buckets.length ?? 0) >= size,
  };
};

const MOST_LABELS = 200;

export const askLabels = async (name: FacetField, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> => {
  const { field } = FACETS[name];
  const { aggregations } = await ask<Schemas['FieldCounts']>('/v1/search/aggregate', {
    query: { index: EVERYTHING, field, q: '*', sourceFields: name, size: MOST_LABELS },
    signal,
  });
  return readLabels(name, (aggregations[`sterms#${field}`]?.buckets ?? []) as unknown as readonly LabelBucket[]);
};
