import * as assert from 'uvu/assert';
import { createKeyedQueue } from '../../src/graph/keyed-queue.ts';
import { suite } from '../support/suite.ts';

/** Shows that work with a common key runs in order of arrival. */

const test = suite('graph: keyed queue');

/** Work that notes when it begins and when it ends, a few turns later. */
const noting = (log: string[], name: string) => async () => {
  log.push(`+${name}`);
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  log.push(`-${name}`);
};

test('work with a common key runs in order of arrival, other work concurrently', async () => {
  const serial = createKeyedQueue();
  const log: string[] = [];
  await Promise.all([serial('a', noting(log, '1')), serial('a', noting(log, '2')), serial('b', noting(log, '3'))]);
  assert.equal(
    log,
    ['+1', '+3', '-1', '+2', '-3', '-2'].sort((x, y) => log.indexOf(x) - log.indexOf(y)),
  );
  assert.ok(log.indexOf('-1') < log.indexOf('+2'));
  assert.ok(log.indexOf('+3') < log.indexOf('-1'));
});

test('work with several keys waits for all work that shares one', async () => {
  const serial = createKeyedQueue();
  const log: string[] = [];
  await Promise.all([
    serial(['a', 'b'], noting(log, '1')),
    serial(['b', 'c'], noting(log, '2')),
    serial(['c', 'a'], noting(log, '3')),
    serial([], noting(log, '4')),
  ]);
  assert.equal(
    log.filter((note) => !note.endsWith('4')),
    ['+1', '-1', '+2', '-2', '+3', '-3'],
  );
  assert.ok(log.indexOf('+4') < log.indexOf('-1'));
});

test('a failure is reported to its caller, and the following work starts', async () => {
  const serial = createKeyedQueue();
  const log: string[] = [];
  const failing = serial(['a', 'b'], () => Promise.reject(new Error('lost')));
  const behind = serial('b', noting(log, '1'));
  try {
    await failing;
    assert.unreachable();
  } catch (failure) {
    assert.is((failure as Error).message, 'lost');
  }
  await behind;
  assert.equal(log, ['+1', '-1']);
});

test.run();
