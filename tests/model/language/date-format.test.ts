import * as assert from 'uvu/assert';
import { parseDateFormat } from '../../../src/model/language/date-format.ts';
import { suite } from '../../support/suite.ts';

/** Shows that date formats of custom properties accept exactly the matching values. */

const test = suite('model: date formats');

/** Formats with texts that have them, and texts that only seem to. */
const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['yyyy-MM-dd', ['2024-02-29', '0001-12-31'], ['2023-02-29', '2024-13-01', '2024-1-1', '2024-04-31', '2024-02-29 ']],
  ['dd MMM yyyy', ['01 Jan 2024', '29 Feb 2024'], ['1 Jan 2024', '01 jan 2024', '29 Feb 2023', '00 Jan 2024']],
  ['d MMMM yyyy', ['1 January 2024', '31 May 2024'], ['01 January 2024', '31 June 2024', '1 Januar 2024']],
  ['MM/dd/yyyy', ['12/31/2024'], ['31/12/2024', '12-31-2024']],
  ['yyyyDDD', ['2024366', '2023001'], ['2023366', '2024000']],
  [
    'yyyy-MM-dd HH:mm:ss',
    ['2024-12-31 23:59:59'],
    ['2024-12-31 24:00:00', '2024-12-31T23:59:59', '2024-12-31 23:60:00'],
  ],
  [
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    ['2024-12-31T00:00:00.123+02:00', '2024-12-31T00:00:00.123Z'],
    ['2024-12-31T00:00:00Z'],
  ],
  ['MMM dd HH:mm:ss yyyy', ['Feb 29 12:00:00 2024'], ['Feb 30 12:00:00 2024']],
  ['dd/MM/yyyy HH:mm:ss.SSSSSS', ['31/12/2024 01:02:03.123456'], ['31/12/2024 01:02:03.123']],
  ['HH:mm:ss', ['00:00:00', '23:59:59'], ['24:00:00', '1:00:00', '12:00']],
  ['hh:mm a', ['12:30 PM', '01:00 AM'], ['13:00 PM', '00:30 AM', '12:30 pm']],
  ['H:mm', ['0:00', '9:59', '23:00'], ['24:00', '09:00']],
  ["h 'o''clock' a", ["9 o'clock AM"], ['9 oclock AM']],
  ['yy.M.d', ['24.2.29', '23.1.1'], ['23.2.29', '2024.2.1', '24x2x29']],
];

for (const [text, good, bad] of CASES) {
  test(text, () => {
    const format = parseDateFormat(text);
    assert.ok(format);
    for (const sample of good) assert.is(format.matches(sample), true, sample);
    for (const sample of bad) assert.is(format.matches(sample), false, sample);
  });
}

test('the parts of a format are recognized', () => {
  const parts = (text: string) => {
    const format = parseDateFormat(text);
    return [format?.date, format?.time];
  };
  assert.equal(parts('yyyy-MM-dd'), [true, false]);
  assert.equal(parts('HH:mm:ss'), [false, true]);
  assert.equal(parts('yyyy-MM-dd HH:mm'), [true, true]);
  assert.equal(parts("'always'"), [false, false]);
});

test('a format may have some numbers of one or two digits', () => {
  assert.is(parseDateFormat('M/d/yyyy H:m:s')?.matches('1/12/2024 3:40:5'), true);
  assert.ok(parseDateFormat('M d H m s M d H'));
});

test('an unknown format is refused', () => {
  for (const text of [
    '',
    'YYYY-MM-dd',
    'yyyy-MM-ddT',
    'yyyyy',
    'EEE',
    'Q',
    'DD',
    'HHH',
    'SSSSSSSSSS',
    "'open",
    'é'.repeat(65),
    // A matcher would have to try every way to divide the digits.
    'Hm'.repeat(14),
    'M d H h m s M d H',
  ]) {
    assert.is(parseDateFormat(text), undefined, text);
  }
});

test.run();
