import type { WildcardPattern } from './wildcard.ts';

/**
 * What a filter or a query means, whichever way it was written: a tree that `matches` judges documents by and that search
 * engines are asked in the words of. Nothing in it is left to be read.
 */

export type Scalar = string | number | boolean;

export type RangeBound = { readonly is: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Scalar };

/** How many letters a word may be off: so many, or as many as its length allows. */
export type TypoLimit = 0 | 1 | 2 | 'auto';

/** A field by its name; without one a condition looks at every weighted field. */
type FieldScope = { readonly field: string | undefined };

export type SearchFilter =
  | { readonly is: 'all' }
  | { readonly is: 'none' }
  | { readonly is: 'every'; readonly of: readonly SearchFilter[] }
  | { readonly is: 'some'; readonly of: readonly SearchFilter[]; readonly least: number }
  | { readonly is: 'not'; readonly of: SearchFilter }
  /** Counts more or less among what is found; as a condition it is what it holds. */
  | { readonly is: 'boosted'; readonly of: SearchFilter; readonly by: number }
  /** Must hold of one and the same element of a list. */
  | { readonly is: 'nested'; readonly path: string; readonly of: SearchFilter }
  | { readonly is: 'ids'; readonly ids: readonly string[] }
  | { readonly is: 'exists'; readonly field: string }
  /** A whole value, or one word of a text; any of these. */
  | { readonly is: 'term'; readonly field: string; readonly values: readonly Scalar[]; readonly anyCase: boolean }
  | { readonly is: 'range'; readonly field: string; readonly bounds: readonly RangeBound[]; readonly unit: 's' | 'ms' }
  /** At least so many of the parts of the words; what is no text is compared whole. */
  | (FieldScope & { readonly is: 'words'; readonly text: string; readonly least: number; readonly typos: TypoLimit })
  /** The words one after another, so many places out of order; what is no text is compared whole. */
  | (FieldScope & { readonly is: 'phrase'; readonly text: string; readonly slop: number })
  | { readonly is: 'prefix'; readonly field: string; readonly text: string; readonly anyCase: boolean }
  | (FieldScope & { readonly is: 'wildcard'; readonly pattern: WildcardPattern; readonly anyCase: boolean })
  | (FieldScope & { readonly is: 'fuzzy'; readonly text: string; readonly typos: TypoLimit })
  /** Words as people type them: all of them somewhere, with typos, the last one perhaps unfinished. */
  | {
      readonly is: 'simple';
      readonly text: string;
      /** The words are meant as they are spelled. */
      readonly isSpelledRight?: boolean;
      /** The last word is typed to its end. */
      readonly isFinished?: boolean;
      /** The last word may be unfinished and misspelled at once. */
      readonly isRough?: boolean;
    };

export const MATCH_ALL: SearchFilter = { is: 'all' };
export const MATCH_NONE: SearchFilter = { is: 'none' };

/** All of these; what is true anyway is left out. */
export const andFilter = (of: readonly SearchFilter[]): SearchFilter => {
  const rest = of.filter((one) => one.is !== 'all');
  return rest.length === 1 && rest[0] ? rest[0] : rest.length === 0 ? MATCH_ALL : { is: 'every', of: rest };
};

/** At least so many of these. */
export const orFilter = (of: readonly SearchFilter[], least = 1): SearchFilter => {
  if (least > of.length) return MATCH_NONE;
  return of.length === 1 && least === 1 && of[0] ? of[0] : least <= 0 ? MATCH_ALL : { is: 'some', of, least };
};

export const notFilter = (of: SearchFilter): SearchFilter => ({ is: 'not', of });

/** A condition that holds no others. */
export type FilterLeaf = Exclude<SearchFilter, { readonly of: unknown }>;

/** Whether any condition of a tree is such a one, wherever it stands. */
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
