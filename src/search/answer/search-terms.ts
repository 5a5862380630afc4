import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createFieldLookup, fieldWeightsOf, maxTyposFor } from '../../search-documents/fields.ts';
import { typosForTypedWord } from '../../search-documents/filter/match-document.ts';
import type { SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { allowedTypos } from '../../search-documents/filter/typos.ts';
import { filterWords } from '../../search-documents/filter/value-test.ts';
import { foldWildcard, type WildcardPattern } from '../../search-documents/filter/wildcard.ts';
import { foldText, type TextWord } from '../../search-documents/tokens.ts';

/** Collects the terms that the free text of a query looks for in each text field. */

type FuzzyToken = { readonly token: string; readonly most: number };

/** Token sequences by their first token. */
type TokenSequences = Map<string, (readonly string[])[]>;

export type TextSearchTerms = {
  readonly exact: Set<string>;
  readonly fuzzy: FuzzyToken[];
  /** Prefixes of words. */
  readonly prefixes: Set<string>;
  readonly patterns: WildcardPattern[];
  /** Phrases split into parts, and as words without their separators. */
  readonly sequences: { readonly parts: TokenSequences; readonly joined: TokenSequences };
  /** Phrases whose words may be out of order. */
  readonly sloppyPhrases: { readonly words: readonly TextWord[]; readonly slop: number }[];
};

/** A text field that answers show, and the typing mistakes it tolerates. */
export type SearchableText = { readonly name: string; readonly path: readonly string[]; readonly typos: 0 | 1 | 2 };

/** The text fields of a search, except the list of names, which only repeats other fields. */
const searchableTextsOf = memoisePerKind((kind): readonly SearchableText[] => {
  const fields = createFieldLookup(kind);
  return [...fieldWeightsOf(kind).keys()].flatMap((name) => {
    const field = fields(name);
    if (field?.class !== 'text' || name === `${kind.search.columnNamesMember}Fuzzy`) return [];
    return [{ name, path: field.path, typos: maxTyposFor(field, name) }];
  });
});

type FreeTextFilter = Extract<SearchFilter, { is: 'simple' | 'words' | 'phrase' | 'wildcard' | 'fuzzy' | 'prefix' }>;

/** Collects the free-text conditions; negated ones are left out. */
const freeTextFilters = (filter: SearchFilter): readonly FreeTextFilter[] => {
  switch (filter.is) {
    case 'every':
    case 'some':
      return filter.of.flatMap(freeTextFilters);
    case 'boosted':
    case 'nested':
      return freeTextFilters(filter.of);
    case 'simple':
    case 'words':
    case 'phrase':
    case 'wildcard':
    case 'fuzzy':
    case 'prefix':
      return [filter];
    default:
      return [];
  }
};

const createSearchTerms = (): TextSearchTerms => ({
  exact: new Set(),
  fuzzy: [],
  prefixes: new Set(),
  patterns: [],
  sequences: { parts: new Map(), joined: new Map() },
  sloppyPhrases: [],
});

const addToken = ({ exact, fuzzy }: TextSearchTerms, token: string, most: number): void => {
  exact.add(token);
  if (most > 0) fuzzy.push({ token, most });
};

const addSequence = (rows: TokenSequences, row: readonly string[]): void => {
  const [first] = row;
  if (first === undefined) return;
  const alike = rows.get(first) ?? [];
  rows.set(first, alike);
  alike.push(row);
};

const addWords = (sought: TextSearchTerms, words: readonly TextWord[], typos: (token: string) => number): void => {
  const tokens = new Set(words.flatMap(({ joined, parts }) => [joined, ...parts]));
  for (const token of tokens) addToken(sought, token, typos(token));
};

/** The last word may be incomplete. */
const addSimple = (sought: TextSearchTerms, words: readonly TextWord[], most: number): void => {
  addWords(sought, words, (token) => Math.min(most, typosForTypedWord(token)));
  const last = words.at(-1);
  for (const token of [last?.joined, last?.parts.at(-1)]) if (token !== undefined) sought.prefixes.add(token);
};

const addPhrase = (sought: TextSearchTerms, words: readonly TextWord[], slop: number): void => {
  const [first] = words;
  // A single word with one part matches as a token and needs no sequence.
  if (first && words.length === 1 && first.parts.length === 1) {
    sought.exact.add(first.joined);
    return;
  }
  addSequence(
    sought.sequences.parts,
    words.flatMap(({ parts }) => parts),
  );
  addSequence(
    sought.sequences.joined,
    words.map(({ joined }) => joined),
  );
  if (slop > 0) sought.sloppyPhrases.push({ words, slop });
};

const hasLiteral = (pattern: WildcardPattern): boolean => pattern.some((piece) => typeof piece === 'object');

const addFilterTerms = (sought: TextSearchTerms, leaf: FreeTextFilter, typos: number): void => {
  switch (leaf.is) {
    case 'simple':
      addSimple(sought, filterWords(leaf), typos);
      break;
    case 'words':
      addWords(sought, filterWords(leaf), (token) => allowedTypos(token, leaf.typos));
      break;
    case 'phrase':
      addPhrase(sought, filterWords(leaf), leaf.slop);
      break;
    case 'prefix':
      if (leaf.text !== '') sought.prefixes.add(foldText(leaf.text));
      break;
    case 'wildcard':
      // A pattern that matches any word explains nothing.
      if (hasLiteral(leaf.pattern)) sought.patterns.push(foldWildcard(leaf.pattern));
      break;
    case 'fuzzy':
      addToken(sought, foldText(leaf.text), allowedTypos(leaf.text, leaf.typos));
  }
};

/** Whether a condition applies to this text: it names the field, or no field at all. */
const searchesText = (
  leaf: FreeTextFilter,
  { path }: SearchableText,
  fields: ReturnType<typeof createFieldLookup>,
): boolean => {
  if (leaf.is === 'simple' || leaf.field === undefined) return true;
  const field = fields(leaf.field);
  return field?.class === 'text' && field.path.join('.') === path.join('.');
};

export type SearchedText = SearchableText & { readonly sought: TextSearchTerms };

/** Collects the terms of a filter for some texts of a kind. */
export const findSearchTermsIn = (
  kind: Kind,
  filter: SearchFilter,
  texts: readonly SearchableText[],
): readonly SearchedText[] => {
  const leaves = freeTextFilters(filter);
  const fields = createFieldLookup(kind);
  return texts.flatMap((shown) => {
    const looking = leaves.filter((leaf) => searchesText(leaf, shown, fields));
    if (looking.length === 0) return [];
    const sought = createSearchTerms();
    for (const leaf of looking) addFilterTerms(sought, leaf, shown.typos);
    return [{ ...shown, sought }];
  });
};

const termsByFilter = new WeakMap<SearchFilter, Map<Kind, readonly SearchedText[]>>();

/**
 * Collects the terms of a filter for the texts of a kind; the result is cached, because it is the same for every
 * document.
 */
export const searchTermsOf = (kind: Kind, filter: SearchFilter): readonly SearchedText[] => {
  const perFilter = termsByFilter.get(filter) ?? new Map<Kind, readonly SearchedText[]>();
  termsByFilter.set(filter, perFilter);
  const known = perFilter.get(kind) ?? findSearchTermsIn(kind, filter, searchableTextsOf(kind));
  perFilter.set(kind, known);
  return known;
};
