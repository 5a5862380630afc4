import type { SpendSteps } from '../../model/language/match-budget.ts';
import type { TextWord, TokenizedText } from '../tokens.ts';
import type { TypoLimit } from './search-filter.ts';

/** Distances between words: by letters (typos) and by positions (slop). */

/** Returns the typos allowed in a word of this length. */
export const allowedTypos = (word: string, typos: TypoLimit): number => {
  if (typos !== 'auto') return typos;
  return word.length < 3 ? 0 : word.length < 6 ? 1 : 2;
};

/** The steps for a letter of a word that is compared with another. */
const ROW_STEPS = 8;

/**
 * Whether at most `most` edits (a letter deleted, inserted, replaced, or swapped with the next) turn one word into the
 * other. It computes only distances that can still be small enough.
 */
export const isWithinTypos = (a: string, b: string, most: number, spend?: SpendSteps): boolean => {
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > 2 * most) return false;
  const [from, to] = [[...a], [...b]];
  if (most === 0 || Math.abs(from.length - to.length) > most) return false;
  const far = most + 1;
  let before: number[] = [];
  let last = to.map((_, at) => at + 1);
  last.unshift(0);
  for (let row = 1; row <= from.length; row += 1) {
    spend?.(ROW_STEPS + to.length / 4);
    const current: number[] = new Array(to.length + 1).fill(far);
    if (row <= most) current[0] = row;
    const [first, end] = [Math.max(1, row - most), Math.min(to.length, row + most)];
    let best = current[0] ?? far;
    for (let column = first; column <= end; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column - 1] ?? far) + (isSame ? 0 : 1),
        (last[column] ?? far) + 1,
        (current[column - 1] ?? far) + 1,
      );
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwapped) cost = Math.min(cost, (before[column - 2] ?? far) + 1);
      current[column] = Math.min(cost, far);
      best = Math.min(best, cost);
    }
    if (best > most) return false;
    [before, last] = [last, current];
  }
  return (last[to.length] ?? far) <= most;
};

/** Whether one of the tokens equals the word or differs by allowed typos. */
export const hasToken = (tokens: ReadonlySet<string>, word: string, most: number, spend?: SpendSteps): boolean => {
  if (tokens.has(word)) return true;
  if (most === 0) return false;
  for (const token of tokens) if (isWithinTypos(word, token, most, spend)) return true;
  return false;
};

const containsSequence = (all: readonly string[], wanted: readonly string[], spend?: SpendSteps): boolean =>
  all.some((_, at) => {
    const different = wanted.findIndex((one, offset) => all[at + offset] !== one);
    if (different > 0) spend?.(different);
    return different < 0;
  });

/** Whether the words follow each other, either part by part or each without its separators. */
const hasExactPhrase = (text: TokenizedText, words: readonly TextWord[], spend?: SpendSteps): boolean =>
  containsSequence(
    text.parts,
    words.flatMap(({ parts }) => parts),
    spend,
  ) ||
  containsSequence(
    text.joined,
    words.map(({ joined }) => joined),
    spend,
  );

type PartPosition = { readonly unit: number; readonly shift: number };

/** The steps for a position: it is kept, sorted and looked at. */
const PLACE_STEPS = 64;

/** Lists every position of every wanted part as its distance from the position in the phrase. */
const partPositionsOf = (text: TokenizedText, units: readonly string[], spend?: SpendSteps): PartPosition[] =>
  units.flatMap((part, unit) => {
    const places: PartPosition[] = [];
    text.parts.forEach((found, at) => {
      if (found === part) places.push({ unit, shift: at - unit });
    });
    spend?.(text.parts.length + PLACE_STEPS * places.length);
    return places;
  });

const countParts = (parts: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1);
  return counts;
};

/** Whether all parts occur; a part that is wanted twice must occur twice. */
const hasAllParts = (text: TokenizedText, units: readonly string[]): boolean => {
  const there = countParts(text.parts);
  return [...countParts(units)].every(([part, count]) => (there.get(part) ?? 0) >= count);
};

/** Whether the parts are so close to their positions that the largest difference is within the slop. */
const hasSloppyPhrase = (text: TokenizedText, units: readonly string[], slop: number, spend?: SpendSteps): boolean => {
  if (!hasAllParts(text, units)) return false;
  const places = partPositionsOf(text, units, spend).sort((a, b) => a.shift - b.shift);
  const counts = new Map<number, number>();
  let first = 0;
  for (const place of places) {
    counts.set(place.unit, (counts.get(place.unit) ?? 0) + 1);
    for (let oldest = places[first]; oldest && place.shift - oldest.shift > slop; oldest = places[first]) {
      const left = (counts.get(oldest.unit) ?? 0) - 1;
      if (left === 0) counts.delete(oldest.unit);
      else counts.set(oldest.unit, left);
      first += 1;
    }
    if (counts.size === units.length) return true;
  }
  return false;
};

/** Whether a text contains these words in sequence, within the slop. */
export const hasPhrase = (
  text: TokenizedText,
  words: readonly TextWord[],
  slop: number,
  spend?: SpendSteps,
): boolean => {
  if (words.length === 0) return false;
  if (hasExactPhrase(text, words, spend)) return true;
  return (
    slop > 0 &&
    hasSloppyPhrase(
      text,
      words.flatMap(({ parts }) => parts),
      slop,
      spend,
    )
  );
};
