import type { WildcardPattern } from '../filter/wildcard.ts';
import { encodeTermText, isTruncatedTerm } from './terms.ts';

/**
 * Builds queries in the Lucene syntax of the full-text index. All outside text is escaped here, so nothing that a user
 * types can act as query syntax.
 */
export type LuceneQuery = string & { readonly lucene: true };

const toLucene = (text: string): LuceneQuery => text as LuceneQuery;

/**
 * Every stored term starts with a letter, a digit or a control character that no user text contains, so this query
 * matches nothing.
 */
export const LUCENE_NONE = toLucene('terms:\u0001');
export const LUCENE_ALL = toLucene('*:*');

const escapeTerm = (text: string): string => text.replace(/[^\p{L}\p{N}\p{M}\p{Cc}]/gu, '\\$&');

export const termQuery = (property: string, term: string): LuceneQuery => toLucene(`${property}:${escapeTerm(term)}`);

export const prefixQuery = (property: string, start: string): LuceneQuery =>
  toLucene(`${property}:${escapeTerm(start)}*`);

export const wildcardQuery = (property: string, start: string, pattern: WildcardPattern): LuceneQuery => {
  const pieces = pattern.map((piece) => {
    if (piece === 'one') return '?';
    return piece === 'run' ? '*' : escapeTerm(encodeTermText(piece.literal));
  });
  return toLucene(`${property}:${escapeTerm(start)}${pieces.join('')}`);
};

/**
 * Matches similar terms. A truncated term ends with a checksum, so no other term is similar to it, and the search would
 * only cost time.
 */
export const fuzzyQuery = (property: string, term: string, typos: number): LuceneQuery =>
  typos === 0 || isTruncatedTerm(term)
    ? termQuery(property, term)
    : toLucene(`${property}:${escapeTerm(term)}~${typos}`);

export const phraseQuery = (property: string, terms: readonly string[]): LuceneQuery =>
  toLucene(`${property}:"${terms.map(escapeTerm).join(' ')}"`);

/** A range bound: a term, and whether the range includes it. */
export type RangeEnd = { readonly term: string; readonly isIncluded: boolean };

export const rangeQuery = (property: string, from: RangeEnd, to: RangeEnd): LuceneQuery =>
  toLucene(
    `${property}:${from.isIncluded ? '[' : '{'}${escapeTerm(from.term)} TO ${escapeTerm(to.term)}${to.isIncluded ? ']' : '}'}`,
  );

/** Matches documents that all of the queries match. */
export const andQuery = (parts: readonly LuceneQuery[]): LuceneQuery => {
  const rest = [...new Set(parts)].filter((part) => part !== LUCENE_ALL);
  if (rest.includes(LUCENE_NONE)) return LUCENE_NONE;
  const [only] = rest;
  if (only === undefined) return LUCENE_ALL;
  return rest.length === 1 ? only : toLucene(`(${rest.map((part) => `+${part}`).join(' ')})`);
};

/** Matches documents that any of the queries matches. */
export const orQuery = (parts: readonly LuceneQuery[]): LuceneQuery => {
  const rest = [...new Set(parts)].filter((part) => part !== LUCENE_NONE);
  if (rest.includes(LUCENE_ALL)) return LUCENE_ALL;
  const [only] = rest;
  if (only === undefined) return LUCENE_NONE;
  return rest.length === 1 ? only : toLucene(`(${rest.join(' ')})`);
};

export const notQuery = (part: LuceneQuery): LuceneQuery => {
  if (part === LUCENE_ALL) return LUCENE_NONE;
  return part === LUCENE_NONE ? LUCENE_ALL : toLucene(`(*:* -${part})`);
};

/** Multiplies the score of a query by a weight. */
export const boostQuery = (part: LuceneQuery, weight: number): LuceneQuery =>
  weight === 1 || part === LUCENE_NONE ? part : toLucene(`(${part})^${Math.max(0, weight)}`);

/** Matches what the first query matches, and ranks documents higher that the other queries match too. */
export const preferQuery = (needed: LuceneQuery, better: readonly LuceneQuery[]): LuceneQuery => {
  const rest = better.filter((part) => part !== LUCENE_NONE);
  return needed === LUCENE_NONE || rest.length === 0 ? needed : toLucene(`(+${needed} ${rest.join(' ')})`);
};

/** Counts the clauses of a query; the index accepts at most 1,024. */
export const countQueryClauses = (query: LuceneQuery): number => query.match(/(?<!\\):/g)?.length ?? 0;

export const MAX_QUERY_CLAUSES = 1024;

/** The maximum number of similar words that a fuzzy clause expands to. */
const MAX_FUZZY_EXPANSIONS = 50;

/** Counts the clauses of a query after the index has expanded its fuzzy clauses. */
export const countExpandedClauses = (query: LuceneQuery): number =>
  countQueryClauses(query) + (MAX_FUZZY_EXPANSIONS - 1) * (query.match(/(?<!\\)~/g)?.length ?? 0);
