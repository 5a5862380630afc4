import * as assert from 'uvu/assert';
import { describePromises, describeSeconds, describeTimeOfDay } from '../../src/explorer/promises/describe-promise.ts';
import { suite } from '../support/suite.ts';

/** Shows how the explorer tells promises. */

const test = suite('explorer: promises in words');

test('lengths of time are told in their two greatest units', () => {
  const told = ([0, 1, 90, 3600, 86_400 + 7200 + 60] as const).map(describeSeconds);
  assert.equal(told, ['no time', '1 second', '1 minute 30 seconds', '1 hour', '1 day 2 hours']);
});

test('times of day may lie on other days', () => {
  const told = ([0, 6 * 3600 + 300, 86_400 + 3600, -3600] as const).map(describeTimeOfDay);
  assert.equal(told, ['00:00', '06:05', '01:00 a day later', '23:00 the day before']);
});

test('a way tells what is promised and what that depends on', () => {
  const nothing = { promised: null, upstream: null, holds: null };
  const way = { path: [], uncovered: [], unowned: [], freshness: nothing, availability: nothing };
  assert.equal(describePromises(way), []);
  const freshness = { promised: 86_400, upstream: 90_000, holds: false };
  const availability = { promised: 21_600, upstream: null, holds: null };
  assert.equal(describePromises({ ...way, freshness, availability }), [
    { text: 'At most 1 day old; what is agreed upstream comes to 1 day 1 hour', holds: false },
    { text: 'There by 06:00; nothing is agreed upstream', holds: null },
  ]);
});

test.run();
