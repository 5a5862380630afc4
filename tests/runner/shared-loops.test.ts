import * as assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { watchSharedLoops } from '../support/shared-loops.ts';
import { suite } from '../support/suite.ts';

/** Shows that loops which a test file left stopped run again for the next one. */

const test = suite('runner: shared loops');

const NAMES = ['runner', 'events', 'notifications', 'dispatcher'];

test('the loops that were left stopped are named once and started again', async () => {
  const done: string[] = [];
  const loop = (name: string) => [
    name,
    { start: () => done.push(`start ${name}`), stop: async () => done.push(`stop ${name}`), other: name },
  ];
  const { app, restart } = watchSharedLoops(Object.fromEntries(NAMES.map(loop)) as unknown as App);
  assert.deepEqual(restart(), []);
  await app.runner.stop();
  await app.events.stop();
  await app.dispatcher.stop();
  app.events.start();
  assert.deepEqual(restart(), ['runner', 'dispatcher']);
  assert.deepEqual(restart(), []);
  assert.deepEqual(done, [
    'stop runner',
    'stop events',
    'stop dispatcher',
    'start events',
    'start runner',
    'start dispatcher',
  ]);
  assert.equal((app.runner as unknown as { other: string }).other, 'runner', 'the rest of a loop is as it was');
});

test.run();
