import { badRequest, type CatalogError } from '../../errors.ts';

/** Where something stands in the text of a query, as a number of characters. */
export type TextPlace = number;

/** Refuses a query, and names the line and column of what is wrong. */
export const queryFault = (text: string, place: TextPlace, message: string): CatalogError => {
  const before = text.slice(0, place).split('\n');
  return badRequest(`[query line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${message}]`);
};
