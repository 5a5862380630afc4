import { RE2JS, RE2JSException } from 're2js';
import { badRequest } from '../../errors.ts';

/**
 * Regular expressions of users. RE2 follows all possible matches at once, so that a match takes linear time. This file
 * bounds how large an expression becomes, and leaves out what takes RE2 long to compile: flags and Unicode classes.
 */
export type SafePattern = {
  /** Whether the expression matches the whole text. */
  matches(text: string): boolean;
  /** The cost of a match per character, comparable with other expressions. */
  readonly states: number;
};

export const MAX_PATTERN_LENGTH = 512;
const MAX_PATTERN_STATES = 2000;
/** Compiling more than this takes long, even if the expression is refused afterwards. */
const MAX_UNFOLDED_LENGTH = 50_000;

const UNSUPPORTED = /^(?:[^\\]|\\[^A-Za-z0-9]|\\[dDwWsStnrfv])*?(\(\?(?!:)|\\(?![dDwWsStnrfv])[A-Za-z0-9])/;

/** An upper bound of the length with all repetitions written out; only repeated groups multiply. */
const unfoldedLength = (text: string): number => {
  let parts = text.length;
  let copies = 1;
  for (const [, group, least, most] of text.matchAll(/(\)?)\{(\d+),?(\d*)\}/g)) {
    const times = Math.max(1, Number(least), Number(most));
    if (group) copies *= times;
    else parts += times;
  }
  return parts * copies;
};

const compilePattern = (text: string): RE2JS => {
  try {
    return RE2JS.compile(text);
  } catch (failure) {
    if (!(failure instanceof RE2JSException)) throw failure;
    throw badRequest(failure.message.replace('error parsing regexp: ', ''), failure);
  }
};

/** Parses a regular expression. Throws bad_request that says what is wrong. */
export const parseSafePattern = (text: string): SafePattern => {
  if (text.length > MAX_PATTERN_LENGTH) throw badRequest(`longer than ${MAX_PATTERN_LENGTH} characters`);
  const [, unsupported] = UNSUPPORTED.exec(text) ?? [];
  if (unsupported !== undefined) throw badRequest(`${unsupported} is not supported`);
  const pattern = unfoldedLength(text) > MAX_UNFOLDED_LENGTH ? undefined : compilePattern(text);
  const states = pattern?.programSize() ?? Number.POSITIVE_INFINITY;
  if (!pattern || states > MAX_PATTERN_STATES) throw badRequest('the expression is too large');
  return { states, matches: (candidate) => pattern.testExact(candidate) };
};
