import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type EventStreamReader, readEventStream } from '../support/event-stream.ts';
import { waitUntil } from '../support/patience.ts';
import { runProgram } from '../support/program.ts';
import { openService, type Service } from '../support/service.ts';
import { type ServiceProcess, startServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';
import { waitForNotifications, waitForSequencing } from '../support/wait-for-events.ts';
import { describe, follow, inboxOf, newActor, newPerson, newShop, type Person } from './fixture.ts';

/** Shows that notifications are neither lost nor repeated when a process is killed. */

const test = suite('notifications: several processes');

let service: Service;
let actor: Person;

test.before(async () => {
  service = await openService();
  actor = await newActor(service);
});

const plantFollowers = (tableId: string, count: number) =>
  service.graph.query(
    `MATCH (t:Entity {id: $tableId})
     UNWIND range(1, $count) AS at
     CREATE (u:Entity:User {id: randomUUID(), name: 'throng' + at, fullyQualifiedName: $mark + at, deleted: false})-[:FOLLOWS]->(t)
     RETURN count(u) AS planted`,
    { tableId, count, mark: randomUUID() },
  );

const countTold = async (entityId: string): Promise<Record<string, unknown> | undefined> => {
  const [row] = await service.graph.query(
    'MATCH (n:Notification {entityId: $entityId}) RETURN count(n) AS told, count(DISTINCT n.userId + n.changeEventId) AS different',
    { entityId },
  );
  return row;
};

test('a process killed while writing notifications neither omits nor repeats one', async () => {
  const { newTable } = await newShop(service);
  const ids = [await newTable('first'), await newTable('second'), await newTable('third')];
  for (const id of ids) await plantFollowers(id, 60);
  await waitForNotifications(service);
  await service.app.notifications.stop();
  for (const id of ids) await describe(actor, 'tables', id, 'x');
  await waitForSequencing(service);
  const writer = { maxPeople: 2, minPauseMs: 20, leaseMs: 1500, beatMs: 300 };
  for (let killed = 0; killed < 2; killed += 1) {
    const victim = runProgram('hold-jobs.ts', JSON.stringify({ notifications: { writer } }));
    const toldSoFar = async () => {
      const counts = await Promise.all(ids.map(countTold));
      return counts.reduce((sum, row) => sum + Number(row?.['told'] ?? 0), 0);
    };
    const before = await toldSoFar();
    await waitUntil(async () => (await toldSoFar()) > before, 'the process tells people');
    await victim.kill();
    assert.ok((await toldSoFar()) < 180, 'it was killed on the way');
  }
  service.app.notifications.start();
  await waitForNotifications(service);
  for (const id of ids) assert.equal(await countTold(id), { told: 60, different: 60 });
  await service.graph.query("MATCH (u:User) WHERE u.name STARTS WITH 'throng' DETACH DELETE u");
});

const environment = (name: string): string => process.env[name] ?? '';

/** The whole service on the store of these tests, with their keys and a home of its own. */
const startWhole = async (): Promise<{ running: ServiceProcess; stop(): Promise<void> }> => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-told-'));
  await cp(join(environment('TEST_HOME'), 'keys'), join(home, 'keys'), { recursive: true });
  const running = await startServiceProcess(home, {
    NEO4J_URI: environment('TEST_NEO4J_URI'),
    NEO4J_USER: environment('TEST_NEO4J_USER'),
    NEO4J_PASSWORD: environment('TEST_NEO4J_PASSWORD'),
  });
  const stop = async () => {
    await stopServiceProcess(running, 'SIGTERM');
    await rm(home, { recursive: true, force: true });
  };
  return { running, stop };
};

const listenAt = async (
  { address }: ServiceProcess,
  { name }: Person,
  query = '',
  lastId?: string,
): Promise<EventStreamReader> => {
  const headers = {
    accept: 'text/event-stream',
    authorization: `Bearer ${await service.token(name)}`,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  };
  return readEventStream(await fetch(`${address}/v1/events/stream?${query}`, { headers }));
};

test('followers get one notification and one stream event per change, until they unfollow', async () => {
  const [{ running, stop }, shop] = [await startWhole(), await newShop(service)];
  const id = await shop.newTable('orders');
  const reader = await newPerson(service);
  await follow(reader, 'tables', id);
  await waitForNotifications(service);
  const [told, doer, everything] = [
    await listenAt(running, reader),
    await listenAt(running, actor),
    await listenAt(running, reader, `scope=events&entityId=${id}`),
  ];
  await describe(actor, 'tables', id, 'one');
  const [first] = await told.count(1);
  assert.is((await everything.count(1))[0]?.event, 'entityUpdated');
  assert.equal(
    (await inboxOf(service, reader)).map(({ id: noteId }) => noteId),
    [first?.data.id],
  );
  await told.leave();
  await describe(actor, 'tables', id, 'two');
  const again = await listenAt(running, reader, '', first?.id);
  await again.count(1);
  await reader.delete(`/v1/tables/${id}/followers/${reader.id}`);
  await describe(actor, 'tables', id, 'three');
  await waitForNotifications(service);
  await sleep(500);
  assert.is(again.heard.length, 1);
  assert.is((await inboxOf(service, reader)).length, 2);
  assert.equal(doer.heard, []);
  for (const hearing of [again, doer, everything]) await hearing.leave();
  await stop();
});

test.run();
