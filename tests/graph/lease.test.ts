import * as assert from 'uvu/assert';
import { type Graph, openGraph } from '../../src/graph/client.ts';
import { claimTurn, createLease, type Lease } from '../../src/graph/lease.ts';
import { createClock } from '../access/fixture.ts';
import { waitUntil } from '../support/patience.ts';
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

const FOR_MS = 60_000;

/** Two processes that want the same. */
const pair = () => {
  const name = uniqueName('lease');
  const clock = createClock();
  const [first, second] = [1, 2].map(() => createLease(service.graph, name, FOR_MS, clock)) as [Lease, Lease];
  return { first, second, name, clock };
};

/** Lets time go by for the database, by which a lease ends. */
const passInStore = (name: string, ms: number) =>
  service.graph.query('MATCH (lease:Lease {name: $name}) SET lease.until = lease.until - $ms', { name, ms });

test('one of two claimants holds the lease, renews it, and the other sees the holder', async () => {
  const { first, second } = pair();
  assert.is(await first.claim(), true);
  assert.is(first.hasRival(), false);
  assert.is(await second.claim(), false);
  assert.equal([first.isHeld(), second.isHeld()], [true, false]);
  assert.is(await first.claim(), true);
  assert.is(first.hasRival(), true);
});

test('one of many concurrent claimants gets the lease', async () => {
  const name = uniqueName('lease');
  const leases = Array.from({ length: 10 }, () => createLease(service.graph, name, FOR_MS));
  const claimed = await Promise.all(leases.map((lease) => lease.claim()));
  assert.is(claimed.filter((isMine) => isMine).length, 1);
});

test('a released lease is free at once; releasing a lost lease has no effect', async () => {
  const { first, second } = pair();
  await first.claim();
  await first.release();
  assert.is(first.isHeld(), false);
  assert.is(await second.claim(), true);
  await first.release();
  assert.is(await first.claim(), false);
});

test('a holder that does not renew loses the lease and knows by its own clock', async () => {
  const { first, second, name, clock } = pair();
  await first.claim();
  assert.is(await second.claim(), false);
  clock.advance(FOR_MS - 1000);
  assert.is(first.isHeld(), true);
  clock.advance(1000);
  assert.is(first.isHeld(), false);
  assert.is(await second.claim(), false, 'the database decides when its time is over');
  await passInStore(name, FOR_MS + 1000);
  assert.is(await second.claim(), true);
  assert.is(await first.claim(), false);
});

test('a periodic turn is taken once per period, also by one process', async () => {
  const name = uniqueName('turn');
  assert.is(await claimTurn(service.graph, name, FOR_MS), true);
  assert.is(await claimTurn(service.graph, name, FOR_MS), false);
  await passInStore(name, FOR_MS + 1000);
  assert.is(await claimTurn(service.graph, name, FOR_MS), true);
});

const untilOf = async (name: string): Promise<number> => {
  const [row] = await service.graph.query('MATCH (lease:Lease {name: $name}) RETURN lease.until AS until', { name });
  return Number(row?.['until']);
};

/** Two leases that this process keeps, old enough for one transaction to renew both. */
const keptPair = async (graph = alone) => {
  const clock = createClock();
  const [name, otherName] = [uniqueName('lease'), uniqueName('lease')];
  const [lease, other] = [name, otherName].map((of) => createLease(graph, of, FOR_MS, clock)) as [Lease, Lease];
  for (const one of [lease, other]) assert.ok(await one.keep(FOR_MS / 3));
  clock.advance(FOR_MS / 5);
  await passInStore(otherName, FOR_MS / 5);
  return { lease, other, otherName, clock };
};

test('a process renews all leases that it keeps in one transaction', async () => {
  const { lease, other, otherName } = await keptPair();
  const before = await untilOf(otherName);
  assert.ok(await lease.claim());
  const renewed = await untilOf(otherName);
  assert.ok(renewed >= before + FOR_MS / 5, `${before} to ${renewed}`);
  assert.ok(await other.keep(FOR_MS / 3));
  assert.is(await untilOf(otherName), renewed, 'renewed once more although it was not due');
  await other.release();
  assert.ok(await lease.claim());
  assert.is(await untilOf(otherName), 0, 'renewed after its release');
  await lease.release();
});

test('a lease whose holder hangs is not renewed along with others', async () => {
  const { lease, other, otherName, clock } = await keptPair();
  const rival = createLease(service.graph, otherName, FOR_MS);
  // Its holder asked for it last when it was made, and is silent while the other one is renewed again and again.
  for (let step = 0; step < 10; step += 1) {
    clock.advance(FOR_MS / 4);
    await passInStore(otherName, FOR_MS / 4);
    assert.ok(await lease.keep(FOR_MS / 3));
  }
  assert.ok(await rival.claim(), 'nobody could take over');
  assert.not(other.isHeld());
  await Promise.all([rival, lease].map((one) => one.release()));
});

test('a lease that another process took in between is not renewed along with others', async () => {
  const { lease, other, otherName } = await keptPair();
  await service.graph.query('MATCH (lease:Lease {name: $name}) SET lease.until = 0', { name: otherName });
  const rival = createLease(service.graph, otherName, FOR_MS);
  assert.ok(await rival.claim());
  assert.ok(await lease.claim());
  assert.equal([other.isHeld(), rival.isHeld()], [false, true]);
  await rival.release();
  assert.ok(await lease.claim());
  assert.not(other.isHeld(), 'it was free in between, so it must be claimed');
  await Promise.all([lease, other].map((one) => one.release()));
});

/** A process whose renewals of several leases wait, before they are sent or before their answer is read. */
const openSlow = (waits: { readonly toSend?: Promise<unknown>; readonly toRead?: Promise<unknown> }): Graph => ({
  ...alone,
  writeAlone: (async (sent, params) => {
    const isShared = (params as { rows: readonly object[] }).rows.length > 1;
    if (isShared) await waits.toSend;
    const rows = await alone.writeAlone(sent, params);
    if (isShared) await waits.toRead;
    return rows;
  }) as Graph['writeAlone'],
});

test('a lease released while others are renewed stays free', async () => {
  for (const wait of ['toSend', 'toRead', 'nothing']) {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { lease, other, otherName } = await keptPair(openSlow({ [wait]: released }));
    const before = await untilOf(otherName);
    const renewal = lease.claim();
    if (wait === 'toRead') await waitUntil(async () => (await untilOf(otherName)) > before, 'both are renewed');
    const releasing = other.release();
    if (wait !== 'nothing') await releasing.then(release);
    const rival = createLease(service.graph, otherName, FOR_MS);
    await releasing;
    assert.ok(await rival.claim(), wait);
    await renewal;
    assert.equal([other.isHeld(), rival.isHeld()], [false, true], wait);
    await lease.release();
  }
});

test.run();
