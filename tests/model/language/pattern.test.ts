import * as assert from 'uvu/assert';
import { CatalogError } from '../../../src/errors.ts';
import { MAX_PATTERN_LENGTH, parseNamePattern, parseSafePattern } from '../../../src/model/language/pattern.ts';
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
      assert.is(own.matches(text), theirs.test(text), `/${pattern}/ on ${JSON.stringify(text)}`);
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
      assert.is(own.matches(text), theirs.test(text), `/${pattern}/ on ${JSON.stringify(text)}`);
    }
  }
});

test('catastrophic patterns are matched in time', () => {
  const text = `${'a'.repeat(3000)}!`;
  const started = performance.now();
  for (const pattern of ['(a+)+b', '(a|a)*b', '(.*)*x', '.*.*.*.*.*.*x', '(a?){200}a{200}', '(\\w+\\s?)*b']) {
    assert.is(parseSafePattern(pattern).matches(text), false);
    assert.is(parseNamePattern(`${pattern}$`).matches(text), false);
  }
  assert.ok(performance.now() - started < 20_000, `${performance.now() - started} ms`);
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
