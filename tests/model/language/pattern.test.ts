import * as assert from 'uvu/assert';
import { CatalogError } from '../../../src/errors.ts';
import { MAX_PATTERN_LENGTH, parseSafePattern } from '../../../src/model/language/pattern.ts';
import { suite } from '../../support/suite.ts';

const test = suite('model/pattern');

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

test('says the same as the language itself, of whole texts', () => {
  for (const pattern of PATTERNS) {
    const own = parseSafePattern(pattern);
    const theirs = new RegExp(`^(?:${pattern.replace(/^\^|(?<!\\)\$$/g, '')})$`, 'u');
    for (const text of TEXTS) {
      assert.is(own.matches(text), theirs.test(text), `/${pattern}/ on ${JSON.stringify(text)}`);
    }
  }
});

test('what takes others for ever is over at once', () => {
  const text = `${'a'.repeat(3000)}!`;
  const started = performance.now();
  for (const pattern of ['(a+)+b', '(a|a)*b', '(.*)*x', '.*.*.*.*.*.*x', '(a?){200}a{200}', '(\\w+\\s?)*b']) {
    assert.is(parseSafePattern(pattern).matches(text), false);
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

test('what is not understood is refused, and where it stands is said', () => {
  assert.match(problem('a(b'), /a group without its end at character 2/);
  assert.match(problem('ab)'), /ends without a beginning at character 3/);
  assert.match(problem('[ab'), /a class without its end at character 1/);
  assert.match(problem('*a'), /repeats nothing at character 1/);
  assert.match(problem('a**'), /repeats nothing at character 3/);
  assert.match(problem('a{2'), /wrong form/);
  assert.match(problem('a{x}'), /wrong form/);
  assert.match(problem('a{3,2}'), /makes no sense/);
  assert.match(problem('a{1001}'), /beyond 1000/);
  assert.match(problem('[z-a]'), /range/);
  assert.match(problem('[a-\\d]'), /range/);
  assert.match(problem('(a)\\1'), /\\1 is not understood at character 4/);
  assert.match(problem('(?=a)'), /not understood at character 1/);
  assert.match(problem('(?<n>a)'), /not understood/);
  assert.match(problem('a\\'), /unexpected end/);
  assert.match(problem('a^b'), /only at the ends at character 2/);
  assert.match(problem('a'.repeat(MAX_PATTERN_LENGTH + 1)), /longer than/);
  assert.match(problem('((a{100}){100}){100}'), /too large/);
  assert.match(problem('((((((){1000}){1000}){1000}){1000}){1000}){1000}'), /too large/);
  assert.match(problem('(|){1000}(|){1000}(|){1000}'), /too large/);
  assert.match(problem('('.repeat(60) + ')'.repeat(60)), /too deep/);
});

test.run();
