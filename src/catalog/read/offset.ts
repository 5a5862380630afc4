import { integerParameter } from '../../http/query-parameters.ts';
import type { QueryParameter } from '../../http/route.ts';

/** A page given by limit and offset, for the few lists that clients page this way. */
export type OffsetPage = { readonly limit: number; readonly offset: number };

const MAX_OFFSET_LIMIT = 1000;

/** Parses `limit` and `offset`, with a fallback for the limit. Throws bad_request naming the wrong parameter. */
export const parseOffsetPage = (query: URLSearchParams, fallback: number, min = 0): OffsetPage => ({
  limit: integerParameter(query, 'limit', fallback, min, MAX_OFFSET_LIMIT),
  offset: integerParameter(query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER),
});

export const offsetParameters: readonly QueryParameter[] = [
  {
    name: 'limit',
    description: 'Number of items to return',
    schema: { type: 'integer', minimum: 0, maximum: MAX_OFFSET_LIMIT },
  },
  { name: 'offset', description: 'Number of items to skip', schema: { type: 'integer', minimum: 0, default: 0 } },
];
