import {
  array,
  boolean,
  looseObject,
  nullable,
  number,
  optional,
  picklist,
  pipe,
  record,
  strictObject,
  string,
  title,
  union,
  unknown,
} from 'valibot';
import { bounded, Flag, listOf, must, shape, Text } from '../../values.ts';

/**
 * The schemas of search answers (search.md 3), in the form that clients of search engines expect. Each has a title, so
 * that generated clients have one type for it and not one for every place.
 */

const SearchHit = pipe(
  strictObject({
    _index: string(),
    _id: string(),
    _score: nullable(number()),
    _source: optional(record(string(), unknown())),
    sort: array(union([string(), number(), boolean()])),
    highlight: optional(record(string(), array(string()))),
    _explanation: optional(strictObject({ value: number(), description: string(), details: array(unknown()) })),
  }),
  title('SearchHit'),
);

const TermBuckets = array(strictObject({ key: string(), doc_count: number() }));

const TermsAggregation = pipe(
  strictObject({
    doc_count_error_upper_bound: number(),
    sum_other_doc_count: number(),
    buckets: TermBuckets,
  }),
  title('TermsAggregation'),
);

const SearchShards = pipe(
  strictObject({ total: number(), successful: number(), skipped: number(), failed: number() }),
  title('SearchShards'),
);

const SearchHits = pipe(
  strictObject({
    total: strictObject({ value: number(), relation: picklist(['eq', 'gte']) }),
    max_score: nullable(number()),
    hits: array(SearchHit),
  }),
  title('SearchHits'),
);

export const SearchAnswer = pipe(
  strictObject({
    took: number(),
    timed_out: boolean(),
    _shards: SearchShards,
    hits: SearchHits,
    aggregations: optional(record(string(), TermsAggregation)),
  }),
  title('SearchAnswer'),
);

const HierarchyBranch = pipe(
  looseObject({
    id: string(),
    name: string(),
    fullyQualifiedName: string(),
    children: array(unknown()),
  }),
  title('HierarchyBranch'),
);

/** With `getHierarchy`, the hits form a tree. */
export const SearchOrHierarchyAnswer = union([SearchAnswer, array(HierarchyBranch)]);

export const EntityTypeCounts = pipe(
  strictObject({
    ...SearchAnswer.entries,
    aggregations: strictObject({ entityType: strictObject({ buckets: TermBuckets }) }),
  }),
  title('EntityTypeCounts'),
);

export const SearchDocumentAnswer = pipe(
  strictObject({
    _index: string(),
    _id: string(),
    found: boolean(),
    _source: record(string(), unknown()),
  }),
  title('SearchDocument'),
);

const Suggestion = pipe(
  strictObject({
    text: string(),
    _index: string(),
    _id: string(),
    _score: number(),
    _source: optional(record(string(), unknown())),
  }),
  title('Suggestion'),
);

/** The answer of completion, in the form of older search engines. */
export const Suggestions = strictObject({
  'metadata-suggest': array(
    strictObject({ text: string(), offset: number(), length: number(), options: array(Suggestion) }),
  ),
});

const FieldBucket = pipe(
  looseObject({ key: union([string(), number(), boolean()]), doc_count: number() }),
  title('FieldBucket'),
);

export const FieldCounts = pipe(
  strictObject({
    aggregations: record(
      string(),
      strictObject({
        doc_count_error_upper_bound: number(),
        sum_other_doc_count: number(),
        buckets: array(FieldBucket),
      }),
    ),
  }),
  title('FieldCounts'),
);

const Size = bounded(0, 10_000);

/** A request to count the values of a field. */
export const AggregateRequest = shape('SearchAggregation', {
  query: Text,
  index: Text,
  fieldName: must(Text),
  fieldValue: Text,
  deleted: Flag,
  size: Size,
  sourceFields: listOf(Text),
  queryText: Text,
  topHits: shape('TopHits', { size: Size, sortField: Text, sortOrder: Text }),
});
