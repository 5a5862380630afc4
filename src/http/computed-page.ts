import { decodeRowCursor, encodeRowCursor } from '../model/cursor.ts';
import { AFTER_PARAMETER, integerParameter, limitParameter } from './query-parameters.ts';
import type { Call, QueryParameter } from './route.ts';

/** Pages of lists that are computed for each request, because nothing keeps them in their order. */

const MAX_ROWS = 1000;
const DEFAULT_ROWS = 100;

export const computedPageParameters = (what: string): readonly QueryParameter[] => [
  limitParameter(what, 1, MAX_ROWS, DEFAULT_ROWS),
  AFTER_PARAMETER,
];

/** A list; `cut` says what there was too much of to look at everything. */
export type ComputedList<T> = { readonly rows: readonly T[]; readonly cut?: string | undefined };

export type ComputedPage<T> = ComputedList<T> & {
  readonly paging: { readonly total?: number; readonly after?: string; readonly truncated?: true };
};

const startOf = <T>(rows: readonly T[], after: string, keyOf: (row: T) => string): number => {
  const { key, place } = decodeRowCursor(after);
  const at = rows.findIndex((row) => keyOf(row) === key);
  return at === -1 ? place : at + 1;
};

/**
 * Cuts a page out of a list. It goes on behind the last row of the page before, wherever that row stands now, and at its
 * former place when it is gone.
 */
export const takePage = <T>(
  { query }: Pick<Call, 'query'>,
  { rows, cut }: ComputedList<T>,
  keyOf: (row: T) => string,
): ComputedPage<T> => {
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
