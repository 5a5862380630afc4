import * as assert from 'uvu/assert';
import { createAdaptivePageSize } from '../../src/events/adaptive-page-size.ts';
import { suite } from '../support/suite.ts';

/** Shows that page sizes adapt to the size of the rows. */

const test = suite('events: adaptive page size');

const rows = (count: number, characters: number) =>
  Array.from({ length: count }, () => ({ json: 'x'.repeat(characters) }));

test('small rows are soon read in large pages, large ones in small pages, and at least one', () => {
  const pieces = createAdaptivePageSize(500, 10_000);
  assert.is(pieces.size(), 50);
  pieces.adapt(rows(50, 10));
  assert.is(pieces.size(), 500);
  pieces.adapt(rows(10, 2500));
  assert.is(pieces.size(), 4);
  pieces.adapt(rows(1, 50_000));
  assert.is(pieces.size(), 1);
  pieces.adapt([]);
  assert.is(pieces.size(), 1, 'nothing read, nothing learned');
  pieces.adapt(rows(1, 0));
  assert.is(pieces.size(), 500);
});

test('a page never exceeds the requested size, even at first', () => {
  assert.is(createAdaptivePageSize(20).size(), 20);
});

test.run();
