import * as assert from 'uvu/assert';
import { convertAmount, parseTimeUnit } from '../../../src/contracts/odcs/sla.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { contractOf, document, edited, exported, findings, imported } from '../../support/odcs-mapping.ts';
import { suite } from '../../support/suite.ts';

/** Shows that service levels are converted both ways. */

const test = suite('contracts/odcs: service levels');

const item = (property: string, value: Json, more: JsonObject = {}): JsonObject => ({ property, value, ...more });
const withItems = (...slaProperties: readonly JsonObject[]) => document({ slaProperties });
const slaOf = (...items: readonly JsonObject[]) => contractOf(withItems(...items))['sla'];

test('units are read in every spelling and case', () => {
  const rows: Readonly<Record<string, string>> = {
    second: 's sec secs second seconds',
    minute: 'm min mins minute minutes',
    hour: 'h hr hrs hour hours',
    day: 'd day days',
    week: 'w wk wks week weeks',
    month: 'mo mos month months',
    year: 'y yr yrs year years',
  };
  for (const [unit, words] of Object.entries(rows)) {
    for (const word of words.split(' ')) assert.is(parseTimeUnit(` ${word.toUpperCase()} `), unit, word);
  }
  for (const word of ['', 'fortnight', 'constructor']) assert.is(parseTimeUnit(word), undefined);
  assert.is(convertAmount({ value: Number.MAX_SAFE_INTEGER, unit: 'week' }, ['day']), undefined);
});

test('amounts are read by property names, synonyms, units and exact conversions', () => {
  const rows: readonly (readonly [JsonObject, JsonObject | undefined])[] = [
    [item('freshness', 1, { unit: 'd' }), { refreshFrequency: { interval: 1, unit: 'day' } }],
    [item('refreshFrequency', 6, { unit: 'h' }), { refreshFrequency: { interval: 6, unit: 'hour' } }],
    [item('frequency', 2, { unit: 'wk' }), { refreshFrequency: { interval: 2, unit: 'week' } }],
    [item('FY', 3, { unit: 'mo' }), { refreshFrequency: { interval: 3, unit: 'month' } }],
    [item('frequency', 1440, { unit: 'min' }), { refreshFrequency: { interval: 24, unit: 'hour' } }],
    [item('frequency', 90, { unit: 'min' }), undefined],
    [item('latency', 4, { unit: 'd' }), { maxLatency: { value: 4, unit: 'day' } }],
    [item('ly', 5, { unit: 'minutes' }), { maxLatency: { value: 5, unit: 'minute' } }],
    [item('maxLatency', 1, { unit: 'w' }), { maxLatency: { value: 7, unit: 'day' } }],
    [item('latency', 120, { unit: 's' }), { maxLatency: { value: 2, unit: 'minute' } }],
    [item('latency', 1, { unit: 's' }), undefined],
    [item('latency', 1, { unit: 'month' }), undefined],
    [item('retention', 3, { unit: 'y' }), { retention: { period: 3, unit: 'year' } }],
    [item('RE', 48, { unit: 'h' }), { retention: { period: 2, unit: 'day' } }],
    [item('retention', 25, { unit: 'h' }), undefined],
    [item('retention', 3), { retention: { period: 3, unit: 'day' } }],
    [item('retention', '3', { unit: 'd' }), { retention: { period: 3, unit: 'day' } }],
    [item('retention', 0, { unit: 'd' }), { retention: { period: 0, unit: 'day' } }],
    [item('retention', -1, { unit: 'd' }), undefined],
    [item('retention', 1.5, { unit: 'd' }), undefined],
    [item('retention', 'long', { unit: 'd' }), undefined],
    [item('retention', null, { unit: 'd' }), undefined],
    [item('retention', 1, { unit: 'fortnight' }), undefined],
    [item('retention', '1e400', { unit: 'd' }), undefined],
    [item('retention', 2_147_483_647, { unit: 'd' }), { retention: { period: 2_147_483_647, unit: 'day' } }],
    [item('retention', 2_147_483_648, { unit: 'd' }), undefined],
    [item('availability', 99), undefined],
    [item('constructor', 1), undefined],
  ];
  for (const [from, sla] of rows) assert.equal(slaOf(from), sla, JSON.stringify(from));
});

test('an offset is mapped to its time zone label, and labels are used unchanged', () => {
  const paris = 'GMT+01:00 (Europe/Paris)';
  const rows: readonly (readonly [JsonObject, JsonObject | undefined])[] = [
    [
      item('timeOfAvailability', '09:00-08:00'),
      { availabilityTime: '09:00', timezone: 'GMT-08:00 (America/Los Angeles)' },
    ],
    [item('availabilityTime', '9:05'), { availabilityTime: '09:05' }],
    [item('availabilityTime', '09:00:30.5+0530'), { availabilityTime: '09:00', timezone: 'GMT+05:30 (Asia/Kolkata)' }],
    [item('availabilityTime', '23:59Z'), { availabilityTime: '23:59', timezone: 'GMT+00:00 (Europe/London)' }],
    [item('availabilityTime', '09:00', { valueExt: paris }), { availabilityTime: '09:00', timezone: paris }],
    [item('availabilityTime', '09:00-08:00', { valueExt: paris }), { availabilityTime: '09:00', timezone: paris }],
    [item('availabilityTime', '09:00', { valueExt: 'noon' }), { availabilityTime: '09:00' }],
    [item('availabilityTime', '09:00-03:30'), undefined],
    [item('availabilityTime', '24:00'), undefined],
    [item('availabilityTime', '09:60'), undefined],
    [item('availabilityTime', 9), undefined],
  ];
  for (const [from, sla] of rows) assert.equal(slaOf(from), sla, JSON.stringify(from));
});

test('an unreadable level is kept and reported, and never read as zero', () => {
  const found = imported(withItems(item('availability', 99.9), item('latency', 1, { unit: 'month' })));
  assert.equal(findings(found), ['warning sla slaProperties[1].value']);
  assert.is(found.contract['sla'], undefined);
});

test('the first of repeated properties counts', () => {
  assert.equal(slaOf(item('retention', 1), item('re', 2), item('retention', 3)), {
    retention: { period: 1, unit: 'day' },
  });
});

test('the element of the freshness names the column', () => {
  const rows: readonly (readonly [JsonObject, JsonObject, string | undefined])[] = [
    [{ element: 'orders.updated_at' }, {}, 'updated_at'],
    [{ element: 'shop.orders."a.b"' }, {}, 'a.b'],
    [{ element: 'orders.a, orders.b' }, {}, 'a'],
    [{ element: 'updated_at' }, { slaDefaultElement: 'orders.id' }, 'updated_at'],
    [{}, { slaDefaultElement: 'orders.id' }, 'id'],
    [{}, {}, undefined],
  ];
  for (const [more, root, name] of rows) {
    const sla = contractOf({ ...withItems(item('freshness', 1, more)), ...root })['sla'] as JsonObject;
    assert.is(sla['columnName'], name);
  }
  const latency = contractOf(withItems(item('latency', 1, { element: 'orders.id' })))['sla'] as JsonObject;
  assert.is(latency['columnName'], undefined);
});

test('service levels are written for a contract without a document', () => {
  const sla = {
    refreshFrequency: { interval: 1, unit: 'day' },
    maxLatency: { value: 30, unit: 'minute' },
    retention: { period: 2, unit: 'year' },
    availabilityTime: '09:00',
    timezone: 'GMT+01:00 (Europe/Paris)',
    columnName: 'updated_at',
  };
  const written = exported({ sla });
  assert.equal(written['slaProperties'], [
    { property: 'freshness', value: '1', unit: 'day', element: 'updated_at' },
    { property: 'latency', value: '30', unit: 'minute' },
    { property: 'retention', value: '2', unit: 'year' },
    { property: 'availabilityTime', value: '09:00', valueExt: 'GMT+01:00 (Europe/Paris)' },
  ]);
  assert.equal(contractOf(written)['sla'], sla);
});

const changed = (from: JsonObject, sla: JsonObject, root: JsonObject = {}) =>
  (
    edited({ ...withItems(from), ...root }, (contract) => ({
      ...contract,
      sla: { ...(contract['sla'] as JsonObject), ...sla },
    }))['slaProperties'] as readonly JsonObject[]
  )[0];

test('an edited level changes its value and keeps name, unit and other members', () => {
  const rows: readonly (readonly [JsonObject, JsonObject, JsonObject])[] = [
    [
      item('re', 3, { unit: 'yrs', driver: 'regulatory' }),
      { retention: { period: 4, unit: 'year' } },
      item('re', '4', { unit: 'yrs', driver: 'regulatory' }),
    ],
    [
      item('retention', 48, { unit: 'h' }),
      { retention: { period: 2, unit: 'month' } },
      item('retention', '2', { unit: 'month' }),
    ],
    [item('retention', 3), { retention: { period: 5, unit: 'day' } }, item('retention', '5')],
    [item('retention', 3), { retention: { period: 3, unit: 'year' } }, item('retention', '3', { unit: 'year' })],
    [
      item('freshness', 1, { unit: 'd', element: 'orders.updated_at' }),
      { columnName: 'created_at' },
      item('freshness', 1, { unit: 'd', element: 'orders.created_at' }),
    ],
    [
      item('timeOfAvailability', '09:00-08:00', { driver: 'analytics' }),
      { availabilityTime: '10:30' },
      item('timeOfAvailability', '10:30-08:00', { driver: 'analytics' }),
    ],
    [
      item('timeOfAvailability', '09:00-08:00'),
      { timezone: 'GMT+09:00 (Asia/Tokyo)' },
      item('timeOfAvailability', '09:00+09:00'),
    ],
    [
      item('availabilityTime', '09:00'),
      { timezone: 'GMT+09:00 (Asia/Tokyo)' },
      item('availabilityTime', '09:00', { valueExt: 'GMT+09:00 (Asia/Tokyo)' }),
    ],
  ];
  for (const [from, sla, expected] of rows) {
    assert.equal(changed(from, sla), expected, JSON.stringify(from));
    const again = contractOf(withItems(expected))['sla'] as JsonObject;
    for (const [name, value] of Object.entries(sla)) assert.equal(again[name], value);
  }
});

test('a removed level is deleted, a new one is appended, and unmapped ones stay', () => {
  const source = withItems(
    item('availability', 99),
    item('retention', 1),
    item('retention', 2),
    item('latency', 1, { unit: 'h' }),
  );
  const result = edited(source, (contract) => ({
    ...contract,
    sla: { refreshFrequency: { interval: 1, unit: 'hour' }, maxLatency: { value: 1, unit: 'hour' } },
  }));
  assert.equal(result['slaProperties'], [
    item('availability', 99),
    item('retention', 2),
    item('latency', 1, { unit: 'h' }),
    item('freshness', '1', { unit: 'hour' }),
  ]);
  const none = edited(withItems(item('retention', 1)), ({ sla: _sla, ...contract }) => contract);
  assert.is(none['slaProperties'], undefined);
});

test.run();
