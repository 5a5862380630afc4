import * as assert from 'uvu/assert';
import { dateOf, newestDay, placeInTime, SEED_DAY_MS } from '../../src/cli/seed-moments.ts';
import { expandProfiles, expandResults, expandRuns, expandUsage, USAGE_DAYS } from '../../src/cli/seed-series.ts';
import { suite } from '../support/suite.ts';

/** Shows that the sample company lies in the last nights, whenever it is loaded. */

const test = suite('cli: dates of the sample company');

const TIMES = [
  '2028-02-29T00:00:00Z',
  '2028-02-29T04:59:59Z',
  '2028-03-01T05:00:00Z',
  '2026-12-31T23:59:59.999Z',
  '2027-01-01T00:00:00Z',
  '2026-03-29T03:00:00+02:00',
  '2026-10-25T02:30:00-11:00',
];

const runs = { of: 'p', days: 'SSF', at: '02:00', minutes: 30, name: 'nightly', tasks: ['a', 'b', 'c'], failing: 'b' };
const profile = { of: 't', days: 40, rows: 10, daily: 1, bytes: 2, columns: {} };

test('nothing lies in the future, and the newest night is over for less than a day', () => {
  for (const time of TIMES) {
    const now = Date.parse(time);
    const day = newestDay(now);
    const moments = [
      ...expandResults({ of: 't.a', days: 'SF' }, day).map(({ timestamp }) => timestamp as number),
      ...expandRuns(runs, day).bodies.map(({ endTime }) => endTime as number),
      ...expandProfiles(profile, day).bodies.map(
        ({ tableProfile }) => (tableProfile as { timestamp: number }).timestamp,
      ),
      placeInTime('{{0d 01:00}}', day) as number,
    ];
    assert.ok(Math.max(...moments) < now, time);
    assert.ok(now - Math.max(...moments) <= 25 * 3_600_000, time);
  }
});

test('dates follow the calendar', () => {
  const leap = newestDay(Date.parse('2028-03-01T12:00:00Z'));
  assert.is(dateOf(leap), '2028-03-01');
  assert.equal(placeInTime({ a: ['run_{{-1d}}', '{{-1d 02:30}}', 7, '{{x}}'] }, leap), {
    a: ['run_2028-02-29', Date.parse('2028-02-29T02:30:00Z'), 7, '{{x}}'],
  });
  assert.is(dateOf(newestDay(Date.parse('2027-01-01T04:00:00Z'))), '2026-12-31');
});

test('a failed run stops at the task that fails', () => {
  const [, before, last] = expandRuns(runs, newestDay(Date.parse('2028-03-01T12:00:00Z'))).bodies;
  assert.is(last?.['executionId'], 'nightly_2028-03-01');
  assert.equal(last?.['taskStatus'], [
    { name: 'a', executionStatus: 'Successful' },
    { name: 'b', executionStatus: 'Failed' },
    { name: 'c', executionStatus: 'Skipped' },
  ]);
  assert.is(before?.['executionStatus'], 'Successful');
});

test('a missed night adds no rows, and the night after makes up for it', () => {
  const { bodies } = expandProfiles(
    { ...profile, days: 4, missed: [1] },
    newestDay(Date.parse('2028-03-01T12:00:00Z')),
  );
  assert.equal(
    bodies.map(({ tableProfile }) => (tableProfile as { rowCount: number }).rowCount),
    [10, 11, 11, 13],
  );
  assert.equal(
    bodies.map(({ systemProfile }) => (systemProfile as { rowsAffected: number }[])[0]?.rowsAffected),
    [1, 1, 0, 2],
  );
});

test('usage follows the week, ends where it is idle, and is the same for the same day whenever it is computed', () => {
  const monday = Date.parse('2028-03-06T00:00:00Z');
  const { counts } = expandUsage({ of: 't', weekday: 100, weekend: 10, idle: 2 }, monday);
  assert.is(counts.length, USAGE_DAYS - 2);
  assert.is(counts.at(-1)?.date, '2028-03-04');
  for (const { date, count } of counts) {
    const isWeekend = [0, 6].includes(new Date(date).getUTCDay());
    assert.ok(isWeekend ? count >= 8 && count <= 12 : count >= 85 && count <= 115, `${date}: ${count}`);
  }
  const later = expandUsage({ of: 't', weekday: 100, weekend: 10 }, monday + SEED_DAY_MS).counts;
  assert.equal(later.slice(0, counts.length - 1), counts.slice(1));
  assert.ok(
    expandUsage({ of: 't', weekday: 5 }, monday).counts.every(
      ({ date }) => ![0, 6].includes(new Date(date).getUTCDay()),
    ),
  );
});

test.run();
