import { ExpressionTooExpensive, type SpendSteps, unlessTooExpensive } from '../../model/language/match-budget.ts';
import { hasPhrase, isWithinTypos } from '../../search-documents/filter/typos.ts';
import { matchesWildcard } from '../../search-documents/filter/wildcard.ts';
import { type LocatedWord, locateWords, type TextSpan } from '../../search-documents/tokens.ts';
import type { TextSearchTerms } from './search-terms.ts';

/** Finds the matches of search terms in a text, at character positions. */

/** The number of comparisons left for one document. After that, only exact matches are found. */
export type ComparisonBudget = { remaining: number };

/** How a word matches: exactly, with typing mistakes, or by a prefix or a pattern. */
type WordMatch = 'same' | 'near' | 'like' | undefined;

type WordMatcher = (form: string) => WordMatch;

/** How many steps of a matcher count as one comparison. */
const STEPS_PER_COMPARISON = 64;

/** Counts the steps of a comparison, and stops it in the middle when far more are taken than are left. */
const spendComparisons =
  (budget: ComparisonBudget): SpendSteps =>
  (steps) => {
    budget.remaining -= steps / STEPS_PER_COMPARISON;
    if (budget.remaining < 0) throw new ExpressionTooExpensive();
  };

const someWithinBudget = <T>(all: Iterable<T>, budget: ComparisonBudget, test: (one: T) => boolean): boolean => {
  for (const one of all) {
    if (budget.remaining <= 0) return false;
    budget.remaining -= 1;
    if (unlessTooExpensive(() => test(one))) return true;
  }
  return false;
};

/** Caches the results for words and short texts, which recur from document to document. */
type MatchCache = { readonly matches: Map<string, WordMatch>; readonly marks: Map<string, readonly TextSpan[]> };

const MAX_CACHED = 10_000;
const MAX_CACHED_LENGTH = 200;

/** The entries live as long as their search terms. */
const caches = new WeakMap<TextSearchTerms, MatchCache>();

const cacheOf = (sought: TextSearchTerms): MatchCache => {
  const found = caches.get(sought) ?? { matches: new Map(), marks: new Map() };
  caches.set(sought, found);
  return found;
};

/** Does not cache results after the budget is used up, because they may be incomplete. */
const remember = <T>(cache: Map<string, T>, key: string, value: T, budget: ComparisonBudget): T => {
  if (budget.remaining > 0 && cache.size < MAX_CACHED) cache.set(key, value);
  return value;
};

const createWordMatcher = (sought: TextSearchTerms, budget: ComparisonBudget): WordMatcher => {
  const { matches } = cacheOf(sought);
  const spend = spendComparisons(budget);
  const matchForm = (form: string): WordMatch => {
    if (sought.exact.has(form)) return 'same';
    if (someWithinBudget(sought.fuzzy, budget, ({ token, most }) => isWithinTypos(token, form, most, spend)))
      return 'near';
    if (someWithinBudget(sought.prefixes, budget, (beginning) => form.startsWith(beginning))) return 'like';
    return someWithinBudget(sought.patterns, budget, (pattern) => matchesWildcard(pattern, form, spend))
      ? 'like'
      : undefined;
  };
  return (form) => (matches.has(form) ? matches.get(form) : remember(matches, form, matchForm(form), budget));
};

/** The matched words of one text, and the matched parts of other words. */
type MatchedPositions = { readonly words: Set<number>; readonly parts: Set<number> };

/** Whether the sequence occurs at this position. */
const isSequenceAt = (
  all: readonly string[],
  row: readonly string[],
  at: number,
  budget: ComparisonBudget,
): boolean => {
  budget.remaining -= 1;
  for (let offset = 1; offset < row.length; offset += 1) {
    if (all[at + offset] !== row[offset]) return false;
    budget.remaining -= 1;
  }
  return true;
};

const findSequences = (
  all: readonly string[],
  rows: ReadonlyMap<string, readonly (readonly string[])[]>,
  budget: ComparisonBudget,
  found: Set<number>,
): void => {
  if (rows.size === 0) return;
  for (let at = 0; at < all.length && budget.remaining > 0; at += 1) {
    for (const row of rows.get(all[at] ?? '') ?? []) {
      if (budget.remaining <= 0) return;
      if (isSequenceAt(all, row, at, budget))
        for (let offset = 0; offset < row.length; offset += 1) found.add(at + offset);
    }
  }
};

type WordSequences = { readonly parts: readonly string[]; readonly joined: readonly string[] };

const findSloppyPhrases = (
  laid: WordSequences,
  { sloppyPhrases }: TextSearchTerms,
  budget: ComparisonBudget,
  found: MatchedPositions,
): void => {
  for (const { words, slop } of sloppyPhrases) {
    if (budget.remaining <= 0) return;
    budget.remaining -= laid.parts.length;
    const text = { ...laid, tokens: new Set<string>() };
    if (!unlessTooExpensive(() => hasPhrase(text, words, slop, spendComparisons(budget)))) continue;
    const wanted = new Set(words.flatMap(({ parts }) => parts));
    laid.parts.forEach((part, at) => {
      if (wanted.has(part)) found.parts.add(at);
    });
  }
};

/** Returns the spans of the matched parts of a word; adjacent parts are merged. */
const spansOfParts = ({ partSpans }: LocatedWord, isFound: (at: number) => boolean): TextSpan[] => {
  const stretches: TextSpan[] = [];
  partSpans.forEach(({ start, end }, at) => {
    if (!isFound(at)) return;
    const last = stretches.at(-1);
    if (last?.end === start) stretches.splice(-1, 1, { start: last.start, end });
    else stretches.push({ start, end });
  });
  return stretches;
};

/** Returns the spans that best explain the match of a word: the exact match, or else the longest near match. */
const spansInWord = (
  word: LocatedWord,
  matchForm: WordMatcher,
  isFound: (at: number) => boolean,
): readonly TextSpan[] => {
  const all = [{ start: word.start, end: word.end }];
  const forms = [matchForm(word.whole), matchForm(word.joined)];
  if (forms.includes('same')) return all;
  const verdicts = word.parts.map((part, at) => (isFound(at) ? 'same' : matchForm(part)));
  if (verdicts.every((verdict) => verdict !== undefined)) return all;
  if (forms.includes('near') && !verdicts.includes('same')) return all;
  const parts = spansOfParts(word, (at) => verdicts[at] !== undefined);
  return parts.length === 0 && forms.includes('like') ? all : parts;
};

const findMarks = (text: string, sought: TextSearchTerms, budget: ComparisonBudget): readonly TextSpan[] => {
  const words = locateWords(text);
  const laid = { parts: words.flatMap(({ parts }) => parts), joined: words.map(({ joined }) => joined) };
  const found: MatchedPositions = { words: new Set(), parts: new Set() };
  findSequences(laid.parts, sought.sequences.parts, budget, found.parts);
  findSequences(laid.joined, sought.sequences.joined, budget, found.words);
  findSloppyPhrases(laid, sought, budget, found);
  const matchForm = createWordMatcher(sought, budget);
  let first = 0;
  return words.flatMap((word, at) => {
    const from = first;
    first += word.parts.length;
    if (found.words.has(at)) return [{ start: word.start, end: word.end }];
    return spansInWord(word, matchForm, (part) => found.parts.has(from + part));
  });
};

/** Returns the spans of all matches in a text, in order. */
export const marksInText = (text: string, sought: TextSearchTerms, budget: ComparisonBudget): readonly TextSpan[] => {
  if (text.length > MAX_CACHED_LENGTH) return findMarks(text, sought, budget);
  const { marks } = cacheOf(sought);
  return marks.get(text) ?? remember(marks, text, findMarks(text, sought, budget), budget);
};
