/**
 * Sets of characters as sorted ranges, so that a set of thousands of items costs little more to ask than one of a
 * single item.
 */

/** Ranges in ascending order that do not touch each other: first, last, first, last, … */
type CharacterRanges = readonly number[];

export type CharacterSet = {
  readonly ranges: CharacterRanges;
  /** The ranges whose characters count in any letter case. */
  readonly foldedRanges: CharacterRanges;
  readonly isNegated: boolean;
  /** The steps that it takes at most to ask for a character. */
  readonly cost: number;
};

/** A character with its other letter cases, which are computed once and asked for in many sets. */
export type FoldedCharacter = { readonly code: number; readonly lower: number; readonly upper: number };

/** Some characters as an expression names them: a character, a range, or a class such as `\d`. */
export type CharacterItem = { readonly ranges: CharacterRanges; readonly isFolded: boolean };

const LAST_CODE = 0x10ffff;

export const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

/** Several characters, such as the SS for ß, are not another case of one. */
const singleCode = (characters: string, otherwise: number): number => {
  const code = codeOf(characters);
  return String.fromCodePoint(code).length === characters.length ? code : otherwise;
};

export const foldCharacter = (code: number): FoldedCharacter => {
  const character = String.fromCodePoint(code);
  return {
    code,
    lower: singleCode(character.toLowerCase(), code),
    upper: singleCode(character.toUpperCase(), code),
  };
};

/** Sorts ranges and joins those that overlap or touch. */
const normalizeRanges = (all: readonly CharacterRanges[]): CharacterRanges => {
  const pairs = all.flatMap((ranges) =>
    ranges.flatMap((from, at) => (at % 2 === 0 ? [[from, ranges[at + 1] ?? from]] : [])),
  );
  const joined: number[] = [];
  for (const [from = 0, to = 0] of pairs.sort(([a = 0], [b = 0]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last + 1) joined[joined.length - 1] = Math.max(last, to);
    else joined.push(from, to);
  }
  return joined;
};

/** Answers all characters that are not in the ranges. */
export const complementRanges = (ranges: CharacterRanges): CharacterRanges => {
  const others: number[] = [];
  let from = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const [first = 0, last = 0] = [ranges[at], ranges[at + 1]];
    if (first > from) others.push(from, first - 1);
    from = last + 1;
  }
  if (from <= LAST_CODE) others.push(from, LAST_CODE);
  return others;
};

/** The steps of a binary search among ranges. */
const searchSteps = ({ length }: CharacterRanges): number => (length === 0 ? 0 : 1 + Math.floor(Math.log2(length / 2)));

export const createCharacterSet = (items: readonly CharacterItem[], isNegated = false): CharacterSet => {
  const rangesOf = (isFolded: boolean) =>
    normalizeRanges(items.filter((item) => item.isFolded === isFolded).map((item) => item.ranges));
  const [ranges, foldedRanges] = [rangesOf(false), rangesOf(true)];
  const cost = Math.max(1, searchSteps(ranges) + 3 * searchSteps(foldedRanges));
  return { ranges, foldedRanges, isNegated, cost };
};

const isInRanges = (ranges: CharacterRanges, code: number): boolean => {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (code > (ranges[2 * middle + 1] ?? LAST_CODE)) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length / 2 && code >= (ranges[2 * low] ?? 0);
};

export const hasCharacter = (set: CharacterSet, { code, lower, upper }: FoldedCharacter): boolean => {
  const { ranges, foldedRanges, isNegated } = set;
  const isIn =
    isInRanges(ranges, code) ||
    isInRanges(foldedRanges, code) ||
    isInRanges(foldedRanges, lower) ||
    isInRanges(foldedRanges, upper);
  return isIn !== isNegated;
};
