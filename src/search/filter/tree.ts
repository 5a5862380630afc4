import type { Pattern } from './pattern.ts';

/**
 * What a filter or a query means, whichever way it was written: a tree that `matches` judges documents by and that search
 * engines are asked in the words of. Nothing in it is left to be read.
 */

export type Scalar = string | number | boolean;

export type Bound = { readonly is: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Scalar };

/** How many letters a word may be off: so many, or as many as its length allows. */
export type Typos = 0 | 1 | 2 | 'auto';

/** A field by its name; without one a condition looks at every weighted field. */
type Where = { readonly field: string | undefined };

export type Filter =
  | { readonly is: 'all' }
  | { readonly is: 'none' }
  | { readonly is: 'every'; readonly of: readonly Filter[] }
  | { readonly is: 'some'; readonly of: readonly Filter[]; readonly least: number }
  | { readonly is: 'not'; readonly of: Filter }
  /** Counts more or less among what is found; as a condition it is what it holds. */
  | { readonly is: 'boosted'; readonly of: Filter; readonly by: number }
  /** Must hold of one and the same element of a list. */
  | { readonly is: 'nested'; readonly path: string; readonly of: Filter }
  | { readonly is: 'ids'; readonly ids: readonly string[] }
  | { readonly is: 'exists'; readonly field: string }
  /** A whole value, or one word of a text; any of these. */
  | { readonly is: 'term'; readonly field: string; readonly values: readonly Scalar[]; readonly anyCase: boolean }
  | { readonly is: 'range'; readonly field: string; readonly bounds: readonly Bound[]; readonly unit: 's' | 'ms' }
  /** At least so many of the parts of the words; what is no text is compared whole. */
  | (Where & { readonly is: 'words'; readonly text: string; readonly least: number; readonly typos: Typos })
  /** The words one after another, so many places out of order; what is no text is compared whole. */
  | (Where & { readonly is: 'phrase'; readonly text: string; readonly slop: number })
  | { readonly is: 'prefix'; readonly field: string; readonly text: string; readonly anyCase: boolean }
  | (Where & { readonly is: 'wildcard'; readonly pattern: Pattern; readonly anyCase: boolean })
  | (Where & { readonly is: 'fuzzy'; readonly text: string; readonly typos: Typos })
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

export const ALL: Filter = { is: 'all' };
export const NONE: Filter = { is: 'none' };

/** All of these; what is true anyway is left out. */
export const every = (of: readonly Filter[]): Filter => {
  const rest = of.filter((one) => one.is !== 'all');
  return rest.length === 1 && rest[0] ? rest[0] : rest.length === 0 ? ALL : { is: 'every', of: rest };
};

/** At least so many of these. */
export const some = (of: readonly Filter[], least = 1): Filter => {
  if (least > of.length) return NONE;
  return of.length === 1 && least === 1 && of[0] ? of[0] : least <= 0 ? ALL : { is: 'some', of, least };
};

export const not = (of: Filter): Filter => ({ is: 'not', of });

/** A condition that holds no others. */
export type Leaf = Exclude<Filter, { readonly of: unknown }>;

/** Whether any condition of a tree is such a one, wherever it stands. */
export const someLeaf = (filter: Filter, isOne: (leaf: Leaf) => boolean): boolean => {
  switch (filter.is) {
    case 'every':
    case 'some':
      return filter.of.some((one) => someLeaf(one, isOne));
    case 'not':
    case 'boosted':
    case 'nested':
      return someLeaf(filter.of, isOne);
    default:
      return isOne(filter);
  }
};
