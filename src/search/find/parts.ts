import { piecesOf } from '../../model/pieces.ts';
import type { Filter } from '../filter/tree.ts';
import { wordTexts } from '../tokens.ts';

/** Conditions that are too much for one query, taken apart. */

/** A condition as others that are smaller: all of some, any of some, and none of some. */
type Parts =
  | { readonly is: 'every'; readonly of: readonly Filter[]; readonly without: readonly Filter[] }
  | { readonly is: 'some'; readonly of: readonly Filter[] };

type Boosted = Extract<Filter, { is: 'boosted' }>;

const allOf = (of: readonly Filter[], without: readonly Filter[] = []): Parts => ({ is: 'every', of, without });

const anyOf = (of: readonly Filter[]): Parts => ({ is: 'some', of });

const apart = <T>(items: readonly T[], make: (items: readonly T[]) => Filter): Parts | undefined =>
  items.length > 1 ? anyOf(items.map((item) => make([item]))) : undefined;

/** Words one by one; all but the last are typed to their ends. */
const wordByWord = (leaf: Extract<Filter, { is: 'simple' }>): readonly Filter[] => {
  const texts = wordTexts(leaf.text);
  return texts.map((text, at) => ({ ...leaf, text, isFinished: at < texts.length - 1 || leaf.isFinished === true }));
};

/** So many queries at most tell by how many of the words that were typed a hit is found. */
const MOST_GROUPS = 32;

/** The words that somebody typed one by one; where they are too many, in groups. */
export const wordGroups = (leaf: Extract<Filter, { is: 'simple' }>): readonly Filter[] => {
  const texts = [...new Set(wordTexts(leaf.text))];
  const size = Math.ceil(texts.length / MOST_GROUPS);
  return texts.length < 2 ? [] : piecesOf(texts, size).map((some) => ({ ...leaf, text: some.join(' ') }));
};

/** Any of some words wherever they stand. What is no text would be compared whole, and so as long as its field is named. */
const anyWord = (leaf: Extract<Filter, { is: 'words' }>): Parts | undefined => {
  if (leaf.field !== undefined || leaf.least > 1) return undefined;
  const words = wordTexts(leaf.text);
  return words.length > 1 ? anyOf(words.map((text) => ({ ...leaf, text, least: 1 }))) : undefined;
};

const through = (parts: Parts | undefined, make: (filter: Filter) => Filter): Parts | undefined =>
  parts && { ...parts, of: parts.of.map(make) };

/** What a condition is made of; undefined where it cannot be taken apart. With `isPatient` any word of those typed will do. */
export const partsOf = (filter: Filter, isPatient: boolean): Parts | undefined => {
  switch (filter.is) {
    case 'every': {
      const of = filter.of.flatMap((one) => (one.is === 'every' ? one.of : [one]));
      const without = of.flatMap((one) => (one.is === 'not' ? [one.of] : []));
      return of.length > 1
        ? allOf(
            of.filter((one) => one.is !== 'not'),
            without,
          )
        : undefined;
    }
    case 'some':
      return filter.least <= 1 && filter.of.length > 1 ? anyOf(filter.of) : undefined;
    case 'not':
      return allOf([], [filter.of]);
    case 'boosted':
      return through(partsOf(filter.of, isPatient), (of): Boosted => ({ ...filter, of }));
    case 'nested': {
      // One element need not fulfil what several fulfil together.
      const parts = partsOf(filter.of, isPatient);
      return parts?.is === 'some' ? through(parts, (of) => ({ ...filter, of })) : undefined;
    }
    case 'term':
      return apart(filter.values, (values) => ({ ...filter, values }));
    case 'ids':
      return apart(filter.ids, (ids) => ({ ...filter, ids }));
    case 'words':
      return anyWord(filter);
    case 'simple': {
      const words = wordByWord(filter);
      if (words.length < 2) return undefined;
      return isPatient ? anyOf(words) : allOf(words);
    }
    default:
      return undefined;
  }
};

/** Conditions together, as many as fit. */
export const packed = (
  of: readonly Filter[],
  join: (of: readonly Filter[]) => Filter,
  fits: (filter: Filter) => boolean,
): readonly Filter[] => {
  if (of.length === 0) return [];
  const whole = join(of);
  if (of.length === 1 || fits(whole)) return [whole];
  const middle = Math.ceil(of.length / 2);
  return [of.slice(0, middle), of.slice(middle)].flatMap((half) => packed(half, join, fits));
};
