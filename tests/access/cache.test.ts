import * as assert from 'uvu/assert';
import { createExpiringCache, createSingleFlight } from '../../src/access/cache.ts';
import { suite } from '../support/suite.ts';

/** Shows expiry and eviction of the bounded cache, and the sharing of work in progress. */

const test = suite('access: cache');

test('an entry expires exactly at its time', () => {
  const cache = createExpiringCache<string>(10);
  cache.set('a', 'x', 100);
  assert.is(cache.get('a', 99), 'x');
  assert.is(cache.get('a', 100), undefined);
  assert.is(cache.get('a', 50), undefined, 'and it does not come back');
});

test('the least recently used entry is evicted', () => {
  const cache = createExpiringCache<string>(2);
  cache.set('a', 'x', 100);
  cache.set('b', 'y', 100);
  cache.get('a', 1);
  cache.set('c', 'z', 100);
  assert.equal([cache.get('a', 1), cache.get('b', 1), cache.get('c', 1)], ['x', undefined, 'z']);
});

test('setting again replaces value and lifetime', () => {
  const cache = createExpiringCache<string>(2);
  cache.set('a', 'x', 100);
  cache.set('a', 'y', 200);
  assert.is(cache.get('a', 150), 'y');
});

test('a deleted entry is gone', () => {
  const cache = createExpiringCache<string>(2);
  cache.set('a', 'x', 100);
  cache.delete('a');
  assert.is(cache.get('a', 1), undefined);
});

test('work in progress is shared by key and dropped afterwards, also when it fails', async () => {
  const fly = createSingleFlight<number>();
  const started: string[] = [];
  const work = (key: string, outcome: Promise<number>) =>
    fly(key, () => {
      started.push(key);
      return outcome;
    });
  assert.equal(
    await Promise.all([work('a', Promise.resolve(1)), work('a', Promise.resolve(2)), work('b', Promise.resolve(3))]),
    [1, 1, 3],
  );
  assert.equal(started, ['a', 'b']);
  const failing = [work('a', Promise.reject(new Error('no'))), work('a', Promise.resolve(4))];
  assert.equal(
    (await Promise.allSettled(failing)).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.is(await work('a', Promise.resolve(5)), 5);
});

test.run();
