import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that clients of the versions with a handshake, and of 2026-07-28 without one, are served alike. */

const test = suite('mcp: both eras of the protocol');

const MODERN = '2026-07-28';
const LEGACY = ['2025-03-26', '2025-06-18', '2025-11-25'];
const ON = { 'x-tributary-mcp-write': 'on' };
const PINNED = { versionNegotiation: { mode: { pin: MODERN } } } as const;
const PREFIX = 'io.modelcontextprotocol/';
const HOUR_MS = 3_600_000;

let service: Service;
let table: string;
let token: string;

test.before(async () => {
  service = await openService();
  const name = uniqueName('mcperas');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  table = `${name}.db.public.orders`;
  const columns = [{ name: 'id', dataType: 'INT' }];
  ok(await service.admin.post('/v1/tables', { name: 'orders', databaseSchema: `${name}.db.public`, columns }), 201);
  token = await service.token('admin');
});

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Wire = any;

type Exchange = { readonly sent: Wire; readonly headers: Headers; readonly answer: Wire; readonly response: Response };

/** Connects a client and keeps what goes over its wire. */
const record = async (options: ConstructorParameters<typeof Client>[1]) => {
  const exchanges: Exchange[] = [];
  const client = new Client({ name: 'test', version: '1' }, options);
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (address, init) => {
      const response = await service.app.hono.request(String(address), init as RequestInit);
      const text = await response.clone().text();
      if (typeof init?.body === 'string' && response.headers.get('content-type')?.startsWith('application/json'))
        exchanges.push({
          sent: JSON.parse(init.body),
          headers: new Headers(init.headers),
          answer: JSON.parse(text),
          response,
        });
      return response;
    },
  });
  await client.connect(transport);
  return { client, exchanges };
};

const askEverything = async (client: Client) => {
  const uri = `tributary://asset/table/${encodeURIComponent(table)}`;
  return {
    tools: (await client.listTools()).tools,
    prompts: (await client.listPrompts()).prompts,
    templates: (await client.listResourceTemplates()).resourceTemplates,
    // Other files write names all the while, so only what is said of a resource is compared.
    resources: (await client.listResources({ cursor: '0' })).resources.slice(0, 3).map((one) => Object.keys(one)),
    contents: (await client.readResource({ uri })).contents,
    prompt: (await client.getPrompt({ name: 'review_migration', arguments: { migration: 'DROP TABLE orders' } }))
      .messages,
    found: await callTool(client, 'get_asset', { fqn: table }),
    refused: await callTool(client, 'get_asset', { fqn: `${table}s` }),
  };
};

/** Sends a message as a program without an SDK would. */
const post = async (message: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const response = await service.app.hono.request('http://localhost/mcp', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
  });
  const text = await response.text();
  const mediaType = response.headers.get('content-type') ?? '';
  const json: Wire = mediaType.startsWith('application/json') ? JSON.parse(text) : undefined;
  return { status: response.status, mediaType, text, json };
};

const modern = (method: string, params: JsonObject = {}, version = MODERN) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: { [`${PREFIX}protocolVersion`]: version, [`${PREFIX}clientCapabilities`]: {} } },
});

const headersOf = (method: string, name?: string, version = MODERN) => ({
  'mcp-protocol-version': version,
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

test('a client with a handshake and one without get the same answers', async () => {
  const [old, recent] = await Promise.all([record({}), record(PINNED)]);
  try {
    assert.equal([old.client.getProtocolEra(), recent.client.getProtocolEra()], ['legacy', 'modern']);
    assert.equal(await askEverything(recent.client), await askEverything(old.client));
    assert.is(old.client.getInstructions(), recent.client.getInstructions());
    assert.equal(recent.client.getServerVersion(), old.client.getServerVersion());
  } finally {
    await Promise.all([old.client.close(), recent.client.close()]);
  }
});

test('a client that tries the new version first is served by it', async () => {
  const client = await connectMcp(service, token, {}, { versionNegotiation: { mode: 'auto' } });
  try {
    assert.is(client.getProtocolEra(), 'modern');
    assert.is((await callTool(client, 'owners', { fqn: table })).isError, false);
  } finally {
    await client.close();
  }
});

test('nothing of the new version is in the answers to an older one, and every one of these is agreed on', async () => {
  const { client, exchanges } = await record({});
  await askEverything(client);
  await client.close();
  assert.ok(exchanges.length > 7);
  for (const { sent, answer, response } of exchanges) {
    assert.equal(
      ['resultType', 'ttlMs', 'cacheScope', '_meta'].filter((name) => name in answer.result),
      [],
      sent.method,
    );
    assert.is(response.headers.get('mcp-session-id'), null);
  }
  for (const protocolVersion of LEGACY) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } };
    const { status, mediaType, json } = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    assert.equal([status, json.result.protocolVersion], [200, protocolVersion]);
    assert.match(mediaType, /^application\/json/);
    const listed = await post(
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { 'mcp-protocol-version': protocolVersion },
    );
    assert.ok(listed.json.result.tools.length > 0, protocolVersion);
  }
});

/** How long the result of a method may be kept, and by whom. */
const KEPT: Readonly<Record<string, readonly [ttlMs: number, cacheScope: string]>> = {
  'server/discover': [HOUR_MS, 'private'],
  'tools/list': [HOUR_MS, 'private'],
  'prompts/list': [HOUR_MS, 'public'],
  'resources/templates/list': [HOUR_MS, 'public'],
  'resources/list': [30_000, 'private'],
  'resources/read': [0, 'private'],
};

test('requests of the new version stand alone, and results say what they are and how long they hold', async () => {
  const { client, exchanges } = await record(PINNED);
  await askEverything(client);
  await client.close();
  const methods = new Set(exchanges.map(({ sent }) => sent.method));
  assert.equal(
    [...methods].sort(),
    [...Object.keys(KEPT), 'prompts/get', 'tools/call'].sort(),
    'no handshake and no notification',
  );
  for (const { sent, headers, answer, response } of exchanges) {
    const { method } = sent;
    assert.is(sent.params._meta[`${PREFIX}protocolVersion`], MODERN, method);
    assert.equal([headers.get('mcp-method'), headers.get('mcp-protocol-version')], [method, MODERN]);
    assert.is(answer.result.resultType, 'complete', method);
    assert.is(answer.result._meta[`${PREFIX}serverInfo`].name, 'tributary', method);
    const { ttlMs, cacheScope } = answer.result;
    assert.equal([ttlMs, cacheScope], KEPT[method] ?? [undefined, undefined], method);
    assert.is(response.headers.get('mcp-session-id'), null);
  }
});

test('discovery tells versions, capabilities and instructions', async () => {
  const { json } = await post(modern('server/discover'), headersOf('server/discover'));
  assert.equal(json.result.supportedVersions, [MODERN]);
  assert.equal(json.result.capabilities, { tools: {}, resources: {}, prompts: {} });
  assert.match(json.result.instructions, /metadata catalog with lineage/);
  assert.not.match(json.result.instructions, /Writing tools/);
  const writing = await post(modern('server/discover'), { ...headersOf('server/discover'), ...ON });
  assert.match(writing.json.result.instructions, /Writing tools change nothing unless/);
});

test('tools are listed in one order, to everyone and in both eras', async () => {
  const limited = await createRightsFactory(service).person();
  const list = async (message: JsonObject, headers: Readonly<Record<string, string>>): Promise<readonly string[]> =>
    (await post(message, headers)).json.result.tools.map(({ name }: { name: string }) => name);
  const asked = modern('tools/list');
  const first = await list(asked, headersOf('tools/list'));
  const as = { authorization: `Bearer ${await service.token(limited.name)}` };
  assert.equal(await list(asked, headersOf('tools/list')), first);
  assert.equal(await list(asked, { ...headersOf('tools/list'), ...as }), first);
  assert.equal(await list({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}), first);
  const all = await list(asked, { ...headersOf('tools/list'), ...ON });
  assert.equal(all, [...first, 'describe', 'tag', 'assign', 'add_edge']);
  assert.equal(first.slice(0, 3), ['search', 'get_asset', 'owners'], 'what finds assets comes first');
});

test('a message that contradicts its headers, or is of another version, is refused with what is allowed', async () => {
  const call = modern('tools/call', { name: 'search', arguments: { query: 'orders' } });
  const codeOf = async (message: unknown, headers: Readonly<Record<string, string>>) => {
    const { status, json } = await post(message, headers);
    return [status, json.error?.code];
  };
  assert.equal(await codeOf(call, headersOf('tools/call', 'search')), [200, undefined]);
  assert.equal(await codeOf(call, headersOf('tools/call', 'owners')), [400, -32020]);
  assert.equal(await codeOf(call, headersOf('tools/list', 'search')), [400, -32020]);
  assert.equal(await codeOf(call, {}), [400, -32020]);
  assert.equal(
    await codeOf(call, { ...headersOf('tools/call', 'search'), 'mcp-protocol-version': '2025-11-25' }),
    [400, -32020],
  );
  const later = '2099-01-01';
  const { status, json } = await post(modern('tools/list', {}, later), headersOf('tools/list', undefined, later));
  assert.equal([status, json.error.code, json.error.data], [400, -32022, { supported: [MODERN], requested: later }]);
  assert.equal(await codeOf({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headersOf('tools/list')), [400, -32602]);
  assert.equal(await codeOf(modern('tools/drop'), headersOf('tools/drop')), [404, -32601]);
  assert.equal(await codeOf(modern('ping'), headersOf('ping')), [404, -32601]);
  const uri = 'tributary://asset/table/nothing';
  assert.equal(await codeOf(modern('resources/read', { uri }), headersOf('resources/read', uri)), [200, -32602]);
});

test('what changes is told to nobody, so listening ends at once', async () => {
  const asked = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const { status, mediaType, text } = await post(asked, headersOf('subscriptions/listen'));
  assert.equal([status, mediaType], [200, 'text/event-stream']);
  const [told, ended] = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));
  assert.equal([told.method, told.params.notifications], ['notifications/subscriptions/acknowledged', {}]);
  assert.is(ended.result.resultType, 'complete');
});

test('the new version has no batches', async () => {
  const { status, json } = await post([modern('tools/list'), { jsonrpc: '2.0', id: 2, method: 'ping' }]);
  assert.is(status, 200);
  assert.equal(
    json.map(({ id, error }: Wire) => [id, error?.code]),
    [
      [1, -32600],
      [2, undefined],
    ],
  );
  assert.match(json[0].error.message, /no batches/);
});

test.run();
