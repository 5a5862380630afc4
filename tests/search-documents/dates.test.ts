import * as assert from 'uvu/assert';
import { parseDate } from '../../src/search-documents/filter/dates.ts';
import type { Scalar } from '../../src/search-documents/filter/search-filter.ts';
import { suite } from '../support/suite.ts';

/** Shows that dates in queries are read as times or ranges. */

const test = suite('search: dates');

/** A Wednesday. */
const NOW = Date.UTC(2024, 1, 28, 13, 45, 30, 500);
const LAST_MS = '23:59:59.999Z';

const span = (value: Scalar, unit?: 's' | 'ms'): readonly string[] | undefined => {
  const read = parseDate(value, NOW, unit);
  return read && [read.from, read.to].map((at) => new Date(at).toISOString());
};

const MOMENTS: readonly (readonly [value: Scalar, moment: string])[] = [
  [NOW, '2024-02-28T13:45:30.500Z'],
  [String(NOW), '2024-02-28T13:45:30.500Z'],
  [0, '1970-01-01T00:00:00.000Z'],
  ['2024-02-28T13:45:30.500Z', '2024-02-28T13:45:30.500Z'],
  ['2024-02-28T13:45:30.5', '2024-02-28T13:45:30.500Z'],
  ['2024-02-28T13:45', '2024-02-28T13:45:00.000Z'],
  ['2024-02-28T13', '2024-02-28T13:00:00.000Z'],
  ['2024-02-28T13:45:00+02:00', '2024-02-28T11:45:00.000Z'],
  ['2024-02-28T01:00:00-0530', '2024-02-28T06:30:00.000Z'],
  ['now', '2024-02-28T13:45:30.500Z'],
  ['now-7d', '2024-02-21T13:45:30.500Z'],
  ['now+1h', '2024-02-28T14:45:30.500Z'],
  ['now+2H-30m+5s', '2024-02-28T15:15:35.500Z'],
  ['now-1w', '2024-02-21T13:45:30.500Z'],
  ['now+1y', '2025-02-28T13:45:30.500Z'],
  ['now-1M', '2024-01-28T13:45:30.500Z'],
  ['2024-01-31T00:00:00Z||+1M', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29T00:00:00Z||+1y', '2025-02-28T00:00:00.000Z'],
];

for (const [value, moment] of MOMENTS) {
  test(`${value} is one point in time`, () => assert.equal(span(value), [moment, moment]));
}

const SPANS: readonly (readonly [value: string, from: string, to: string])[] = [
  ['2024-02-28', '2024-02-28T00:00:00.000Z', `2024-02-28T${LAST_MS}`],
  ['2024-02', '2024-02-01T00:00:00.000Z', `2024-02-01T${LAST_MS}`],
  ['2024', '2024-01-01T00:00:00.000Z', `2024-01-01T${LAST_MS}`],
  ['now/d', '2024-02-28T00:00:00.000Z', `2024-02-28T${LAST_MS}`],
  ['now/w', '2024-02-26T00:00:00.000Z', `2024-03-03T${LAST_MS}`],
  ['now/M', '2024-02-01T00:00:00.000Z', `2024-02-29T${LAST_MS}`],
  ['now/y', '2024-01-01T00:00:00.000Z', `2024-12-31T${LAST_MS}`],
  ['now/h', '2024-02-28T13:00:00.000Z', '2024-02-28T13:59:59.999Z'],
  ['now-1d/d', '2024-02-27T00:00:00.000Z', `2024-02-27T${LAST_MS}`],
  ['2024-01-01||+1M/d', '2024-02-01T00:00:00.000Z', `2024-02-01T${LAST_MS}`],
];

for (const [value, from, to] of SPANS) {
  test(`${value} is a time range`, () => assert.equal(span(value), [from, to]));
}

test('seconds are distinguished from milliseconds', () => {
  assert.equal(span(NOW / 1000, 's')?.[0], '2024-02-28T13:45:30.500Z');
});

const NEVER: readonly Scalar[] = [
  ...['', 'x', 'today', '2024-13-01', '2024-02-30', '2023-02-29', '2024-02-28T24:00', '2024-02-28T13:60', '24-02-28'],
  ...['now-', 'now-7', 'now-7x', 'now 7d', 'nowhere', 'now/q', '||+1d', 'now+999999999y', true],
];

for (const value of NEVER) {
  test(`${value} is refused`, () => assert.is(span(value), undefined));
}

test.run();
