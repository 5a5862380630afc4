import * as assert from 'uvu/assert';
import { createPieces } from '../../src/events/pieces.ts';
import { suite } from '../support/suite.ts';

const test = suite('events/pieces');

const rows = (count: number, characters: number) =>
  Array.from({ length: count }, () => ({ json: 'x'.repeat(characters) }));

test('small rows are soon read many at once, large ones few, and never none', () => {
  const pieces = createPieces(500, 10_000);
  assert.is(pieces.size(), 50);
  pieces.learn(rows(50, 10));
  assert.is(pieces.size(), 500);
  pieces.learn(rows(10, 2500));
  assert.is(pieces.size(), 4);
  pieces.learn(rows(1, 50_000));
  assert.is(pieces.size(), 1);
  pieces.learn([]);
  assert.is(pieces.size(), 1, 'nothing read, nothing learned');
  pieces.learn(rows(1, 0));
  assert.is(pieces.size(), 500);
});

test('never more than wanted, also before anything is known', () => {
  assert.is(createPieces(20).size(), 20);
});

test.run();
