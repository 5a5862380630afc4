import * as assert from 'uvu/assert';
import { diffRecords } from '../../src/explorer/asset/diff/record-diff.ts';
import { diffWords } from '../../src/explorer/asset/diff/word-diff.ts';
import { suite } from '../support/suite.ts';

/** Shows what the asset page says of the difference of two versions. */

const test = suite('explorer: differences of versions');

const linesOf = (before: unknown, after: unknown): readonly string[] =>
  diffRecords(before, after).map(({ change, path }) => `${change} ${path.join(' ')}`);

const column = (name: string, more = {}) => ({ name, dataType: 'INT', ...more });

test('columns are compared by their names, not by their places', () => {
  const before = { columns: [column('a'), column('b', { description: 'old' }), column('c')] };
  const after = { columns: [column('d'), column('c'), column('b', { description: 'new', dataType: 'BIGINT' })] };
  assert.equal(linesOf(before, after), [
    'removed columns a',
    'changed columns b dataType',
    'changed columns b description',
    'added columns d',
  ]);
});

test('a column that has only another name was renamed', () => {
  const before = { columns: [column('a'), column('b', { description: 'old', fullyQualifiedName: 't.b' })] };
  const after = { columns: [column('a'), column('c', { description: 'old', fullyQualifiedName: 't.c' })] };
  assert.equal(diffRecords(before, after), [{ change: 'renamed', path: ['columns', 'c'], before: 'b', after: 'c' }]);
  assert.equal(linesOf({ columns: [column('a'), column('b')] }, { columns: [column('x'), column('b')] }), [
    'renamed columns x',
  ]);
});

test('a column of another type, or one that only stands where another stood, is a new one', () => {
  const before = { columns: [column('a'), column('b')] };
  assert.equal(linesOf(before, { columns: [column('a'), column('c', { dataType: 'TEXT' })] }), [
    'removed columns b',
    'added columns c',
  ]);
  assert.equal(linesOf({ columns: [column('a'), column('b')] }, { columns: [column('b'), column('c')] }), [
    'removed columns a',
    'added columns c',
  ]);
});

test('nested columns and the labels on them are found', () => {
  const before = { columns: [column('a', { children: [column('x', { tags: [] })] })] };
  const after = { columns: [column('a', { children: [column('x', { tags: [{ tagFQN: 'PII.Sensitive' }] })] })] };
  assert.equal(linesOf(before, after), ['added columns a children x tags PII.Sensitive']);
});

test('when a state was made and how others are called is no difference', () => {
  const owner = { id: '1', type: 'user', name: 'ana' };
  const before = { version: 0.1, updatedAt: 1, owners: [owner], votes: { upVotes: 1 } };
  const after = { version: 0.2, updatedAt: 2, owners: [{ ...owner, displayName: 'Ana' }], votes: { upVotes: 2 } };
  assert.equal(linesOf(before, after), []);
  assert.equal(linesOf({ owners: [owner] }, { owners: [{ ...owner, id: '2', name: 'ben' }] }), [
    'removed owners ana',
    'added owners ben',
  ]);
});

test('an empty list is as good as none', () => {
  assert.equal(linesOf({ tags: [] }, {}), []);
  assert.equal(linesOf({}, { description: '' }), []);
});

test('lists without names are compared as a whole', () => {
  assert.equal(linesOf({ synonyms: ['a'] }, { synonyms: ['a', 'b'] }), ['changed synonyms']);
});

const runsOf = (before: string, after: string): string =>
  diffWords(before, after)
    .map(({ change, text }) => (change === 'same' ? text : change === 'removed' ? `[-${text}]` : `[+${text}]`))
    .join('');

test('texts are compared by words, and both can be put together again', () => {
  assert.is(runsOf('One row per order.', 'One line per order.'), 'One [-row][+line] per order.');
  assert.is(runsOf('', 'new'), '[+new]');
  assert.is(runsOf('old', ''), '[-old]');
  const [before, after] = ['Every order, placed or not.', 'An order that was placed.'];
  const runs = diffWords(before, after);
  const textOf = (without: string) =>
    runs
      .filter(({ change }) => change !== without)
      .map(({ text }) => text)
      .join('');
  assert.is(textOf('added'), before);
  assert.is(textOf('removed'), after);
});

test('texts that are too long to compare are shown as they are', () => {
  const [before, after] = ['a '.repeat(3000), 'b '.repeat(3000)];
  assert.equal(
    diffWords(before, after).map(({ change }) => change),
    ['removed', 'added'],
  );
});

test.run();
