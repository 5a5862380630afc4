import { type Leaf, wordsIn } from '../filter/leaves.ts';
import { typosFor } from '../filter/near.ts';
import { boundPattern, foldPattern } from '../filter/pattern.ts';
import { countParts, fold, type Word, wordsOf } from '../tokens.ts';
import { type Bounds, exactly, nothing, within } from './bounds.ts';
import { choices } from './choices.ts';
import { allOf, anyOf, type Lucene, NOTHING, nearIn, patternIn, phraseIn, prefixIn, termIn } from './lucene.ts';
import { isLong, termStart, wordTerm } from './terms.ts';

/** Conditions on the words of texts, in one property of the index that holds the words of nothing else. */

type Words = Extract<Leaf, { is: 'words' }>;

/** Up to so many parts, every choice of as many as must be there is written out. */
const MOST_CHOSEN = 5;

const wordIn = (property: string, { joined, parts }: Word, near: (token: string) => number): Lucene =>
  anyOf([
    nearIn(property, wordTerm(joined), near(joined)),
    allOf(parts.map((part) => nearIn(property, wordTerm(part), near(part)))),
  ]);

/** At least so many parts of the words; a word that is there as a whole is there with all of its parts. */
const wordsBounds = (property: string, leaf: Words): Bounds => {
  const words = wordsIn(leaf);
  const near = (token: string) => typosFor(token, leaf.typos);
  const count = countParts(words);
  const { least } = leaf;
  if (count === 0 || least > count) return nothing;
  const oneOf = anyOf(
    words.flatMap(({ joined, parts }) =>
      [joined, ...parts].map((token) => nearIn(property, wordTerm(token), near(token))),
    ),
  );
  if (least <= 1) return exactly(oneOf);
  const all = allOf(words.map((word) => wordIn(property, word, near)));
  if (least === count) return exactly(all);
  const isSimple = words.every(({ parts }) => parts.length === 1);
  if (!isSimple || count > MOST_CHOSEN) return within(all, oneOf);
  return exactly(anyOf(choices(words, least).map((some) => allOf(some.map((word) => wordIn(property, word, near))))));
};

const phraseBounds = (property: string, leaf: Extract<Leaf, { is: 'phrase' }>): Bounds => {
  const words = wordsIn(leaf);
  if (words.length === 0) return nothing;
  const parts = words.flatMap((word) => word.parts);
  const inRow = anyOf([
    phraseIn(property, parts.map(wordTerm)),
    phraseIn(
      property,
      words.map(({ joined }) => wordTerm(joined)),
    ),
  ]);
  if (leaf.slop === 0) return exactly(inRow);
  return within(inRow, anyOf([inRow, allOf(parts.map((part) => termIn(property, wordTerm(part))))]));
};

/** A condition on the words of a text that has a property of its own. */
export const textBounds = (property: string, leaf: Leaf): Bounds => {
  switch (leaf.is) {
    case 'term':
      return exactly(anyOf(leaf.values.map((value) => termIn(property, wordTerm(fold(String(value)))))));
    case 'words':
      return wordsBounds(property, leaf);
    case 'phrase':
      return phraseBounds(property, leaf);
    case 'prefix': {
      const text = fold(leaf.text);
      const found = prefixIn(property, termStart(text));
      return isLong(text) ? within(NOTHING, found) : exactly(found);
    }
    case 'wildcard': {
      const { pattern, isWhole } = boundPattern(foldPattern(leaf.pattern));
      const found = patternIn(property, '', pattern);
      // What has no letter of its own is also found in what stands between texts.
      const hasLetters = leaf.pattern.some((piece) => typeof piece === 'object');
      return isWhole && hasLetters ? exactly(found) : within(NOTHING, found);
    }
    case 'fuzzy':
      return exactly(nearIn(property, wordTerm(fold(leaf.text)), typosFor(leaf.text, leaf.typos)));
    case 'range':
      return nothing;
  }
};

/** The same where the words of many texts are mixed, and only their parts are there: something it may be. */
export const mixedBounds = (property: string, leaf: Leaf, there: Lucene): Bounds => {
  const partsOf = (words: readonly Word[]): Lucene => {
    const found = words.map(({ joined, parts }) =>
      anyOf([termIn(property, wordTerm(joined)), allOf(parts.map((part) => termIn(property, wordTerm(part))))]),
    );
    return found.length === 0 ? NOTHING : allOf(found);
  };
  if (leaf.is === 'term') {
    const values = leaf.values.map((value) => wordsOf(String(value)));
    return within(NOTHING, anyOf(values.map((words) => (words.length === 0 ? there : partsOf(words)))));
  }
  if (leaf.is === 'phrase') return within(NOTHING, partsOf(wordsIn(leaf)));
  if (leaf.is === 'words') return within(NOTHING, textBounds(property, leaf).perhaps);
  return within(NOTHING, there);
};
