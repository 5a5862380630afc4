import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { createEventSequencer } from '../../src/events/sequencer.ts';
import type { Graph } from '../../src/graph/client.ts';
import { startJobProcess } from '../support/job-process.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';
import { openSequencedService, type SequencedService } from './sequencer-fixture.ts';

/** Shows that another process goes on numbering events where a stopped or killed one ended (events.md 2). */

const test = suite('events: sequencers of several processes');

let service: Service;
let createDomain: SequencedService['createDomain'];
let describeDomain: SequencedService['describeDomain'];
let readChecked: SequencedService['readChecked'];

test.before(async () => {
  ({ service, createDomain, describeDomain, readChecked } = await openSequencedService());
});

test('another process takes over from a stopped one', async () => {
  await createDomain();
  await waitForSequencing(service);
  const log = { warn: () => {} };
  let told = 0;
  let claims = 0;
  const writeAlone: Graph['writeAlone'] = async (statement, params) => {
    const rows = await service.graph.writeAlone(statement, params);
    claims += 1;
    return rows;
  };
  const other = createEventSequencer({
    graph: { ...service.graph, writeAlone },
    log,
    onNumbered: () => (told += 1),
    options: { leaseMs: 60_000, beatMs: 100, alonePollMs: 50 },
  });
  other.start();
  await waitFor(
    () => claims,
    (count) => count > 2,
    'the other process has claimed the lease in vain',
  );
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
      await describeDomain(ids[Math.floor(Math.random() * ids.length)] ?? '', uniqueName('text'));
    }
  })();
  for (const liveMs of [150, 400, 900]) {
    const victim = await startJobProcess(bounds);
    const { last } = await service.app.events.tail.head();
    await waitUntil(async () => (await service.app.events.tail.head()).last > last, 'the process numbers');
    await sleep(liveMs);
    await victim.kill();
  }
  isOver = true;
  await writing;
  service.app.events.start();
  await waitForSequencing(service);
  const events = await readChecked(start);
  assert.is(events.filter(({ eventType }) => eventType === 'entityCreated').length, ids.length);
  const [row] = await service.graph.query('MATCH (e:ChangeEvent) WHERE e.entityId IN $ids RETURN count(e) AS told', {
    ids,
  });
  assert.is(events.length, row?.['told']);
});

test.run();
