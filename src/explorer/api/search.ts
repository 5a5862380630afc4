import { ask } from './ask.ts';
import { buildFilter, type Chosen, EVERYTHING } from './facets.ts';
import { type Hit, readHit, type SearchHit } from './hit.ts';
import { SORTS, type SortName } from './sorts.ts';

export type Found = {
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly isLowerBound: boolean;
  readonly hasTimedOut: boolean;
};

type SearchAnswer = {
  readonly timed_out: boolean;
  readonly hits: {
    readonly total: { readonly value: number; readonly relation: 'eq' | 'gte' };
    readonly hits: readonly SearchHit[];
  };
};

const SOURCE_FIELDS = [
  'id,entityType,name,displayName,fullyQualifiedName,fqnParts,description,owners,domains,tags,tier',
  'deleted,updatedAt,updatedBy,usageSummary.weeklyStats,columnNames,fieldNames',
].join(',');

export type Question = {
  readonly text: string;
  readonly from?: number;
  readonly size?: number;
  readonly chosen?: Chosen;
  readonly sort?: SortName;
  /** The kinds to search, separated by commas; everything when left out. */
  readonly index?: string;
  /** A filter in place of the chosen facets, as JSON. */
  readonly filter?: string;
  readonly withDeleted?: boolean;
};

export const search = async (question: Question, signal?: AbortSignal): Promise<Found> => {
  const { text, from = 0, size = 20, chosen = {}, sort = 'relevance', index = EVERYTHING, withDeleted } = question;
  const order = SORTS[sort];
  const answer = await ask<SearchAnswer>('/v1/search/query', {
    query: {
      q: text.trim() === '' ? '*' : text,
      index,
      from,
      size,
      query_filter: question.filter ?? buildFilter(chosen),
      sort_field: order?.field,
      sort_order: order?.order,
      deleted: withDeleted,
      include_aggregations: false,
      include_source_fields: SOURCE_FIELDS,
    },
    signal,
  });
  return {
    hits: answer.hits.hits.map(readHit),
    total: answer.hits.total.value,
    isLowerBound: answer.hits.total.relation === 'gte',
    hasTimedOut: answer.timed_out,
  };
};
