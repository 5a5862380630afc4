import type { CatalogError } from '../../errors.ts';
import { nearestOf } from '../../model/nearest.ts';
import { queryFault, type TextPlace } from './query-fault.ts';
import type { Named } from './syntax.ts';
import { readTokens, type Token } from './tokens.ts';
import { openTrialReading, type ReadingProgress, type TrialReading } from './trial-reading.ts';

/** Expressions, patterns and subqueries in one another: deeper ones could exhaust the stack. */
const MAX_NESTING = 40;

/** Some forms can only be told apart by reading them on trial, so that what is read is bounded, not only the text. */
const MAX_STEPS = 200_000;

/**
 * Operators of a query: each is one level more for those that write and plan the statement, and the database plans a sum
 * of 500 for minutes.
 */
const MAX_OPERATORS = 200;

/** Words that begin a clause of Cypher which a query may not have. */
const REFUSED_WORDS: ReadonlySet<string> = new Set([
  ...['CREATE', 'MERGE', 'SET', 'DELETE', 'DETACH', 'NODETACH', 'REMOVE', 'FOREACH', 'INSERT', 'FINISH'],
  ...['CALL', 'YIELD', 'LOAD', 'USE', 'USING', 'SHOW', 'DROP', 'ALTER', 'GRANT', 'DENY', 'REVOKE', 'TERMINATE'],
  ...['EXPLAIN', 'PROFILE', 'CYPHER', 'START', 'STOP', 'FILTER', 'LET', 'FOR', 'NEXT', 'RENAME', 'ENABLE', 'DRYRUN'],
]);

const CLAUSE_WORDS = ['MATCH', 'OPTIONAL', 'WITH', 'UNWIND', 'RETURN'] as const;

/** Reads tokens one after the other for the parsers. */
export type TokenReader = TrialReading & {
  readonly text: string;
  /** The next token, or one behind it. */
  peek(ahead?: number): Token;
  next(): Token;
  /** Whether the next tokens are these keywords. */
  isAt(...words: readonly string[]): boolean;
  isAtSign(sign: string, ahead?: number): boolean;
  /** Takes the keywords when they come next. */
  take(...words: readonly string[]): boolean;
  takeSign(sign: string): boolean;
  /** Takes a keyword or sign that must come next. */
  need(word: string): Token;
  needSign(sign: string): Token;
  readName(what: string): Named;
  fault(message: string, place?: TextPlace): CatalogError;
  /** Refuses the next token. */
  unexpected(expected: string): CatalogError;
  nest<T>(read: () => T): T;
  /** Counts an operator of the query. */
  countOperator(): void;
};

const isKeyword = (token: Token, word: string): boolean =>
  token.kind === 'word' && token.isQuoted !== true && token.value.toUpperCase() === word;

const describeToken = ({ kind, value }: Token): string =>
  kind === 'end' ? 'the end of the query' : value.slice(0, 40);

export const openTokenReader = (text: string): TokenReader => {
  const tokens = readTokens(text);
  const progress: ReadingProgress = { at: 0, operators: 0 };
  let [depth, steps] = [0, 0];
  const peek: TokenReader['peek'] = (ahead = 0) => tokens[Math.min(progress.at + ahead, tokens.length - 1)] as Token;
  const next = (): Token => {
    const token = peek();
    steps += 1;
    if (steps > MAX_STEPS) throw queryFault(text, token.place, 'the query is too complex');
    progress.at = Math.min(progress.at + 1, tokens.length - 1);
    return token;
  };
  const fault: TokenReader['fault'] = (message, place = peek().place) => queryFault(text, place, message);
  const isAt: TokenReader['isAt'] = (...words) => words.every((word, ahead) => isKeyword(peek(ahead), word));
  const isAtSign: TokenReader['isAtSign'] = (sign, ahead = 0) => {
    const { kind, value } = peek(ahead);
    return kind === 'sign' && value === sign;
  };
  const unexpected: TokenReader['unexpected'] = (expected) => {
    const token = peek();
    const word = token.value.toUpperCase();
    if (token.kind === 'word' && token.isQuoted !== true && REFUSED_WORDS.has(word))
      return fault(`${word} is not allowed; queries only read, by MATCH, WITH, UNWIND and RETURN`);
    if (token.kind === 'sign' && token.value === '=~')
      return fault('=~ is not allowed; use STARTS WITH, ENDS WITH or CONTAINS');
    const nearest = token.kind === 'word' ? nearestOf(word, CLAUSE_WORDS) : undefined;
    const hint = nearest === undefined || nearest === word ? '' : `. Did you mean ${nearest}?`;
    return fault(`expected ${expected}, found ${describeToken(token)}${hint}`);
  };
  const countOperators = (count: number): void => {
    progress.operators += count;
    if (progress.operators > MAX_OPERATORS)
      throw fault(`a query has at most ${MAX_OPERATORS} operators; use IN for a list`);
  };
  const takeIf = (found: boolean, count: number): boolean => {
    if (found) progress.at += count;
    return found;
  };
  const need = (found: boolean, expected: string): Token => {
    if (!found) throw unexpected(expected);
    return next();
  };
  return {
    text,
    peek,
    next,
    isAt,
    isAtSign,
    take: (...words) => takeIf(isAt(...words), words.length),
    takeSign: (sign) => takeIf(isAtSign(sign), 1),
    need: (word) => need(isAt(word), word),
    needSign: (sign) => need(isAtSign(sign), sign),
    readName: (what) => {
      const { value: name, place } = need(peek().kind === 'word', what);
      return { name, place };
    },
    fault,
    unexpected,
    nest: (read) => {
      if (depth >= MAX_NESTING) throw fault(`expressions may stand in one another ${MAX_NESTING} times`);
      depth += 1;
      try {
        return read();
      } finally {
        depth -= 1;
      }
    },
    countOperator: () => countOperators(1),
    ...openTrialReading({ progress, isOver: () => steps > MAX_STEPS, countOperators }),
  };
};
