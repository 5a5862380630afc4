/** A text with places that stand for one character, or for any run of them. */
export type Pattern = readonly Piece[];

export type Piece = { readonly literal: string } | 'one' | 'run';

type Building = { readonly pieces: Piece[]; literal: string };

const flush = (building: Building): void => {
  if (building.literal !== '') building.pieces.push({ literal: building.literal });
  building.literal = '';
};

const add = (building: Building, piece: 'one' | 'run'): void => {
  flush(building);
  // Two runs side by side say no more than one.
  if (piece === 'one' || building.pieces.at(-1) !== 'run') building.pieces.push(piece);
};

/** Reads `*` as any run, `?` as one character, and what follows a `\` as itself. */
export const readWildcard = (text: string): Pattern => {
  const building: Building = { pieces: [], literal: '' };
  const characters = [...text];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at];
    if (character === '*') add(building, 'run');
    else if (character === '?') add(building, 'one');
    else if (character === '\\' && at + 1 < characters.length) {
      at += 1;
      building.literal += characters[at];
    } else building.literal += character;
  }
  flush(building);
  return building.pieces;
};

/** What a regular expression means beyond plain characters, `.` and `.*`; understood only behind a `\`. */
const MEANINGFUL = '?+*|{}[]()"#@&<>~^$';

/** Reads a regular expression of plain characters, `.` and `.*`; undefined when it is made of more. */
export const readPlainExpression = (text: string): Pattern | undefined => {
  const building: Building = { pieces: [], literal: '' };
  const characters = [...text];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '.') {
      const isRun = characters[at + 1] === '*';
      add(building, isRun ? 'run' : 'one');
      if (isRun) at += 1;
    } else if (character === '\\') {
      at += 1;
      const next = characters[at];
      // A letter behind it would be a class of characters.
      if (next === undefined || /[A-Za-z0-9]/.test(next)) return undefined;
      building.literal += next;
    } else if (MEANINGFUL.includes(character)) return undefined;
    else building.literal += character;
  }
  flush(building);
  return building.pieces;
};

const laidOut = new WeakMap<Pattern, readonly string[]>();

/** A pattern step by step, worked out once: it is held against very many texts. */
const stepsOf = (pattern: Pattern): readonly string[] => {
  const known = laidOut.get(pattern);
  if (known) return known;
  const steps = pattern.flatMap((piece) =>
    typeof piece === 'string' ? [piece] : [...piece.literal].map((one) => `=${one}`),
  );
  laidOut.set(pattern, steps);
  return steps;
};

/**
 * Whether the whole text is one that the pattern describes. Only the last run is ever reconsidered, so it takes no more
 * steps than the pattern is long, times the text.
 */
export const fitsPattern = (pattern: Pattern, text: string): boolean => {
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
      run.at += 1;
      at = run.at;
      step = run.step + 1;
    } else return false;
  }
  while (steps[step] === 'run') step += 1;
  return step === steps.length;
};

/** The same pattern for texts in lower case. */
export const foldPattern = (pattern: Pattern): Pattern =>
  pattern.map((piece) => (typeof piece === 'string' ? piece : { literal: piece.literal.toLowerCase() }));

/** How many characters an index looks for in front of the first run: no term is longer. */
const MOST_BEFORE = 200;
/** And behind it, where each of them, and even more each open one, multiplies the states of the index's automaton. */
const MOST_BEHIND = 24;
const MOST_OPEN = 2;
const MOST_RUNS = 4;

type Spending = { letters: number; open: number; runs: number };

const lettersLeft = ({ letters, runs }: Spending): number => (runs === 0 ? MOST_BEFORE : MOST_BEHIND) - letters;

/** What can be afforded of one piece; undefined when that is nothing. */
const affordable = (piece: Piece, spent: Spending): Piece | undefined => {
  if (piece === 'run') {
    spent.runs += 1;
    if (spent.runs === 1) spent.letters = 0;
    return spent.runs > MOST_RUNS ? undefined : piece;
  }
  const left = lettersLeft(spent);
  if (piece === 'one') {
    if (spent.runs > 0) spent.open += 1;
    spent.letters += 1;
    return left < 1 || spent.open > MOST_OPEN ? undefined : piece;
  }
  const characters = [...piece.literal];
  spent.letters += characters.length;
  if (characters.length <= left) return piece;
  return left < 1 ? undefined : { literal: characters.slice(0, left).join('') };
};

/**
 * A pattern that an index can look for at a bounded cost. Where the given one asks for more, its end becomes a run, so that
 * it also fits texts that the given one does not: `isWhole` is false then.
 */
export const boundPattern = (pattern: Pattern): { readonly pattern: Pattern; readonly isWhole: boolean } => {
  const spent: Spending = { letters: 0, open: 0, runs: 0 };
  const pieces: Piece[] = [];
  for (const piece of pattern) {
    const taken = affordable(piece, spent);
    if (taken !== undefined) pieces.push(taken);
    if (taken === piece) continue;
    if (pieces.at(-1) !== 'run') pieces.push('run');
    return { pattern: pieces, isWhole: false };
  }
  return { pattern, isWhole: true };
};
