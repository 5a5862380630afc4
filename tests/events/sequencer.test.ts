import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { createEventSequencer, numberEventBatch } from '../../src/events/sequencer.ts';
import { ok } from '../support/expect.ts';
import { runProgram } from '../support/program.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { readEventsAfter, waitForSequencing, waitUntil } from '../support/wait-for-events.ts';

/** Shows that committed events are numbered without gaps or duplicates, in the order of each asset (events.md 2). */

const test = suite('events: sequencer');

let service: Service;

test.before(async () => {
  service = await openService();
});

const createDomain = async (name = uniqueName('told')): Promise<string> =>
  ok(await service.admin.post('/v1/domains', { name, description: 'Told of.', domainType: 'Aggregate' }), 201).id;

const describe = async (id: string, description: string): Promise<void> => {
  ok(await service.admin.patch(`/v1/domains/${id}`, [{ op: 'replace', path: '/description', value: description }]));
};

/** Everything that was numbered after `start`, checked for what must be true of every stretch of numbers. */
const checked = async (start: number) => {
  const events = await readEventsAfter(service, start);
  assert.equal(
    events.map(({ seq }) => seq),
    events.map((_, at) => start + at + 1),
    'numbers have no gaps',
  );
  assert.is(new Set(events.map(({ id }) => id)).size, events.length, 'no event has two numbers');
  const versions = new Map<string, number>();
  for (const event of events) {
    const { currentVersion } = event.value() as { currentVersion: number };
    assert.ok((versions.get(event.entityId) ?? 0) <= currentVersion, 'those of one record lie in its order');
    versions.set(event.entityId, currentVersion);
  }
  return events;
};

test('events of one record are numbered in their order, the deletion event last', async () => {
  const start = await waitForSequencing(service);
  const id = await createDomain();
  for (const text of ['a', 'b', 'c']) await describe(id, text);
  ok(await service.admin.delete(`/v1/domains/${id}`));
  await waitForSequencing(service);
  const events = (await checked(start)).filter(({ entityId }) => entityId === id);
  assert.equal(
    events.map(({ eventType }) => eventType),
    ['entityCreated', 'entityUpdated', 'entityUpdated', 'entityUpdated', 'entityDeleted'],
  );
});

test('an event is numbered within 200 ms of its commit for waiting readers', async () => {
  await waitForSequencing(service);
  const { tail } = service.app.events;
  const lags: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const { last } = await tail.head();
    await createDomain();
    const committed = performance.now();
    await tail.waitAfter(last, 5000);
    lags.push(performance.now() - committed);
    assert.ok((await tail.after(last, 10)).length > 0);
    await sleep(30);
  }
  lags.sort((a, b) => a - b);
  assert.ok((lags[5] ?? 0) < 200, `lags of ${lags.map(Math.round).join(', ')} ms`);
});

test('events of many concurrent writers are each numbered once', async () => {
  const start = await waitForSequencing(service);
  const ids = await Promise.all(Array.from({ length: 20 }, () => createDomain()));
  await Promise.all(
    ids.map(async (id) => {
      for (const text of ['a', 'b', 'c', 'd']) await describe(id, text);
    }),
  );
  await waitForSequencing(service);
  const events = await checked(start);
  assert.is(events.filter(({ entityId }) => ids.includes(entityId)).length, 100);
});

test('clock skew does not reverse the order of one record', async () => {
  await service.app.events.stop();
  const start = await waitForSequencing(service);
  const entityId = uniqueName('skewed');
  const rows = [1, 2, 3, 4].map((revision) => ({
    id: `${entityId} ${revision}`,
    revision,
    json: JSON.stringify({ currentVersion: revision }),
  }));
  await service.graph.query(
    `UNWIND $rows AS row
     CREATE (:ChangeEvent:Unsequenced {id: row.id, entityId: $entityId, entityType: 'domain', eventType: 'entityUpdated',
       userName: 'x', revision: toInteger(row.revision), timestamp: toInteger(1000 - row.revision), json: row.json, ends: []})`,
    { rows, entityId },
  );
  // The latest state has the earliest time, so it is what the first look finds.
  for (let left = rows.length; left > 0; ) left -= await numberEventBatch(service.graph, 1);
  const ids = (await checked(start)).map(({ id }) => id);
  assert.equal(
    ids,
    rows.map(({ id }) => id),
  );
  await service.graph.query('MATCH (e:ChangeEvent {entityId: $entityId}) SET e.timestamp = timestamp()', { entityId });
  service.app.events.start();
});

test('two concurrent sequencers give each number once, and a former leader that resumes gives none twice', async () => {
  await service.app.events.stop();
  const start = await waitForSequencing(service);
  const ids = await Promise.all(Array.from({ length: 30 }, () => createDomain()));
  const counts = await Promise.all(Array.from({ length: 6 }, () => numberEventBatch(service.graph, 10)));
  while ((await numberEventBatch(service.graph, 10)) > 0);
  assert.ok(counts.filter((count) => count > 0).length >= 1);
  const events = await checked(start);
  assert.equal(new Set(events.map(({ entityId }) => entityId)), new Set(ids));
  service.app.events.start();
});

test('another process takes over from a stopped one', async () => {
  await createDomain();
  await waitForSequencing(service);
  const log = { warn: () => {} };
  let told = 0;
  const options = { leaseMs: 1000, beatMs: 100, alonePollMs: 50 };
  const other = createEventSequencer({ graph: service.graph, log, onNumbered: () => (told += 1), options });
  other.start();
  await sleep(300);
  assert.is(other.isActive(), false);
  await service.app.events.stop();
  await createDomain();
  await waitUntil(() => told > 0, 'the other process gives numbers');
  assert.is(other.isActive(), true);
  await other.stop();
  service.app.events.start();
});

test('a sequencer that is killed repeatedly neither loses nor repeats a number', async () => {
  await service.app.events.stop();
  const start = await waitForSequencing(service);
  const bounds = { events: { sequencer: { leaseMs: 400, beatMs: 100, minPauseMs: 1, alonePollMs: 5, batch: 7 } } };
  const ids: string[] = [];
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      ids.push(await createDomain());
      await describe(ids[Math.floor(Math.random() * ids.length)] ?? '', uniqueName('text'));
    }
  })();
  for (const liveMs of [150, 400, 900]) {
    const victim = runProgram('hold-jobs.ts', JSON.stringify(bounds));
    await victim.line('ready');
    const { last } = await service.app.events.tail.head();
    await waitUntil(async () => (await service.app.events.tail.head()).last > last, 'the process numbers');
    await sleep(liveMs);
    await victim.kill();
  }
  isOver = true;
  await writing;
  service.app.events.start();
  await waitForSequencing(service);
  const events = await checked(start);
  assert.is(events.filter(({ eventType }) => eventType === 'entityCreated').length, ids.length);
  const [row] = await service.graph.query('MATCH (e:ChangeEvent) WHERE e.entityId IN $ids RETURN count(e) AS told', {
    ids,
  });
  assert.is(events.length, row?.['told']);
});

test.run();
