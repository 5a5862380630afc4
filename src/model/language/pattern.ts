import { badRequest } from '../../errors.ts';
import {
  type CharacterItem,
  type CharacterSet,
  codeOf,
  complementRanges,
  createCharacterSet,
} from './character-set.ts';
import type { MatchBudget } from './match-budget.ts';
import { createPatternMatcher, END, type PatternState } from './pattern-matcher.ts';

/**
 * Regular expressions that run in linear time: the expression becomes a list of states, which `pattern-matcher.ts`
 * follows at once. Expressions that need more (references to groups, look-ahead and look-behind) are refused, as are
 * those with too many states. No library takes its place, because none stops within a text when a budget is spent.
 */
export type SafePattern = {
  /** Whether the expression matches the whole text. Throws ExpressionTooExpensive when the budget does not suffice. */
  matches(text: string, budget: MatchBudget): boolean;
  /** The cost of compiling it, and of a match per character at worst. Comparable with that of other expressions. */
  readonly cost: number;
};

export const MAX_PATTERN_LENGTH = 512;
const MAX_PATTERN_STATES = 2000;
/** Repeating an empty expression takes steps without creating states. */
const MAX_STEPS = 4 * MAX_PATTERN_STATES;
const MAX_REPEAT = 1000;
const MAX_DEPTH = 50;

/** The parts of an expression. */
type PatternNode =
  | { readonly is: 'character'; readonly set: CharacterSet }
  | { readonly is: 'anchor'; readonly to: 'start' | 'end' }
  | { readonly is: 'sequence'; readonly of: readonly PatternNode[] }
  | { readonly is: 'choice'; readonly of: readonly PatternNode[] }
  | RepeatNode;

type RepeatNode = { readonly is: 'repeat'; readonly of: PatternNode; readonly least: number; readonly most: number };

const patternError = (problem: string, at: number) => badRequest(`${problem} at character ${at + 1}`);

const DIGIT = [48, 57];
const WORD = [48, 57, 65, 90, 95, 95, 97, 122];
const SPACE = [9, 13, 32, 32, 160, 160, 0x2028, 0x2028];
const LINE_ENDS = [10, 10, 13, 13];

/** The characters of a class are never in another letter case. */
const classItem = (ranges: readonly number[]): CharacterItem => ({ ranges, isFolded: false });

const ANY = createCharacterSet([classItem(LINE_ENDS)], true);

const CHARACTER_CLASSES: Readonly<Record<string, CharacterItem>> = {
  d: classItem(DIGIT),
  D: classItem(complementRanges(DIGIT)),
  w: classItem(WORD),
  W: classItem(complementRanges(WORD)),
  s: classItem(SPACE),
  S: classItem(complementRanges(SPACE)),
};
const CONTROL_CHARACTERS: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, v: 11 };

type PatternReader = {
  readonly characters: readonly string[];
  /** Whether the expression matches beginnings of names in any letter case, so that anchors may stand anywhere. */
  readonly isForNames: boolean;
  at: number;
};

const peekCharacter = (reader: PatternReader): string | undefined => reader.characters[reader.at];

const takeCharacter = (reader: PatternReader): string => {
  const character = peekCharacter(reader);
  if (character === undefined) throw patternError('unexpected end', reader.at);
  reader.at += 1;
  return character;
};

const takeIf = (reader: PatternReader, character: string): boolean => {
  if (peekCharacter(reader) !== character) return false;
  reader.at += 1;
  return true;
};

/** Characters that were written as themselves, so that their letter case may matter. */
const literalItem = ({ isForNames }: PatternReader, from: number, to = from): CharacterItem => ({
  ranges: [from, to],
  isFolded: isForNames,
});

type EscapedCharacter = { readonly item: CharacterItem } | { readonly code: number };

const readEscape = (reader: PatternReader): EscapedCharacter => {
  const start = reader.at - 1;
  const character = takeCharacter(reader);
  const item = CHARACTER_CLASSES[character];
  if (item) return { item };
  const control = CONTROL_CHARACTERS[character];
  if (control !== undefined) return { code: control };
  if (/[A-Za-z0-9]/.test(character)) throw patternError(`\\${character} is not supported`, start);
  return { code: codeOf(character) };
};

const readClassItem = (reader: PatternReader): EscapedCharacter => {
  const character = takeCharacter(reader);
  return character === '\\' ? readEscape(reader) : { code: codeOf(character) };
};

const isRange = (reader: PatternReader): boolean =>
  peekCharacter(reader) === '-' && (reader.characters[reader.at + 1] ?? ']') !== ']';

const readRange = (reader: PatternReader): CharacterItem => {
  const start = reader.at;
  const from = readClassItem(reader);
  if ('item' in from) return from.item;
  if (!isRange(reader)) return literalItem(reader, from.code);
  reader.at += 1;
  const to = readClassItem(reader);
  if ('item' in to || to.code < from.code) throw patternError('invalid range', start);
  return literalItem(reader, from.code, to.code);
};

const readClass = (reader: PatternReader): PatternNode => {
  const start = reader.at - 1;
  const isNegated = takeIf(reader, '^');
  const items: CharacterItem[] = [];
  while (!takeIf(reader, ']')) {
    if (peekCharacter(reader) === undefined) throw patternError('unclosed character class', start);
    items.push(readRange(reader));
  }
  return { is: 'character', set: createCharacterSet(items, isNegated) };
};

const readGroup = (reader: PatternReader, depth: number): PatternNode => {
  const start = reader.at - 1;
  if (depth > MAX_DEPTH) throw patternError('nesting too deep', start);
  if (takeIf(reader, '?') && !takeIf(reader, ':')) throw patternError('unsupported group', start);
  const node = readChoice(reader, depth + 1);
  if (!takeIf(reader, ')')) throw patternError('unclosed group', start);
  return node;
};

const readAtom = (reader: PatternReader, depth: number): PatternNode => {
  const start = reader.at;
  const character = takeCharacter(reader);
  if (character === '(') return readGroup(reader, depth);
  if (character === '[') return readClass(reader);
  if (character === '.') return { is: 'character', set: ANY };
  if ('*+?{'.includes(character)) throw patternError(`${character} has nothing to repeat`, start);
  if ('^$'.includes(character)) {
    if (reader.isForNames) return { is: 'anchor', to: character === '^' ? 'start' : 'end' };
    throw patternError(`${character} is supported only at the start and end`, start);
  }
  const escaped = character === '\\' ? readEscape(reader) : { code: codeOf(character) };
  const item = 'item' in escaped ? escaped.item : literalItem(reader, escaped.code);
  return { is: 'character', set: createCharacterSet([item]) };
};

const readNumber = (reader: PatternReader): number | undefined => {
  let digits = '';
  while (/^\d$/.test(peekCharacter(reader) ?? '')) digits += takeCharacter(reader);
  return digits === '' ? undefined : Number(digits);
};

const readBounds = (reader: PatternReader): readonly [least: number, most: number] => {
  const start = reader.at - 1;
  const least = readNumber(reader);
  const isOpen = takeIf(reader, ',');
  const most = isOpen ? (readNumber(reader) ?? Number.POSITIVE_INFINITY) : least;
  if (least === undefined || most === undefined || !takeIf(reader, '}'))
    throw patternError('malformed repetition', start);
  if (most < least || least > MAX_REPEAT || (most > MAX_REPEAT && most !== Number.POSITIVE_INFINITY)) {
    throw patternError(`invalid repetition, or one beyond ${MAX_REPEAT}`, start);
  }
  return [least, most];
};

const BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
};

const readRepeated = (reader: PatternReader, depth: number): PatternNode => {
  const node = readAtom(reader, depth);
  const sign = peekCharacter(reader) ?? '';
  if (sign === '' || !'*+?{'.includes(sign)) return node;
  reader.at += 1;
  const [least, most] = BOUNDS[sign] ?? readBounds(reader);
  // Greediness does not affect whether the whole text matches.
  if (!takeIf(reader, '?')) takeIf(reader, '+');
  return { is: 'repeat', of: node, least, most };
};

const readSequence = (reader: PatternReader, depth: number): PatternNode => {
  const of: PatternNode[] = [];
  for (
    let next = peekCharacter(reader);
    next !== undefined && next !== '|' && next !== ')';
    next = peekCharacter(reader)
  ) {
    of.push(readRepeated(reader, depth));
  }
  return { is: 'sequence', of };
};

const readChoice = (reader: PatternReader, depth: number): PatternNode => {
  const of = [readSequence(reader, depth)];
  while (takeIf(reader, '|')) of.push(readSequence(reader, depth));
  return of.length === 1 && of[0] ? of[0] : { is: 'choice', of };
};

/** The states compiled so far, and the number of steps taken. */
type StateLayout = { readonly states: PatternState[]; steps: number };

/** Compiles a node to states that lead to `next`, and answers the first of them. */
const compileNode = (node: PatternNode, next: number, layout: StateLayout): number => {
  const { states } = layout;
  layout.steps += 1;
  if (states.length > MAX_PATTERN_STATES || layout.steps > MAX_STEPS) throw badRequest('the expression is too large');
  if (node.is === 'character') return states.push({ set: node.set, next }) - 1;
  if (node.is === 'anchor') return states.push({ anchor: node.to, next }) - 1;
  if (node.is === 'sequence') return node.of.reduceRight((after, part) => compileNode(part, after, layout), next);
  if (node.is === 'choice') {
    const starts = node.of.map((part) => compileNode(part, next, layout));
    return starts.reduceRight((other, start) => states.push({ next: start, other }) - 1);
  }
  return compileRepeat(node, next, layout);
};

const compileRepeat = (node: RepeatNode, next: number, layout: StateLayout): number => {
  const { states } = layout;
  let start = next;
  if (node.most === Number.POSITIVE_INFINITY) {
    const loop: PatternState = { next: END, other: next };
    start = states.push(loop) - 1;
    loop.next = compileNode(node.of, start, layout);
  } else {
    for (let times = node.least; times < node.most; times += 1) {
      start = states.push({ next: compileNode(node.of, start, layout), other: next }) - 1;
    }
  }
  for (let times = 0; times < node.least; times += 1) start = compileNode(node.of, start, layout);
  return start;
};

/** Removes anchors at the ends, since the whole text must match anyway. Anchors elsewhere are refused. */
const withoutAnchors = (text: string): string => {
  const start = text.startsWith('^') ? 1 : 0;
  const isAnchored = text.endsWith('$') && !/\\(?:\\\\)*\$$/.test(text);
  return text.slice(start, isAnchored ? -1 : undefined);
};

const compilePattern = (text: string, isForNames: boolean): SafePattern => {
  const reader: PatternReader = { characters: [...text], isForNames, at: 0 };
  const node = readChoice(reader, 0);
  if (reader.at < reader.characters.length) throw patternError('unmatched )', reader.at);
  const layout: StateLayout = { states: [], steps: 0 };
  const start = compileNode(node, END, layout);
  const { states } = layout;
  const matchCost = states.reduce((sum, { set }) => sum + (set?.cost ?? 1), 0);
  return { cost: Math.max(layout.steps, matchCost), matches: createPatternMatcher(states, start, isForNames) };
};

const refuseLong = (text: string, most: number): void => {
  if (text.length > most) throw badRequest(`longer than ${most} characters`);
};

/** Parses a regular expression. Throws bad_request that says what is wrong and where. */
export const parseSafePattern = (text: string): SafePattern => {
  refuseLong(text, MAX_PATTERN_LENGTH);
  return compilePattern(withoutAnchors(text), false);
};

/** Collectors join all patterns of a configuration into one. */
const MAX_NAME_PATTERN_LENGTH = 4096;

/**
 * Parses a regular expression for names, as collectors of metadata mean it: it matches from the beginning of a name, to
 * the end only where it says so, in any letter case.
 */
export const parseNamePattern = (text: string): SafePattern => {
  refuseLong(text, MAX_NAME_PATTERN_LENGTH);
  return compilePattern(text, true);
};
