import * as assert from 'uvu/assert';
import {
  findTimeZone,
  instantAt,
  subtractMonths,
  type TimeZone,
  wallClockAt,
} from '../../../src/contracts/validation/time-zone.ts';
import { suite } from '../../support/suite.ts';

/** Shows that time zones and offsets are resolved. */

const test = suite('contracts/validation: time zones');

const HOUR = 3_600_000;
const WINTER = Date.UTC(2024, 0, 15, 12);
const SUMMER = Date.UTC(2024, 6, 15, 12);

const zone = (text: string): TimeZone => {
  const found = findTimeZone(text);
  if (!found) throw new Error(`no zone ${text}`);
  return found;
};

test('a label is resolved to its region, else to its offset', () => {
  const cases: readonly (readonly [string, number, number])[] = [
    ['GMT+00:00 (Europe/London)', 0, 1],
    ['GMT+01:00 (Europe/Paris)', 1, 2],
    ['GMT-08:00 (America/Los Angeles)', -8, -7],
    ['GMT-05:00 (America/New York)', -5, -4],
    ['GMT-02:00 (Atlantic/South_Georgia)', -2, -2],
    ['GMT+09:00 (Australia/Adelaide)', 10.5, 9.5],
    ['GMT-09:30 (Pacific/Marquesas)', -9.5, -9.5],
    ['GMT-02:30 (Atlantic/Newfoundland)', -2.5, -2.5],
    ['GMT+03:00 (Asia/Iran)', 3, 3],
    ['GMT+04:30 (Asia/Afghanistan)', 4.5, 4.5],
    ['GMT+05:45 (Asia/Nepal)', 5.75, 5.75],
    ['GMT+06:00 (Asia/Myanmar)', 6, 6],
    ['GMT+08:45 (Australia/Australian Central Western Standard Time)', 8.75, 8.75],
    ['GMT+14:00 (Pacific/Kiritimati)', 14, 14],
  ];
  for (const [label, winter, summer] of cases) {
    assert.is(zone(label).offsetAt(WINTER) / HOUR, winter, label);
    assert.is(zone(label).offsetAt(SUMMER) / HOUR, summer, label);
  }
});

test('regions, offsets and UTC are resolved', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['UTC', 0],
    ['GMT', 0],
    ['Z', 0],
    ['Asia/Tokyo', 9],
    ['+05:30', 5.5],
    ['-0800', -8],
    ['+2', 2],
    ['GMT+01:00', 1],
    ['UTC-03', -3],
  ];
  for (const [text, hours] of cases) assert.is(zone(text).offsetAt(SUMMER) / HOUR, hours, text);
  for (const text of [
    '',
    'Nowhere',
    'Europe/Nowhere',
    '+19:00',
    '+01:75',
    '../Paris',
    'Europe/Paris; x',
    '5',
    'a'.repeat(1000),
  ]) {
    assert.is(findTimeZone(text), undefined, text);
  }
});

test('local times are converted to instants and back', () => {
  const paris = zone('Europe/Paris');
  assert.is(wallClockAt(paris, Date.UTC(2024, 6, 1, 10)), Date.UTC(2024, 6, 1, 12));
  const cases: readonly (readonly [number, number])[] = [
    [Date.UTC(2024, 0, 1, 12), Date.UTC(2024, 0, 1, 11)],
    [Date.UTC(2024, 6, 1, 12), Date.UTC(2024, 6, 1, 10)],
    [Date.UTC(2024, 2, 31, 1, 59), Date.UTC(2024, 2, 31, 0, 59)],
    [Date.UTC(2024, 2, 31, 2, 30), Date.UTC(2024, 2, 31, 1, 30)],
    [Date.UTC(2024, 2, 31, 3, 0), Date.UTC(2024, 2, 31, 1, 0)],
    [Date.UTC(2024, 9, 27, 2, 30), Date.UTC(2024, 9, 27, 0, 30)],
    [Date.UTC(2024, 9, 27, 3, 0), Date.UTC(2024, 9, 27, 2, 0)],
  ];
  for (const [wall, instant] of cases) assert.is(instantAt(paris, wall), instant, new Date(wall).toISOString());
});

test('local times far away are converted without a failure', () => {
  for (const name of ['Europe/Paris', 'America/New_York']) {
    for (const year of [1, 1800, 2500, 9999]) {
      const date = new Date(0);
      const wall = date.setUTCFullYear(year, 5, 1);
      const off = wall - instantAt(zone(name), wall);
      assert.ok(Math.abs(off) < 24 * HOUR, `${name} ${year}`);
    }
  }
});

test('months are subtracted by the calendar', () => {
  const cases: readonly (readonly [string, number, string])[] = [
    ['2024-05-31T10:00:00Z', 1, '2024-04-30T10:00:00Z'],
    ['2024-03-31T10:00:00Z', 1, '2024-02-29T10:00:00Z'],
    ['2023-03-31T10:00:00Z', 1, '2023-02-28T10:00:00Z'],
    ['2024-02-29T10:00:00Z', 12, '2023-02-28T10:00:00Z'],
    ['2024-01-15T10:00:00Z', 13, '2022-12-15T10:00:00Z'],
    ['2024-01-15T10:00:00Z', 0, '2024-01-15T10:00:00Z'],
  ];
  for (const [from, months, wanted] of cases) {
    assert.is(subtractMonths(Date.parse(from), months), Date.parse(wanted), from);
  }
  assert.ok(Number.isNaN(subtractMonths(WINTER, 1e12)));
});

test.run();
