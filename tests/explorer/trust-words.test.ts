import * as assert from 'uvu/assert';
import { dataChangedAt, testsOutcome } from '../../src/explorer/asset/trust-words.ts';
import { suite } from '../support/suite.ts';

/** Shows in which words a page says whether an asset can be relied on. */

const test = suite('explorer: whether an asset can be relied on');

const say = (...states: readonly (string | undefined)[]): string => {
  const { words, tone } = testsOutcome(states);
  return `${words} (${tone})`;
};

test('of tests the worst is said, and of how many', () => {
  assert.is(say(), 'none (plain)');
  assert.is(say('Success', 'Failed', 'Aborted', 'Failed'), '2 of 4 failing (bad)');
  assert.is(say('Success', 'Aborted'), '1 of 2 aborted (warn)');
  assert.is(say('Success', 'Success'), '2 of 2 passed (good)');
  assert.is(say(undefined, 'Queued'), 'never run (plain)');
  assert.is(say('Success', undefined), '1 of 2 passed, the others never run (plain)', 'nothing is promised for those');
});

test('when the data changed is read where its loader has said so', () => {
  assert.is(dataChangedAt({ lifeCycle: { updated: { timestamp: 1_700_000_000_000 } } }), 1_700_000_000_000);
  assert.is(dataChangedAt({ lifeCycle: { created: { timestamp: 1 } } }), undefined);
});

test.run();
