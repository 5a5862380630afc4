import * as assert from 'uvu/assert';
import { createOrder } from '../../src/graph/ordered-works.ts';
import { suite } from '../support/suite.ts';

/** Shows in which order works reach what they share. */

const test = suite('graph: ordered works');

const deferred = () => {
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { done, finish };
};

test('a long event reaches a record that it shares before a short one that was sent later', async () => {
  const inOrder = createOrder();
  const reached: string[] = [];
  const long = deferred();
  const reach = (name: string) => async () => void reached.push(name);
  const first = inOrder([
    { id: 'job', run: () => long.done },
    { id: 'parent', run: reach('first') },
  ]);
  const second = inOrder([
    { id: 'other job', run: reach('on its own') },
    { id: 'parent', run: reach('second') },
  ]);
  await new Promise(setImmediate);
  assert.equal(reached, ['on its own']);
  long.finish();
  await Promise.all([first, second]);
  assert.equal(reached, ['on its own', 'first', 'second']);
});

test('events that share records in opposite orders do not wait for each other', async () => {
  const inOrder = createOrder();
  const reached: string[] = [];
  const work = (id: string, name: string) => ({ id, run: async () => void reached.push(name) });
  await Promise.all([
    inOrder([work('a', 'first a'), work('b', 'first b')]),
    inOrder([work('b', 'second b'), work('a', 'second a')]),
  ]);
  assert.equal(reached, ['first a', 'first b', 'second b', 'second a']);
});

test('an event that fails goes no further, and does not keep others from the record', async () => {
  const inOrder = createOrder();
  const reached: string[] = [];
  const failing = inOrder([
    { id: 'a', run: () => Promise.reject(new Error('torn')) },
    { id: 'b', run: async () => void reached.push('of the failed') },
  ]);
  const later = inOrder([{ id: 'b', run: async () => void reached.push('later') }]);
  assert.match(String(await failing.catch((failure: unknown) => failure)), 'torn');
  await later;
  assert.equal(reached, ['later']);
});

test.run();
