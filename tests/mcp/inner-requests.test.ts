import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import { createFairShares } from '../../src/http/fair-shares.ts';
import { takeRequestSlot } from '../../src/http/request-slot.ts';
import type { Route } from '../../src/http/route.ts';
import { serveApp } from '../../src/http/server.ts';
import { ok, route } from '../http/fixture.ts';
import { waitUntil } from '../support/patience.ts';
import { suite } from '../support/suite.ts';
import { callOf, openWith, post } from './fixture.ts';

/** Shows in whose name MCP asks the service itself, what that counts, and what callers learn of failures. */

const test = suite('mcp: requests to the service itself');

const SCHEMA = { labels: [], edges: [], functions: [], clauses: [] };

test('a request to the service itself has the address and the id of the message', async () => {
  const asked: unknown[] = [];
  const answer = route('GET', '/v1/graph/schema', ({ address, requestId, principal }) => {
    asked.push([address, requestId, principal.name]);
    return ok(SCHEMA);
  });
  const { app, seen } = openWith([answer], { trustedProxies: ['127.0.0.1'] });
  const served = await serveApp(app, { host: '127.0.0.1', port: 0, closeWithinMs: 200 });
  try {
    for (const message of [callOf('graph_schema'), [callOf('graph_schema'), callOf('graph_schema', {}, 2)]]) {
      const sent = await fetch(`${served.address}/mcp`, {
        method: 'POST',
        headers: {
          authorization: 'bo',
          'content-type': 'application/json',
          'x-forwarded-for': '203.0.113.9',
          'x-request-id': 'the-message',
        },
        body: JSON.stringify(message),
      });
      assert.is(sent.status, 200, await sent.text());
    }
    assert.equal(asked, Array(3).fill(['203.0.113.9', 'the-message', 'bo']));
    await waitUntil(
      () => seen.length === 7,
      'all requests are reported',
      () => seen.length,
    );
    for (const facts of seen) assert.equal([facts.address, facts.requestId], ['203.0.113.9', 'the-message']);
  } finally {
    await served.close();
  }
});

test('no header says that a request is one of the service itself', async () => {
  const answer = route('GET', '/v1/graph/schema', ({ address }) => ok({ ...SCHEMA, clauses: [address] }));
  const { app } = openWith([answer]);
  const headers = { askedBy: '{"address":"10.0.0.1"}', 'x-forwarded-for': '10.0.0.1' };
  const { json } = await post(app, callOf('graph_schema'), 'ana', headers);
  assert.is(json.result.structuredContent.clauses, 'unknown');
});

/** An application whose schema is answered only when the test says so. */
const openSlow = () => {
  const waiting: (() => void)[] = [];
  const slow = route(
    'GET',
    '/v1/graph/schema',
    () => new Promise((resolve) => waiting.push(() => resolve(ok(SCHEMA)))),
  );
  const { app } = openWith([slow], { limits: { bodyBytes: 1000, concurrentRequests: 9 } });
  const finish = () => {
    for (const free of waiting.splice(0)) free();
  };
  return { app, waiting, finish };
};

test('messages count in the share of their caller what the same requests to the API count', async () => {
  const { app, waiting, finish } = openSlow();
  const asApi = async () => (await app.request('/v1/graph/schema', { headers: { authorization: 'greedy' } })).status;
  const asMessage = async () => (await post(app, callOf('graph_schema'), 'greedy')).status;
  // Twice each, because what a request has held must be free again after it.
  for (const ask of [asApi, asMessage, asApi, asMessage]) {
    const many = Array.from({ length: 20 }, ask);
    let refused = 0;
    for (const one of many) void one.then((status) => (refused += status === 503 ? 1 : 0));
    await waitUntil(
      () => waiting.length + refused === 20,
      'all are held or refused',
      () => [waiting.length, refused],
    );
    assert.equal([waiting.length, refused], [6, 14]);
    const modest = post(app, callOf('graph_schema'), 'modest');
    await waitUntil(
      () => waiting.length === 7,
      'another caller has room',
      () => waiting.length,
    );
    finish();
    assert.is((await modest).status, 200);
    assert.equal((await Promise.all(many)).filter((status) => status === 200).length, 6);
  }
});

test('each message of a batch counts, and is refused alone', async () => {
  const { app, waiting, finish } = openSlow();
  for (let round = 0; round < 2; round += 1) {
    const calls = Array.from({ length: 20 }, (_, id) => callOf('graph_schema', {}, id));
    const batch = post(app, calls, 'greedy');
    await waitUntil(
      () => waiting.length === 6,
      'as many are held as one caller may have',
      () => waiting.length,
    );
    const modest = post(app, callOf('graph_schema'), 'modest');
    await waitUntil(
      () => waiting.length === 7,
      'another caller has room',
      () => waiting.length,
    );
    finish();
    const { status, json } = await batch;
    assert.is(status, 200);
    assert.equal(
      json.map(({ id }: { id: number }) => id),
      calls.map(({ id }) => id),
    );
    const refused = json.filter(({ error }: { error?: { message: string } }) =>
      /Too many requests/.test(error?.message ?? ''),
    );
    assert.is(refused.length, 14);
    assert.is((await modest).json.result.isError, undefined);
  }
});

test('a batch answers what is no message, and nothing to notifications', async () => {
  const { app } = openWith([]);
  const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' };
  const told = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const { json } = await post(app, [ping, told, [ping], 'x', { id: 1 }]);
  assert.equal(
    json.map(({ id, error }: { id: unknown; error?: { code: number } }) => [id, error?.code]),
    [
      ['p', undefined],
      [null, -32600],
      [null, -32600],
      [null, -32600],
    ],
  );
  assert.is((await post(app, [told])).status, 202);
  assert.is((await post(app, [])).status, 202);
});

test('a single slot is enough for a message', async () => {
  const { app } = openWith([route('GET', '/v1/graph/schema', () => ok(SCHEMA))], {
    limits: { bodyBytes: 1000, concurrentRequests: 1 },
  });
  for (let round = 0; round < 3; round += 1)
    assert.ok((await post(app, callOf('graph_schema'))).json.result.structuredContent);
});

test('what is heavy goes to the heavy lane in the name of the caller', async () => {
  const handed: unknown[] = [];
  const heavy = route('GET', '/v1/graph/schema', () => Promise.reject(new Error('answered on the event loop')), {
    isHeavy: true,
  });
  const { app } = openWith([heavy], {
    lane: {
      answer: async ({ path }, { principal, requestId }) => {
        handed.push([path, principal.name, requestId]);
        return ok(SCHEMA);
      },
    },
  });
  await post(app, [callOf('graph_schema'), callOf('graph_schema', {}, 2)], 'bo', { 'x-request-id': 'r' });
  assert.equal(handed, Array(2).fill(['/v1/graph/schema', 'bo', 'r']));
});

test('a slot is lent to one request of the same holder at a time, and given back once', () => {
  const slots = createFairShares(3);
  const slot = takeRequestSlot(slots, 'a');
  assert.is(slot?.lend('b'), undefined);
  const lent = slot?.lend('a');
  assert.ok(lent);
  assert.is(slot?.lend('a'), undefined);
  lent.release();
  lent.release();
  const again = slot?.lend('a');
  slot?.release();
  assert.equal([slots.used, slot?.lend('a')], [1, undefined], 'whoever borrowed it still uses it');
  again?.release();
  again?.release();
  slot?.release();
  assert.is(slots.used, 0);
});

test('dots and empty texts are no names, however they are encoded', async () => {
  const reached: string[] = [];
  const record = (path: string) =>
    route('GET', path, ({ params }) => {
      reached.push(params['fqn'] ?? path);
      throw new CatalogError('not_found', 'No such table');
    });
  const { app } = openWith(
    [
      '/v1',
      '/v1/tables',
      '/v1/tables/{id}',
      '/v1/tables/context',
      '/v1/tables/name/{fqn}',
      '/v1/tables/name/{fqn}/context',
    ].map(record),
  );
  const read = (uri: string) => post(app, { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } });
  for (const fqn of ['.', '..']) {
    const { json } = await post(app, callOf('get_asset', { fqn, type: 'table' }));
    assert.is(json.result.isError, true);
    assert.match(json.result.content[0].text, /name must not be empty, "\." or "\.\."/);
  }
  assert.match((await post(app, callOf('get_asset', { fqn: '', type: 'table' }))).text, /Bad arguments/);
  assert.match((await post(app, callOf('get_asset', { fqn: '\ud800', type: 'table' }))).text, /valid Unicode/);
  for (const name of ['.', '..', '%2e', '%2E.', '.%2e', '%2e%2E', '..%2f..', '%00/..', ''])
    assert.ok((await read(`tributary://asset/table/${name}`)).json.error, name);
  assert.equal(reached, ['../..']);
  // A percent sign in a name is one, and no encoding.
  for (const fqn of ['%2e', '%2E%2e', '.%2e']) await post(app, callOf('get_asset', { fqn, type: 'table' }));
  assert.equal(reached.slice(1), ['%2e', '%2E%2e', '.%2e']);
});

test('a failure that is no answer of the API tells nothing but the id of the request', async () => {
  const secret = 'MATCH (n:Secret) in /srv/tributary.js';
  const answers: readonly Route['handle'][] = [
    async () => ({ status: 200, text: { mediaType: 'application/json', content: `{"${secret}` } }),
    async () => ({ status: 500, text: { mediaType: 'text/plain', content: secret } }),
    async () => ({ status: 502, json: { detail: secret } }),
    async () => ok({ [secret]: 1 }),
  ];
  for (const handle of answers) {
    const { app, logged } = openWith([route('GET', '/v1/graph/schema', handle as () => Promise<never>)]);
    const { json, text, headers } = await post(app, callOf('graph_schema'));
    assert.equal(json.error, {
      code: -32603,
      message: `Internal error, request ${headers.get('x-request-id')}`,
    });
    assert.not.match(text, /Secret|srv|undefined|JSON/);
    assert.is(logged.length, 1);
    assert.equal(logged[0]?.[0], { requestId: headers.get('x-request-id') });
    assert.instance(logged[0]?.[1], Error);
  }
});

test('a failure of the API is told as the API tells it', async () => {
  const broken = route('GET', '/v1/graph/schema', () => Promise.reject(new Error('MATCH (n:Secret)')));
  const { app, logged } = openWith([broken]);
  const { json, text, headers } = await post(app, callOf('graph_schema'), 'ana', { 'x-request-id': 'q7' });
  assert.equal([json.result.isError, headers.get('x-request-id'), logged.length], [true, 'q7', 0]);
  assert.match(json.result.content[0].text, /Internal server error, request q7/);
  assert.not.match(text, /Secret/);
});

test.run();
