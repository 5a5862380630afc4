import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { networkOf } from '../../src/http/client-address.ts';
import { createFairShares } from '../../src/http/fair-shares.ts';
import type { RouterDeps } from '../../src/http/router.ts';
import { type RunningServer, type ServeOptions, serveApp } from '../../src/http/server.ts';
import { newMember, PASSWORD } from '../accounts/fixture.ts';
import { PATIENCE_MS, waitFor, waitUntil } from '../support/patience.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { ana, appOf, exchange, ok, route } from './fixture.ts';

/** Shows that slow and greedy callers do not slow down others. */

const test = suite('http: fair shares');

/** Whoever sends a token is who it names. */
const principals: RouterDeps['principals'] = {
  authenticate: (authorization = '') => Promise.resolve({ ...ana, id: authorization, name: authorization }),
};

const opened: Socket[] = [];
test.after(() => {
  for (const socket of opened) socket.destroy();
});

/** A request that stops in the middle; what comes back is gathered. */
const begin = async (port: number, text: string): Promise<{ readonly socket: Socket; said(): string }> => {
  const socket = connect(port, '127.0.0.1');
  opened.push(socket);
  let said = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    said += piece;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return { socket, said: () => said };
};

const post = (path: string, length: number, part: string, as = 'ana'): string =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nAuthorization: ${as}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${part}`;

const get = (path: string, as = 'ana'): string =>
  `GET ${path} HTTP/1.1\r\nHost: h\r\nAuthorization: ${as}\r\nConnection: close\r\n\r\n`;

const statusOf = (answer: string): number => Number(answer.split(' ')[1]);

/** The same request, after whose answer the connection ends. */
const closing = (request: string): string => request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');

/** Repeats a request until it is answered so: the server counts what others send or give up when it arrives. */
const becomes = (port: number, request: string, status: number): Promise<string> =>
  waitFor(
    () => exchange(port, request),
    (answer) => statusOf(answer) === status,
    `the answer is ${status}`,
  );

const free: (() => void)[] = [];
const routes = [
  route('POST', '/v1/login', async ({ body }) => ok(await body.json()), { access: 'public' }),
  route('POST', '/v1/things', async ({ body }) => ok(await body.json())),
  route('GET', '/v1/things', () => ok('things')),
  route('GET', '/v1/slow', () => new Promise((resolve) => free.push(() => resolve(ok('slow'))))),
  route('GET', '/v1/live', () => ok('live'), { access: 'public', isProbe: true }),
];

const onServer = async (
  limits: Partial<RouterDeps['limits']>,
  use: (served: RunningServer) => Promise<void>,
  options: Partial<ServeOptions> = {},
  trustedProxies: readonly string[] = [],
): Promise<void> => {
  const bounds = { bodyBytes: 1000, concurrentRequests: 10, ...limits };
  const { app } = appOf(routes, { principals, limits: bounds, trustedProxies });
  const served = await serveApp(app, { host: '127.0.0.1', port: 0, closeWithinMs: 200, ...options });
  try {
    await use(served);
  } finally {
    for (const finish of free.splice(0)) finish();
    for (const socket of opened.splice(0)) socket.destroy();
    await served.close();
  }
};

/** Sends unfinished logins of nearly 64 KiB each, from three addresses; answers how many of them wait for the rest. */
const beginLogins = async (port: number, count: number): Promise<() => number> => {
  const part = `{"email":"${'x'.repeat(64_000)}`;
  const logins = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const head = `POST /v1/users/login HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.${at % 3}\r\n`;
      const login = await begin(port, `${head}Content-Type: application/json\r\nContent-Length: 65000\r\n\r\n`);
      await new Promise<void>((sent) => login.socket.write(part, () => sent()));
      return login;
    }),
  );
  return () => logins.filter(({ socket, said }) => !socket.destroyed && said() === '').length;
};

test('1,000 incomplete logins delay no request, not even logins', async () => {
  const service = await openService();
  const member = await newMember(service);
  // Room for a quarter of the bodies below: the three addresses have all of it that they can get.
  const env = { TRUSTED_PROXIES: '127.0.0.1', MAX_BODY_MIB: '1', MAX_BODIES_MIB: '16' };
  const { app } = await openSecondProcessWith(service, { publicBodyMs: 10 * PATIENCE_MS }, { env });
  const served = await serveApp(app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 200 });
  const logIn = async (): Promise<void> => {
    const answer = await fetch(`${served.address}/v1/users/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.7' },
      // Longer than what is left when only whole bodies of the others fit.
      body: JSON.stringify({ email: member.email, password: PASSWORD }).padEnd(20_000),
    });
    assert.is(answer.status, 200, await answer.text());
  };
  try {
    let areSent = false;
    const sending = beginLogins(served.port, 1000).finally(() => {
      areSent = true;
    });
    while (!areSent) await logIn();
    const countWaiting = await sending;
    await logIn();
    const headers = { authorization: `Bearer ${await service.token('admin')}` };
    for (const path of ['/v1/tables?limit=1', '/v1/users/loggedInUser', '/v1/system/live', '/v1/system/ready']) {
      assert.is((await fetch(`${served.address}${path}`, { headers })).status, 200, path);
    }
    assert.ok(countWaiting() > 100, `${countWaiting()} still waited`);
  } finally {
    for (const socket of opened.splice(0)) socket.destroy();
    await served.close();
  }
});

test('callers without a token share a limit with their network only', () =>
  onServer(
    { bodiesBytes: 3000 },
    async ({ port }) => {
      const from = (address: string, text: string) => text.replace('Host: h', `Host: h\r\nX-Forwarded-For: ${address}`);
      const part = `"${'x'.repeat(899)}`;
      const login = (address: string) => begin(port, from(address, post('/v1/login', 901, part)));
      await login('2001:db8:0:1::1');
      await login('2001:db8:0:1::2');
      const whole = closing(post('/v1/login', 901, `${part}"`));
      await becomes(port, from('2001:db8:0:1::3', whole), 503);
      assert.is(statusOf(await exchange(port, from('2001:db8:0:1::3', post('/v1/login', 901, part)))), 503);
      assert.is(statusOf(await exchange(port, from('2001:db8:0:2::1', whole))), 200);
    },
    {},
    ['127.0.0.1'],
  ));

test('the body of a request without a token must arrive within ten seconds, any other may take longer', () =>
  onServer({ publicBodyMs: 100 }, async ({ port }) => {
    const login = await begin(port, post('/v1/login', 100, '{"email":'));
    const patient = await begin(port, post('/v1/things', 4, '"a'));
    await once(login.socket, 'close');
    assert.is(statusOf(login.said()), 408);
    assert.match(login.said(), /"code":408,"errorType":"BAD_REQUEST"/);
    patient.socket.write('b"');
    await waitFor(patient.said, (said) => said.includes('"ab"'), 'the other one is answered');
  }));

test('a request slot is taken when the body has arrived', () =>
  onServer({ concurrentRequests: 1 }, async ({ port }) => {
    for (let count = 0; count < 20; count += 1) await begin(port, post('/v1/things', 100, '{'));
    assert.is(statusOf(await exchange(port, get('/v1/things', 'bob'))), 200);
    assert.is(statusOf(await exchange(port, get('/v1/things'))), 200);
  }));

test('one caller cannot take all slots, and a probe needs none', () =>
  onServer({ concurrentRequests: 9 }, async ({ port }) => {
    const many = Array.from({ length: 20 }, () => exchange(port, get('/v1/slow', 'greedy')));
    let refused = 0;
    for (const one of many) void one.then((answer) => (refused += statusOf(answer) === 503 ? 1 : 0));
    await waitUntil(
      () => free.length + refused === 20,
      'all are held or refused',
      () => [free.length, refused],
    );
    assert.equal([free.length, refused], [6, 14]);
    assert.is(statusOf(await exchange(port, get('/v1/things', 'modest'))), 200);
    for (const as of ['a', 'b', 'c']) void exchange(port, get('/v1/slow', as));
    await waitUntil(
      () => free.length === 9,
      'all slots are taken',
      () => free.length,
    );
    assert.is(statusOf(await exchange(port, get('/v1/things', 'late'))), 503);
    assert.is(statusOf(await exchange(port, get('/v1/live', 'late'))), 200);
  }));

test('buffered bodies are limited in total and per caller', () =>
  onServer({ bodiesBytes: 3000 }, async ({ port }) => {
    const part = `"${'x'.repeat(899)}`;
    const first = await begin(port, post('/v1/things', 901, part, 'greedy'));
    await begin(port, post('/v1/things', 901, part, 'greedy'));
    const again = closing(post('/v1/things', 901, `${part}"`, 'greedy'));
    await becomes(port, again, 503);
    const third = await exchange(port, post('/v1/things', 901, part, 'greedy'));
    assert.is(statusOf(third), 503);
    assert.match(third, /Too many bytes of request bodies/);
    assert.is(statusOf(await exchange(port, closing(post('/v1/things', 5, '"abc"', 'modest')))), 200);
    // What a caller gives up is free again.
    first.socket.destroy();
    await becomes(port, again, 200);
  }));

test('connections per address are limited and freed', () =>
  onServer(
    {},
    async ({ port }) => {
      const first = await begin(port, '');
      await begin(port, '');
      assert.is(statusOf(await exchange(port, get('/v1/things'))), 503);
      first.socket.destroy();
      await becomes(port, get('/v1/things'), 200);
    },
    { connectionLimit: { maxPerAddress: 2, isExempt: () => false } },
  ));

test('connections from the local machine are not counted', () =>
  onServer(
    {},
    async ({ port }) => {
      for (let count = 0; count < 5; count += 1) await begin(port, '');
      assert.is(statusOf(await exchange(port, get('/v1/things'))), 200);
    },
    { connectionLimit: { maxPerAddress: 1 } },
  ));

test('IPv6 addresses are counted by network', () => {
  assert.is(networkOf('::ffff:10.1.2.3'), '10.1.2.3');
  assert.is(networkOf('10.1.2.3'), '10.1.2.3');
  assert.is(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
  assert.is(networkOf('2001:db8:1:2::6'), '2001:db8:1:2');
  assert.is(networkOf('2001:db8::6'), '2001:db8:0:0');
  assert.is(networkOf('fe80::1%eth0'), 'fe80:0:0:0');
});

test('shares leave room for another caller, whatever the number of greedy ones', () => {
  const shares = createFairShares(1000);
  for (const holder of ['a', 'b', 'c', 'd']) while (shares.take(holder, 1));
  const left = 1000 - shares.used;
  assert.ok(left > 0 && shares.take('e', 1), `${left} are left`);
  for (const size of [1, 2, 3]) assert.ok(createFairShares(size).take('a', 1));
  const all = createFairShares(2);
  assert.equal([all.take('a', 1), all.take('a', 1), all.take('b', 1)], [true, true, false]);
  all.release('a', 2);
  assert.is(all.used, 0);
});

test.run();
