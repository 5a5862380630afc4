import { wordsIn } from '../filter/leaves.ts';
import { typosOf } from '../filter/match.ts';
import type { Filter } from '../filter/tree.ts';
import { fold, type Word } from '../tokens.ts';
import {
  allOf,
  anyOf,
  counting,
  type Lucene,
  NOTHING,
  nearIn,
  phraseIn,
  preferring,
  prefixIn,
  termIn,
  wordEndIn,
} from './lucene.ts';
import type { Ranking } from './ranking.ts';
import { codeOf, isLong, term, wordTerm, written } from './terms.ts';

/** Words as people type them, in the words of the index: all of them somewhere, the last one perhaps unfinished. */

/** What is not typed to its end counts less than what is. */
const UNFINISHED = 0.5;

const tokenAnywhere = ({ slots }: Ranking, token: string, isLast: boolean): Lucene =>
  anyOf(
    slots.flatMap(({ name, weight, typos, near, as }) => {
      if (as === 'phrase') return [];
      const most = Math.min(typos, typosOf(token));
      return [
        counting(termIn(name, wordTerm(token)), weight),
        ...(most > 0 ? [counting(nearIn(name, wordTerm(token), most), weight * near)] : []),
        ...(isLast && !isLong(token) ? [counting(prefixIn(name, written(token)), weight * UNFINISHED)] : []),
      ];
    }),
  );

/** A word that is there with all its parts side by side counts more than the same parts here and there. */
const TOGETHER = 8;

const wordAnywhere = (ranking: Ranking, { joined, parts }: Word, isLast: boolean): Lucene =>
  anyOf([
    counting(tokenAnywhere(ranking, joined, isLast), parts.length > 1 ? TOGETHER : 1),
    allOf(parts.map((part, at) => tokenAnywhere(ranking, part, isLast && at === parts.length - 1))),
  ]);

/** What bears a name comes before what only holds its words, and what begins with it before the rest. */
const NAMED = 1000;
const BEGUN = 100;

const called = ({ names }: Ranking, text: string): readonly Lucene[] =>
  names.map(({ path, weight }) => counting(termIn('terms', term(codeOf(path), 'folded', fold(text))), weight * NAMED));

/** Values that are kept as they are written have a folded form only where it differs. */
const valued = ({ values }: Ranking, text: string): readonly Lucene[] =>
  values.map(({ path, weight }) => {
    const code = codeOf(path);
    const forms = [term(code, 'folded', fold(text)), term(code, 'exact', text), term(code, 'exact', fold(text))];
    return counting(anyOf(forms.map((form) => termIn('terms', form))), weight);
  });

/** Of names that begin so, those come first of which the word that is being typed is the last. */
const ENDING = 50;

const begun = ({ names }: Ranking, text: string): readonly Lucene[] =>
  names.flatMap(({ path, weight }) => {
    const start = term(codeOf(path), 'folded', fold(text));
    return [counting(prefixIn('terms', start), weight * BEGUN), counting(wordEndIn('terms', start), weight * ENDING)];
  });

const inRow = ({ slots }: Ranking, words: readonly Word[]): readonly Lucene[] =>
  slots.flatMap(({ name, weight, as }) => {
    if (as !== 'phrase') return [];
    const parts = words.flatMap((word) => word.parts.map(wordTerm));
    const joined = words.map((word) => wordTerm(word.joined));
    return [counting(anyOf([phraseIn(name, parts), phraseIn(name, joined)]), weight)];
  });

/** The same, but that no word is looked for that is only spelled alike. */
const withoutTypos = (ranking: Ranking): Ranking => ({
  ...ranking,
  slots: ranking.slots.map((slot) => ({ ...slot, typos: 0 })),
});

/** With `isPatient` any of the words will do: who asked for all of them and found nothing is shown what has some. */
export const simpleIn = (ranked: Ranking, leaf: Extract<Filter, { is: 'simple' }>, isPatient: boolean): Lucene => {
  const ranking = leaf.isSpelledRight ? withoutTypos(ranked) : ranked;
  const words = wordsIn(leaf);
  if (words.length === 0) return NOTHING;
  if (isPatient) {
    return anyOf(
      words.flatMap(({ joined, parts }) => [joined, ...parts].map((token) => tokenAnywhere(ranking, token, false))),
    );
  }
  const text = leaf.text.trim();
  const byWords = allOf(
    words.map((word, at) => wordAnywhere(ranking, word, !leaf.isFinished && at === words.length - 1)),
  );
  return preferring(
    anyOf([byWords, ...inRow(ranking, words), ...valued(ranking, text), ...called(ranking, text)]),
    begun(ranking, text),
  );
};
