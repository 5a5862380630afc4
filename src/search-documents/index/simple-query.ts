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
  wordEndQuery,
} from './lucene.ts';
import type { Ranking } from './ranking.ts';
import { encodeTermText, fieldCode, isTooLongForTerm, valueTerm, wordTerm } from './terms.ts';

/** Words as people type them, in the words of the index: all of them somewhere, the last one perhaps unfinished. */

/** What is not typed to its end counts less than what is. */
const PREFIX_WEIGHT = 0.5;

const tokenQuery = ({ slots }: Ranking, token: string, isLast: boolean): LuceneQuery =>
  orQuery(
    slots.flatMap(({ name, weight, typos, fuzzyWeight, as }) => {
      if (as === 'phrase') return [];
      const most = Math.min(typos, typosForTypedWord(token));
      return [
        boostQuery(termQuery(name, wordTerm(token)), weight),
        ...(most > 0 ? [boostQuery(fuzzyQuery(name, wordTerm(token), most), weight * fuzzyWeight)] : []),
        ...(isLast && !isTooLongForTerm(token)
          ? [boostQuery(prefixQuery(name, encodeTermText(token)), weight * PREFIX_WEIGHT)]
          : []),
      ];
    }),
  );

/** A word that is there with all its parts side by side counts more than the same parts here and there. */
const WHOLE_WORD_WEIGHT = 8;

const wordInSlotsQuery = (ranking: Ranking, { joined, parts }: TextWord, isLast: boolean): LuceneQuery =>
  orQuery([
    boostQuery(tokenQuery(ranking, joined, isLast), parts.length > 1 ? WHOLE_WORD_WEIGHT : 1),
    andQuery(parts.map((part, at) => tokenQuery(ranking, part, isLast && at === parts.length - 1))),
  ]);

/** What bears a name comes before what only holds its words, and what begins with it before the rest. */
const NAME_WEIGHT = 1000;
const NAME_PREFIX_WEIGHT = 100;

const nameQueries = ({ names }: Ranking, text: string): readonly LuceneQuery[] =>
  names.map(({ path, weight }) =>
    boostQuery(termQuery('terms', valueTerm(fieldCode(path), 'folded', foldText(text))), weight * NAME_WEIGHT),
  );

/** Values that are kept as they are written have a folded form only where it differs. */
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

/** Of names that begin so, those come first of which the word that is being typed is the last. */
const LAST_WORD_WEIGHT = 50;

const namePrefixQueries = ({ names }: Ranking, text: string): readonly LuceneQuery[] =>
  names.flatMap(({ path, weight }) => {
    const start = valueTerm(fieldCode(path), 'folded', foldText(text));
    return [
      boostQuery(prefixQuery('terms', start), weight * NAME_PREFIX_WEIGHT),
      boostQuery(wordEndQuery('terms', start), weight * LAST_WORD_WEIGHT),
    ];
  });

const phraseSlotQueries = ({ slots }: Ranking, words: readonly TextWord[]): readonly LuceneQuery[] =>
  slots.flatMap(({ name, weight, as }) => {
    if (as !== 'phrase') return [];
    const parts = words.flatMap((word) => word.parts.map(wordTerm));
    const joined = words.map((word) => wordTerm(word.joined));
    return [boostQuery(orQuery([phraseQuery(name, parts), phraseQuery(name, joined)]), weight)];
  });

/** The same, but that no word is looked for that is only spelled alike. */
const withoutTypos = (ranking: Ranking): Ranking => ({
  ...ranking,
  slots: ranking.slots.map((slot) => ({ ...slot, typos: 0 })),
});

/** With `isPatient` any of the words will do: who asked for all of them and found nothing is shown what has some. */
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
