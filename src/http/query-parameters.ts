import { badRequest } from '../errors.ts';
import type { QueryParameter } from './route.ts';

/** Reads an integer query parameter within its bounds. Throws bad_request with its name when it is invalid. */
export const integerParameter = (
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

/** Declares a text parameter for the API document. */
export const textParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'string' },
});

/** Declares a whole number that is not negative, such as a moment, for the API document. */
export const countingParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});

/** Declares a flag for the API document. */
export const flagParameter = (name: string, description: string, fallback?: boolean): QueryParameter => ({
  name,
  description,
  schema: { type: 'boolean', ...(fallback === undefined ? {} : { default: fallback }) },
});

/** Declares the page size parameter for the API document. */
export const limitParameter = (what: string, min: number, max: number, fallback: number): QueryParameter => ({
  name: 'limit',
  description: `Number of ${what} to return${min === 0 ? '; 0 returns only the total' : ''}`,
  schema: { type: 'integer', minimum: min, maximum: max, default: fallback },
});

export const AFTER_PARAMETER = textParameter('after', 'Cursor after which the page starts');
export const BEFORE_PARAMETER = textParameter('before', 'Cursor before which the page ends');
