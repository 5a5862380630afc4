import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import * as assert from 'uvu/assert';
import { createWebhookCaller } from '../../src/events/webhook-caller.ts';
import type { Destination } from '../../src/model/schemas/events/destination.ts';
import { createGate } from '../support/gate.ts';
import { PATIENCE_MS, waitUntil } from '../support/patience.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { suite } from '../support/suite.ts';
import { openUnresponsiveHost } from '../support/unresponsive-host.ts';

/** Shows that webhook calls never connect to a private address, whatever a name resolves to. */

const test = suite('events: webhook caller');

let receiver: Receiver;

test.before(async () => {
  receiver = await openReceiver();
});

test.after(() => receiver.down());

type Found = readonly { readonly address: string; readonly family: number }[];
type Heard = (failure: Error | null, found: Found) => void;

/** A name server that says what it is told to. */
const lookupOf = (answer: (host: string) => Found) =>
  ((host: string, _options: object, callback: Heard) => callback(null, answer(host))) as unknown as typeof lookup;

const destination = (endpoint: string, more: Partial<Destination> = {}): Destination => ({
  id: 'd',
  category: 'External',
  type: 'Webhook',
  timeout: 2,
  readTimeout: 2,
  enabled: true,
  config: { endpoint },
  ...more,
});

const call = (caller: ReturnType<typeof createWebhookCaller>, endpoint: string) =>
  caller.call(destination(endpoint), '{}', new AbortController().signal);

/** What is said of a name that has no public address, and of one that nobody knows. */
const UNKNOWN = { isOk: false, reason: 'Unknown host' };
const PRIVATE = { isOk: false, reason: 'The endpoint leads to a private address' };

test('a name that resolves to the local machine at the time of the call is not connected to', async () => {
  const port = new URL(receiver.address).port;
  const ways = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254', 'fd00:ec2::254'];
  for (const address of ways) {
    const found = [{ address, family: address.includes(':') ? 6 : 4 }];
    const caller = createWebhookCaller({ allowPrivate: false, userAgent: 'x', lookup: lookupOf(() => found) });
    for (const protocol of ['http', 'https']) {
      assert.equal(await call(caller, `${protocol}://rebound.example:${port}/`), UNKNOWN, address);
    }
    caller.close();
  }
  assert.is(receiver.connections(), 0);
});

test('a name below localhost is not resolved', async () => {
  const tried: string[] = [];
  const lookup = lookupOf((host) => {
    tried.push(host);
    return [{ address: '127.0.0.1', family: 4 }];
  });
  const caller = createWebhookCaller({ allowPrivate: false, userAgent: 'x', lookup });
  for (const host of ['localhost', 'LOCALHOST.', 'a.localhost', 'a.b.localhost.']) {
    assert.equal(await call(caller, `http://${host}:${new URL(receiver.address).port}/`), PRIVATE, host);
  }
  caller.close();
  assert.equal([tried, receiver.connections()], [[], 0]);
});

test('of several addresses only the public ones are tried', async () => {
  const tried: string[] = [];
  const found = [
    { address: '127.0.0.1', family: 4 },
    { address: '192.0.2.1', family: 4 },
  ];
  const lookup = lookupOf((host) => {
    tried.push(host);
    return found;
  });
  const caller = createWebhookCaller({ allowPrivate: false, userAgent: 'x', lookup });
  assert.equal(await call(caller, `http://mixed.example:${new URL(receiver.address).port}/`), UNKNOWN);
  assert.equal(tried, ['mixed.example']);
  assert.is(receiver.connections(), 0);
  caller.close();
});

test('an IP address is checked too', async () => {
  const caller = createWebhookCaller({ allowPrivate: false, userAgent: 'x' });
  for (const endpoint of [
    receiver.address,
    receiver.address.replace('127.0.0.1', '[::ffff:7f00:1]'),
    'http://localhost/',
  ]) {
    assert.equal(await call(caller, endpoint), PRIVATE, endpoint);
  }
  assert.is(receiver.connections(), 0);
  caller.close();
});

test('a connection that is not established fails after the connection timeout, not the read timeout', async () => {
  const [deaf, silent] = [await openUnresponsiveHost(), createServer().listen(0, '127.0.0.1')];
  await once(silent, 'listening');
  const caller = createWebhookCaller({ allowPrivate: true, userAgent: 'x' });
  const speechless = createWebhookCaller({
    allowPrivate: false,
    userAgent: 'x',
    lookup: (() => {}) as unknown as typeof lookup,
  });
  const tried = async (by: typeof caller, endpoint: string) => {
    // The reason says which of the two limits has ended it.
    const brief = destination(endpoint, { timeout: 0.3, readTimeout: 10 * (PATIENCE_MS / 1000) });
    return by.call(brief, '{}', new AbortController().signal);
  };
  try {
    const unconnected = { isOk: false, reason: 'No connection within 0.3 s' };
    assert.equal(await tried(caller, `http://127.0.0.1:${deaf.port}/`), unconnected, 'nobody takes the connection');
    const { port } = silent.address() as AddressInfo;
    assert.equal(await tried(caller, `https://127.0.0.1:${port}/`), unconnected, 'nobody shakes hands');
    assert.equal(await tried(speechless, 'http://slow.example/'), unconnected, 'nobody knows the name yet');
  } finally {
    caller.close();
    speechless.close();
    silent.close();
    await deaf.close();
  }
});

test('an aborted call ends at once, and a closed connection is replaced', async () => {
  const caller = createWebhookCaller({ allowPrivate: true, userAgent: 'x' });
  const answer = createGate();
  receiver.react(() => ({ status: 200, after: answer.opened }));
  const leaving = new AbortController();
  const before = receiver.calls.length;
  const patient = { readTimeout: 10 * (PATIENCE_MS / 1000) };
  const going = caller.call(destination(receiver.address, patient), '{}', leaving.signal);
  await waitUntil(() => receiver.calls.length > before, 'the receiver is called');
  leaving.abort();
  assert.equal(await going, { isOk: false, reason: 'The call was given up' });
  answer.open();
  receiver.react(() => 200);
  assert.equal(await call(caller, receiver.address), { isOk: true, statusCode: 200 });
  await receiver.down();
  await receiver.back();
  assert.equal(await call(caller, receiver.address), { isOk: true, statusCode: 200 });
  caller.close();
});

test.run();
