/** How many documents a search found; `gte` says that there are that many or more. */
export type Total = { readonly value: number; readonly relation: 'eq' | 'gte' };

/** Up to so many are counted for everybody; who wants to know more exactly has to ask. */
const MOST_COUNTED = 10_000;

export const totalOf = (count: number, trackTotalHits: boolean): Total =>
  trackTotalHits || count <= MOST_COUNTED ? { value: count, relation: 'eq' } : { value: MOST_COUNTED, relation: 'gte' };
