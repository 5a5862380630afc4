import * as assert from 'uvu/assert';
import { openEventService } from '../../src/events/event-service.ts';
import { removeOldEvents } from '../../src/events/retention.ts';
import { ok } from '../support/expect.ts';
import { moment, waitUntil } from '../support/patience.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { readEventsAfter, waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that old change events are removed. */

const test = suite('events: retention');

let service: Service;

test.before(async () => {
  service = await openService();
});

const createDomain = async (): Promise<string> => {
  const body = { name: uniqueName('old'), description: 'x', domainType: 'Aggregate' };
  return ok(await service.admin.post('/v1/domains', body), 201).id;
};

const lowest = async (): Promise<number> => {
  const [row] = await service.graph.query('MATCH (e:ChangeEvent) WHERE e.seq > 0 RETURN min(e.seq) AS lowest');
  return row?.['lowest'] as number;
};

test('older events are removed in batches by sequence number, without gaps in the rest', async () => {
  const start = await waitForSequencing(service);
  for (let at = 0; at < 8; at += 1) await createDomain();
  const cutoff = await moment();
  const id = await createDomain();
  await waitForSequencing(service);
  const retention = { retentionMs: 1000, batch: 3, batches: 2 };
  assert.is(await removeOldEvents(service.graph, cutoff + 1000, retention), 6);
  const before = await lowest();
  assert.is((await service.app.events.tail.head()).first, before);
  const left = await readEventsAfter(service, 0);
  assert.is(left[0]?.seq, before);
  await removeOldEvents(service.graph, cutoff + 1000, { ...retention, batch: 100, batches: 1000 });
  const rest = await readEventsAfter(service, start);
  assert.equal(
    rest.map(({ entityId }) => entityId),
    [id],
  );
  assert.is(rest[0]?.seq, start + 9);
  assert.is(await removeOldEvents(service.graph, cutoff + 1000, retention), 0);
});

test('events survive their record, and all of them may expire', async () => {
  const start = await waitForSequencing(service);
  const id = await createDomain();
  ok(await service.admin.delete(`/v1/domains/${id}`));
  const last = await waitForSequencing(service);
  assert.is((await readEventsAfter(service, start)).length, 2);
  await removeOldEvents(service.graph, Date.now() + 10_000, { retentionMs: 1000, batch: 100, batches: 1000 });
  assert.equal(await service.app.events.tail.head(), { last, first: last + 1 });
  assert.equal(await readEventsAfter(service, 0), []);
  await createDomain();
  await waitForSequencing(service);
  assert.equal(
    (await readEventsAfter(service, 0)).map(({ seq }) => seq),
    [last + 1],
    'numbers go on where they were',
  );
});

test('the cleanup runs periodically, in one of all processes', async () => {
  await createDomain();
  await waitForSequencing(service);
  const log = { warn: () => {} };
  const options = { sweepMs: 100, sequencer: { alonePollMs: 50 } };
  const clock = () => Date.now() + 10_000;
  const events = openEventService({ graph: service.graph, log, clock, retentionMs: 1000, options });
  // Whoever swept last, whenever that was, has the turn for some minutes yet.
  await service.graph.query("MATCH (turn:Lease {name: 'care of events'}) DELETE turn");
  events.start();
  try {
    await waitUntil(async () => (await readEventsAfter(service, 0)).length === 0, 'old events are removed');
  } finally {
    await events.stop();
  }
});

test.run();
