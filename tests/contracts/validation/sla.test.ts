import * as assert from 'uvu/assert';
import { type SlaSources, type SlaValidation, validateSla } from '../../../src/contracts/validation/sla.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';

/** Shows that service levels are evaluated. */

const test = suite('contracts/validation: service levels');

const at = (text: string): number => {
  const time = Date.parse(text);
  assert.not.ok(Number.isNaN(time), text);
  return time;
};

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const NOW = at('2024-05-15T12:00:00Z');

const judge = (sla: JsonObject, sources: SlaSources, now = NOW): SlaValidation => validateSla(sla, sources, now);

const every = (interval: number, unit: string): JsonObject => ({ refreshFrequency: { interval, unit } });

test('without observations or a testable promise there is no result', () => {
  const whole = { ...every(1, 'day'), maxLatency: { value: 1, unit: 'hour' }, availabilityTime: '09:00' };
  assert.equal(judge(whole, {}), {});
  assert.equal(judge({ ...whole, columnName: 'at' }, { columnMax: [], writes: [] }), {});
  assert.equal(judge({}, { updated: NOW }), {});
  assert.equal(judge({ retention: { period: 1, unit: 'day' } }, { updated: 0 }), {});
});

test('a refresh is in time if it is no older than the interval', () => {
  const cases: readonly (readonly [JsonObject, number, boolean])[] = [
    [every(1, 'hour'), NOW - HOUR, true],
    [every(1, 'hour'), NOW - HOUR - 1, false],
    [every(36, 'hour'), NOW - 36 * HOUR, true],
    [every(1, 'day'), NOW - DAY, true],
    [every(1, 'day'), NOW - DAY - 1, false],
    [every(2, 'week'), NOW - 14 * DAY, true],
    [every(2, 'week'), NOW - 14 * DAY - 1, false],
    [every(1, 'month'), at('2024-04-15T12:00:00Z'), true],
    [every(1, 'month'), at('2024-04-15T11:59:59Z'), false],
    [every(5, 'month'), at('2023-12-15T12:00:00Z'), true],
    [every(5, 'month'), at('2023-12-15T11:59:59Z'), false],
    [every(1, 'year'), at('2023-05-15T12:00:00Z'), true],
    [every(1, 'year'), at('2023-05-15T11:59:59Z'), false],
    [every(9_007_199_254_740_991, 'year'), 0, true],
    [every(9_007_199_254_740_991, 'hour'), 0, true],
  ];
  for (const [sla, updated, refreshFrequencyMet] of cases) {
    assert.equal(judge(sla, { updated }), { refreshFrequencyMet }, JSON.stringify([sla, updated]));
  }
  assert.equal(judge(every(1, 'fortnight'), { updated: 0 }), {});
  assert.equal(judge(every(1, 'constructor'), { updated: 0 }), {});
});

test('a month before a missing day of the month is its last day', () => {
  const now = at('2024-03-31T12:00:00Z');
  assert.equal(judge(every(1, 'month'), { updated: at('2024-02-29T12:00:00Z') }, now), { refreshFrequencyMet: true });
  assert.equal(judge(every(1, 'month'), { updated: at('2024-02-29T11:59:59Z') }, now), { refreshFrequencyMet: false });
  const leap = at('2024-02-29T00:00:00Z');
  assert.equal(judge(every(1, 'year'), { updated: at('2023-02-28T00:00:00Z') }, leap), { refreshFrequencyMet: true });
});

test('months are counted by the calendar of the zone', () => {
  // In New York it is still the 31st of March; a month earlier it was winter time there.
  const now = at('2024-04-01T03:00:00Z');
  const sla = { ...every(1, 'month'), timezone: 'GMT-05:00 (America/New York)' };
  assert.equal(judge(sla, { updated: at('2024-03-01T04:00:00Z') }, now), { refreshFrequencyMet: true });
  assert.equal(judge(sla, { updated: at('2024-03-01T03:59:59Z') }, now), { refreshFrequencyMet: false });
});

const measured = (...rows: readonly (readonly [string, Json])[]): SlaSources => ({
  columnMax: rows.map(([timestamp, max]) => ({ timestamp: at(timestamp), max })),
});

const latest = { columnName: 'at', maxLatency: { value: 90, unit: 'minute' } };

test('latency is the time from the newest value of the column to its measurement', () => {
  const cases: readonly (readonly [JsonObject, SlaSources, SlaValidation])[] = [
    [
      latest,
      measured(['2024-05-15T10:00:00Z', '2024-05-15T08:30:00Z']),
      { latencyMet: true, actualLatency: 90 * MINUTE },
    ],
    [
      latest,
      measured(['2024-05-15T10:00:00.001Z', '2024-05-15T08:30:00Z']),
      { latencyMet: false, actualLatency: 90 * MINUTE + 1 },
    ],
    [latest, measured(['2024-05-15T10:00:00Z', '2024-05-15T11:00:00Z']), { latencyMet: true, actualLatency: 0 }],
    [
      latest,
      measured(['2024-05-15T10:00:00Z', '2024-05-15T10:00:00Z'], ['2024-05-15T11:00:00Z', '2024-05-15T10:50:00Z']),
      { latencyMet: true, actualLatency: 10 * MINUTE },
    ],
    [latest, measured(['2024-05-15T10:00:00Z', '1990-01-01']), { latencyMet: false, actualLatency: 2_147_483_647 }],
    [
      { columnName: 'at', maxLatency: { value: 2, unit: 'hour' } },
      measured(['2024-05-15T10:00:00Z', '2024-05-15T08:00:00Z']),
      { latencyMet: true, actualLatency: 2 * HOUR },
    ],
    [
      { columnName: 'at', maxLatency: { value: 1, unit: 'day' } },
      measured(['2024-05-15T10:00:00Z', '2024-05-14T09:00:00Z']),
      { latencyMet: false, actualLatency: 25 * HOUR },
    ],
  ];
  for (const [sla, sources, wanted] of cases) assert.equal(judge(sla, sources), wanted, JSON.stringify([sla, sources]));
});

test('latency is not evaluated from other sources', () => {
  assert.equal(judge(latest, { writes: [NOW - DAY], updated: NOW }), {});
  assert.equal(judge(latest, { updated: NOW }), {});
  assert.equal(judge({ ...latest, columnName: '' }, measured(['2024-05-15T10:00:00Z', '2024-05-15T08:30:00Z'])), {});
});

test('the first source with an observation wins', () => {
  const sla = { ...every(1, 'hour'), columnName: 'at' };
  const old = NOW - DAY;
  const stale = measured(['2024-05-15T11:30:00Z', '2024-05-14T00:00:00Z']);
  const met = (sources: SlaSources, of: JsonObject = sla) => judge(of, sources).refreshFrequencyMet;
  assert.is(met({ ...stale, writes: [NOW], updated: NOW }), false, 'the column');
  assert.is(met({ ...stale, writes: [NOW], updated: old }, every(1, 'hour')), true, 'no column is named');
  assert.is(met({ ...measured(['2024-05-15T11:30:00Z', 1_715_000_000_000]), writes: [NOW], updated: old }), true);
  assert.is(met({ writes: [old, NOW, old], updated: old }), true, 'the newest write');
  assert.is(met({ writes: [old], updated: NOW }), false, 'writes before what the table says');
  assert.is(met({ writes: [], updated: NOW }), true, 'what the table says');
});

test('the newest observation counts, not the newest refresh', () => {
  const sla = { ...every(1, 'hour'), columnName: 'at' };
  const rows = measured(
    ['2024-05-15T11:58:00Z', '2024-05-15T09:00:00Z'],
    ['2024-05-15T11:50:00Z', '2024-05-15T11:45:00Z'],
  );
  assert.equal(judge(sla, rows), { refreshFrequencyMet: false });
});

test('times are dates or date-times, in the zone of the promise by default', () => {
  const refreshed = (max: Json, zone: JsonObject = {}): number | undefined => {
    const sla = { ...zone, columnName: 'at', maxLatency: { value: 1, unit: 'day' } };
    const { actualLatency } = judge(sla, { columnMax: [{ timestamp: NOW, max }] });
    return actualLatency === undefined ? undefined : NOW - actualLatency;
  };
  const paris = { timezone: 'GMT+01:00 (Europe/Paris)' };
  const cases: readonly (readonly [Json, JsonObject, string])[] = [
    ['2024-05-15T10:00:00Z', paris, '2024-05-15T10:00:00Z'],
    ['2024-05-15T10:00:00+05:30', paris, '2024-05-15T04:30:00Z'],
    ['2024-05-14T10:00:00-0800', {}, '2024-05-14T18:00:00Z'],
    ['2024-05-15 10:00:00+02', {}, '2024-05-15T08:00:00Z'],
    ['2024-05-15 10:00:00 Z', {}, '2024-05-15T10:00:00Z'],
    ['2024-05-15 10:00', {}, '2024-05-15T10:00:00Z'],
    ['2024-05-15 10:00:00.123456789', {}, '2024-05-15T10:00:00.123Z'],
    ['2024-05-15T10:00:00', paris, '2024-05-15T08:00:00Z'],
    ['2024-05-15', {}, '2024-05-15T00:00:00Z'],
    ['2024-05-15', paris, '2024-05-14T22:00:00Z'],
    ['2024-05-15T10:00:00', { timezone: 'GMT+05:45 (Asia/Nepal)' }, '2024-05-15T04:15:00Z'],
    [' 2024-05-15 ', {}, '2024-05-15T00:00:00Z'],
  ];
  for (const [max, zone, wanted] of cases) {
    assert.is(refreshed(max, zone), at(wanted), JSON.stringify(max));
  }
  for (const max of [
    1_715_767_200_000,
    '1715767200000',
    20_240_515,
    null,
    true,
    '',
    'yesterday',
    '2024-13-01',
    '2024-02-30',
    '2023-02-29',
    '2024-05-15T24:00:00Z',
    '2024-05-15T10:60:00Z',
    '2024-05-15T10',
    '2024-05-15T10:00:00+25:00',
    '2024-05-15 and more',
    '15.05.2024',
    `2024-05-15${' '.repeat(100)}`,
    ['2024-05-15'],
  ] as Json[]) {
    assert.is(refreshed(max), undefined, JSON.stringify(max));
  }
});

const ready = (time: string, zone?: string): JsonObject => ({
  availabilityTime: time,
  columnName: 'at',
  ...(zone !== undefined && { timezone: zone }),
});

test('availability requires a refresh on the day of the last deadline, before it', () => {
  const met = (sla: JsonObject, sources: SlaSources, now = NOW) => judge(sla, sources, now).availabilityMet;
  const cases: readonly (readonly [string, JsonObject, SlaSources, boolean | undefined])[] = [
    ['seen and refreshed today', ready('09:00'), { writes: [at('2024-05-15T08:00:00Z')] }, true],
    ['at the deadline', ready('09:00'), { writes: [at('2024-05-15T09:00:00Z')] }, true],
    ['at the beginning of the day', ready('09:00'), { writes: [at('2024-05-15T00:00:00Z')] }, true],
    ['the day before', ready('09:00'), { writes: [at('2024-05-14T23:59:59Z')] }, false],
    ['after the deadline only', ready('09:00'), { writes: [at('2024-05-15T09:00:01Z')] }, undefined],
    [
      'after the deadline, and the day before',
      ready('09:00'),
      { writes: [at('2024-05-15T10:00:00Z'), at('2024-05-14T10:00:00Z')] },
      false,
    ],
    ['the deadline is still to come', ready('18:00'), { writes: [at('2024-05-14T17:00:00Z')] }, true],
    ['the deadline is now', ready('12:00'), { writes: [at('2024-05-15T01:00:00Z')] }, true],
    ['in the zone', ready('09:00', 'GMT-07:00 (America/Denver)'), { writes: [at('2024-05-14T14:00:00Z')] }, true],
    [
      'too early in the zone',
      ready('09:00', 'GMT-07:00 (America/Denver)'),
      { writes: [at('2024-05-14T05:59:59Z')] },
      false,
    ],
    ['no time', ready('9 am'), { writes: [NOW] }, undefined],
    ['no such time', ready('25:00'), { writes: [NOW] }, undefined],
    ['no such zone', ready('09:00 Nowhere'), { writes: [at('2024-05-15T08:00:00Z')] }, undefined],
    ['the table says so', ready('09:00'), { updated: at('2024-05-15T08:00:00Z') }, true],
    [
      'what was measured',
      ready('09:00'),
      measured(['2024-05-15T08:00:00Z', '2024-05-14'], ['2024-05-15T10:00:00Z', '2024-05-15']),
      false,
    ],
  ];
  for (const [name, sla, sources, wanted] of cases) assert.is(met(sla, sources), wanted, name);
});

test('the zone is that of the label, else that of the time, else UTC', () => {
  const writes = [at('2024-05-14T22:30:00Z')];
  const met = (sla: JsonObject) => judge(sla, { writes }).availabilityMet;
  assert.is(met(ready('09:00')), false);
  for (const time of ['09:00 Europe/Paris', '09:00 (Europe/Paris)', '09:00+02:00', '09:00 GMT+02:00', '9:00 +0200']) {
    assert.is(met(ready(time)), true, time);
  }
  for (const time of ['09:00 UTC', '09:00Z', '09:00:00', '09:00-02:00']) assert.is(met(ready(time)), false, time);
  assert.is(met(ready('09:00 UTC', 'GMT+01:00 (Europe/Paris)')), true);
  assert.is(met(ready('09:00 Europe/Paris', 'GMT+00:00 (Europe/London)')), false);
  assert.is(met(ready('09:00 Europe/Paris', 'no zone')), true);
});

test('deadlines are correct on days when the clocks change', () => {
  const paris = 'GMT+01:00 (Europe/Paris)';
  const spring = at('2024-03-31T10:00:00Z');
  const met = (write: string, time: string) =>
    judge(ready(time, paris), { writes: [at(write)] }, spring).availabilityMet;
  // That day begins in winter time, and nine o'clock is in summer time.
  assert.is(met('2024-03-30T23:00:00Z', '09:00'), true);
  assert.is(met('2024-03-30T22:59:59Z', '09:00'), false);
  assert.is(met('2024-03-31T07:00:00Z', '09:00'), true);
  assert.is(met('2024-03-31T07:00:01Z', '09:00'), undefined);
  // The clocks leap over half past two.
  assert.is(met('2024-03-31T01:30:00Z', '02:30'), true);
});

test('all promises are evaluated together', () => {
  const sla = { ...every(1, 'day'), ...latest, availabilityTime: '09:00' };
  assert.equal(judge(sla, measured(['2024-05-15T08:00:00Z', '2024-05-15T07:00:00Z'])), {
    refreshFrequencyMet: true,
    latencyMet: true,
    actualLatency: HOUR,
    availabilityMet: true,
  });
});

test.run();
