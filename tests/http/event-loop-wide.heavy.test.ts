import { expectAnswered, expectSent } from '../support/loop-attacks.ts';
import { openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { openWideStage, WIDE_LOOP_SETS, type WideStage } from '../support/wide-loop-sets.ts';

/**
 * Shows that work on tables with very many columns is done: jobs, deletions, callers with conditional rights, listeners,
 * deliveries and search maintenance. `npm run bench -- --rows event-loop` measures how long it blocks the main thread.
 */
const test = suite('http: wide records and the event loop');

let stage: WideStage;

test.before(async () => {
  stage = await openWideStage(await openService());
});

test.after(() => stage.close());

for (const [title, attacksOf] of WIDE_LOOP_SETS) {
  test(`${title} are answered`, async () => expectAnswered(stage.held, await attacksOf(stage)));
}

test('a table that was deleted for good is gone', async () => {
  const name = encodeURIComponent(stage.wide.fullyQualifiedName);
  await expectSent(stage.held, { path: `/v1/tables/name/${name}?include=all` }, 404);
});

test.run();
