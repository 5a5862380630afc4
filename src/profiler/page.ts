import { badRequest } from '../errors.ts';
import {
  AFTER_PARAMETER,
  BEFORE_PARAMETER,
  countingParameter,
  integerParameter,
  limitParameter,
} from '../http/query-parameters.ts';
import type { Answer, QueryParameter } from '../http/route.ts';
import { decodeSeriesCursor, encodeSeriesCursor, type SeriesPosition } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import type { ProfileSource, TimeWindow } from './profile-source.ts';
import type { ProfileRow, SortKeyRange } from './queries.ts';
import { nextSortKey as behind } from './sort-key.ts';

/** Parses the paging parameters of profile lists and answers one page. */

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000_000;

/** Pages longer than this are read and written in chunks. */
const CHUNK_SIZE = 1000;

export type ProfilePaging = {
  readonly limit: number;
  readonly after: SeriesPosition | undefined;
  readonly before: SeriesPosition | undefined;
};

export const PAGE_PARAMETERS: readonly QueryParameter[] = [
  countingParameter('startTs', 'Start of the time range, in milliseconds since 1970'),
  countingParameter('endTs', 'End of the time range, in milliseconds since 1970; now by default'),
  limitParameter('profiles', 0, MAX_LIMIT, DEFAULT_LIMIT),
  AFTER_PARAMETER,
  BEFORE_PARAMETER,
];

/** Parses the time window of a request. Throws bad_request when it ends before it starts. */
export const parseWindow = (query: URLSearchParams, now: number): TimeWindow => {
  const start = integerParameter(query, 'startTs', 0, 0, Number.MAX_SAFE_INTEGER);
  const end = integerParameter(query, 'endTs', now, 0, Number.MAX_SAFE_INTEGER);
  if (start > end) throw badRequest('[startTs must be less than or equal to endTs]');
  return { start, end };
};

export const parsePaging = (query: URLSearchParams): ProfilePaging => {
  const limit = integerParameter(query, 'limit', DEFAULT_LIMIT, 0, MAX_LIMIT);
  const [after, before] = [query.get('after'), query.get('before')];
  if (after && before) throw badRequest('Only one of before or after query parameter allowed');
  return {
    limit,
    after: after ? decodeSeriesCursor(after) : undefined,
    before: before ? decodeSeriesCursor(before) : undefined,
  };
};

const later = (a: string, b: string): string => (a > b ? a : b);
const earlier = (a: string, b: string): string => (a < b ? a : b);

type PageRange = { readonly span: SortKeyRange; readonly hasBefore: boolean };

/** Finds the sort-key range of a page. For a page that ends before a cursor, its first row is looked up first. */
const findPageRange = async (
  { span, find, placeOf }: ProfileSource,
  { limit, after, before }: ProfilePaging,
): Promise<PageRange> => {
  if (after) return { span: { ...span, from: later(span.from, behind(placeOf(after))) }, hasBefore: true };
  if (!before) return { span, hasBefore: false };
  const until = { ...span, to: earlier(span.to, placeOf(before)) };
  const [first, previous] = await find(until, limit - 1);
  return { span: { ...until, from: first ?? until.from }, hasBefore: previous !== undefined };
};

/** Reads the rows of a range in chunks, up to a limit. */
async function* readChunks(
  source: ProfileSource,
  span: SortKeyRange,
  most: number,
): AsyncGenerator<readonly ProfileRow[]> {
  let from = span.from;
  for (let left = most; left > 0; ) {
    const size = Math.min(left, CHUNK_SIZE);
    const rows = await source.page({ from, to: span.to }, size);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    left -= rows.length;
    from = behind(last.place);
  }
}

/** Renders the paging part of an answer from the total and the cursors. */
type PagingRenderer = (paging: {
  readonly total: number;
  readonly after?: string;
  readonly before?: string;
}) => JsonObject;

const pagingWithoutNulls: PagingRenderer = ({ total, after, before }) => ({
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
  total,
});

/** Renders missing cursors as null. */
export const pagingWithNulls: PagingRenderer = ({ total, after = null, before = null }) => ({ before, after, total });

/** Renders rows as the JSON texts of the answer. */
type RowRenderer = (rows: readonly ProfileRow[]) => readonly string[] | Promise<readonly string[]>;

async function* streamPage(
  source: ProfileSource,
  paging: ProfilePaging,
  show: RowRenderer,
  close: PagingRenderer,
): AsyncGenerator<string> {
  const { limit } = paging;
  const total = source.total();
  // The rejection is handled where the total is awaited; until then it must not count as unhandled.
  total.catch(() => {});
  const { span, hasBefore } =
    limit === 0 ? { span: source.span, hasBefore: false } : await findPageRange(source, paging);
  let [count, first, last]: [number, string | undefined, string | undefined] = [0, undefined, undefined];
  let opening = '{"data":[';
  // One row more than the limit shows whether another page follows.
  for await (const rows of readChunks(source, span, limit === 0 ? 0 : limit + 1)) {
    const some = rows.slice(0, limit - count);
    count += rows.length;
    first ??= some[0]?.place;
    last = some.at(-1)?.place ?? last;
    const text = (await show(some)).join(',');
    if (text === '') continue;
    yield `${opening}${text}`;
    opening = ',';
  }
  const goesOn = count > limit || (paging.before !== undefined && count > 0);
  const cursor = (place: string | undefined) => place && encodeSeriesCursor(source.edgeOf(place));
  const [before, after] = [hasBefore ? cursor(first) : undefined, goesOn ? cursor(last) : undefined];
  const end = close({ total: await total, ...(before ? { before } : {}), ...(after ? { after } : {}) });
  yield `${opening === ',' ? '' : opening}],"paging":${JSON.stringify(end)}}`;
}

/** Answers a page of profiles. Long pages are streamed while they are read. */
export const answerProfilePage = async (
  source: ProfileSource,
  paging: ProfilePaging,
  show: RowRenderer,
  close: PagingRenderer = pagingWithoutNulls,
): Promise<Answer> => {
  const pieces = streamPage(source, paging, show, close);
  if (paging.limit > CHUNK_SIZE) return { status: 200, stream: pieces };
  let content = '';
  for await (const piece of pieces) content += piece;
  return { status: 200, text: { mediaType: 'application/json', content } };
};
