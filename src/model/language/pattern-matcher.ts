import { type CharacterSet, type FoldedCharacter, foldCharacter, hasCharacter } from './character-set.ts';
import type { MatchBudget } from './match-budget.ts';

/**
 * Follows all states of a compiled expression at once. Every set of states that some text has led to is kept with the
 * characters that lead on from it, so that most texts cost one look-up per character.
 */

/** A state: it consumes a character, or leads to one or two others, an anchor only at its end of the text. */
export type PatternState = {
  readonly set?: CharacterSet;
  readonly anchor?: 'start' | 'end';
  next: number;
  other?: number;
};

/** The number of the state that says that the expression matches. */
export const END = -1;

/** The states that a text has led to. */
type ReachedStates = {
  /** The states that consume a character. */
  readonly consuming: readonly number[];
  /** The states behind an anchor that holds only at the end of the text. */
  readonly behindEnd: readonly number[];
  readonly isStart: boolean;
  readonly isMatch: boolean;
  isMatchAtEnd?: boolean;
  /** What a character leads to, by its code, for characters of ASCII and for others. */
  readonly ascii: (ReachedStates | undefined)[];
  readonly others: Map<number, ReachedStates>;
};

export type PatternMatcher = (text: string, budget: MatchBudget) => boolean;

type MatcherContext = {
  readonly states: readonly PatternState[];
  /** The state that every text begins with. */
  readonly first: number;
  /** In which round each state was last entered. */
  readonly entered: Uint32Array;
  round: number;
  /** What is known about sets of states, by their numbers. */
  readonly known: Map<string, ReachedStates>;
  start: ReachedStates | undefined;
  /** The size of what is known, in numbers and entries. */
  size: number;
  readonly mostKnown: number;
};

/**
 * Some MiB. Beyond it, what is known is forgotten and found again. A small expression may keep only its share, because
 * there may be many of them in one subscription.
 */
const MAX_KNOWN_SIZE = 256 * 1024;
const KNOWN_SIZE_PER_STATE = 512;
const ASCII = 128;

/** A step that follows a state or asks a set takes as long as some look-ups. */
const STATE_STEPS = 4;
/** The steps for a state in the key of a set: its number is sorted and written. */
const KEY_STEPS = 24;

type Entry = { readonly consuming: number[]; readonly behindEnd: number[]; isMatch: boolean };

type TextEdges = { readonly isStart: boolean; readonly isEnd: boolean };

/** Enters states and all that they lead to. Uses an explicit stack, because chains of states may be long. */
const enterStates = (
  matcher: MatcherContext,
  first: readonly number[],
  { isStart, isEnd }: TextEdges,
  budget: MatchBudget,
): Entry => {
  const { states, entered } = matcher;
  const into: Entry = { consuming: [], behindEnd: [], isMatch: false };
  const stack = [...first];
  matcher.round += 1;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const state = states[at];
    if (!state) into.isMatch = true;
    if (!state || entered[at] === matcher.round) continue;
    entered[at] = matcher.round;
    budget.spend(STATE_STEPS);
    if (state.set) into.consuming.push(at);
    else if (state.anchor === 'end' && !isEnd) into.behindEnd.push(state.next);
    else if (state.anchor !== 'start' || isStart) {
      stack.push(state.next);
      if (state.other !== undefined) stack.push(state.other);
    }
  }
  return into;
};

const forgetKnown = (matcher: MatcherContext): void => {
  matcher.known.clear();
  matcher.start = undefined;
  matcher.size = 0;
};

const createReached = ({ consuming, behindEnd, isMatch }: Entry, isStart: boolean): ReachedStates => ({
  consuming,
  behindEnd,
  isStart,
  isMatch,
  ascii: new Array(ASCII),
  others: new Map(),
});

/** Answers what is known about a set of states, so that texts which lead to the same set go on together. */
const internReached = (matcher: MatcherContext, entry: Entry, budget: MatchBudget): ReachedStates => {
  const { consuming, behindEnd, isMatch } = entry;
  budget.spend(KEY_STEPS * (consuming.length + behindEnd.length + 1));
  const key = `${consuming.sort((a, b) => a - b).join()};${behindEnd.join()};${isMatch}`;
  const reached = matcher.known.get(key) ?? createReached(entry, false);
  if (!matcher.known.has(key)) {
    matcher.known.set(key, reached);
    matcher.size += ASCII + 2 * consuming.length;
  }
  return reached;
};

const startOf = (matcher: MatcherContext, budget: MatchBudget): ReachedStates => {
  matcher.start ??= createReached(enterStates(matcher, [matcher.first], { isStart: true, isEnd: false }, budget), true);
  return matcher.start;
};

const followCharacter = (
  matcher: MatcherContext,
  { consuming }: ReachedStates,
  character: FoldedCharacter,
  budget: MatchBudget,
): ReachedStates => {
  const next: number[] = [];
  for (const at of consuming) {
    const { set, next: after } = matcher.states[at] ?? { next: END };
    if (!set) continue;
    budget.spend(STATE_STEPS * set.cost);
    if (hasCharacter(set, character)) next.push(after);
  }
  return internReached(matcher, enterStates(matcher, next, { isStart: false, isEnd: false }, budget), budget);
};

/** Finds where a character leads, and remembers it. */
const leadOn = (matcher: MatcherContext, from: ReachedStates, code: number, budget: MatchBudget): ReachedStates => {
  if (matcher.size > matcher.mostKnown) forgetKnown(matcher);
  const reached = followCharacter(matcher, from, foldCharacter(code), budget);
  if (code < ASCII) from.ascii[code] = reached;
  else {
    from.others.set(code, reached);
    matcher.size += 8;
  }
  return reached;
};

const matchesAtEnd = (matcher: MatcherContext, reached: ReachedStates, budget: MatchBudget): boolean => {
  const { behindEnd, isStart } = reached;
  reached.isMatchAtEnd ??= reached.isMatch || enterStates(matcher, behindEnd, { isStart, isEnd: true }, budget).isMatch;
  return reached.isMatchAtEnd;
};

/** Creates the matcher of states of which the first is entered at the start of a text. */
export const createPatternMatcher = (
  states: readonly PatternState[],
  first: number,
  matchesBeginning: boolean,
): PatternMatcher => {
  const matcher: MatcherContext = {
    states,
    first,
    entered: new Uint32Array(states.length),
    round: 0,
    known: new Map(),
    start: undefined,
    size: 0,
    mostKnown: Math.min(MAX_KNOWN_SIZE, KNOWN_SIZE_PER_STATE * states.length),
  };
  return (text, budget) => {
    // Looking a known character up is part of reading a text, whatever the expression, and costs nothing here.
    budget.beginText();
    let reached = startOf(matcher, budget);
    for (let at = 0; at < text.length; at += 1) {
      if (reached.isMatch && matchesBeginning) return true;
      if (reached.consuming.length === 0) return false;
      const code = text.codePointAt(at) ?? 0;
      if (code > 0xffff) at += 1;
      reached =
        (code < ASCII ? reached.ascii[code] : reached.others.get(code)) ?? leadOn(matcher, reached, code, budget);
    }
    return matchesAtEnd(matcher, reached, budget);
  };
};
