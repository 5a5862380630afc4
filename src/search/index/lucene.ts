import type { Pattern } from '../filter/pattern.ts';
import { isCut, written } from './terms.ts';

/**
 * The query language of the full-text index, piece by piece. Whatever comes from outside is escaped here, so nothing that
 * anybody types is ever a mark of that language.
 */
export type Lucene = string & { readonly lucene: true };

const made = (text: string): Lucene => text as Lucene;

/** Every term begins with a letter or a digit, or is a mark that no one writes. */
export const NOTHING = made('terms:\u0001');
export const EVERYTHING = made('*:*');

const escaped = (text: string): string => text.replace(/[^\p{L}\p{N}\p{M}\p{Cc}]/gu, '\\$&');

export const termIn = (property: string, term: string): Lucene => made(`${property}:${escaped(term)}`);

export const prefixIn = (property: string, start: string): Lucene => made(`${property}:${escaped(start)}*`);

/** So many letters at most are left of a word that is being typed. */
const MOST_LEFT = 24;

/** What begins so and ends with the word that it breaks off in. */
export const wordEndIn = (property: string, start: string): Lucene =>
  made(`${property}:/${escaped(start)}[^_\\-.\\/\\:${written(' ')}]{0,${MOST_LEFT}}/`);

export const patternIn = (property: string, start: string, pattern: Pattern): Lucene => {
  const pieces = pattern.map((piece) => {
    if (piece === 'one') return '?';
    return piece === 'run' ? '*' : escaped(written(piece.literal));
  });
  return made(`${property}:${escaped(start)}${pieces.join('')}`);
};

/** A term that was cut ends with a checksum, so that no other is spelled like it; looking for such would only cost time. */
export const nearIn = (property: string, term: string, typos: number): Lucene =>
  typos === 0 || isCut(term) ? termIn(property, term) : made(`${property}:${escaped(term)}~${typos}`);

export const phraseIn = (property: string, terms: readonly string[]): Lucene =>
  made(`${property}:"${terms.map(escaped).join(' ')}"`);

/** An end of a range: a term, and whether it belongs to it. */
export type End = { readonly term: string; readonly isIn: boolean };

export const rangeIn = (property: string, from: End, to: End): Lucene =>
  made(`${property}:${from.isIn ? '[' : '{'}${escaped(from.term)} TO ${escaped(to.term)}${to.isIn ? ']' : '}'}`);

/** All of these. */
export const allOf = (parts: readonly Lucene[]): Lucene => {
  const rest = [...new Set(parts)].filter((part) => part !== EVERYTHING);
  if (rest.includes(NOTHING)) return NOTHING;
  const [only] = rest;
  if (only === undefined) return EVERYTHING;
  return rest.length === 1 ? only : made(`(${rest.map((part) => `+${part}`).join(' ')})`);
};

/** Any of these. */
export const anyOf = (parts: readonly Lucene[]): Lucene => {
  const rest = [...new Set(parts)].filter((part) => part !== NOTHING);
  if (rest.includes(EVERYTHING)) return EVERYTHING;
  const [only] = rest;
  if (only === undefined) return NOTHING;
  return rest.length === 1 ? only : made(`(${rest.join(' ')})`);
};

export const noneOf = (part: Lucene): Lucene => {
  if (part === EVERYTHING) return NOTHING;
  return part === NOTHING ? EVERYTHING : made(`(*:* -${part})`);
};

/** Counts so much more or less when what is found is put in order. */
export const counting = (part: Lucene, weight: number): Lucene =>
  weight === 1 || part === NOTHING ? part : made(`(${part})^${Math.max(0, weight)}`);

/** All of the first, which need not be any of the others but come before the rest if they are. */
export const preferring = (needed: Lucene, better: readonly Lucene[]): Lucene => {
  const rest = better.filter((part) => part !== NOTHING);
  return needed === NOTHING || rest.length === 0 ? needed : made(`(+${needed} ${rest.join(' ')})`);
};

/** How many conditions a query has; the index takes no more than 1,024 of them. */
export const clausesIn = (query: Lucene): number => query.match(/(?<!\\):/g)?.length ?? 0;

export const MOST_CLAUSES = 1024;

/** So many words at most stand for one that is spelled alike. */
const ALIKE = 50;

/** How many conditions a query may become when the index looks up what is spelled alike. */
export const costIn = (query: Lucene): number =>
  clausesIn(query) + (ALIKE - 1) * (query.match(/(?<!\\)~/g)?.length ?? 0);
