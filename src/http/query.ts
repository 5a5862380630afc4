import { badRequest } from '../errors.ts';

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
