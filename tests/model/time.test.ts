import * as assert from 'uvu/assert';
import { parseDateTime } from '../../src/model/time.ts';
import { suite } from '../support/suite.ts';

const test = suite('model: dates and times');

const zone = process.env['TZ'];

test.before(() => {
  process.env['TZ'] = 'Asia/Tokyo';
});

test.after(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

test('what names no time zone is UTC, whatever the time zone of the process', () => {
  assert.is(new Date(2026, 2, 1).getTimezoneOffset(), -540);
  const at = Date.UTC(2026, 2, 1, 10, 30);
  for (const text of [
    '2026-03-01T10:30',
    '2026-03-01 10:30:00',
    '2026-03-01T10:30:00.000',
    '2026-03-01T10:30:00Z',
    '2026-03-01T12:30:00+02:00',
  ]) {
    assert.is(parseDateTime(text), at, text);
  }
  assert.is(parseDateTime('2026-03-01'), Date.UTC(2026, 2, 1));
});

test('what is no date is nothing', () => {
  for (const text of ['', 'soon', '2026-13-01', '2026-03-01T25:00', '2026-03-01 10']) {
    assert.is(parseDateTime(text), undefined, text);
  }
});

test.run();
