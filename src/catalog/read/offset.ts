import { badRequest } from '../../errors.ts';
import type { QueryParameter } from '../../http/route.ts';

/** A page by number of rows to skip, for the few lists that clients page this way. */
export type Offset = { readonly limit: number; readonly offset: number };

/** A whole number in a query, within its bounds. Throws bad_request naming it when it is not. */
export const wholeNumber = (
  query: URLSearchParams,
  name: string,
  fallback: number,
  min: number,
  max: number,
): number => {
  const text = query.get(name);
  if (!text) return fallback;
  const value = Number(text);
  if (!/^-?\d+$/.test(text)) throw badRequest(`[${name} must be a whole number]`);
  if (value < min) throw badRequest(`[${name} must be greater than or equal to ${min}]`);
  if (value > max) throw badRequest(`[${name} must be less than or equal to ${max}]`);
  return value;
};

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
