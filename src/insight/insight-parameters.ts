import { badRequest } from '../errors.ts';
import { CSV_TYPE, type CsvRow, csvContentType, writeCsvLines } from '../http/csv-writer.ts';
import { AFTER_PARAMETER, integerParameter, limitParameter, textParameter } from '../http/query-parameters.ts';
import type { Answer, Call, QueryParameter } from '../http/route.ts';
import { readListParameter } from '../lineage/read/graph/graph-parameters.ts';
import { decodeRowCursor, encodeRowCursor } from '../model/cursor.ts';

/** What the operations that answer questions have in common: access, pages, and lists as JSON or CSV. */

export const insightAccess = {
  tag: 'Insight',
  access: { operation: 'ViewBasic', resource: 'lineage' },
  isOwn: true,
} as const;

/** What such an operation declares when it answers a list. */
export const insightList = {
  ...insightAccess,
  alsoAnswers: [CSV_TYPE],
  sends: ['X-Lineage-Truncated', 'X-Next-After'],
} as const;

export const SCOPE_PARAMETER: QueryParameter = textParameter(
  'scope',
  'Fully qualified name of an asset; it and everything below it count. The whole catalog by default',
);

export const statesParameter = (states: readonly string[]): QueryParameter =>
  textParameter('state', `Comma-separated states to list: ${states.join(', ')}; all by default`);

/** Reads the states to list. Throws bad_request when one is not known. */
export const readStates = <T extends string>(call: Call, states: readonly T[]): ReadonlySet<T> => {
  const texts = readListParameter(call, 'state');
  if (texts.some((text) => !states.some((state) => state === text)))
    throw badRequest(`[state must be one of ${states.join(', ')}]`);
  return new Set(texts.length === 0 ? states : (texts as T[]));
};

const MAX_ROWS = 1000;
const DEFAULT_ROWS = 100;

export const INSIGHT_PAGE_PARAMETERS: readonly QueryParameter[] = [
  limitParameter('rows', 1, MAX_ROWS, DEFAULT_ROWS),
  AFTER_PARAMETER,
];

/** A list; `cut` says what there was too much of to look at everything. */
export type InsightList<T> = { readonly rows: readonly T[]; readonly cut?: string | undefined };

export type InsightPage<T> = InsightList<T> & {
  readonly paging: { readonly total?: number; readonly after?: string; readonly truncated?: true };
};

const startOf = <T>(rows: readonly T[], after: string, keyOf: (row: T) => string): number => {
  const { key, place } = decodeRowCursor(after);
  const at = rows.findIndex((row) => keyOf(row) === key);
  return at === -1 ? place : at + 1;
};

/**
 * Cuts a page out of a list that is computed for each request. It goes on behind the last row of the page before, wherever
 * that row stands now, and at its former place when it is gone.
 */
export const takePage = <T>(
  { query }: Call,
  { rows, cut }: InsightList<T>,
  keyOf: (row: T) => string,
): InsightPage<T> => {
  const limit = integerParameter(query, 'limit', DEFAULT_ROWS, 1, MAX_ROWS);
  const after = query.get('after');
  const start = after ? startOf(rows, after, keyOf) : 0;
  const end = start + limit;
  const page = rows.slice(start, end);
  const last = end < rows.length ? page.at(-1) : undefined;
  const count = cut === undefined ? { total: rows.length } : { truncated: true as const };
  const next = last === undefined ? {} : { after: encodeRowCursor({ key: keyOf(last), place: end }) };
  return { rows: page, cut, paging: { ...count, ...next } };
};

/** The columns of a list as CSV, by their titles. */
export type CsvColumns<T> = Readonly<Record<string, (row: T) => string | number | undefined>>;

/** Answers a page as JSON, or as CSV to a caller who accepts that. */
export const answerPage = <T>(
  call: Call,
  { rows, cut, paging }: InsightPage<T>,
  { columns, render }: { readonly columns: CsvColumns<T>; readonly render: () => object },
): Answer => {
  const headers = {
    ...(cut === undefined ? {} : { 'X-Lineage-Truncated': cut }),
    ...(paging.after === undefined ? {} : { 'X-Next-After': paging.after }),
  };
  if (!call.header('accept')?.includes(CSV_TYPE)) return { status: 200, headers, json: render() };
  const cells = rows.map((row): CsvRow => Object.values(columns).map((cellOf) => String(cellOf(row) ?? '')));
  const content = writeCsvLines([Object.keys(columns), ...cells], true);
  return { status: 200, headers, text: { mediaType: csvContentType(call), content } };
};
