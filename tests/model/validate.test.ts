import * as assert from 'uvu/assert';
import * as v from 'valibot';
import { listViolations, validate } from '../../src/model/validate.ts';
import { defaulting, listOf, must, oneOf, shape, Text } from '../../src/model/values.ts';
import { expectLinearCalls } from '../support/count-calls.ts';
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

/** The error that a value is refused with. */
const refusalOf = (schema: v.GenericSchema, value: unknown): { message: string } => {
  try {
    validate(schema, value);
  } catch (failure) {
    return { message: (failure as Error).message };
  }
  return assert.unreachable('the value is valid') as never;
};

const Person = shape('Person', { name: must(Text), owners: listOf(Text), tableType: oneOf(['Regular', 'View']) });
const Nested = v.lazy((): v.GenericSchema => listOf(Tree));
const Tree = shape('Tree', {
  name: must(Text),
  word: defaulting(oneOf(['red', 'green']), 'red'),
  children: Nested,
  either: v.union([shape('One', { first: Text }), Text]),
});

test('an error names all faults and what was probably meant, the first fault first', () => {
  assert.is(refusalOf(Person, {}).message, '[name must not be null]');
  assert.is(
    refusalOf(Person, { ownr: 'mei', tabelType: 1, tableType: 'regular', zzz: 1 }).message,
    '[name must not be null], [tableType must be one of Regular, View] (did you mean Regular?), ' +
      '[ownr is not a known property] (did you mean owners?), ' +
      '[tabelType is not a known property] (did you mean tableType?), [zzz is not a known property]',
  );
  assert.is(
    refusalOf(Tree, { name: 'a', children: [{ name: 'b', word: 'gren', chldren: [] }] }).message,
    '[children.0.word must be one of red, green] (did you mean green?), ' +
      '[children.0.chldren is not a known property] (did you mean children?)',
  );
  const Either = v.variant('type', [
    shape('A', { type: v.literal('a'), first: Text }) as never,
    shape('B', { type: v.literal('b'), second: Text }) as never,
  ]);
  assert.match(refusalOf(Either, { type: 'a', second: 'x' }).message, /^\[second is not a known property\]/);
  assert.is(refusalOf(Person, { name: 'a', __proto: 1 }).message, '[__proto is not a known property]');
});

test('the length of an error and the work on it are bounded, whatever a body contains', () => {
  const unknown = (count: number, length = 4) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${'own'.repeat(length)}${at}`, at]));
  const many = refusalOf(Person, { name: 'a', ...unknown(9_000) });
  assert.match(many.message, /, and 8980 more$/);
  for (const [count, length] of [
    [9_000, 1],
    [9_000, 100],
    [200_000, 5],
    [1, 1_000_000],
  ] as const) {
    const { message } = refusalOf(Person, { name: 'a', ...unknown(count, length) });
    assert.ok(message.length < 5_000, `${message.length} characters`);
  }
  const row = { tableType: 'reglar', ...unknown(20) };
  assert.ok(refusalOf(Person, row).message.length < 5_000);
  for (const length of [1, 100]) {
    expectLinearCalls(
      2_250,
      (count) => ({ name: 'a', ...unknown(count, length) }),
      (body) => refusalOf(Person, body),
    );
  }
});

test.run();
