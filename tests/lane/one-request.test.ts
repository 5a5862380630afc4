import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { createSamples } from '../support/samples.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that the thread of the heavy lane answers a heavy request, that its change is visible here at once, and that the
 * same request goes there at once when it comes again.
 */

const test = suite('lane: one request');

let service: Service;

test.before(async () => {
  service = await openServiceAt(placeOfRun(), {}, true);
});
test.after(() => closeServiceAt(service));

/** How many statements with such names this thread has sent; the lane has a connection of its own. */
const countSent = (names: RegExp): number =>
  [...service.allSent()].reduce((sum, [name, times]) => (names.test(name) ? sum + times : sum), 0);

const countCreations = (): number => countSent(/^catalog\/record\/create\b/);

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

test('a request whose answer was left to the lane is not begun here when it comes again', async () => {
  const samples = createSamples(service);
  const description = 'A'.repeat(2000);
  const columns = Array.from({ length: 400 }, (_, at) => ({ name: `c${at}`, dataType: 'STRING', description }));
  const { fullyQualifiedName } = ok(
    await service.admin.put('/v1/tables', await samples.body('table', { columns })),
    201,
  );
  const path = `/v1/tables/name/${fullyQualifiedName}?fields=columns`;
  const statementsFor = async () => {
    const before = countSent(/^catalog\//);
    assert.is(ok(await service.admin.get(path)).columns.length, columns.length);
    return countSent(/^catalog\//) - before;
  };
  assert.ok((await statementsFor()) > 0);
  assert.is(await statementsFor(), 0);
});

test.run();
