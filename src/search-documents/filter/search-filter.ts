import type { WildcardPattern } from './wildcard.ts';

/**
 * The meaning of a filter or query, in whichever form it was written: a tree that `match-document.ts` evaluates and
 * that search engines get translated. It is fully parsed.
 */

export type Scalar = string | number | boolean;

export type RangeBound = { readonly is: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Scalar };

/** The typos allowed in a word: a number, or `auto` for as many as its length allows. */
export type TypoLimit = 0 | 1 | 2 | 'auto';

/** A field by its name; undefined means every weighted field. */
type FieldScope = { readonly field: string | undefined };

export type SearchFilter =
  | { readonly is: 'all' }
  | { readonly is: 'none' }
  | { readonly is: 'every'; readonly of: readonly SearchFilter[] }
  | { readonly is: 'some'; readonly of: readonly SearchFilter[]; readonly least: number }
  | { readonly is: 'not'; readonly of: SearchFilter }
  /** Changes the score of what it matches; as a condition it matches what its content matches. */
  | { readonly is: 'boosted'; readonly of: SearchFilter; readonly by: number }
  /** All conditions must match the same element of a list. */
  | { readonly is: 'nested'; readonly path: string; readonly of: SearchFilter }
  | { readonly is: 'ids'; readonly ids: readonly string[] }
  | { readonly is: 'exists'; readonly field: string }
  /** Matches any of the values: as a whole, or as one word of a text. */
  | { readonly is: 'term'; readonly field: string; readonly values: readonly Scalar[]; readonly anyCase: boolean }
  | { readonly is: 'range'; readonly field: string; readonly bounds: readonly RangeBound[]; readonly unit: 's' | 'ms' }
  /** At least `least` parts of the words must occur; a field that is no text is compared as a whole. */
  | (FieldScope & { readonly is: 'words'; readonly text: string; readonly least: number; readonly typos: TypoLimit })
  /**
   * The words must follow each other with at most `slop` positions out of order; a field that is no text is compared as
   * a whole.
   */
  | (FieldScope & { readonly is: 'phrase'; readonly text: string; readonly slop: number })
  | { readonly is: 'prefix'; readonly field: string; readonly text: string; readonly anyCase: boolean }
  | (FieldScope & { readonly is: 'wildcard'; readonly pattern: WildcardPattern; readonly anyCase: boolean })
  | (FieldScope & { readonly is: 'fuzzy'; readonly text: string; readonly typos: TypoLimit })
  /** Words as people type them: all must occur somewhere, typos are allowed, and the last word may be unfinished. */
  | {
      readonly is: 'simple';
      readonly text: string;
      /** Typos are not allowed. */
      readonly isSpelledRight?: boolean;
      /** The last word is finished. */
      readonly isFinished?: boolean;
      /** The last word may be both unfinished and misspelled. */
      readonly isRough?: boolean;
    };

export const MATCH_ALL: SearchFilter = { is: 'all' };
export const MATCH_NONE: SearchFilter = { is: 'none' };

/** All conditions must match; conditions that always match are dropped. */
export const andFilter = (of: readonly SearchFilter[]): SearchFilter => {
  const rest = of.filter((one) => one.is !== 'all');
  return rest.length === 1 && rest[0] ? rest[0] : rest.length === 0 ? MATCH_ALL : { is: 'every', of: rest };
};

/** At least `least` of the conditions must match. */
export const orFilter = (of: readonly SearchFilter[], least = 1): SearchFilter => {
  if (least > of.length) return MATCH_NONE;
  return of.length === 1 && least === 1 && of[0] ? of[0] : least <= 0 ? MATCH_ALL : { is: 'some', of, least };
};

export const notFilter = (of: SearchFilter): SearchFilter => ({ is: 'not', of });

/** A condition that contains no other conditions. */
export type FilterLeaf = Exclude<SearchFilter, { readonly of: unknown }>;

/** Whether any leaf of a filter passes the test. */
export const hasLeaf = (filter: SearchFilter, isOne: (leaf: FilterLeaf) => boolean): boolean => {
  switch (filter.is) {
    case 'every':
    case 'some':
      return filter.of.some((one) => hasLeaf(one, isOne));
    case 'not':
    case 'boosted':
    case 'nested':
      return hasLeaf(filter.of, isOne);
    default:
      return isOne(filter);
  }
};
