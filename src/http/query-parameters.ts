import { badRequest, CatalogError } from '../errors.ts';
import { parseDateTime } from '../model/time.ts';
import type { QueryParameter } from './route.ts';

/** What is wrong with the text of an integer, worded as in the contract, or undefined. */
export const integerFault = (text: string, min: number, max: number): string | undefined => {
  const value = Number(text);
  if (!/^-?\d+$/.test(text)) return 'must be a whole number';
  if (value < min) return `must be greater than or equal to ${min}`;
  return value > max ? `must be less than or equal to ${max}` : undefined;
};

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
  const fault = integerFault(text, min, max);
  if (fault !== undefined) throw badRequest(`[${name} ${fault}]`);
  return Number(text);
};

/** Does work with the value of a parameter, and adds the name of the parameter to what is wrong with the value. */
export const withParameter = <T>(name: string, work: () => T): T => {
  try {
    return work();
  } catch (failure) {
    const isRefused = failure instanceof CatalogError && failure.code === 'bad_request';
    throw isRefused ? badRequest(`[${name}: ${failure.message}]`) : failure;
  }
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

const LAST_MOMENT = Number.MAX_SAFE_INTEGER - 1;

/** A date, or a date with a time; the time zone is optional. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Declares a moment for the API document, for the operations that are Tributary's own. */
export const momentParameter = (name: string, description: string): QueryParameter => ({
  name,
  description: `${description}, in milliseconds since 1970 or as a date such as 2026-01-31T12:00:00Z`,
  schema: { type: ['integer', 'string'], minimum: 0 },
});

export const MOMENT_FAULT = 'must be milliseconds since 1970 or a date such as 2026-01-31T12:00:00Z';

/** The moment that a text means, or undefined when it is neither a number nor a date. */
export const momentOf = (text: string): number | undefined => {
  if (/^-?\d+$/.test(text)) return integerFault(text, 0, LAST_MOMENT) === undefined ? Number(text) : undefined;
  // A plus sign in a query is a space.
  const iso = text.replace(' ', '+');
  const at = ISO_TIME.test(iso) ? parseDateTime(iso) : undefined;
  return at === undefined || at < 0 ? undefined : at;
};

/** Reads a moment. Throws bad_request when it is neither a number nor a date. */
export const readMoment = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  if (!text) return undefined;
  const at = momentOf(text);
  if (at === undefined) throw badRequest(`[${name} ${MOMENT_FAULT}]`);
  return at;
};
