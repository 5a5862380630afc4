import { parseQueryFlag } from '../../catalog/read/answer.ts';
import { badRequest } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { integerParameter, textParameter } from '../../http/query-parameters.ts';
import type { Call, QueryParameter } from '../../http/route.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { AggregateRequest } from '../../model/schemas/search/search-response.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { createFieldLookup, createFieldNameTest, type FieldClass } from '../../search-documents/fields.ts';
import { readFilter } from '../../search-documents/filter/read-filter.ts';
import { andFilter, MATCH_ALL, type Scalar, type SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { isFacetOfEach } from '../../search-documents/index/facets.ts';
import { indexedFieldOf, termFormOf } from '../../search-documents/index/indexed-field.ts';
import { displayTermText, termNumber, termPrefix } from '../../search-documents/index/terms.ts';
import { parseSearchQuery } from '../../search-documents/query-string/parse-query.ts';
import { foldText } from '../../search-documents/tokens.ts';
import { countEverythingByTerm, countTerms } from '../find/queries.ts';
import { runWithRewrites } from '../find/rewrite-query.ts';
import { resolveCountedHits, runSearch } from '../find/run-search.ts';
import type { SearchContext } from '../find/search-context.ts';
import { filterVisibleBuckets } from '../find/visible-buckets.ts';
import { readSearchRequest, type SearchRequest } from '../request/search-request.ts';
import { watchFields } from '../request/unknown-fields.ts';

/** Counts hits by the values of one field (search.md 3.6). */

/** The most values that are searched for the requested ones. */
const MAX_VALUES = 100_000;
const MAX_BUCKETS = 10_000;
/** The most values that are shown with hits, because each of them needs a search of its own. */
const MAX_BUCKETS_WITH_HITS = 1000;
const AT_ONCE = 4;

type TermPrefix = { readonly start: string; readonly how: FieldClass };

/** Finds the prefixes of the terms that hold the values of a field. */
const termPrefixesOf = (kinds: readonly Kind[], name: string): readonly TermPrefix[] => {
  const starts = new Map<string, TermPrefix>();
  for (const kind of kinds) {
    const field = createFieldLookup(kind)(name);
    const place = field && indexedFieldOf(kind, field.path);
    if (!place?.hasTerms || !place.class || place.class === 'object') continue;
    const start = termPrefix(place.code, termFormOf(place));
    starts.set(start, { start, how: place.class });
  }
  return [...starts.values()];
};

const decodeTermValue = (starts: readonly TermPrefix[], term: string): Scalar => {
  const { start, how } = starts.find((one) => term.startsWith(one.start)) ?? { start: '', how: 'text' };
  const text = term.slice(start.length);
  if (how === 'number' || how === 'date') return termNumber(text);
  return displayTermText(text);
};

type FieldCountRequest = {
  readonly request: SearchRequest;
  readonly field: string | undefined;
  /** A substring of the requested values. */
  readonly value: string;
  readonly buckets: number;
  /** The hits to show for each value besides its count. */
  readonly top: { readonly size: number } | undefined;
};

const findTopHits = async (
  context: SearchContext,
  call: Call,
  { request, field = '', top }: FieldCountRequest,
  key: Scalar,
): Promise<Json> => {
  const same: SearchFilter = { is: 'term', field, values: [key], anyCase: false };
  const answer = await runSearch(
    context,
    { ...request, filter: andFilter([request.filter, same]), size: top?.size ?? 1, aggregates: false },
    call,
  );
  return { hits: answer['hits'] ?? null };
};

/** Counts the terms of a field among the hits. */
const countFieldTerms = async (
  context: SearchContext,
  call: Call,
  request: SearchRequest,
  field: string,
  allowsAnyWord: boolean,
) => {
  const { graph } = context.engine;
  const { kinds, everythingOf, ...counting } = await resolveCountedHits(context, request, call, allowsAnyWord);
  const starts = termPrefixesOf(kinds, field);
  const params = { prefixes: starts.map(({ start }) => start), limit: MAX_VALUES };
  if (starts.length === 0) return { starts, rows: [] };
  // Documents with the same facet key have the same values of a facet, and not of other fields.
  const rows =
    everythingOf && isFacetOfEach(kinds, field)
      ? await graph.read(countEverythingByTerm, { ...params, entityTypes: everythingOf })
      : await graph.read(countTerms, { ...params, ...counting });
  return { starts, rows };
};

const countFieldValues = async (context: SearchContext, call: Call, wanted: FieldCountRequest): Promise<JsonObject> => {
  const { request, field, value, buckets: most, top } = wanted;
  if (field === undefined) return { aggregations: {} };
  if (top && most > MAX_BUCKETS_WITH_HITS) {
    throw badRequest(`[size must be at most ${MAX_BUCKETS_WITH_HITS} when sourceFields is given]`);
  }
  const once = (allowsAnyWord: boolean) =>
    runWithRewrites(request, (some) => countFieldTerms(context, call, some, field, allowsAnyWord));
  const exact = await once(false);
  // As in a search, any of the typed words suffices when no document has all of them.
  const { starts, rows } = exact.rows.length === 0 && request.q.is === 'simple' ? await once(true) : exact;
  const part = foldText(value.replace(/^\.\*|\.\*$/g, ''));
  const counts = rows
    .map(({ term, count: times }) => ({ key: decodeTermValue(starts, term), doc_count: times }))
    .filter(({ key }) => foldText(String(key)).includes(part));
  const all = await filterVisibleBuckets(context.engine, call.principal, field, counts);
  const shown = all.slice(0, most);
  const others = all.slice(most).reduce((sum, bucket) => sum + bucket.doc_count, 0);
  const buckets: JsonObject[] = top
    ? await mapConcurrently(shown, AT_ONCE, async (bucket) => ({
        ...bucket,
        'top_hits#top': await findTopHits(context, call, wanted, bucket.key),
      }))
    : shown;
  const counted = { doc_count_error_upper_bound: 0, sum_other_doc_count: others, buckets };
  return { aggregations: { [`sterms#${field}`]: counted } };
};

const splitNames = (text: string | null): readonly string[] =>
  (text ?? '').split(',').filter((name) => name.trim() !== '');

/** GET /v1/search/aggregate. */
export const getFieldCounts = (context: SearchContext, call: Call): Promise<JsonObject> => {
  const { query } = call;
  const sourceFields = splitNames(query.get('sourceFields'));
  const parameters = new URLSearchParams();
  for (const name of ['q', 'index', 'deleted', 'query_filter']) {
    const text = query.get(name);
    if (text !== null) parameters.set(name, text);
  }
  if (!query.get('deleted')) parameters.set('deleted', String(parseQueryFlag(call, 'deleted')));
  for (const name of sourceFields) parameters.append('include_source_fields', name);
  return countFieldValues(context, call, {
    request: readSearchRequest(
      context.engine.registry.kinds,
      { query: parameters },
      { index: 'all', onHint: context.onHint },
    ),
    field: query.get('field') || undefined,
    value: query.get('value') ?? '',
    buckets: integerParameter(query, 'size', 10, 0, MAX_BUCKETS),
    top: sourceFields.length > 0 ? { size: 1 } : undefined,
  });
};

type FieldCountBody = {
  readonly query?: string;
  readonly index?: string;
  readonly fieldName: string;
  readonly fieldValue?: string;
  readonly deleted?: boolean;
  readonly size?: number;
  readonly sourceFields?: readonly string[];
  readonly queryText?: string;
  readonly topHits?: { readonly size?: number; readonly sortField?: string; readonly sortOrder?: string };
};

/** Reads a JSON filter, or else typed text. */
const readFilterOrText = (text: string, isField: (name: string) => boolean): SearchFilter => {
  let isJson = false;
  try {
    isJson = isObject(JSON.parse(text));
  } catch {
    // Text that is not JSON is a typed query.
  }
  return isJson ? readFilter(text, { name: 'query', isField }) : parseSearchQuery(text, { name: 'query', isField });
};

/** Reads the filter of a body, and says which words of it look like fields and are none. */
const readBodyFilter = ({ onHint }: SearchContext, kinds: readonly Kind[], text: string): SearchFilter => {
  const watch = watchFields(kinds, createFieldNameTest(kinds), text);
  const filter = readFilterOrText(text, watch.isField);
  const hint = watch.describeUnknown();
  if (hint !== undefined) onHint?.(hint);
  return filter;
};

/** POST /v1/search/aggregate. */
export const postFieldCounts = async (context: SearchContext, call: Call): Promise<JsonObject> => {
  const body = validate(
    AggregateRequest,
    dropNulls(((await call.body.json()) ?? {}) as Json),
  ) as unknown as FieldCountBody;
  const { kinds } = context.engine.registry;
  const parameters = new URLSearchParams({
    q: body.queryText ?? '',
    index: body.index ?? '',
    deleted: String(body.deleted ?? false),
    sort_field: body.topHits?.sortField ?? '',
    sort_order: body.topHits?.sortOrder ?? '',
  });
  for (const name of body.sourceFields ?? []) parameters.append('include_source_fields', name);
  const request = readSearchRequest(kinds, { query: parameters }, { index: 'all', onHint: context.onHint });
  const filter = body.query ? readBodyFilter(context, request.searched.kinds, body.query) : MATCH_ALL;
  const wantsHits = body.topHits !== undefined || (body.sourceFields?.length ?? 0) > 0;
  return countFieldValues(context, call, {
    request: { ...request, filter: andFilter([request.filter, filter]) },
    field: body.fieldName,
    value: body.fieldValue ?? '',
    buckets: body.size ?? 10,
    top: wantsHits ? { size: body.topHits?.size ?? 1 } : undefined,
  });
};

export const AGGREGATE_PARAMETERS: readonly QueryParameter[] = [
  textParameter('index', 'Comma-separated names or aliases of the indexes to search; all by default'),
  textParameter('field', 'Field whose values are counted'),
  textParameter('value', 'Text that the counted values must contain'),
  textParameter('q', 'Search query in query string syntax'),
  textParameter('query_filter', 'Filter for the assets, as a JSON query or a query string'),
  textParameter('sourceFields', 'Comma-separated names of the document fields of a sample hit per value'),
  { name: 'size', description: 'Number of values to return', schema: { type: 'integer', minimum: 0, default: 10 } },
  { name: 'deleted', description: 'Whether to include deleted assets', schema: { type: 'boolean', default: false } },
];
