import { allowedTypos } from '../filter/typos.ts';
import { filterWords, type ValueFilter } from '../filter/value-test.ts';
import { foldWildcard, limitWildcard } from '../filter/wildcard.ts';
import { countWordParts, foldText, parseWords, type TextWord } from '../tokens.ts';
import { boundsBetween, exactBounds, NO_DOCUMENTS, type QueryBounds } from './bounds.ts';
import { combinationsOf } from './combinations.ts';
import {
  andQuery,
  fuzzyQuery,
  LUCENE_NONE,
  type LuceneQuery,
  orQuery,
  phraseQuery,
  prefixQuery,
  termQuery,
  wildcardQuery,
} from './lucene.ts';
import { isTooLongForTerm, termStartOf, wordTerm } from './terms.ts';

/** Translates conditions on the words of texts, for one index property that holds only the words of one field. */

type WordsLeaf = Extract<ValueFilter, { is: 'words' }>;

/** Up to this many parts, every combination of the required number is written out. */
const MAX_COMBINED_WORDS = 5;

const wordQuery = (property: string, { joined, parts }: TextWord, near: (token: string) => number): LuceneQuery =>
  orQuery([
    fuzzyQuery(property, wordTerm(joined), near(joined)),
    andQuery(parts.map((part) => fuzzyQuery(property, wordTerm(part), near(part)))),
  ]);

/** Bounds for a minimum number of parts; a word that occurs as a whole counts with all its parts. */
const wordsBounds = (property: string, leaf: WordsLeaf): QueryBounds => {
  const words = filterWords(leaf);
  const near = (token: string) => allowedTypos(token, leaf.typos);
  const count = countWordParts(words);
  const { least } = leaf;
  if (count === 0 || least > count) return NO_DOCUMENTS;
  const oneOf = orQuery(
    words.flatMap(({ joined, parts }) =>
      [joined, ...parts].map((token) => fuzzyQuery(property, wordTerm(token), near(token))),
    ),
  );
  if (least <= 1) return exactBounds(oneOf);
  const all = andQuery(words.map((word) => wordQuery(property, word, near)));
  if (least === count) return exactBounds(all);
  const isSimple = words.every(({ parts }) => parts.length === 1);
  if (!isSimple || count > MAX_COMBINED_WORDS) return boundsBetween(all, oneOf);
  return exactBounds(
    orQuery(combinationsOf(words, least).map((some) => andQuery(some.map((word) => wordQuery(property, word, near))))),
  );
};

const phraseBounds = (property: string, leaf: Extract<ValueFilter, { is: 'phrase' }>): QueryBounds => {
  const words = filterWords(leaf);
  if (words.length === 0) return NO_DOCUMENTS;
  const parts = words.flatMap((word) => word.parts);
  const inRow = orQuery([
    phraseQuery(property, parts.map(wordTerm)),
    phraseQuery(
      property,
      words.map(({ joined }) => wordTerm(joined)),
    ),
  ]);
  if (leaf.slop === 0) return exactBounds(inRow);
  return boundsBetween(inRow, orQuery([inRow, andQuery(parts.map((part) => termQuery(property, wordTerm(part))))]));
};

/** Bounds of a condition on a text that has a property of its own. */
export const textBounds = (property: string, leaf: ValueFilter): QueryBounds => {
  switch (leaf.is) {
    case 'term':
      return exactBounds(orQuery(leaf.values.map((value) => termQuery(property, wordTerm(foldText(String(value)))))));
    case 'words':
      return wordsBounds(property, leaf);
    case 'phrase':
      return phraseBounds(property, leaf);
    case 'prefix': {
      const text = foldText(leaf.text);
      const found = prefixQuery(property, termStartOf(text));
      return isTooLongForTerm(text) ? boundsBetween(LUCENE_NONE, found) : exactBounds(found);
    }
    case 'wildcard': {
      const { pattern, isWhole } = limitWildcard(foldWildcard(leaf.pattern));
      const found = wildcardQuery(property, '', pattern);
      // A pattern without literal characters also matches the separators between texts.
      const hasLetters = leaf.pattern.some((piece) => typeof piece === 'object');
      return isWhole && hasLetters ? exactBounds(found) : boundsBetween(LUCENE_NONE, found);
    }
    case 'fuzzy':
      return exactBounds(fuzzyQuery(property, wordTerm(foldText(leaf.text)), allowedTypos(leaf.text, leaf.typos)));
    case 'range':
      return NO_DOCUMENTS;
  }
};

/**
 * Bounds of a condition where one property mixes the words of many texts and holds only their parts: documents only
 * possibly match.
 */
export const mixedBounds = (property: string, leaf: ValueFilter, there: LuceneQuery): QueryBounds => {
  const partsOf = (words: readonly TextWord[]): LuceneQuery => {
    const found = words.map(({ joined, parts }) =>
      orQuery([
        termQuery(property, wordTerm(joined)),
        andQuery(parts.map((part) => termQuery(property, wordTerm(part)))),
      ]),
    );
    return found.length === 0 ? LUCENE_NONE : andQuery(found);
  };
  if (leaf.is === 'term') {
    const values = leaf.values.map((value) => parseWords(String(value)));
    return boundsBetween(LUCENE_NONE, orQuery(values.map((words) => (words.length === 0 ? there : partsOf(words)))));
  }
  if (leaf.is === 'phrase') return boundsBetween(LUCENE_NONE, partsOf(filterWords(leaf)));
  if (leaf.is === 'words') return boundsBetween(LUCENE_NONE, textBounds(property, leaf).possible);
  return boundsBetween(LUCENE_NONE, there);
};
