import * as assert from 'uvu/assert';
import { createFairQueue } from '../../src/lane/fair-queue.ts';
import { suite } from '../support/suite.ts';

/** Shows that the queue of the lane is fair among its callers. */

const test = suite('lane: fair queue');

const never = new AbortController().signal;

/** Lets everything happen that has been waiting for a promise. */
const later = () => new Promise((resolve) => setImmediate(resolve));

test('work runs up to the capacity, and oversized work runs alone', async () => {
  const queue = createFairQueue(10, 12);
  const order: string[] = [];
  const enter = (name: string, holder: string, weight: number) =>
    queue.enter(holder, weight, never).then(({ leave }) => {
      order.push(name);
      return leave;
    });
  const first = await enter('first', 'a', 6);
  const second = await enter('second', 'a', 4);
  const giant = enter('giant', 'b', 100);
  const light = enter('light', 'c', 1);
  await later();
  assert.equal(order, ['first', 'second']);
  first();
  await later();
  assert.equal(order, ['first', 'second']);
  second();
  (await giant)();
  (await light)();
  assert.equal(order, ['first', 'second', 'giant', 'light']);
});

test('callers take turns, whatever the number of their waiting requests', async () => {
  const queue = createFairQueue(1, 12);
  const order: string[] = [];
  const { leave } = await queue.enter('greedy', 1, never);
  const waiting = ['greedy', 'greedy', 'greedy', 'modest', 'late'].map(async (holder) => {
    const { leave: done } = await queue.enter(holder, 1, never);
    order.push(holder);
    await later();
    done();
  });
  leave();
  await Promise.all(waiting);
  assert.equal(order, ['greedy', 'modest', 'late', 'greedy', 'greedy']);
});

test('a caller who disconnects leaves the queue', async () => {
  const queue = createFairQueue(1, 12);
  const { leave } = await queue.enter('a', 1, never);
  const abort = new AbortController();
  const gone = queue.enter('b', 1, abort.signal).catch(() => 'gone');
  const stays = queue.enter('c', 1, never);
  abort.abort();
  assert.is(await gone, 'gone');
  leave();
  (await stays).leave();
  (await queue.enter('a', 1, never)).leave();
});

test('an unread response takes no capacity, and each caller has a limited number of them', async () => {
  const queue = createFairQueue(10, 3);
  const order: string[] = [];
  const enter = async (name: string, holder: string, weight: number) => {
    const admission = await queue.enter(holder, weight, never);
    order.push(name);
    return admission;
  };
  const unread = await Promise.all([enter('a1', 'a', 3), enter('a2', 'a', 3), enter('a3', 'a', 3)]);
  const fourth = enter('a4', 'a', 3);
  const other = enter('b1', 'b', 8);
  await later();
  assert.equal(order, ['a1', 'a2', 'a3']);
  for (const { giveRoom } of unread) giveRoom();
  const { leave } = await other;
  await later();
  assert.equal(order, ['a1', 'a2', 'a3', 'b1']);
  unread[0]?.leave();
  unread[0]?.leave();
  await later();
  assert.equal(order, ['a1', 'a2', 'a3', 'b1']);
  leave();
  await fourth;
  assert.equal(order, ['a1', 'a2', 'a3', 'b1', 'a4']);
});

test.run();
