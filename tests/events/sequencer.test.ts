import * as assert from 'uvu/assert';
import { numberEventBatch } from '../../src/events/sequencer.ts';
import { ok } from '../support/expect.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';
import { openSequencedService, type SequencedService } from './sequencer-fixture.ts';

/** Shows that committed events are numbered without gaps or duplicates, in the order of each asset (events.md 2). */

const test = suite('events: sequencer');

let service: Service;
let createDomain: SequencedService['createDomain'];
let describeDomain: SequencedService['describeDomain'];
let readChecked: SequencedService['readChecked'];

test.before(async () => {
  ({ service, createDomain, describeDomain, readChecked } = await openSequencedService());
});

test('events of one record are numbered in their order, the deletion event last', async () => {
  const start = await waitForSequencing(service);
  const id = await createDomain();
  for (const text of ['a', 'b', 'c']) await describeDomain(id, text);
  ok(await service.admin.delete(`/v1/domains/${id}`));
  await waitForSequencing(service);
  const events = (await readChecked(start)).filter(({ entityId }) => entityId === id);
  assert.equal(
    events.map(({ eventType }) => eventType),
    ['entityCreated', 'entityUpdated', 'entityUpdated', 'entityUpdated', 'entityDeleted'],
  );
});

test('a waiting reader is woken by each event', async () => {
  const { tail } = service.app.events;
  for (let round = 0; round < 10; round += 1) {
    const last = await waitForSequencing(service);
    const [id, isWoken] = await Promise.all([createDomain(), tail.waitAfter(last, PATIENCE_MS)]);
    assert.ok(isWoken);
    const events = await tail.after(last, 10);
    assert.ok(
      events.some(({ entityId }) => entityId === id),
      'the event is there',
    );
  }
});

test('events of many concurrent writers are each numbered once', async () => {
  const start = await waitForSequencing(service);
  const ids = await Promise.all(Array.from({ length: 20 }, () => createDomain()));
  await Promise.all(
    ids.map(async (id) => {
      for (const text of ['a', 'b', 'c', 'd']) await describeDomain(id, text);
    }),
  );
  await waitForSequencing(service);
  const events = await readChecked(start);
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
  const ids = (await readChecked(start)).map(({ id }) => id);
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
  const events = await readChecked(start);
  assert.equal(new Set(events.map(({ entityId }) => entityId)), new Set(ids));
  service.app.events.start();
});

test.run();
