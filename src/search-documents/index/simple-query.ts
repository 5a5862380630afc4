import { typosForTypedWord } from '../filter/match-document.ts';
import type { SearchFilter } from '../filter/search-filter.ts';
import { filterWords } from '../filter/value-test.ts';
import { foldText, type TextWord } from '../tokens.ts';
import {
  andQuery,
  boostQuery,
  fuzzyQuery,
  LUCENE_NONE,
  type LuceneQuery,
  orQuery,
  phraseQuery,
  preferQuery,
  prefixQuery,
  termQuery,
} from './lucene.ts';
import type { Ranking } from './ranking.ts';
import { encodeTermText, fieldCode, isTooLongForTerm, lastWordTerm, valueTerm, wordTerm } from './terms.ts';

/**
 * Translates words as people type them into an index query: all must occur somewhere, and the last may be unfinished.
 */

/** The weight of a prefix match, lower than that of a whole word. */
const PREFIX_WEIGHT = 0.5;

/** Matches the word and similar words in a property that allows typos. */
const similarQuery = (name: string, token: string, typos: 0 | 1 | 2, weight: number): LuceneQuery => {
  const most = Math.min(typos, typosForTypedWord(token));
  return most > 0 ? boostQuery(fuzzyQuery(name, wordTerm(token), most), weight) : LUCENE_NONE;
};

const tokenQuery = ({ slots, spellings }: Ranking, token: string, isLast: boolean): LuceneQuery =>
  orQuery([
    ...slots.flatMap(({ name, weight, typos, fuzzyWeight, as }) => {
      if (as === 'phrase') return [];
      return [
        boostQuery(termQuery(name, wordTerm(token)), weight),
        similarQuery(name, token, typos, weight * fuzzyWeight),
        ...(isLast && !isTooLongForTerm(token)
          ? [boostQuery(prefixQuery(name, encodeTermText(token)), weight * PREFIX_WEIGHT)]
          : []),
      ];
    }),
    ...spellings.map(({ name, weight, typos }) => similarQuery(name, token, typos, weight)),
  ]);

/** The weight of a word whose parts all occur side by side, compared with the same parts in separate places. */
const WHOLE_WORD_WEIGHT = 8;

const wordInSlotsQuery = (ranking: Ranking, { joined, parts }: TextWord, isLast: boolean): LuceneQuery =>
  orQuery([
    boostQuery(tokenQuery(ranking, joined, isLast), parts.length > 1 ? WHOLE_WORD_WEIGHT : 1),
    andQuery(parts.map((part, at) => tokenQuery(ranking, part, isLast && at === parts.length - 1))),
  ]);

/**
 * The weights that rank a record with exactly that name first, then names that start with the text, then records that
 * only contain its words.
 */
const NAME_WEIGHT = 1000;
const NAME_PREFIX_WEIGHT = 100;

const nameQueries = ({ names }: Ranking, text: string): readonly LuceneQuery[] =>
  names.map(({ path, weight }) =>
    boostQuery(termQuery('terms', valueTerm(fieldCode(path), 'folded', foldText(text))), weight * NAME_WEIGHT),
  );

/** Matches whole values; a value stored as written has a folded term only where the folded form differs. */
const valueQueries = ({ values }: Ranking, text: string): readonly LuceneQuery[] =>
  values.map(({ path, weight }) => {
    const code = fieldCode(path);
    const forms = [
      valueTerm(code, 'folded', foldText(text)),
      valueTerm(code, 'exact', text),
      valueTerm(code, 'exact', foldText(text)),
    ];
    return boostQuery(orQuery(forms.map((form) => termQuery('terms', form))), weight);
  });

/** The weight of names in which the unfinished word is the last one, among all names that start with the text. */
const LAST_WORD_WEIGHT = 50;

const namePrefixQueries = ({ names }: Ranking, text: string): readonly LuceneQuery[] =>
  names.flatMap(({ path, weight }) => {
    const [code, start] = [fieldCode(path), foldText(text)];
    return [
      boostQuery(prefixQuery('terms', valueTerm(code, 'folded', start)), weight * NAME_PREFIX_WEIGHT),
      boostQuery(prefixQuery('terms', lastWordTerm(code, start)), weight * LAST_WORD_WEIGHT),
    ];
  });

const phraseSlotQueries = ({ slots }: Ranking, words: readonly TextWord[]): readonly LuceneQuery[] =>
  slots.flatMap(({ name, weight, as }) => {
    if (as !== 'phrase') return [];
    const parts = words.flatMap((word) => word.parts.map(wordTerm));
    const joined = words.map((word) => wordTerm(word.joined));
    return [boostQuery(orQuery([phraseQuery(name, parts), phraseQuery(name, joined)]), weight)];
  });

/** Returns the ranking without similar words. */
const withoutTypos = (ranking: Ranking): Ranking => ({
  ...ranking,
  slots: ranking.slots.map((slot) => ({ ...slot, typos: 0 })),
  spellings: [],
});

/**
 * Builds the query. With `isPatient` any word suffices: a user whose search for all words found nothing gets what
 * contains some.
 */
export const simpleQuery = (
  given: Ranking,
  leaf: Extract<SearchFilter, { is: 'simple' }>,
  allowsAnyWord: boolean,
): LuceneQuery => {
  const ranking = leaf.isSpelledRight ? withoutTypos(given) : given;
  const words = filterWords(leaf);
  if (words.length === 0) return LUCENE_NONE;
  if (allowsAnyWord) {
    return orQuery(
      words.flatMap(({ joined, parts }) => [joined, ...parts].map((token) => tokenQuery(ranking, token, false))),
    );
  }
  const text = leaf.text.trim();
  const byWords = andQuery(
    words.map((word, at) => wordInSlotsQuery(ranking, word, !leaf.isFinished && at === words.length - 1)),
  );
  return preferQuery(
    orQuery([
      byWords,
      ...phraseSlotQueries(ranking, words),
      ...valueQueries(ranking, text),
      ...nameQueries(ranking, text),
    ]),
    namePrefixQueries(ranking, text),
  );
};
