import type { WildcardPattern } from '../filter/wildcard.ts';
import { encodeTermText, isTruncatedTerm } from './terms.ts';

/**
 * The query language of the full-text index, piece by piece. Whatever comes from outside is escaped here, so nothing that
 * anybody types is ever a mark of that language.
 */
export type LuceneQuery = string & { readonly lucene: true };

const toLucene = (text: string): LuceneQuery => text as LuceneQuery;

/** Every term begins with a letter or a digit, or is a mark that no one writes. */
export const LUCENE_NONE = toLucene('terms:\u0001');
export const LUCENE_ALL = toLucene('*:*');

const escapeTerm = (text: string): string => text.replace(/[^\p{L}\p{N}\p{M}\p{Cc}]/gu, '\\$&');

export const termQuery = (property: string, term: string): LuceneQuery => toLucene(`${property}:${escapeTerm(term)}`);

export const prefixQuery = (property: string, start: string): LuceneQuery =>
  toLucene(`${property}:${escapeTerm(start)}*`);

/** So many letters at most are left of a word that is being typed. */
const MAX_WORD_REST = 24;

/** What begins so and ends with the word that it breaks off in. */
export const wordEndQuery = (property: string, start: string): LuceneQuery =>
  toLucene(`${property}:/${escapeTerm(start)}[^_\\-.\\/\\:${encodeTermText(' ')}]{0,${MAX_WORD_REST}}/`);

export const wildcardQuery = (property: string, start: string, pattern: WildcardPattern): LuceneQuery => {
  const pieces = pattern.map((piece) => {
    if (piece === 'one') return '?';
    return piece === 'run' ? '*' : escapeTerm(encodeTermText(piece.literal));
  });
  return toLucene(`${property}:${escapeTerm(start)}${pieces.join('')}`);
};

/** A term that was cut ends with a checksum, so that no other is spelled like it; looking for such would only cost time. */
export const fuzzyQuery = (property: string, term: string, typos: number): LuceneQuery =>
  typos === 0 || isTruncatedTerm(term)
    ? termQuery(property, term)
    : toLucene(`${property}:${escapeTerm(term)}~${typos}`);

export const phraseQuery = (property: string, terms: readonly string[]): LuceneQuery =>
  toLucene(`${property}:"${terms.map(escapeTerm).join(' ')}"`);

/** An end of a range: a term, and whether it belongs to it. */
export type RangeEnd = { readonly term: string; readonly isIncluded: boolean };

export const rangeQuery = (property: string, from: RangeEnd, to: RangeEnd): LuceneQuery =>
  toLucene(
    `${property}:${from.isIncluded ? '[' : '{'}${escapeTerm(from.term)} TO ${escapeTerm(to.term)}${to.isIncluded ? ']' : '}'}`,
  );

/** All of these. */
export const andQuery = (parts: readonly LuceneQuery[]): LuceneQuery => {
  const rest = [...new Set(parts)].filter((part) => part !== LUCENE_ALL);
  if (rest.includes(LUCENE_NONE)) return LUCENE_NONE;
  const [only] = rest;
  if (only === undefined) return LUCENE_ALL;
  return rest.length === 1 ? only : toLucene(`(${rest.map((part) => `+${part}`).join(' ')})`);
};

/** Any of these. */
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

/** Counts so much more or less when what is found is put in order. */
export const boostQuery = (part: LuceneQuery, weight: number): LuceneQuery =>
  weight === 1 || part === LUCENE_NONE ? part : toLucene(`(${part})^${Math.max(0, weight)}`);

/** All of the first, which need not be any of the others but come before the rest if they are. */
export const preferQuery = (needed: LuceneQuery, better: readonly LuceneQuery[]): LuceneQuery => {
  const rest = better.filter((part) => part !== LUCENE_NONE);
  return needed === LUCENE_NONE || rest.length === 0 ? needed : toLucene(`(+${needed} ${rest.join(' ')})`);
};

/** How many conditions a query has; the index takes no more than 1,024 of them. */
export const countQueryClauses = (query: LuceneQuery): number => query.match(/(?<!\\):/g)?.length ?? 0;

export const MAX_QUERY_CLAUSES = 1024;

/** So many words at most stand for one that is spelled alike. */
const MAX_FUZZY_EXPANSIONS = 50;

/** How many conditions a query may become when the index looks up what is spelled alike. */
export const countExpandedClauses = (query: LuceneQuery): number =>
  countQueryClauses(query) + (MAX_FUZZY_EXPANSIONS - 1) * (query.match(/(?<!\\)~/g)?.length ?? 0);
