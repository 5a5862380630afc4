import { wholeNumber } from '../../http/query.ts';
import type { QueryParameter } from '../../http/route.ts';

/** A page by number of rows to skip, for the few lists that clients page this way. */
export type Offset = { readonly limit: number; readonly offset: number };

const MAX_OFFSET_LIMIT = 1000;

/** Reads `limit` and `offset`; without a limit the fallback holds. Throws bad_request naming the one that is wrong. */
export const parseOffset = (query: URLSearchParams, fallback: number, min = 0): Offset => ({
  limit: wholeNumber(query, 'limit', fallback, min, MAX_OFFSET_LIMIT),
  offset: wholeNumber(query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER),
});

export const offsetParameters: readonly QueryParameter[] = [
  {
    name: 'limit',
    description: 'How many to answer',
    schema: { type: 'integer', minimum: 0, maximum: MAX_OFFSET_LIMIT },
  },
  { name: 'offset', description: 'How many to skip', schema: { type: 'integer', minimum: 0, default: 0 } },
];
