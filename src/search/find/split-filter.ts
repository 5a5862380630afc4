import { chunk } from '../../model/chunk.ts';
import type { SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { listWordTexts } from '../../search-documents/tokens.ts';

/** Splits conditions that are too large for one query. */

/** A condition as smaller ones: all of some without others, or any of some. */
type SplitFilter =
  | { readonly is: 'every'; readonly of: readonly SearchFilter[]; readonly without: readonly SearchFilter[] }
  | { readonly is: 'some'; readonly of: readonly SearchFilter[] };

type BoostedFilter = Extract<SearchFilter, { is: 'boosted' }>;

const splitAll = (of: readonly SearchFilter[], without: readonly SearchFilter[] = []): SplitFilter => ({
  is: 'every',
  of,
  without,
});

const splitAny = (of: readonly SearchFilter[]): SplitFilter => ({ is: 'some', of });

const splitItems = <T>(items: readonly T[], make: (items: readonly T[]) => SearchFilter): SplitFilter | undefined =>
  items.length > 1 ? splitAny(items.map((item) => make([item]))) : undefined;

/** Splits text into words; all but the last are complete. */
const splitWords = (leaf: Extract<SearchFilter, { is: 'simple' }>): readonly SearchFilter[] => {
  const texts = listWordTexts(leaf.text);
  return texts.map((text, at) => ({ ...leaf, text, isFinished: at < texts.length - 1 || leaf.isFinished === true }));
};

/** The most ranking queries for the words of one text. */
const MAX_WORD_GROUPS = 32;

/** Splits typed text into single words, or into groups when there are too many. */
export const groupWords = (leaf: Extract<SearchFilter, { is: 'simple' }>): readonly SearchFilter[] => {
  const texts = [...new Set(listWordTexts(leaf.text))];
  const size = Math.ceil(texts.length / MAX_WORD_GROUPS);
  return texts.length < 2 ? [] : chunk(texts, size).map((some) => ({ ...leaf, text: some.join(' ') }));
};

/**
 * Splits a condition for any of some words. With a field it stays whole, because values that are not text are compared
 * as a whole.
 */
const splitAnyWord = (leaf: Extract<SearchFilter, { is: 'words' }>): SplitFilter | undefined => {
  if (leaf.field !== undefined || leaf.least > 1) return undefined;
  const words = listWordTexts(leaf.text);
  return words.length > 1 ? splitAny(words.map((text) => ({ ...leaf, text, least: 1 }))) : undefined;
};

const mapParts = (
  parts: SplitFilter | undefined,
  make: (filter: SearchFilter) => SearchFilter,
): SplitFilter | undefined => parts && { ...parts, of: parts.of.map(make) };

/** Splits a condition; undefined when it cannot be split. With `allowsAnyWord` any of the typed words suffices. */
export const splitFilter = (filter: SearchFilter, allowsAnyWord: boolean): SplitFilter | undefined => {
  switch (filter.is) {
    case 'every': {
      const of = filter.of.flatMap((one) => (one.is === 'every' ? one.of : [one]));
      const without = of.flatMap((one) => (one.is === 'not' ? [one.of] : []));
      return of.length > 1
        ? splitAll(
            of.filter((one) => one.is !== 'not'),
            without,
          )
        : undefined;
    }
    case 'some':
      return filter.least <= 1 && filter.of.length > 1 ? splitAny(filter.of) : undefined;
    case 'not':
      return splitAll([], [filter.of]);
    case 'boosted':
      return mapParts(splitFilter(filter.of, allowsAnyWord), (of): BoostedFilter => ({ ...filter, of }));
    case 'nested': {
      // One element need not match what several elements match together.
      const parts = splitFilter(filter.of, allowsAnyWord);
      return parts?.is === 'some' ? mapParts(parts, (of) => ({ ...filter, of })) : undefined;
    }
    case 'term':
      return splitItems(filter.values, (values) => ({ ...filter, values }));
    case 'ids':
      return splitItems(filter.ids, (ids) => ({ ...filter, ids }));
    case 'words':
      return splitAnyWord(filter);
    case 'simple': {
      const words = splitWords(filter);
      if (words.length < 2) return undefined;
      return allowsAnyWord ? splitAny(words) : splitAll(words);
    }
    default:
      return undefined;
  }
};

/** Joins conditions as long as the result fits. */
export const packFilters = (
  of: readonly SearchFilter[],
  join: (of: readonly SearchFilter[]) => SearchFilter,
  fits: (filter: SearchFilter) => boolean,
): readonly SearchFilter[] => {
  if (of.length === 0) return [];
  const whole = join(of);
  if (of.length === 1 || fits(whole)) return [whole];
  const middle = Math.ceil(of.length / 2);
  return [of.slice(0, middle), of.slice(middle)].flatMap((half) => packFilters(half, join, fits));
};
