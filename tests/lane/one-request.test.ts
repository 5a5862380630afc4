import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { createSamples } from '../support/samples.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the thread of the heavy lane answers a heavy request, and that its change is visible here at once. */

const test = suite('lane: one request');

let service: Service;

test.before(async () => {
  service = await openServiceAt(placeOfRun(), {}, true);
});
test.after(() => closeServiceAt(service));

/** What this thread has asked of the database to create records; the lane has a connection of its own. */
const countCreations = (): number =>
  [...service.allSent()].reduce(
    (sum, [name, times]) => (/^catalog\/record\/create\b/.test(name) ? sum + times : sum),
    0,
  );

test('a heavy request is answered by the thread of the lane, a light one by this thread', async () => {
  const samples = createSamples(service);
  const [light, heavy] = [await samples.body('domain'), await samples.body('domain')];
  const before = countCreations();
  ok(await service.admin.post('/v1/domains', light), 201);
  assert.is(countCreations(), before + 1);
  const answer = ok(await service.admin.put('/v1/domains/bulk', [heavy]));
  assert.equal([answer.status, answer.numberOfRowsPassed], ['success', 1]);
  assert.is(countCreations(), before + 1);
  assert.is(ok(await service.admin.get(`/v1/domains/name/${heavy['name']}`)).name, heavy['name']);
});

test.run();
