import type {
  CaseBranch,
  Expression,
  LabelChoice,
  Loop,
  MapEntry,
  Named,
  Pattern,
  ProjectionEntry,
  SingleQuery,
} from './syntax.ts';
import type { TokenReader } from './token-reader.ts';

/** Parses expressions. Patterns and subqueries inside them are parsed by functions that `parse-query.ts` hands in. */

export type NestedParsers = {
  /** A pattern of at least one edge. */
  readonly pattern: (reader: TokenReader, parsers: NestedParsers) => Pattern;
  /** What stands in the braces of a subquery. */
  readonly subquery: (reader: TokenReader, parsers: NestedParsers) => SingleQuery;
};

type Parse<T = Expression> = (reader: TokenReader, parsers: NestedParsers) => T;

const binary = (left: Expression, sign: string, right: Expression): Expression => ({
  is: 'binary',
  place: left.place,
  sign,
  left,
  right,
});

/** Parses operands that one of some keywords or signs joins, from left to right. */
const parseJoined =
  (parseOperand: Parse, words: readonly string[], signs: readonly string[]): Parse =>
  (reader, parsers) => {
    let left = parseOperand(reader, parsers);
    for (;;) {
      const sign = words.find((word) => reader.take(word)) ?? signs.find((one) => reader.takeSign(one));
      if (sign === undefined) return left;
      reader.countOperator();
      left = binary(left, sign, parseOperand(reader, parsers));
    }
  };

const readSeparated = <T>(reader: TokenReader, end: string, read: () => T): T[] => {
  const all: T[] = [];
  if (reader.takeSign(end)) return all;
  do all.push(read());
  while (reader.takeSign(','));
  reader.needSign(end);
  return all;
};

export const parseExpression: Parse = (reader, parsers) => reader.nest(() => parseOr(reader, parsers));

const parseNot: Parse = (reader, parsers) => {
  const { place } = reader.peek();
  if (!reader.take('NOT')) return parseComparison(reader, parsers);
  return { is: 'unary', sign: 'NOT', place, of: reader.nest(() => parseNot(reader, parsers)) };
};

const parseAnd = parseJoined((...input) => parseNot(...input), ['AND'], []);
const parseXor = parseJoined(parseAnd, ['XOR'], []);
const parseOr = parseJoined(parseXor, ['OR'], []);

const COMPARISONS = ['=', '<>', '<=', '>=', '<', '>'] as const;

const negate = (of: Expression): Expression => ({ is: 'unary', sign: '-', place: of.place, of });

/** Takes one comparison with its right side. `a<-1` is written without a space as often as with one. */
const takeComparison: Parse<{ sign: string; right: Expression } | undefined> = (reader, parsers) => {
  const sign = COMPARISONS.find((one) => reader.takeSign(one));
  if (sign !== undefined) return { sign, right: parsePredicate(reader, parsers) };
  if (!reader.takeSign('<-')) return undefined;
  return { sign: '<', right: negate(parsePredicate(reader, parsers)) };
};

/** `a < b < c` says that both are so. */
const parseComparison: Parse = (reader, parsers) => {
  let left = parsePredicate(reader, parsers);
  let all: Expression | undefined;
  for (;;) {
    const found = takeComparison(reader, parsers);
    if (found === undefined) return all ?? left;
    reader.countOperator();
    const one = binary(left, found.sign, found.right);
    all = all === undefined ? one : binary(all, 'AND', one);
    left = found.right;
  }
};

const TEXT_TESTS = [
  ['STARTS', 'WITH'],
  ['ENDS', 'WITH'],
] as const;

const takeTest = (reader: TokenReader): string | undefined => {
  const test = TEXT_TESTS.find((words) => reader.take(...words));
  if (test !== undefined) return test.join(' ');
  return ['CONTAINS', 'IN'].find((word) => reader.take(word));
};

const parsePredicate: Parse = (reader, parsers) => {
  let left = parseSum(reader, parsers);
  for (;;) {
    const { place } = reader.peek();
    const test = takeTest(reader);
    if (test !== undefined || reader.isAt('IS')) reader.countOperator();
    if (test !== undefined) left = binary(left, test, parseSum(reader, parsers));
    else if (reader.take('IS', 'NOT', 'NULL')) left = { is: 'isNull', place, of: left, isNegated: true };
    else if (reader.take('IS', 'NULL')) left = { is: 'isNull', place, of: left, isNegated: false };
    else return left;
  }
};

const parseSign: Parse = (reader, parsers) => {
  const { place } = reader.peek();
  const sign = (['-', '+'] as const).find((one) => reader.takeSign(one));
  if (sign === undefined) return parsePostfix(reader, parsers);
  return { is: 'unary', sign, place, of: reader.nest(() => parseSign(reader, parsers)) };
};

const parsePower = parseJoined((...input) => parseSign(...input), [], ['^']);
const parseProduct = parseJoined(parsePower, [], ['*', '/', '%']);
const parseSum = parseJoined(parseProduct, [], ['+', '-']);

/** Parses `:A|B` and `:A:B` behind a colon. */
export const parseLabelChoice = (reader: TokenReader): LabelChoice => {
  const all: Named[][] = [];
  do {
    const some: Named[] = [];
    do some.push(reader.readName('a label'));
    while (reader.takeSign('|'));
    all.push(some);
  } while (reader.takeSign(':') || reader.takeSign('&'));
  return all;
};

const parseBrackets = (reader: TokenReader, parsers: NestedParsers, of: Expression): Expression => {
  const { place } = of;
  const from = reader.isAtSign('..') ? undefined : parseExpression(reader, parsers);
  if (!reader.takeSign('..')) {
    reader.needSign(']');
    return { is: 'element', place, of, at: from as Expression };
  }
  const to = reader.isAtSign(']') ? undefined : parseExpression(reader, parsers);
  reader.needSign(']');
  return { is: 'slice', place, of, ...(from && { from }), ...(to && { to }) };
};

/** What stands behind one value by dots and brackets: each is one level more for those that write the statement. */
const MAX_MEMBERS = 20;

const parsePostfix: Parse = (reader, parsers) => {
  let of = parseAtom(reader, parsers);
  for (let count = 0; ; count += 1) {
    const { place } = of;
    if (count > MAX_MEMBERS) throw reader.fault(`at most ${MAX_MEMBERS} dots and brackets may follow one another`);
    if (reader.takeSign('.')) of = { is: 'property', place, of, key: reader.readName('the name of a property') };
    else if (reader.takeSign('[')) of = parseBrackets(reader, parsers, of);
    else if (of.is === 'variable' && reader.takeSign(':'))
      of = { is: 'hasLabel', place, of, labels: parseLabelChoice(reader) };
    else if (of.is === 'variable' && reader.isAtSign('{')) of = parseProjection(reader, parsers, of);
    else return of;
  }
};

const parseProjectionEntry: Parse<ProjectionEntry> = (reader, parsers) => {
  const { place } = reader.peek();
  if (reader.takeSign('.')) {
    if (reader.takeSign('*')) return { take: 'all', place };
    return { take: 'property', key: reader.readName('the name of a property') };
  }
  const key = reader.readName('a key');
  if (!reader.takeSign(':')) return { take: 'value', key, value: { is: 'variable', ...key } };
  return { take: 'value', key, value: parseExpression(reader, parsers) };
};

const parseProjection = (reader: TokenReader, parsers: NestedParsers, of: Expression): Expression => {
  reader.needSign('{');
  const entries = readSeparated(reader, '}', () => parseProjectionEntry(reader, parsers));
  return { is: 'projection', place: of.place, of, entries };
};

export const parseMapEntries: Parse<readonly MapEntry[]> = (reader, parsers) => {
  reader.needSign('{');
  return readSeparated(reader, '}', () => {
    const key = reader.readName('a key');
    reader.needSign(':');
    return { key, value: parseExpression(reader, parsers) };
  });
};

/** Parses `name IN list` and a condition behind it. */
const parseLoop: Parse<Loop> = (reader, parsers) => {
  const item = reader.readName('the name of an entry');
  reader.need('IN');
  const list = parseExpression(reader, parsers);
  return { item, list, ...(reader.take('WHERE') && { where: parseExpression(reader, parsers) }) };
};

const parsePatternList: Parse<Expression | undefined> = (reader, parsers) => {
  const { place } = reader.peek();
  const found = reader.attempt(() => {
    const pattern = parsers.pattern(reader, parsers);
    if (!reader.isAt('WHERE') && !reader.isAtSign('|')) throw reader.unexpected('|');
    return pattern;
  });
  if (found === undefined) return undefined;
  const where = reader.take('WHERE') ? parseExpression(reader, parsers) : undefined;
  reader.needSign('|');
  const result = parseExpression(reader, parsers);
  reader.needSign(']');
  return { is: 'patternList', place, pattern: found, result, ...(where && { where }) };
};

const isAtLoop = (reader: TokenReader): boolean => {
  const behind = reader.peek(1);
  return reader.peek().kind === 'word' && behind.kind === 'word' && behind.value.toUpperCase() === 'IN';
};

const startsPattern = (reader: TokenReader): boolean =>
  reader.isAtSign('(') || (reader.peek().kind === 'word' && reader.isAtSign('=', 1) && reader.isAtSign('(', 2));

const readListAtom: Parse = (reader, parsers) => {
  const { place } = reader.needSign('[');
  if (startsPattern(reader)) {
    const found = parsePatternList(reader, parsers);
    if (found) return { ...found, place };
  }
  if (!isAtLoop(reader)) {
    return { is: 'list', place, items: readSeparated(reader, ']', () => parseExpression(reader, parsers)) };
  }
  const loop = parseLoop(reader, parsers);
  const result = reader.takeSign('|') ? parseExpression(reader, parsers) : undefined;
  reader.needSign(']');
  return { is: 'comprehension', place, loop, ...(result && { result }) };
};

const parseListAtom: Parse = (reader, parsers) => reader.readOnce(() => readListAtom(reader, parsers));

/** In parentheses stands an expression, or they begin a pattern, which is true where it is found. */
const readParentheses: Parse = (reader, parsers) => {
  const { place } = reader.peek();
  const pattern = reader.attempt(() => parsers.pattern(reader, parsers));
  if (pattern !== undefined) {
    const clause = { is: 'match', place, isOptional: false, patterns: [pattern] } as const;
    return { is: 'subquery', place, word: 'EXISTS', query: { place, clauses: [clause] } };
  }
  reader.needSign('(');
  const inner = parseExpression(reader, parsers);
  reader.needSign(')');
  return inner;
};

const parseParentheses: Parse = (reader, parsers) => reader.readOnce(() => readParentheses(reader, parsers));

const parseCase: Parse = (reader, parsers) => {
  const { place } = reader.need('CASE');
  const subject = reader.isAt('WHEN') ? undefined : parseExpression(reader, parsers);
  const branches: CaseBranch[] = [];
  do {
    reader.need('WHEN');
    const when = parseExpression(reader, parsers);
    reader.need('THEN');
    branches.push({ when, result: parseExpression(reader, parsers) });
  } while (reader.isAt('WHEN'));
  const otherwise = reader.take('ELSE') ? parseExpression(reader, parsers) : undefined;
  reader.need('END');
  return { is: 'case', place, branches, ...(subject && { subject }), ...(otherwise && { otherwise }) };
};

const parseReduce: Parse = (reader, parsers) => {
  const sum = reader.readName('the name of a sum');
  const { place } = reader.needSign('=');
  const initial = parseExpression(reader, parsers);
  reader.needSign(',');
  const loop = parseLoop(reader, parsers);
  reader.needSign('|');
  const step = parseExpression(reader, parsers);
  reader.needSign(')');
  return { is: 'reduce', place, sum, initial, loop, step };
};

const QUANTIFIERS = ['all', 'any', 'none', 'single'] as const;

const parseArguments = (reader: TokenReader, parsers: NestedParsers, name: Named): Expression => {
  const { place } = name;
  const called = name.name.toLowerCase();
  if (called === 'count' && reader.takeSign('*')) {
    reader.needSign(')');
    return { is: 'countAll', place };
  }
  const word = QUANTIFIERS.find((one) => one === called);
  if (word !== undefined) {
    const loop = parseLoop(reader, parsers);
    reader.needSign(')');
    return { is: 'quantifier', place, word, loop };
  }
  if (called === 'reduce') return parseReduce(reader, parsers);
  const isDistinct = reader.take('DISTINCT');
  const args = readSeparated(reader, ')', () => parseExpression(reader, parsers));
  return { is: 'call', place, name: name.name, isDistinct, args };
};

/** The name of a function, which may have several parts such as `duration.between`; undefined for a variable. */
const takeFunctionName = (reader: TokenReader): Named | undefined => {
  let parts = 1;
  while (reader.isAtSign('.', 2 * parts - 1) && reader.peek(2 * parts).kind === 'word') parts += 1;
  if (!reader.isAtSign('(', 2 * parts - 1)) return undefined;
  const { place } = reader.peek();
  const names: string[] = [];
  for (let part = 0; part < parts; part += 1) {
    if (part > 0) reader.next();
    names.push(reader.next().value);
  }
  reader.needSign('(');
  return { name: names.join('.'), place };
};

const CONSTANTS: Readonly<Record<string, boolean | null>> = { TRUE: true, FALSE: false, NULL: null };

const parseWord: Parse = (reader, parsers) => {
  const token = reader.peek();
  const { place } = token;
  const word = token.isQuoted ? '' : token.value.toUpperCase();
  if (word === 'CASE') return parseCase(reader, parsers);
  if ((word === 'EXISTS' || word === 'COUNT') && reader.isAtSign('{', 1)) {
    reader.next();
    return { is: 'subquery', place, word, query: parsers.subquery(reader, parsers) };
  }
  const constant = CONSTANTS[word];
  if (constant !== undefined) {
    reader.next();
    return { is: 'literal', place, value: constant };
  }
  const called = takeFunctionName(reader);
  if (called !== undefined) return parseArguments(reader, parsers, called);
  return { is: 'variable', ...reader.readName('a value') };
};

/** Numbers are as JSON has them, in parameters and answers too: beyond these bounds they would be others. */
const readNumber = (reader: TokenReader): Expression => {
  const { place, value: digits } = reader.peek();
  const [value, isInteger] = [Number(digits), /^\d+$/.test(digits)];
  if (isInteger ? !Number.isSafeInteger(value) : !Number.isFinite(value))
    throw reader.fault(`a number is at most ${isInteger ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE}`);
  reader.next();
  return { is: 'literal', place, value, isInteger };
};

const parseAtom: Parse = (reader, parsers) => {
  const { kind, place } = reader.peek();
  if (kind === 'text') return { is: 'literal', place, value: reader.next().value };
  if (kind === 'number') return readNumber(reader);
  if (kind === 'parameter') return { is: 'parameter', place, name: reader.next().value };
  if (reader.isAtSign('[')) return parseListAtom(reader, parsers);
  if (reader.isAtSign('{')) return { is: 'map', place, entries: parseMapEntries(reader, parsers) };
  if (reader.isAtSign('(')) return parseParentheses(reader, parsers);
  if (kind === 'word') return parseWord(reader, parsers);
  throw reader.unexpected('a value');
};
