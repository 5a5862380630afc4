import type { SpendSteps } from '../../model/language/match-budget.ts';

/** A text pattern with wildcards for one character or for any run of characters. */
export type WildcardPattern = readonly WildcardPiece[];

export type WildcardPiece = { readonly literal: string } | 'one' | 'run';

type PatternBuilder = { readonly pieces: WildcardPiece[]; literal: string };

const flushLiteral = (building: PatternBuilder): void => {
  if (building.literal !== '') building.pieces.push({ literal: building.literal });
  building.literal = '';
};

const addPiece = (building: PatternBuilder, piece: 'one' | 'run'): void => {
  flushLiteral(building);
  // Two consecutive runs equal one.
  if (piece === 'one' || building.pieces.at(-1) !== 'run') building.pieces.push(piece);
};

/** Parses a pattern: `*` is any run, `?` is one character, and `\` escapes the next character. */
export const parseWildcard = (text: string): WildcardPattern => {
  const building: PatternBuilder = { pieces: [], literal: '' };
  const characters = [...text];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at];
    if (character === '*') addPiece(building, 'run');
    else if (character === '?') addPiece(building, 'one');
    else if (character === '\\' && at + 1 < characters.length) {
      at += 1;
      building.literal += characters[at];
    } else building.literal += character;
  }
  flushLiteral(building);
  return building.pieces;
};

/** The operators of regular expressions other than `.` and `.*`; supported only when escaped. */
const REGEX_OPERATORS = '?+*|{}[]()"#@&<>~^$';

/** Parses a regular expression of plain characters, `.` and `.*`; undefined when it contains anything else. */
export const parseSimpleRegex = (text: string): WildcardPattern | undefined => {
  const building: PatternBuilder = { pieces: [], literal: '' };
  const characters = [...text];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '.') {
      const isRun = characters[at + 1] === '*';
      addPiece(building, isRun ? 'run' : 'one');
      if (isRun) at += 1;
    } else if (character === '\\') {
      at += 1;
      const next = characters[at];
      // A letter after the backslash would be a character class.
      if (next === undefined || /[A-Za-z0-9]/.test(next)) return undefined;
      building.literal += next;
    } else if (REGEX_OPERATORS.includes(character)) return undefined;
    else building.literal += character;
  }
  flushLiteral(building);
  return building.pieces;
};

const stepsByPattern = new WeakMap<WildcardPattern, readonly string[]>();

/** Expands a pattern into steps once, because it is matched against very many texts. */
const stepsOf = (pattern: WildcardPattern): readonly string[] => {
  const known = stepsByPattern.get(pattern);
  if (known) return known;
  const steps = pattern.flatMap((piece) =>
    typeof piece === 'string' ? [piece] : [...piece.literal].map((one) => `=${one}`),
  );
  stepsByPattern.set(pattern, steps);
  return steps;
};

/** Splitting a text costs less than comparing its characters. */
const SPLIT_STEPS = 1 / 4;

/**
 * Whether the whole text matches the pattern. It backtracks only to the last run, so the number of steps is at most the
 * length of the pattern times that of the text.
 */
export const matchesWildcard = (pattern: WildcardPattern, text: string, spend?: SpendSteps): boolean => {
  spend?.(SPLIT_STEPS * text.length);
  const steps = stepsOf(pattern);
  const characters = [...text];
  let [at, step] = [0, 0];
  let run: { readonly step: number; at: number } | undefined;
  while (at < characters.length) {
    const wanted = steps[step];
    if (wanted === 'run') {
      run = { step, at };
      step += 1;
    } else if (wanted === 'one' || wanted === `=${characters[at]}`) {
      step += 1;
      at += 1;
    } else if (run) {
      spend?.(at - run.at);
      run.at += 1;
      at = run.at;
      step = run.step + 1;
    } else return false;
  }
  while (steps[step] === 'run') step += 1;
  return step === steps.length;
};

/** Converts a pattern for texts in lower case. */
export const foldWildcard = (pattern: WildcardPattern): WildcardPattern =>
  pattern.map((piece) => (typeof piece === 'string' ? piece : { literal: piece.literal.toLowerCase() }));

/** The number of characters that an index searches for before the first run; no term is longer. */
const MAX_LETTERS_BEFORE_RUN = 200;
/**
 * The limits after the first run, where each character, and even more each single wildcard, multiplies the states of
 * the index's automaton.
 */
const MAX_LETTERS_AFTER_RUN = 24;
const MAX_SINGLE_WILDCARDS = 2;
const MAX_RUNS = 4;

type PatternCost = { letters: number; open: number; runs: number };

const lettersLeft = ({ letters, runs }: PatternCost): number =>
  (runs === 0 ? MAX_LETTERS_BEFORE_RUN : MAX_LETTERS_AFTER_RUN) - letters;

/** Returns the part of a piece that fits the limits; undefined when nothing does. */
const takeAffordable = (piece: WildcardPiece, spent: PatternCost): WildcardPiece | undefined => {
  if (piece === 'run') {
    spent.runs += 1;
    if (spent.runs === 1) spent.letters = 0;
    return spent.runs > MAX_RUNS ? undefined : piece;
  }
  const left = lettersLeft(spent);
  if (piece === 'one') {
    if (spent.runs > 0) spent.open += 1;
    spent.letters += 1;
    return left < 1 || spent.open > MAX_SINGLE_WILDCARDS ? undefined : piece;
  }
  const characters = [...piece.literal];
  spent.letters += characters.length;
  if (characters.length <= left) return piece;
  return left < 1 ? undefined : { literal: characters.slice(0, left).join('') };
};

/**
 * Limits a pattern to a bounded search cost. If the pattern exceeds the limits, its end becomes a run, so that it also
 * matches texts that the original does not: then `isWhole` is false.
 */
export const limitWildcard = (
  pattern: WildcardPattern,
): { readonly pattern: WildcardPattern; readonly isWhole: boolean } => {
  const spent: PatternCost = { letters: 0, open: 0, runs: 0 };
  const pieces: WildcardPiece[] = [];
  for (const piece of pattern) {
    const taken = takeAffordable(piece, spent);
    if (taken !== undefined) pieces.push(taken);
    if (taken === piece) continue;
    if (pieces.at(-1) !== 'run') pieces.push('run');
    return { pattern: pieces, isWhole: false };
  }
  return { pattern, isWhole: true };
};
