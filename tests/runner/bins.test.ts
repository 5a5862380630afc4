import * as assert from 'node:assert/strict';
import { describeBin, longestFirst, planBins } from '../support/bins.ts';
import { suite } from '../support/suite.ts';
import { createWeigher, mergeWeights } from '../support/weights.ts';

/** Shows how the runner plans which files run on which server. */

const test = suite('runner: bins');

const WEIGHTS = { 'a.test.ts': 10, 'b.test.ts': 2, 'c.test.ts': 7, 'd.test.ts': 3, 'e.test.ts': 4 };
const weigh = createWeigher(WEIGHTS);

const plan = (files: readonly string[], count: number) => planBins(files, weigh, count).map((bin) => bin.files);

test('the longest files are distributed first, and each bin keeps the given order', () => {
  const files = Object.keys(WEIGHTS);
  assert.deepEqual(planBins(files, weigh, 2), [
    { files: ['a.test.ts', 'd.test.ts'], seconds: 13 },
    { files: ['b.test.ts', 'c.test.ts', 'e.test.ts'], seconds: 13 },
  ]);
  assert.deepEqual(plan(files.toReversed(), 1), [files.toReversed()]);
  assert.deepEqual(longestFirst(files, weigh), ['a.test.ts', 'c.test.ts', 'e.test.ts', 'd.test.ts', 'b.test.ts']);
});

test('a file that nobody has measured counts as the median', () => {
  assert.equal(weigh('new.test.ts'), 4);
  assert.equal(createWeigher({})('new.test.ts'), 1);
  assert.deepEqual(plan(['a.test.ts', 'new.test.ts', 'newer.test.ts'], 2), [
    ['a.test.ts'],
    ['new.test.ts', 'newer.test.ts'],
  ]);
});

test('what looks at the whole store comes first on the first server, and what empties the cache of plans comes last', () => {
  const files = ['graph/statements.test.ts', 'a.test.ts', 'access/hidden-records.test.ts', 'catalog/graph.test.ts'];
  const [first, second] = plan([...files, 'search/totals.test.ts', 'usage.test.ts'], 2);
  assert.deepEqual(first, [
    'catalog/graph.test.ts',
    'access/hidden-records.test.ts',
    'search/totals.test.ts',
    'usage.test.ts',
  ]);
  assert.deepEqual(second, ['a.test.ts', 'graph/statements.test.ts']);
});

test('without servers there are no bins', () => {
  assert.deepEqual(plan([], 0), []);
});

test('a bin is described in one line', () => {
  assert.equal(
    describeBin({ files: ['room/a.test.ts', 'b.heavy.test.ts'], seconds: 12.4 }, 0),
    'bin 1 (12 s): room/a b.heavy',
  );
});

test('measured weights replace the earlier ones, and files that are gone are left out', () => {
  const merged = mergeWeights(
    { 'gone.test.ts': 3, 'b.test.ts': 2, 'a.test.ts': 1 },
    { 'b.test.ts': 9.6 },
    new Set(Object.keys(WEIGHTS)),
  );
  assert.deepEqual(Object.entries(merged), [
    ['a.test.ts', 1],
    ['b.test.ts', 10],
  ]);
});

test.run();
