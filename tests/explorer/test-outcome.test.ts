import * as assert from 'uvu/assert';
import { streakOf } from '../../src/explorer/asset/test-outcome.ts';
import { suite } from '../support/suite.ts';

const test = suite('explorer: since when a test goes as it does');

const result = (timestamp: number, testCaseStatus: 'Success' | 'Failed') => ({ timestamp, testCaseStatus });

test('the equal results at the end are counted, in whatever order they come', () => {
  const results = [result(3, 'Failed'), result(1, 'Success'), result(4, 'Failed'), result(2, 'Success')];
  assert.equal(streakOf(results), { latest: result(4, 'Failed'), since: 3, runs: 2, isWhole: false });
});

test('when no result went otherwise, it may have been so for longer', () => {
  assert.equal(streakOf([result(2, 'Success'), result(1, 'Success')]), {
    latest: result(2, 'Success'),
    since: 1,
    runs: 2,
    isWhole: true,
  });
  assert.is(streakOf([]), undefined);
});

test.run();
