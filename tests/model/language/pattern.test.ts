import * as assert from 'uvu/assert';
import { CatalogError } from '../../../src/errors.ts';
import {
  createMatchBudget,
  ExpressionTooExpensive,
  MAX_MATCH_STEPS,
} from '../../../src/model/language/match-budget.ts';
import {
  MAX_PATTERN_LENGTH,
  parseNamePattern,
  parseSafePattern,
  type SafePattern,
} from '../../../src/model/language/pattern.ts';
import { manyLetters } from '../../support/many-letters.ts';
import { suite } from '../../support/suite.ts';

/** Shows that the regular expressions of filters match in bounded time. */

const test = suite('model: patterns');

const PATTERNS = [
  'abc',
  'a.c',
  'a\\.c',
  'a*b+c?',
  '(ab|cd)*e',
  '(?:a|b){2,3}',
  'a{2}',
  'a{2,}',
  'a{0}',
  '(a{1,2}){2}',
  '[abc]+',
  '[^abc]+',
  '[a-c0-2_-]+',
  '[\\d\\].]+',
  '\\w+\\s\\d*',
  '\\W\\S\\D',
  '',
  'a|',
  '|a',
  '(|a)b',
  '(a*)*',
  '(a|a)*b',
  '(a?b?)*c',
  'a+?b*?',
  '^abc$',
  'a\\$',
  'svc\\.db\\.(public|private)\\..*',
  '.*orders.*',
  'ü+',
  '\\t',
];

const TEXTS = [
  '',
  'a',
  'b',
  'ab',
  'aa',
  'aaa',
  'abc',
  'axc',
  'a.c',
  'abcde',
  'cde',
  'abcdabe',
  'e',
  'bbc',
  'aabbc',
  'xyz',
  '0-2_',
  '7].3',
  'ab 12',
  'x y',
  '! 1',
  '!xa',
  'a$',
  'svc.db.public.orders',
  'svcXdb.public.orders',
  'svc.db.other.orders',
  'orders',
  'üü',
  '\t',
  'a\nb',
];

test('a pattern matches whole texts like the built-in engine', () => {
  for (const pattern of PATTERNS) {
    const own = parseSafePattern(pattern);
    const theirs = new RegExp(`^(?:${pattern.replace(/^\^|(?<!\\)\$$/g, '')})$`, 'u');
    for (const text of TEXTS) {
      assert.is(own.matches(text, createMatchBudget()), theirs.test(text), `/${pattern}/ on ${JSON.stringify(text)}`);
    }
  }
});

const NAME_PATTERNS = [
  ...PATTERNS,
  'abc$',
  '(^abc$)|(^aa$)',
  '^(ab|aa)$|^cde',
  'a$|bb',
  'A[B-C]',
  '[^A]',
  '[^B]C',
  'SVC\\.',
  'Ü',
  '$',
  '^',
  'a^b',
  '(a$)*b',
];

test('a pattern for names matches beginnings in any case, with anchors anywhere', () => {
  for (const pattern of NAME_PATTERNS) {
    const own = parseNamePattern(pattern);
    const theirs = new RegExp(`^(?:${pattern})`, 'iu');
    for (const text of [...TEXTS, 'ABC', 'SVC.DB.x', 'ÜÜ', 'Aac']) {
      assert.is(own.matches(text, createMatchBudget()), theirs.test(text), `/${pattern}/ on ${JSON.stringify(text)}`);
    }
  }
});

test('a pattern sees the same in one text after another, whatever it knows from those before', () => {
  for (const pattern of [...NAME_PATTERNS, '.*a.{12}c', '[^a-y]{3}', '\\W+x', '.*ü.{9}']) {
    const own = parseNamePattern(pattern);
    const theirs = new RegExp(`^(?:${pattern})`, 'iu');
    for (let at = 0; at < 300; at += 1) {
      const text = manyLetters(at, 30, at % 2 === 0 ? 'aBcXz! ' : 'aüÜ中😀ß\n');
      assert.is(own.matches(text, createMatchBudget()), theirs.test(text), `/${pattern}/ on ${JSON.stringify(text)}`);
    }
  }
});

/** How many steps a pattern takes for some texts that it does not match. */
const stepsFor = (pattern: SafePattern, texts: readonly string[], most?: number): number => {
  const budget = createMatchBudget(most);
  for (const text of texts) assert.is(pattern.matches(text, budget), false);
  return budget.spent();
};

test('catastrophic patterns take few steps', () => {
  const text = `${'a'.repeat(3000)}!`;
  for (const pattern of ['(a+)+b', '(a|a)*b', '(.*)*x', '.*.*.*.*.*.*x', '(a?){200}a{200}', '(\\w+\\s?)*b']) {
    assert.ok(stepsFor(parseSafePattern(pattern), [text]) < MAX_MATCH_STEPS / 10, pattern);
    assert.ok(stepsFor(parseNamePattern(`${pattern}$`), [text]) < MAX_MATCH_STEPS / 10, pattern);
  }
});

/** An expression of some length that asks the items of one class again and again. */
const repeatedClass = (length: number): string => `(?:[${'~'.repeat(length - 17)}\\s\\S]?){230}!`;

test('items of a class that say the same cost nothing more', () => {
  const texts = Array.from({ length: 20 }, (_, at) => manyLetters(at, 30, 'abcdefgh'));
  const [short, long] = [1000, 4000].map((length) => stepsFor(parseNamePattern(repeatedClass(length)), texts));
  assert.is(short, long);
  assert.ok((short ?? 0) < MAX_MATCH_STEPS / 20, `${short} steps`);
});

test('items of a class that say different things add little', () => {
  const classOf = (count: number) =>
    Array.from({ length: count }, (_, at) => String.fromCodePoint(2 * at + 0x4e00)).join('');
  const costOf = (count: number) => parseNamePattern(`[${classOf(count)}]{100}`).cost;
  assert.ok(costOf(4000) > costOf(10));
  assert.ok(costOf(4000) < 5 * costOf(10));
});

test('a text that is known costs nothing', () => {
  const pattern = parseNamePattern('.*orders');
  const texts = ['customers_of_shops'];
  assert.ok(stepsFor(pattern, texts) > 0);
  assert.is(stepsFor(pattern, texts), 0);
});

const isTooExpensive = (failure: unknown): boolean =>
  failure instanceof ExpressionTooExpensive && failure.status === 400 && /is too expensive/.test(failure.message);

test('a match stops within the text when the budget is spent', () => {
  const pattern = parseSafePattern('.*a.{400}b');
  const budget = createMatchBudget(10_000);
  assert.throws(() => pattern.matches('ab'.repeat(5000), budget), isTooExpensive);
  assert.ok(budget.spent() < 20_000, `${budget.spent()} steps`);
  assert.throws(() => pattern.matches('c', budget), isTooExpensive, 'the budget stays spent');
});

test('one text may cost only a share of the budget', () => {
  const pattern = parseSafePattern('(?:.?){990}!');
  const budget = createMatchBudget();
  assert.throws(() => pattern.matches(manyLetters(1, 900, 'abcdefgh'), budget), isTooExpensive);
  assert.ok(budget.spent() < MAX_MATCH_STEPS / 4, `${budget.spent()} steps`);
});

test('many texts together may not cost more than the budget', () => {
  const pattern = parseNamePattern(repeatedClass(1000));
  const budget = createMatchBudget();
  const texts = Array.from({ length: 200 }, (_, at) => manyLetters(at, 200));
  const isMatch = () => texts.some((text) => pattern.matches(text, budget));
  assert.throws(isMatch, isTooExpensive);
  assert.ok(budget.spent() < 1.01 * MAX_MATCH_STEPS, `${budget.spent()} steps`);
});

const problem = (pattern: string): string => {
  try {
    parseSafePattern(pattern);
  } catch (failure) {
    assert.instance(failure, CatalogError);
    assert.is((failure as CatalogError).status, 400);
    return (failure as Error).message;
  }
  return assert.unreachable(`${pattern} was read`) as never;
};

test('unsupported syntax is refused with its position', () => {
  assert.match(problem('a(b'), /unclosed group at character 2/);
  assert.match(problem('ab)'), /unmatched \) at character 3/);
  assert.match(problem('[ab'), /unclosed character class at character 1/);
  assert.match(problem('*a'), /has nothing to repeat at character 1/);
  assert.match(problem('a**'), /has nothing to repeat at character 3/);
  assert.match(problem('a{2'), /malformed repetition/);
  assert.match(problem('a{x}'), /malformed repetition/);
  assert.match(problem('a{3,2}'), /invalid repetition/);
  assert.match(problem('a{1001}'), /beyond 1000/);
  assert.match(problem('[z-a]'), /range/);
  assert.match(problem('[a-\\d]'), /range/);
  assert.match(problem('(a)\\1'), /\\1 is not supported at character 4/);
  assert.match(problem('(?=a)'), /unsupported group at character 1/);
  assert.match(problem('(?<n>a)'), /unsupported group/);
  assert.match(problem('a\\'), /unexpected end/);
  assert.match(problem('a^b'), /only at the start and end at character 2/);
  assert.match(problem('a'.repeat(MAX_PATTERN_LENGTH + 1)), /longer than/);
  assert.match(problem('((a{100}){100}){100}'), /too large/);
  assert.match(problem('((((((){1000}){1000}){1000}){1000}){1000}){1000}'), /too large/);
  assert.match(problem('(|){1000}(|){1000}(|){1000}'), /too large/);
  assert.match(problem('('.repeat(60) + ')'.repeat(60)), /too deep/);
});

test.run();
