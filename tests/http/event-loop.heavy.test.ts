import * as assert from 'uvu/assert';
import { expectAnswered } from '../support/loop-attacks.ts';
import { probeLoop } from '../support/loop-probe.ts';
import { LOOP_SETS, type LoopStage, openLoopStage } from '../support/loop-sets.ts';
import { openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that the worst sensible input to every route with a body and to every expensive parameter is answered.
 * `npm run bench -- --rows event-loop` measures how long it blocks the main thread.
 */
const test = suite('http: requests and the event loop');

let stage: LoopStage;

test.before(async () => {
  stage = await openLoopStage(await openService());
});

test.after(() => stage.held.close());

const HELD_MS = 150;

test('the probe tells the longest block since it was last asked', async () => {
  const probe = probeLoop();
  await new Promise((resolve) => setTimeout(resolve, 10));
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user < 2 * HELD_MS * 1000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(probe.longest() > HELD_MS);
  assert.is(probe.longest(), 0);
  probe.stop();
});

test('every route that accepts a body is attacked', async () => {
  const routes = stage.service.app.routes.filter(({ body }) => body !== undefined);
  assert.ok(routes.length > 200, `${routes.length} routes have a body`);
  const attacked = (await LOOP_SETS[0]?.[1](stage)) ?? [];
  assert.equal(attacked.map(([name]) => name).sort(), routes.map(({ method, path }) => `${method} ${path}`).sort());
});

for (const [title, attacksOf] of LOOP_SETS) {
  test(`${title} are answered`, async () => expectAnswered(stage.held, await attacksOf(stage)));
}

test.run();
