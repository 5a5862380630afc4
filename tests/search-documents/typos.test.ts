import * as assert from 'uvu/assert';
import { allowedTypos, hasPhrase, isWithinTypos } from '../../src/search-documents/filter/typos.ts';
import { matchesWildcard, parseSimpleRegex, parseWildcard } from '../../src/search-documents/filter/wildcard.ts';
import { parseWords, tokenizeText } from '../../src/search-documents/tokens.ts';
import { suite } from '../support/suite.ts';

/** Shows that typo tolerance finds words within the allowed edit distance. */

const test = suite('search: typo tolerance');

const NEAR: readonly (readonly [a: string, b: string, distance: number])[] = [
  ['', '', 0],
  ['a', '', 1],
  ['customer', 'customer', 0],
  ['customer', 'custmer', 1],
  ['customer', 'custommer', 1],
  ['customer', 'custoner', 1],
  ['customer', 'cusotmer', 1],
  ['customer', 'cusotmr', 2],
  ['customer', 'ucstomre', 2],
  ['ab', 'ba', 1],
  ['kunde', 'kinder', 2],
  ['😀a', 'a😀', 1],
  ['abc', 'xyz', 3],
  ['customer', 'order', 6],
];

for (const [a, b, distance] of NEAR) {
  test(`«${a}» and «${b}» have the edit distance ${distance}`, () => {
    for (const most of [0, 1, 2]) {
      assert.is(isWithinTypos(a, b, most), distance <= most, `within ${most}`);
      assert.is(isWithinTypos(b, a, most), distance <= most, `within ${most}, the other way`);
    }
  });
}

/** The same distance, worked out without any shortcut. */
const distance = (a: string, b: string): number => {
  const rows = [...Array(a.length + 1)].map((_, row) =>
    [...Array(b.length + 1)].map((__, at) => (row === 0 ? at : row)),
  );
  const at = (row: number, column: number): number => (column === 0 ? row : (rows[row]?.[column] ?? 0));
  for (let row = 1; row <= a.length; row += 1) {
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      let cost = Math.min(at(row - 1, column - 1) + (isSame ? 0 : 1), at(row - 1, column) + 1, at(row, column - 1) + 1);
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwapped) cost = Math.min(cost, at(row - 2, column - 2) + 1);
      (rows[row] ?? [])[column] = cost;
    }
  }
  return at(a.length, b.length);
};

test('the optimized comparison equals the full one', () => {
  let seed = 3;
  const next = (most: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * most);
  };
  const word = () => [...Array(next(7))].map(() => 'abc'[next(3)]).join('');
  for (let round = 0; round < 20_000; round += 1) {
    const [a, b] = [word(), word()];
    for (const most of [1, 2]) assert.is(isWithinTypos(a, b, most), distance(a, b) <= most, `${a} ${b} ${most}`);
  }
});

test('longer words tolerate more typos', () => {
  assert.equal(
    ['ab', 'abc', 'abcde', 'abcdef'].map((word) => allowedTypos(word, 'auto')),
    [0, 1, 1, 2],
  );
  assert.is(allowedTypos('ab', 2), 2);
});

const PHRASES: readonly (readonly [text: string, phrase: string, slop: number, isThere: boolean])[] = [
  ['the dim_customer table', 'dim customer', 0, true],
  ['the dim customer table', 'dim_customer', 0, true],
  ['the dim_customer table', 'dimCustomer table', 0, true],
  ['the dimcustomer table', 'dim_customer table', 0, true],
  ['the dimcustomer table', 'dim customer table', 0, false],
  ['a b c', 'a c', 0, false],
  ['a b c', 'a c', 1, true],
  ['a b c d', 'a d', 1, false],
  ['b a', 'a b', 1, false],
  ['b a', 'a b', 2, true],
  ['a x a', 'a a', 0, false],
  ['a x a', 'a a', 1, true],
  ['a', 'a a', 5, false],
  ['', 'a', 0, false],
  ['a', '', 0, false],
];

for (const [text, phrase, slop, isThere] of PHRASES) {
  test(`«${text}» ${isThere ? 'holds' : 'does not hold'} «${phrase}» within ${slop}`, () => {
    assert.is(hasPhrase(tokenizeText(text), parseWords(phrase), slop), isThere);
  });
}

const PATTERNS: readonly (readonly [pattern: string, text: string, fits: boolean])[] = [
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['*', 'anything at all', true],
  ['?', '😀', true],
  ['?', '', false],
  ['a*c', 'abc', true],
  ['a*c', 'ac', true],
  ['a*c', 'abcd', false],
  ['*b*', 'abc', true],
  ['*ab', 'aab', true],
  ['a*b*c', 'axbxbxc', true],
  ['a?c', 'ac', false],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['\\?\\\\', '?\\', true],
  ['a\\', 'a\\', true],
  ['a.c', 'abc', false],
];

for (const [pattern, text, fits] of PATTERNS) {
  test(`${pattern} ${fits ? 'fits' : 'does not fit'} «${text}»`, () => {
    assert.is(matchesWildcard(parseWildcard(pattern), text), fits);
  });
}

test('simple regular expressions become wildcard patterns', () => {
  assert.equal(parseSimpleRegex('a.b.*\\.c'), [{ literal: 'a' }, 'one', { literal: 'b' }, 'run', { literal: '.c' }]);
  for (const text of ['a+', 'a?', 'a*', '[a]', '(a)', 'a|b', 'a{2}', '^a', 'a$', 'a\\', '\\w', 'a~b', 'a@']) {
    assert.is(parseSimpleRegex(text), undefined, text);
  }
});

test.run();
