/** The number of documents that a search found; with `gte` there are that many or more. */
export type HitTotal = { readonly value: number; readonly relation: 'eq' | 'gte' };

/** Hits are counted up to this number unless the caller asks for the exact total. */
const MAX_COUNTED = 10_000;

export const hitTotalOf = (count: number, trackTotalHits: boolean): HitTotal =>
  trackTotalHits || count <= MAX_COUNTED ? { value: count, relation: 'eq' } : { value: MAX_COUNTED, relation: 'gte' };
