import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type Graph, openGraph } from '../../src/graph/client.ts';
import { claimTurn, createLease } from '../../src/graph/lease.ts';
import { openService, placeOfRun, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that at most one holder has a lease. */

const test = suite('graph: leases');

let service: Service;
/** A process without other leases, which would renew those of a test. */
let alone: Graph;

test.before(async () => {
  service = await openService();
  const { uri, user, password } = placeOfRun();
  alone = openGraph({ uri, user, password, database: 'neo4j', transactionMs: 30_000 });
});

test.after(() => alone.close());

/** Two processes that want the same. */
const pair = (forMs: number) => {
  const name = uniqueName('lease');
  return [createLease(service.graph, name, forMs), createLease(service.graph, name, forMs)] as const;
};

test('one of two claimants holds the lease, renews it, and the other sees the holder', async () => {
  const [first, second] = pair(60_000);
  assert.is(await first.claim(), true);
  assert.is(first.hasRival(), false);
  assert.is(await second.claim(), false);
  assert.equal([first.isHeld(), second.isHeld()], [true, false]);
  assert.is(await first.claim(), true);
  assert.is(first.hasRival(), true);
});

test('one of many concurrent claimants gets the lease', async () => {
  const name = uniqueName('lease');
  const leases = Array.from({ length: 10 }, () => createLease(service.graph, name, 60_000));
  const claimed = await Promise.all(leases.map((lease) => lease.claim()));
  assert.is(claimed.filter((isMine) => isMine).length, 1);
});

test('a released lease is free at once; releasing a lost lease has no effect', async () => {
  const [first, second] = pair(60_000);
  await first.claim();
  await first.release();
  assert.is(first.isHeld(), false);
  assert.is(await second.claim(), true);
  await first.release();
  assert.is(await first.claim(), false);
});

test('a holder that does not renew loses the lease and knows by its own clock', async () => {
  const [first, second] = pair(150);
  await first.claim();
  assert.is(await second.claim(), false);
  await sleep(200);
  assert.is(first.isHeld(), false);
  assert.is(await second.claim(), true);
  assert.is(await first.claim(), false);
});

test('a periodic turn is taken once per period, also by one process', async () => {
  const name = uniqueName('turn');
  assert.is(await claimTurn(service.graph, name, 100), true);
  assert.is(await claimTurn(service.graph, name, 100), false);
  await sleep(150);
  assert.is(await claimTurn(service.graph, name, 100), true);
});

const untilOf = async (name: string): Promise<number> => {
  const [row] = await service.graph.query('MATCH (lease:Lease {name: $name}) RETURN lease.until AS until', { name });
  return Number(row?.['until']);
};

/** Two leases that this process keeps, old enough for one transaction to renew both. */
const keptPair = async (forMs: number) => {
  const [name, otherName] = [uniqueName('lease'), uniqueName('lease')];
  const [lease, other] = [createLease(alone, name, forMs), createLease(alone, otherName, forMs)];
  for (const one of [lease, other]) assert.ok(await one.keep(forMs / 3));
  await sleep(forMs / 5);
  return { lease, other, otherName };
};

test('a process renews all leases that it keeps in one transaction', async () => {
  const { lease, other, otherName } = await keptPair(3000);
  const before = await untilOf(otherName);
  assert.ok(await lease.claim());
  const renewed = await untilOf(otherName);
  assert.ok(renewed >= before + 500, `${before} to ${renewed}`);
  assert.ok(await other.keep(1000));
  assert.is(await untilOf(otherName), renewed, 'renewed once more although it was not due');
  await other.release();
  assert.ok(await lease.claim());
  assert.is(await untilOf(otherName), 0, 'renewed after its release');
  await lease.release();
});

test('a lease whose holder hangs is not renewed along with others', async () => {
  const { lease, other, otherName } = await keptPair(600);
  const rival = createLease(service.graph, otherName, 60_000);
  const hangsSinceMs = performance.now();
  while (performance.now() - hangsSinceMs < 1500) {
    assert.ok(await lease.keep(200));
    await sleep(50);
  }
  assert.ok(await rival.claim(), 'nobody could take over');
  assert.not(other.isHeld());
  await Promise.all([rival, lease].map((one) => one.release()));
});

test('a lease that another process took in between is not renewed along with others', async () => {
  const { lease, other, otherName } = await keptPair(3000);
  await service.graph.query('MATCH (lease:Lease {name: $name}) SET lease.until = 0', { name: otherName });
  const rival = createLease(service.graph, otherName, 60_000);
  assert.ok(await rival.claim());
  assert.ok(await lease.claim());
  assert.equal([other.isHeld(), rival.isHeld()], [false, true]);
  await rival.release();
  assert.ok(await lease.claim());
  assert.not(other.isHeld(), 'it was free in between, so it must be claimed');
  await Promise.all([lease, other].map((one) => one.release()));
});

test('a lease released while others are renewed stays free', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { lease, other, otherName } = await keptPair(300);
    const renewal = lease.claim();
    await sleep(Math.random() * 8);
    await other.release();
    const rival = createLease(service.graph, otherName, 60_000);
    assert.ok(await rival.claim());
    await renewal;
    assert.equal([other.isHeld(), rival.isHeld()], [false, true]);
    await lease.release();
  }
});

test.run();
