/** How many documents a search found; `gte` says that there are that many or more. */
export type HitTotal = { readonly value: number; readonly relation: 'eq' | 'gte' };

/** Up to so many are counted for everybody; who wants to know more exactly has to ask. */
const MAX_COUNTED = 10_000;

export const hitTotalOf = (count: number, trackTotalHits: boolean): HitTotal =>
  trackTotalHits || count <= MAX_COUNTED ? { value: count, relation: 'eq' } : { value: MAX_COUNTED, relation: 'gte' };
