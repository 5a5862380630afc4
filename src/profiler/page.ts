import { badRequest } from '../errors.ts';
import { AFTER, BEFORE, limitParameter, wholeNumber } from '../http/query.ts';
import type { Answer, QueryParameter } from '../http/route.ts';
import { decodeMomentCursor, encodeMomentCursor, type MomentPlace } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import { after as behind } from './place.ts';
import type { ProfileRow, Span } from './queries.ts';
import type { Source, Window } from './source.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000_000;

/** Longer lists are read and written piece by piece. */
const PIECE = 1000;

export type Paging = {
  readonly limit: number;
  readonly after: MomentPlace | undefined;
  readonly before: MomentPlace | undefined;
};

const whole = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});

export const PAGE_PARAMETERS: readonly QueryParameter[] = [
  whole('startTs', 'The beginning of the time looked at, in milliseconds since 1970'),
  whole('endTs', 'The end of the time looked at, in milliseconds since 1970; now unless given'),
  limitParameter('profiles', 0, MAX_LIMIT, DEFAULT_LIMIT),
  AFTER,
  BEFORE,
];

/** The stretch of time that a request asks for. Throws bad_request when it ends before it begins. */
export const windowIn = (query: URLSearchParams, now: number): Window => {
  const start = wholeNumber(query, 'startTs', 0, 0, Number.MAX_SAFE_INTEGER);
  const end = wholeNumber(query, 'endTs', now, 0, Number.MAX_SAFE_INTEGER);
  if (start > end) throw badRequest('[startTs must be less than or equal to endTs]');
  return { start, end };
};

export const pagingIn = (query: URLSearchParams): Paging => {
  const limit = wholeNumber(query, 'limit', DEFAULT_LIMIT, 0, MAX_LIMIT);
  const [after, before] = [query.get('after'), query.get('before')];
  if (after && before) throw badRequest('Only one of before or after query parameter allowed');
  return {
    limit,
    after: after ? decodeMomentCursor(after) : undefined,
    before: before ? decodeMomentCursor(before) : undefined,
  };
};

const later = (a: string, b: string): string => (a > b ? a : b);
const earlier = (a: string, b: string): string => (a < b ? a : b);

type Stretch = { readonly span: Span; readonly hasBefore: boolean };

/** Where the rows of a page lie: what a page that ends before a place begins with is looked for first. */
const stretchOf = async ({ span, find, placeOf }: Source, { limit, after, before }: Paging): Promise<Stretch> => {
  if (after) return { span: { ...span, from: later(span.from, behind(placeOf(after))) }, hasBefore: true };
  if (!before) return { span, hasBefore: false };
  const until = { ...span, to: earlier(span.to, placeOf(before)) };
  const [first, previous] = await find(until, limit - 1);
  return { span: { ...until, from: first ?? until.from }, hasBefore: previous !== undefined };
};

/** The rows of a span, piece by piece, up to a number. */
async function* piecesOf(source: Source, span: Span, most: number): AsyncGenerator<readonly ProfileRow[]> {
  let from = span.from;
  for (let left = most; left > 0; ) {
    const size = Math.min(left, PIECE);
    const rows = await source.page({ from, to: span.to }, size);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    left -= rows.length;
    from = behind(last.place);
  }
}

/** The end of an answer, given the total and the cursors that lead on. */
type Close = (paging: { readonly total: number; readonly after?: string; readonly before?: string }) => JsonObject;

const plainly: Close = ({ total, after, before }) => ({
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
  total,
});

/** The cursors that are not there are said to be none. */
export const withNulls: Close = ({ total, after = null, before = null }) => ({ before, after, total });

/** The texts of rows as they are answered. */
type Show = (rows: readonly ProfileRow[]) => readonly string[] | Promise<readonly string[]>;

async function* written(source: Source, paging: Paging, show: Show, close: Close): AsyncGenerator<string> {
  const { limit } = paging;
  const total = source.total();
  // Its failure is thrown when its turn comes.
  total.catch(() => {});
  const { span, hasBefore } = limit === 0 ? { span: source.span, hasBefore: false } : await stretchOf(source, paging);
  let [count, first, last]: [number, string | undefined, string | undefined] = [0, undefined, undefined];
  let opening = '{"data":[';
  // One more than is answered tells whether the list goes on.
  for await (const rows of piecesOf(source, span, limit === 0 ? 0 : limit + 1)) {
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
  const cursor = (place: string | undefined) => place && encodeMomentCursor(source.edgeOf(place));
  const [before, after] = [hasBefore ? cursor(first) : undefined, goesOn ? cursor(last) : undefined];
  const end = close({ total: await total, ...(before ? { before } : {}), ...(after ? { after } : {}) });
  yield `${opening === ',' ? '' : opening}],"paging":${JSON.stringify(end)}}`;
}

/** A page of profiles as it is answered. Long ones are written while they are read. */
export const answerPage = async (
  source: Source,
  paging: Paging,
  show: Show,
  close: Close = plainly,
): Promise<Answer> => {
  const pieces = written(source, paging, show, close);
  if (paging.limit > PIECE) return { status: 200, stream: pieces };
  let content = '';
  for await (const piece of pieces) content += piece;
  return { status: 200, text: { mediaType: 'application/json', content } };
};
