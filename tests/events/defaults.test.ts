import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { removeOldFailedDeliveries } from '../../src/events/retention.ts';
import { timePlace } from '../../src/events/sequence.ts';
import { expectList, ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { openReceiver } from '../support/receiver.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import {
  createDomain,
  createSubscription,
  deleteSubscriptions,
  filterBelow,
  SUBSCRIPTIONS_PATH,
  webhookTo,
} from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { readEventsAfter, waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that retries of webhooks and the retention of events have the documented defaults. */

const test = suite('events: defaults');

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let service: Service;

test.before(async () => {
  service = await openService();
});

test('a failed event is retried after 3 s, 30 s, 5 min, 1 h and 24 h, and then no more', async () => {
  await service.app.dispatcher.stop();
  const receiver = await openReceiver();
  receiver.react(() => 503);
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true' };
  const { client: admin } = await openSecondProcessWith(service, {}, { env });
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const quick = { events: { dispatcher: { beatMs: 50, flushMs: 20 } } };
  const { app } = await openSecondProcessWith(service, quick, { env, clock });
  try {
    const name = uniqueName('patient');
    const hook = await createSubscription({ ...service, admin }, [webhookTo(receiver.address)], {
      input: filterBelow(name),
      retries: 100,
    });
    app.dispatcher.start();
    await createDomain(service, name);
    const status = async () =>
      ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/${hook.id}/status/${hook.destinations[0]?.id}`));
    const gaps: number[] = [];
    for (let lastFailedAt = 0; ; ) {
      await waitUntil(async () => (await status()).lastFailedAt > lastFailedAt, 'it failed once more');
      const { nextAttempt, ...failed } = await status();
      if (nextAttempt === undefined) break;
      lastFailedAt = failed.lastFailedAt;
      gaps.push(nextAttempt - lastFailedAt);
      assert.is(receiver.calls.length, gaps.length, 'it is not called before its time');
      aheadMs += nextAttempt - lastFailedAt;
      // A delivery that waits for long looks at the clock again when its subscription is changed.
      ok(await admin.patch(`${SUBSCRIPTIONS_PATH}/${hook.id}`, { displayName: `Try ${gaps.length}` }));
    }
    assert.equal(gaps, [3000, 30_000, 5 * MINUTE, HOUR, DAY]);
    assert.is(receiver.calls.length, 6);
    assert.is((await status()).status, 'retryLimitReached');
    assert.is(expectList(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${hook.id}/failedEvents`)).paging.total, 1);
  } finally {
    await app.dispatcher.stop();
    await receiver.down();
    await deleteSubscriptions(service);
    service.app.dispatcher.start();
  }
});

/** Sweeps as another process would that was told this much by its environment, so long from now. */
const sweepAhead = async (aheadMs: number, env: Readonly<Record<string, string>>, untilDone: () => Promise<void>) => {
  const { app } = await openSecondProcessWith(
    service,
    { events: { sweepMs: 50 } },
    { env, clock: () => Date.now() + aheadMs },
  );
  // Whoever swept last, whenever that was, has the turn for some minutes yet.
  await service.graph.query("MATCH (turn:Lease {name: 'care of events'}) DELETE turn");
  app.events.start();
  try {
    await untilDone();
  } finally {
    await app.events.stop();
  }
};

const countOf = async (label: string, more: Readonly<Record<string, unknown>> = {}): Promise<number> => {
  const filter = Object.keys(more).map((name) => `${name}: $${name}`);
  const [row] = await service.graph.query(`MATCH (n:${label} {${filter.join(', ')}}) RETURN count(n) AS count`, more);
  return row?.['count'] as number;
};

/** Notifications that are so old. */
const plantNotifications = async (agesMs: readonly number[]): Promise<string> => {
  const userId = randomUUID();
  const places = agesMs.map((ageMs) => timePlace(Date.now() - ageMs));
  await service.graph.query(
    'UNWIND $places AS place CREATE (:Notification {id: randomUUID(), userId: $userId, place: place})',
    { places, userId },
  );
  return userId;
};

test('events are kept for 30 days and notifications for 90', async () => {
  const start = await waitForSequencing(service);
  const id = await createDomain(service);
  await waitForSequencing(service);
  const isKept = async () => (await readEventsAfter(service, start)).some(({ entityId }) => entityId === id);
  // The sweep lies almost 30 days ahead: of three notifications one is by then older than 90 days.
  const userId = await plantNotifications([61 * DAY, 59 * DAY, 0]);
  const isTidied = async () => (await countOf('Notification', { userId })) < 3;
  await sweepAhead(30 * DAY - HOUR, {}, () => waitUntil(isTidied, 'old notifications are removed'));
  assert.is(await countOf('Notification', { userId }), 2);
  assert.is(await isKept(), true, 'notifications go last, and the event was not old yet');
  await sweepAhead(30 * DAY + MINUTE, {}, () => waitUntil(async () => !(await isKept()), 'old events are removed'));
  await service.graph.query('MATCH (n:Notification {userId: $userId}) DELETE n', { userId });
});

test('the retention can be configured', async () => {
  const start = await waitForSequencing(service);
  await createDomain(service);
  await waitForSequencing(service);
  const env = { EVENT_RETENTION_DAYS: '2' };
  const isGone = async () => (await readEventsAfter(service, start)).length === 0;
  const userId = await plantNotifications([90 * DAY]);
  const isTidied = async () => (await countOf('Notification', { userId })) === 0;
  await sweepAhead(2 * DAY - HOUR, env, () => waitUntil(isTidied, 'old notifications are removed'));
  assert.is(await isGone(), false);
  await sweepAhead(2 * DAY + MINUTE, env, () => waitUntil(isGone, 'old events are removed'));
});

/** Failures as they are kept, the first one the oldest. */
const plantFailures = async (count: number, from: number): Promise<void> => {
  await service.graph.query('MATCH (failed:FailedDelivery) DETACH DELETE failed');
  await service.graph.query(
    `UNWIND range(0, toInteger($count) - 1) AS at
     CREATE (:FailedDelivery {subscriptionId: 'planted', timestamp: toInteger($from) + at})`,
    { count, from },
  );
};

const agesLeft = async (from: number): Promise<number[]> => {
  const rows = await service.graph.query(
    'MATCH (failed:FailedDelivery) RETURN failed.timestamp - toInteger($from) AS at ORDER BY at',
    { from },
  );
  return rows.map(({ at }) => at as number);
};

test('failures beyond the maximum are removed, oldest first, in bounded batches', async () => {
  const from = Date.now() - HOUR;
  await plantFailures(10, from);
  const retention = { retentionMs: DAY, batch: 2, batches: 2 };
  await removeOldFailedDeliveries(service.graph, Date.now(), retention, 3);
  assert.equal(await agesLeft(from), [4, 5, 6, 7, 8, 9]);
  await removeOldFailedDeliveries(service.graph, Date.now(), retention, 3);
  await removeOldFailedDeliveries(service.graph, Date.now(), retention, 3);
  assert.equal(await agesLeft(from), [7, 8, 9]);
  // Two of those that are left have had their time a moment later.
  await removeOldFailedDeliveries(service.graph, from + DAY + 9, retention, 3);
  assert.equal(await agesLeft(from), [9]);
});

test('at most 100,000 failures are stored by default', async () => {
  const from = Date.now() - HOUR;
  await plantFailures(100_003, from);
  await sweepAhead(0, {}, () => waitUntil(async () => (await countOf('FailedDelivery')) < 100_003, 'some are removed'));
  assert.is(await countOf('FailedDelivery'), 100_000);
  await service.graph.query('MATCH (failed:FailedDelivery) DETACH DELETE failed');
});

test.run();
