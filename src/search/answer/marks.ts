import { holdsPhrase, isNear } from '../filter/near.ts';
import { fitsPattern } from '../filter/pattern.ts';
import { type PlacedWord, placedWords, type Stretch } from '../tokens.ts';
import type { Sought } from './sought.ts';

/** Finds in a text, letter by letter, what was looked for in it. */

/** How many comparisons are still made for one document; behind that, only what is spelled right is found. */
export type Patience = { left: number };

/** As it was looked for, nearly so, or only begun or described by it. */
type Verdict = 'same' | 'near' | 'like' | undefined;

type Judge = (form: string) => Verdict;

const someOf = <T>(all: Iterable<T>, patience: Patience, test: (one: T) => boolean): boolean => {
  for (const one of all) {
    if (patience.left <= 0) return false;
    patience.left -= 1;
    if (test(one)) return true;
  }
  return false;
};

/** What is known of words and of short texts already: both return from document to document. */
type Known = { readonly verdicts: Map<string, Verdict>; readonly marks: Map<string, readonly Stretch[]> };

const MOST_KNOWN = 10_000;
const LONGEST_KNOWN = 200;

/** As long as there is somebody who looks for it. */
const known = new WeakMap<Sought, Known>();

const knownOf = (sought: Sought): Known => {
  const found = known.get(sought) ?? { verdicts: new Map(), marks: new Map() };
  known.set(sought, found);
  return found;
};

/** What was decided without patience may be decided otherwise another time. */
const keep = <T>(kept: Map<string, T>, key: string, value: T, patience: Patience): T => {
  if (patience.left > 0 && kept.size < MOST_KNOWN) kept.set(key, value);
  return value;
};

const judgeFor = (sought: Sought, patience: Patience): Judge => {
  const { verdicts } = knownOf(sought);
  const judge = (form: string): Verdict => {
    if (sought.exact.has(form)) return 'same';
    if (someOf(sought.near, patience, ({ token, most }) => isNear(token, form, most))) return 'near';
    if (someOf(sought.begun, patience, (beginning) => form.startsWith(beginning))) return 'like';
    return someOf(sought.patterns, patience, (pattern) => fitsPattern(pattern, form)) ? 'like' : undefined;
  };
  return (form) => (verdicts.has(form) ? verdicts.get(form) : keep(verdicts, form, judge(form), patience));
};

/** What is found of the words of one text: some of them whole, of others some parts. */
type Found = { readonly words: Set<number>; readonly parts: Set<number> };

/** Whether the row stands at that place of all. */
const standsAt = (all: readonly string[], row: readonly string[], at: number, patience: Patience): boolean => {
  patience.left -= 1;
  for (let offset = 1; offset < row.length; offset += 1) {
    if (all[at + offset] !== row[offset]) return false;
    patience.left -= 1;
  }
  return true;
};

const findRows = (
  all: readonly string[],
  rows: ReadonlyMap<string, readonly (readonly string[])[]>,
  patience: Patience,
  found: Set<number>,
): void => {
  if (rows.size === 0) return;
  for (let at = 0; at < all.length && patience.left > 0; at += 1) {
    for (const row of rows.get(all[at] ?? '') ?? []) {
      if (patience.left <= 0) return;
      if (standsAt(all, row, at, patience))
        for (let offset = 0; offset < row.length; offset += 1) found.add(at + offset);
    }
  }
};

type Laid = { readonly parts: readonly string[]; readonly joined: readonly string[] };

const findScattered = (laid: Laid, { scattered }: Sought, patience: Patience, found: Found): void => {
  for (const { words, slop } of scattered) {
    if (patience.left <= 0) return;
    patience.left -= laid.parts.length;
    if (!holdsPhrase({ ...laid, tokens: new Set() }, words, slop)) continue;
    const wanted = new Set(words.flatMap(({ parts }) => parts));
    laid.parts.forEach((part, at) => {
      if (wanted.has(part)) found.parts.add(at);
    });
  }
};

/** Where the parts of a word stand that are found; parts that touch are one. */
const partsFound = ({ places }: PlacedWord, isFound: (at: number) => boolean): Stretch[] => {
  const stretches: Stretch[] = [];
  places.forEach(({ start, end }, at) => {
    if (!isFound(at)) return;
    const last = stretches.at(-1);
    if (last?.end === start) stretches.splice(-1, 1, { start: last.start, end });
    else stretches.push({ start, end });
  });
  return stretches;
};

/** What of a word explains best why it was found: what is spelled as it was looked for, else the most that is near it. */
const stretchesIn = (word: PlacedWord, judge: Judge, isFound: (at: number) => boolean): readonly Stretch[] => {
  const all = [{ start: word.start, end: word.end }];
  const forms = [judge(word.whole), judge(word.joined)];
  if (forms.includes('same')) return all;
  const verdicts = word.parts.map((part, at) => (isFound(at) ? 'same' : judge(part)));
  if (verdicts.every((verdict) => verdict !== undefined)) return all;
  if (forms.includes('near') && !verdicts.includes('same')) return all;
  const parts = partsFound(word, (at) => verdicts[at] !== undefined);
  return parts.length === 0 && forms.includes('like') ? all : parts;
};

const look = (text: string, sought: Sought, patience: Patience): readonly Stretch[] => {
  const words = placedWords(text);
  const laid = { parts: words.flatMap(({ parts }) => parts), joined: words.map(({ joined }) => joined) };
  const found: Found = { words: new Set(), parts: new Set() };
  findRows(laid.parts, sought.rows.parts, patience, found.parts);
  findRows(laid.joined, sought.rows.joined, patience, found.words);
  findScattered(laid, sought, patience, found);
  const judge = judgeFor(sought, patience);
  let first = 0;
  return words.flatMap((word, at) => {
    const from = first;
    first += word.parts.length;
    if (found.words.has(at)) return [{ start: word.start, end: word.end }];
    return stretchesIn(word, judge, (part) => found.parts.has(from + part));
  });
};

/** Where in a text stands what was looked for, in its order. */
export const marksIn = (text: string, sought: Sought, patience: Patience): readonly Stretch[] => {
  if (text.length > LONGEST_KNOWN) return look(text, sought, patience);
  const { marks } = knownOf(sought);
  return marks.get(text) ?? keep(marks, text, look(text, sought, patience), patience);
};
