import * as assert from 'uvu/assert';
import * as v from 'valibot';
import { listViolations } from '../../src/model/validate.ts';
import { listOf, must, shape, Text } from '../../src/model/values.ts';
import { suite } from '../support/suite.ts';

/** Shows that validation reports every fault with its path. */

const test = suite('model: validation');

const Item = shape('Item', { name: must(Text), word: v.picklist(['a', 'b'], 'must be one of a, b') });
const Body = shape('Body', { name: must(Text), items: listOf(Item) });

test('every fault is reported once, in the order of the value', () => {
  assert.equal(listViolations(Body, { name: 'x', items: [{ name: 'y', word: 'a' }] }), []);
  const faults = listViolations(Body, { more: 1, items: [{ word: 'c' }, { name: 1, word: 'a' }] });
  assert.equal([...faults].sort(), [
    '[items.0.name must not be null]',
    '[items.0.word must be one of a, b]',
    '[items.1.name must be a string]',
    '[more is not a known property]',
    '[name must not be null]',
  ]);
  assert.equal(listViolations(Body, []).length, 1);
});

test('the number of reported faults is bounded', () => {
  const items = (count: number) => Array.from({ length: count }, () => ({ name: 1, word: 'a' }));
  assert.is(listViolations(Body, { name: 'x', items: items(1000) }).length, 100);
  assert.equal(listViolations(Body, { items: items(20_000) }), ['[name must not be null]']);
  const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`m${at}`, at]));
  assert.is(listViolations(Body, { name: 'x', ...wide }).length, 1);
});

test.run();
