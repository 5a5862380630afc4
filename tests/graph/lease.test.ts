import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { claimTurn, createLease } from '../../src/graph/lease.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that at most one holder has a lease. */

const test = suite('graph: leases');

let service: Service;

test.before(async () => {
  service = await openService();
});

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

test.run();
