import { queryFlag } from '../../catalog/read/answer.ts';
import { badRequest } from '../../errors.ts';
import { sideBySide } from '../../graph/side-by-side.ts';
import { textParameter, wholeNumber } from '../../http/query.ts';
import type { Call, QueryParameter } from '../../http/route.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { AggregateRequest } from '../../model/search-values.ts';
import { check, dropNulls } from '../../model/validate.ts';
import { type Asked, readAsked } from '../asked/parameters.ts';
import { type FieldClass, fieldsOf, namesField } from '../fields.ts';
import { readFilter } from '../filter/read.ts';
import { ALL, every, type Filter, type Scalar } from '../filter/tree.ts';
import { find, scopeOf } from '../find/find.ts';
import { askLessWhenTooMuch } from '../find/plainer.ts';
import { countTerms } from '../find/queries.ts';
import type { SearchRoom } from '../find/room.ts';
import { visibleBuckets } from '../find/visible-buckets.ts';
import { placeOf, sortOf } from '../index/places.ts';
import { numberIn, shownIn, stem } from '../index/terms.ts';
import { readQuery } from '../query-string/read.ts';
import { fold } from '../tokens.ts';

/** Counting what is found by the values of one field (search.md 3.6). */

/** How many values are looked through for those that are wanted. */
const MOST_VALUES = 100_000;
const MOST_BUCKETS = 10_000;
/** So many values are shown with hits at most, each of which is a search of its own. */
const MOST_WITH_HITS = 1000;
const AT_ONCE = 4;

type Start = { readonly start: string; readonly how: FieldClass };

/** How the terms begin that say what stands in a field. */
const startsOf = (kinds: readonly Kind[], name: string): readonly Start[] => {
  const starts = new Map<string, Start>();
  for (const kind of kinds) {
    const field = fieldsOf(kind)(name);
    const place = field && placeOf(kind, field.path);
    if (!place?.isApart || !place.class || place.class === 'object') continue;
    const start = stem(place.code, sortOf(place));
    starts.set(start, { start, how: place.class });
  }
  return [...starts.values()];
};

const valueIn = (starts: readonly Start[], term: string): Scalar => {
  const { start, how } = starts.find((one) => term.startsWith(one.start)) ?? { start: '', how: 'text' };
  const text = term.slice(start.length);
  if (how === 'number' || how === 'date') return numberIn(text);
  return shownIn(text);
};

type Wish = {
  readonly asked: Asked;
  readonly field: string | undefined;
  /** A part of the values that are wanted. */
  readonly value: string;
  readonly buckets: number;
  /** What is shown of each value beside its number. */
  readonly top: { readonly size: number } | undefined;
};

const topHits = async (room: SearchRoom, call: Call, { asked, field = '', top }: Wish, key: Scalar): Promise<Json> => {
  const same: Filter = { is: 'term', field, values: [key], anyCase: false };
  const answer = await find(
    room,
    { ...asked, filter: every([asked.filter, same]), size: top?.size ?? 1, aggregates: false },
    call,
  );
  return { hits: answer['hits'] ?? null };
};

/** How often each term of a field is among what is found. */
const countedTerms = async (room: SearchRoom, call: Call, asked: Asked, field: string, isPatient: boolean) => {
  const { index, kinds, query, only } = await scopeOf(room, asked, call, isPatient);
  const starts = startsOf(kinds, field);
  const prefixes = starts.map(({ start }) => start);
  const asking = { index, query, only, prefixes, limit: MOST_VALUES };
  return { starts, rows: starts.length === 0 ? [] : await room.engine.graph.read(countTerms, asking) };
};

const count = async (room: SearchRoom, call: Call, wish: Wish): Promise<JsonObject> => {
  const { asked, field, value, buckets: most, top } = wish;
  if (field === undefined) return { aggregations: {} };
  if (top && most > MOST_WITH_HITS) {
    throw badRequest(`[size must be at most ${MOST_WITH_HITS} where hits are asked for as well]`);
  }
  const once = (isPatient: boolean) =>
    askLessWhenTooMuch(asked, (some) => countedTerms(room, call, some, field, isPatient));
  const exact = await once(false);
  // As in a search: where nothing has all of the words that somebody typed, any of them will do.
  const { starts, rows } = exact.rows.length === 0 && asked.q.is === 'simple' ? await once(true) : exact;
  const part = fold(value.replace(/^\.\*|\.\*$/g, ''));
  const counts = rows
    .map(({ term, count: times }) => ({ key: valueIn(starts, term), doc_count: times }))
    .filter(({ key }) => fold(String(key)).includes(part));
  const all = await visibleBuckets(room.engine, call.principal, field, counts);
  const shown = all.slice(0, most);
  const others = all.slice(most).reduce((sum, bucket) => sum + bucket.doc_count, 0);
  const buckets: JsonObject[] = top
    ? await sideBySide(shown, AT_ONCE, async (bucket) => ({
        ...bucket,
        'top_hits#top': await topHits(room, call, wish, bucket.key),
      }))
    : shown;
  const counted = { doc_count_error_upper_bound: 0, sum_other_doc_count: others, buckets };
  return { aggregations: { [`sterms#${field}`]: counted } };
};

const named = (text: string | null): readonly string[] => (text ?? '').split(',').filter((name) => name.trim() !== '');

/** GET /v1/search/aggregate. */
export const countByField = (room: SearchRoom, call: Call): Promise<JsonObject> => {
  const { query } = call;
  const sourceFields = named(query.get('sourceFields'));
  const parameters = new URLSearchParams();
  for (const name of ['q', 'index', 'deleted', 'query_filter']) {
    const text = query.get(name);
    if (text !== null) parameters.set(name, text);
  }
  if (!query.get('deleted')) parameters.set('deleted', String(queryFlag(call, 'deleted')));
  for (const name of sourceFields) parameters.append('include_source_fields', name);
  return count(room, call, {
    asked: readAsked(room.engine.registry.kinds, { query: parameters }, { index: 'all' }),
    field: query.get('field') || undefined,
    value: query.get('value') ?? '',
    buckets: wholeNumber(query, 'size', 10, 0, MOST_BUCKETS),
    top: sourceFields.length > 0 ? { size: 1 } : undefined,
  });
};

type Request = {
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

/** A filter in JSON, or else what somebody typed. */
const readEither = (text: string, isField: (name: string) => boolean): Filter => {
  let isJson = false;
  try {
    isJson = isObject(JSON.parse(text));
  } catch {
    // What is no JSON is text.
  }
  return isJson ? readFilter(text, { name: 'query', isField }) : readQuery(text, { name: 'query', isField });
};

/** POST /v1/search/aggregate. */
export const countByFieldOf = async (room: SearchRoom, call: Call): Promise<JsonObject> => {
  const body = check(AggregateRequest, dropNulls(((await call.body.json()) ?? {}) as Json)) as unknown as Request;
  const { kinds } = room.engine.registry;
  const parameters = new URLSearchParams({
    q: body.queryText ?? '',
    index: body.index ?? '',
    deleted: String(body.deleted ?? false),
    sort_field: body.topHits?.sortField ?? '',
    sort_order: body.topHits?.sortOrder ?? '',
  });
  for (const name of body.sourceFields ?? []) parameters.append('include_source_fields', name);
  const asked = readAsked(kinds, { query: parameters }, { index: 'all' });
  const filter = body.query ? readEither(body.query, namesField(asked.searched.kinds)) : ALL;
  const wantsHits = body.topHits !== undefined || (body.sourceFields?.length ?? 0) > 0;
  return count(room, call, {
    asked: { ...asked, filter: every([asked.filter, filter]) },
    field: body.fieldName,
    value: body.fieldValue ?? '',
    buckets: body.size ?? 10,
    top: wantsHits ? { size: body.topHits?.size ?? 1 } : undefined,
  });
};

export const AGGREGATE: readonly QueryParameter[] = [
  textParameter('index', 'The index or indexes to search; without it, all'),
  textParameter('field', 'The field whose values are counted'),
  textParameter('value', 'A part of the values that are wanted'),
  textParameter('q', 'What is sought'),
  textParameter('sourceFields', 'With this, a hit of each value is shown with these members'),
  { name: 'size', description: 'How many values to answer', schema: { type: 'integer', minimum: 0, default: 10 } },
  { name: 'deleted', description: 'Whether also what is deleted counts', schema: { type: 'boolean', default: false } },
];
