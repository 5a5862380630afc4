import * as assert from 'uvu/assert';
import {
  complementRanges,
  createCharacterSet,
  foldCharacter,
  hasCharacter,
} from '../../../src/model/language/character-set.ts';
import { suite } from '../../support/suite.ts';

/** Shows that sets of characters are sorted ranges, which are asked in a few steps. */

const test = suite('model: sets of characters');

const item = (from: string, to = from, isFolded = false) => ({
  ranges: [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0],
  isFolded,
});

const has = (set: ReturnType<typeof createCharacterSet>, character: string): boolean =>
  hasCharacter(set, foldCharacter(character.codePointAt(0) ?? 0));

test('items that overlap, touch or repeat each other become one range', () => {
  const set = createCharacterSet([item('m', 'p'), item('a', 'c'), item('d'), item('o', 'z'), item('b'), item('b')]);
  assert.equal(set.ranges, [97, 100, 109, 122]);
  assert.is(createCharacterSet(Array.from({ length: 4000 }, () => item('~'))).cost, 1);
});

test('a set has its items and nothing else, and a negated set the opposite', () => {
  const items = [item('d', 'f'), item('x'), item('0', '3'), item('\u{1f600}')];
  const [set, others] = [createCharacterSet(items), createCharacterSet(items, true)];
  for (const character of 'abcdefgwxyz/01234\u{1f5ff}\u{1f600}\u{1f601}') {
    const isIn = 'defx0123\u{1f600}'.includes(character);
    assert.is(has(set, character), isIn, character);
    assert.is(has(others, character), !isIn, character);
  }
  assert.is(has(createCharacterSet([]), 'a'), false);
  assert.is(has(createCharacterSet([], true), 'a'), true);
});

test('only folded items count in any letter case', () => {
  const set = createCharacterSet([item('b', 'd', true), item('m'), item('Ü', 'Ü', true), item('s', 's', true)]);
  for (const character of 'bBdDmüÜ') assert.is(has(set, character), true, character);
  for (const character of 'aAeEMß') assert.is(has(set, character), false, character);
});

test('what is not in ranges lies before, between and after them', () => {
  assert.equal(complementRanges([]), [0, 0x10ffff]);
  assert.equal(complementRanges([0, 9, 20, 30]), [10, 19, 31, 0x10ffff]);
  assert.equal(complementRanges([5, 0x10ffff]), [0, 4]);
});

test('the cost grows by one step when the number of ranges doubles', () => {
  const costOf = (count: number) =>
    createCharacterSet(Array.from({ length: count }, (_, at) => item(String.fromCodePoint(0x4e00 + 2 * at)))).cost;
  assert.equal([1, 2, 4, 8, 1024].map(costOf), [1, 2, 3, 4, 11]);
});

test.run();
