import * as assert from 'uvu/assert';
import { createConcurrencyLimiter } from '../../src/access/concurrency-limiter.ts';
import { suite } from '../support/suite.ts';
import { refusal } from './fixture.ts';

/** Shows that the concurrency limiter keeps its order, its limits and its slots. */

const test = suite('access: concurrency limiter');

/** Work that goes on until it is told to end. */
const createWork = () => {
  const running = new Map<string, () => void>();
  const order: string[] = [];
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      order.push(name);
      running.set(name, () => {
        running.delete(name);
        resolve(name);
      });
    });
  const end = async (name: string) => {
    running.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { work, end, running, order };
};

test('a limited number runs at once, the others in order of arrival', async () => {
  const { work, end, running, order } = createWork();
  const gate = createConcurrencyLimiter({ width: 2, maxWaiting: 10 });
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => gate(work(name)));
  await end('');
  assert.equal([...running.keys()], ['a', 'b']);
  await end('b');
  assert.equal([...running.keys()], ['a', 'c']);
  for (const name of ['a', 'c', 'd', 'e']) await end(name);
  assert.equal(await Promise.all(all), ['a', 'b', 'c', 'd', 'e']);
  assert.equal(order, ['a', 'b', 'c', 'd', 'e']);
});

test('a full queue is refused with 503, and accepts again when it is shorter', async () => {
  const { work, end } = createWork();
  const gate = createConcurrencyLimiter({ width: 1, maxWaiting: 1 });
  const [first, second] = [gate(work('a')), gate(work('b'))];
  assert.is((await refusal(gate(work('c')))).status, 503);
  await end('a');
  assert.is(await first, 'a');
  const third = gate(work('d'));
  assert.is((await refusal(gate(work('e')))).status, 503);
  await end('b');
  await end('d');
  assert.equal([await second, await third], ['b', 'd']);
});

test('a failure frees its slot', async () => {
  const gate = createConcurrencyLimiter({ width: 1, maxWaiting: 5 });
  const failing = gate(() => Promise.reject(new Error('no')));
  const next = gate(async () => 'done');
  try {
    await failing;
    assert.unreachable('it did not fail');
  } catch (failure) {
    assert.match(String(failure), 'no');
  }
  assert.is(await next, 'done');
  assert.is(await gate(async () => 'later'), 'later');
});

test.run();
