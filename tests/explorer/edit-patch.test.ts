import * as assert from 'uvu/assert';
import { patchList, patchText } from '../../src/explorer/asset/edit/patch.ts';
import { suite } from '../support/suite.ts';

/** Shows which changes the editors of the asset page send. */

const test = suite('explorer: changes of an editor');

const keyOf = (one: string): string => one;

test('a text is set, taken away when it is empty, and not sent when it is there', () => {
  assert.equal(patchText('/description', undefined, 'new'), [{ op: 'add', path: '/description', value: 'new' }]);
  assert.equal(patchText('/description', 'old', ''), [{ op: 'remove', path: '/description' }]);
  assert.equal(patchText('/description', 'old', 'old'), []);
  assert.equal(patchText('/description', undefined, ''), []);
});

test('what others added and removed meanwhile stays added and removed', () => {
  const edit = { start: ['a', 'b'], value: ['b', 'c'], present: ['a', 'b', 'theirs'] };
  assert.equal(patchList('/tags', edit, keyOf), [{ op: 'add', path: '/tags', value: ['b', 'theirs', 'c'] }]);
  const removed = { start: ['a', 'b'], value: ['a', 'b', 'c'], present: ['a'] };
  assert.equal(patchList('/tags', removed, keyOf), [{ op: 'add', path: '/tags', value: ['a', 'c'] }]);
});

test('a list that is there already is not sent', () => {
  assert.equal(patchList('/tags', { start: ['a'], value: ['a', 'b'], present: ['b', 'a'] }, keyOf), []);
  assert.equal(patchList('/tags', { start: ['a'], value: ['a'], present: ['x'] }, keyOf), []);
});

test('a list of which everything is taken becomes empty', () => {
  assert.equal(patchList('/owners', { start: ['a'], value: [], present: ['a'] }, keyOf), [
    { op: 'add', path: '/owners', value: [] },
  ]);
});

test.run();
