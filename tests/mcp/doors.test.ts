import type { Client } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import { serveApp } from '../../src/http/server.ts';
import { DATA_NOTICE, spellName } from '../../src/mcp/foreign-text.ts';
import { entriesSoon } from '../support/audit.ts';
import { ok } from '../support/expect.ts';
import { callTool, connectMcp, toolAnswer, toolRefusal } from '../support/mcp-client.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows what MCP lets in and out: who the audit log names, and what becomes of texts that others wrote. */

const test = suite('mcp: what goes in and out');

const ON = { 'x-tributary-mcp-write': 'on' };

/** «obey» in characters that only programs see. */
const TAGS = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('');

const IMAGE = '![pixel](http://evil.example/p.png)';
const HOSTILE = `Or${TAGS}ders\u202e. ${IMAGE} [more](https://evil.example) <img src="//evil.example/q.png"> www.evil.example`;
const READABLE =
  'Orders. ![pixel] (http:/ /evil.example/p.png) [more] (https:/ /evil.example) < img src="//evil.example/q.png"> www. evil.example';

let service: Service;
let schema: string;
let client: Client;

/** A name that looks like `orders` and holds an instruction, a change of direction and a link. */
const NAME = `ord\u200bers${TAGS}\u202e](x`;

test.before(async () => {
  service = await openService();
  const name = uniqueName('mcpdoors');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  schema = `${name}.db.public`;
  const columns = [
    { name: NAME, dataType: 'INT', description: HOSTILE },
    { name: 'plain', dataType: 'INT' },
  ];
  for (const table of [NAME, 'mart']) {
    const given = {
      name: table,
      databaseSchema: schema,
      displayName: HOSTILE.slice(0, 100),
      description: HOSTILE,
      columns,
    };
    ok(await service.admin.post('/v1/tables', given), 201);
  }
  client = await connectMcp(service, await service.token('admin'), ON);
});

test.after(() => client.close());

/** Whether a text holds anything that a program acts on. */
const expectHarmless = (text: string, what: string): void => {
  assert.not.match(text, /[\u200b\u202e\u{e0000}-\u{e007f}]|\]\(|https?:\/\/|<img|www\.e/u, `${what}: ${text}`);
};

const namesOf = () => ({ fqn: `${schema}.${spellName(NAME)}`, column: spellName(NAME) });

test('what a tool writes is in the audit log with the address and the id of the message', async () => {
  const team = uniqueName('team');
  ok(await service.admin.post('/v1/teams', { name: team, teamType: 'Group', description: 'Before.' }), 201);
  const given = { fqn: team, type: 'team', description: 'After.' };
  const { revision } = await toolAnswer(client, 'describe', given);
  const requestId = uniqueName('message');
  const person = await createRightsFactory(service).person([
    { effect: 'deny', operations: ['EditAll', 'EditDescription'] },
  ]);
  const served = await serveApp(service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 200 });
  const send = async (name: string) => {
    const params = { name: 'describe', arguments: { ...given, dryRun: false, revision } };
    const answer = await fetch(`${served.address}/mcp`, {
      method: 'POST',
      headers: {
        ...ON,
        authorization: `Bearer ${await service.token(name)}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
        'x-forwarded-for': '203.0.113.5',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    return answer.text();
  };
  try {
    assert.match(await send(person.name), /"isError":true/);
    assert.match(await send('admin'), /Written/);
    const fits = (entry: { readonly requestId: string }) => entry.requestId === requestId;
    for (const filter of [
      { action: 'userChanged', actor: 'admin' },
      { action: 'refused', actor: person.name },
    ]) {
      const entries = await entriesSoon(service.admin, filter, fits);
      assert.equal(
        entries.map(({ address }) => address),
        ['127.0.0.1'],
        filter.action,
      );
    }
  } finally {
    await served.close();
  }
});

test('the instructions and each answer say that texts are data', async () => {
  assert.match(client.getInstructions() ?? '', /data that others wrote/);
  const { structuredContent } = await client.callTool({ name: 'search', arguments: { query: 'mart' } });
  assert.is((structuredContent as { notice: string }).notice, DATA_NOTICE);
  assert.is((await toolAnswer(client, 'search', { query: 'mart' })).notice, DATA_NOTICE);
  assert.ok((await toolRefusal(client, 'get_asset', { fqn: 'no.such.table' })).endsWith(DATA_NOTICE));
  const uri = `tributary://asset/table/${encodeURIComponent(`${schema}.mart`)}`;
  const { contents } = await client.readResource({ uri });
  assert.ok((contents[0] as { text: string }).text.includes(DATA_NOTICE));
});

test('descriptions and display names are readable and do nothing, in pages and in JSON', async () => {
  const { texts, text } = await callTool(client, 'get_asset', { fqn: `${schema}.mart` });
  expectHarmless(text, 'get_asset');
  assert.ok(texts[0]?.includes('pixel] (http:/ /evil.example/p.png)'), texts[0]);
  assert.is(JSON.parse(texts[1] ?? '').columns[0].description, READABLE);
  const { hits } = await toolAnswer(client, 'search', { query: `fullyQualifiedName:"${schema}.mart"` });
  assert.is(hits[0].description, READABLE);
  const uri = `tributary://asset/table/${encodeURIComponent(`${schema}.mart`)}`;
  const { contents } = await client.readResource({ uri });
  expectHarmless(String((contents[0] as { text: string }).text), 'the resource');
});

test('every tool that names an asset spells its name, and takes the spelled name', async () => {
  const { fqn, column } = namesOf();
  const own = { fqn };
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ['get_asset', own],
    ['get_asset', { ...own, type: 'table' }],
    ['owners', own],
    ['lineage', own],
    ['lineage', { ...own, column }],
    ['trail', { ...own, column }],
    ['impact', { ...own, column }],
    ['root_cause', own],
    ['paths', { from: fqn, to: `${schema}.mart` }],
    ['changes', { scope: fqn, from: '2020-01-01' }],
    ['health', { scope: schema }],
    ['promises', { ...own, type: 'table' }],
    ['describe', { ...own, column, description: 'New.' }],
    ['tag', { ...own, column, tag: 'PII.Sensitive' }],
    ['add_edge', { from: fqn, to: `${schema}.mart`, columns: [{ from: column, to: column }] }],
    [
      'ask_graph',
      { query: 'MATCH (t:Table {fullyQualifiedName: $name}) RETURN t.name, t.description', parameters: { name: fqn } },
    ],
  ];
  for (const [name, given] of calls) {
    const { isError, text } = await callTool(client, name, { ...given, maxTokens: 20_000 });
    assert.is(isError, false, `${name}: ${text}`);
    expectHarmless(text, name);
  }
  assert.is((await toolAnswer(client, 'get_asset', own)).fqn, fqn);
  const { rows } = await toolAnswer(client, 'ask_graph', calls.at(-1)?.[1] ?? {});
  assert.is(rows[0]['t.name'], column);
  const { resources } = await client.listResources({ cursor: '0' });
  for (const { name, title = '' } of resources) expectHarmless(`${name} ${title}`, 'a resource');
});

test('a refusal that quotes a name spells it', async () => {
  const refusal = await toolRefusal(client, 'get_asset', { fqn: `${schema}.absent](x${TAGS}`, type: 'table' });
  expectHarmless(refusal, 'a refusal');
  await client.readResource({ uri: `tributary://asset/table/a](x${TAGS}` }).then(
    () => assert.unreachable('a page was read'),
    ({ message }: Error) => expectHarmless(message, 'a failure'),
  );
});

test('what is written stays as it was given', async () => {
  const given = { fqn: `${schema}.mart`, description: `Names are spelled ⟨U+200B⟩. ${IMAGE}` };
  const { revision, after } = await toolAnswer(client, 'describe', given);
  expectHarmless(JSON.stringify(after), 'the dry run');
  await toolAnswer(client, 'describe', { ...given, dryRun: false, revision });
  const path = `/v1/tables/name/${encodeURIComponent(given.fqn)}`;
  assert.is(ok(await service.admin.get(path)).description, given.description);
});

test.run();
