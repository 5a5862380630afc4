import { andQuery, boostQuery, LUCENE_ALL, LUCENE_NONE, type LuceneQuery, notQuery, orQuery } from './lucene.ts';

/**
 * The bounds of a condition in the index: the documents that certainly match, and those that possibly match. If both
 * are equal, the index answers the condition exactly; otherwise the documents in between are checked one by one.
 */
export type QueryBounds = { readonly certain: LuceneQuery; readonly possible: LuceneQuery };

export const exactBounds = (query: LuceneQuery): QueryBounds => ({ certain: query, possible: query });

export const boundsBetween = (certain: LuceneQuery, possible: LuceneQuery): QueryBounds => ({ certain, possible });

export const NO_DOCUMENTS: QueryBounds = exactBounds(LUCENE_NONE);
export const ALL_DOCUMENTS: QueryBounds = exactBounds(LUCENE_ALL);

export const isExactBounds = ({ certain, possible }: QueryBounds): boolean => certain === possible;

const joinBounds = (
  bounds: readonly QueryBounds[],
  join: (parts: readonly LuceneQuery[]) => LuceneQuery,
): QueryBounds => {
  const possible = join(bounds.map((one) => one.possible));
  return bounds.every(isExactBounds)
    ? exactBounds(possible)
    : boundsBetween(join(bounds.map((one) => one.certain)), possible);
};

export const andBounds = (bounds: readonly QueryBounds[]): QueryBounds => joinBounds(bounds, andQuery);

export const orBounds = (bounds: readonly QueryBounds[]): QueryBounds => joinBounds(bounds, orQuery);

export const notBounds = (bounds: QueryBounds): QueryBounds =>
  isExactBounds(bounds)
    ? exactBounds(notQuery(bounds.possible))
    : boundsBetween(notQuery(bounds.possible), notQuery(bounds.certain));

export const boostBounds = (bounds: QueryBounds, weight: number): QueryBounds => {
  const possible = boostQuery(bounds.possible, weight);
  return isExactBounds(bounds) ? exactBounds(possible) : boundsBetween(boostQuery(bounds.certain, weight), possible);
};
