import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as assert from 'uvu/assert';
import { createPerson, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { anonymous, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows what the tools, resources and prompts of MCP answer to the SDK's client, and to whom. */

const test = suite('mcp: tools');

let service: Service;
let schema: string;
let client: Client;
let startedAt: number;

/** A client of the SDK whose requests reach the application without a socket. */
const connect = async (token: string): Promise<Client> => {
  const opened = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (address, init) => service.app.hono.request(String(address), init as RequestInit),
  });
  await opened.connect(transport as Parameters<typeof opened.connect>[0]);
  return opened;
};

type Told = { readonly isError: boolean; readonly texts: readonly string[]; readonly text: string };

const call = async (name: string, given: Record<string, unknown>, asked = client): Promise<Told> => {
  const { content, isError = false } = await asked.callTool({ name, arguments: given });
  const texts = (content as { text: string }[]).map(({ text }) => text);
  return { isError: isError === true, texts, text: texts.join('\n') };
};

/** The JSON of a successful answer: its last text. */
// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
const answerOf = async (name: string, given: Record<string, unknown>, asked = client): Promise<any> => {
  const { isError, texts, text } = await call(name, given, asked);
  if (isError) assert.unreachable(text);
  return JSON.parse(texts.at(-1) ?? '');
};

const createTable = async (name: string, columns: readonly string[]) =>
  ok(
    await service.admin.post('/v1/tables', {
      name,
      databaseSchema: schema,
      description: `All ${name}.`,
      columns: columns.map((column) => ({ name: column, dataType: 'INT' })),
    }),
    201,
  );

// biome-ignore lint/suspicious/noExplicitAny: records as the service made them.
const feed = async (from: any, to: any, fromColumn: string, toColumn: string) => {
  const columnsLineage = [
    { fromColumns: [`${from.fullyQualifiedName}.${fromColumn}`], toColumn: `${to.fullyQualifiedName}.${toColumn}` },
  ];
  const edge = {
    fromEntity: { id: from.id, type: 'table' },
    toEntity: { id: to.id, type: 'table' },
    lineageDetails: { columnsLineage },
  };
  ok(await service.admin.put('/v1/lineage', { edge }));
};

const failATest = async (table: string) => {
  const entityLink = `<#E::table::${table}>`;
  const made = ok(
    await service.admin.post('/v1/dataQuality/testCases', {
      name: 'enough',
      entityLink,
      testDefinition: 'tableRowCountToBeBetween',
      parameterValues: [{ name: 'minValue', value: '1' }],
    }),
    201,
  );
  ok(
    await service.admin.post(
      `/v1/dataQuality/testCases/testCaseResults/${encodeURIComponent(made.fullyQualifiedName)}`,
      { timestamp: Date.now(), testCaseStatus: 'Failed', result: 'No rows at all.' },
    ),
    201,
  );
};

test.before(async () => {
  service = await openService();
  startedAt = Date.now() - 1000;
  const name = uniqueName('mcp');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  schema = `${name}.db.public`;
  const raw = await createTable('raw', ['total', 'note']);
  const core = await createTable('core', ['amount']);
  const mart = await createTable('mart', ['revenue']);
  await feed(raw, core, 'total', 'amount');
  await feed(core, mart, 'amount', 'revenue');
  await failATest(`${schema}.raw`);
  client = await connect(await service.token('admin'));
});

test.after(() => client.close());

test('the tools, prompts and resources are those that are promised', async () => {
  const { tools } = await client.listTools();
  assert.equal(
    tools.map(({ name }) => name),
    [
      'search',
      'get_asset',
      'owners',
      'lineage',
      'trail',
      'paths',
      'impact',
      'check_change',
      'changes',
      'root_cause',
      'health',
    ],
  );
  for (const tool of tools) {
    assert.is(tool.annotations?.readOnlyHint, true);
    assert.is(tool.inputSchema.type, 'object');
    assert.ok('maxTokens' in (tool.inputSchema.properties ?? {}), tool.name);
  }
  const { prompts } = await client.listPrompts();
  assert.equal(
    prompts.map(({ name }) => name),
    ['review_migration', 'why_is_this_number_wrong'],
  );
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ['tributary://asset/{type}/{fqn}'],
  );
});

test('search finds an asset by its name', async () => {
  const { hits, total } = await answerOf('search', { query: `fullyQualifiedName:"${schema}.mart"`, type: 'table' });
  assert.is(total, 1);
  assert.equal(hits, [{ type: 'table', fqn: `${schema}.mart`, description: 'All mart.' }]);
});

test('an asset is told as a page and as JSON', async () => {
  const { texts } = await call('get_asset', { fqn: `${schema}.raw` });
  assert.match(texts[0] ?? '', /^# raw\n/);
  const { type, fqn, columns } = JSON.parse(texts[1] ?? '');
  assert.equal([type, fqn], ['table', `${schema}.raw`]);
  assert.equal(columns, [
    { name: 'total', dataType: 'INT' },
    { name: 'note', dataType: 'INT' },
  ]);
});

test('lineage follows assets and columns', async () => {
  const assets = await answerOf('lineage', { fqn: `${schema}.mart`, direction: 'upstream', depth: 5 });
  assert.equal(
    assets.assets.map(({ fqn, depth }: { fqn: string; depth: number }) => [fqn, Math.abs(depth)]),
    [
      [`${schema}.mart`, 0],
      [`${schema}.core`, 1],
      [`${schema}.raw`, 2],
    ],
  );
  const columns = await answerOf('lineage', { fqn: `${schema}.core`, column: 'amount' });
  assert.equal(columns.upstream, [{ step: 1, from: `${schema}.raw.total`, to: `${schema}.core.amount` }]);
  assert.equal(columns.downstream, [{ step: 1, from: `${schema}.core.amount`, to: `${schema}.mart.revenue` }]);
});

test('a trail leads to the origins of a column', async () => {
  const { origins, steps } = await answerOf('trail', { fqn: `${schema}.mart`, column: 'revenue' });
  assert.equal(origins, [`${schema}.raw.total`]);
  assert.is(steps.length, 2);
});

test('paths are found between assets and between columns', async () => {
  const between = await answerOf('paths', { from: `${schema}.raw`, to: `${schema}.mart` });
  assert.is(between.paths[0].length, 2);
  const columns = await answerOf('paths', { from: `${schema}.raw.total`, to: `${schema}.mart.revenue` });
  assert.is(columns.paths[0].columns.length, 2);
});

test('impact tells what a dropped column reaches', async () => {
  const { affected, summary } = await answerOf('impact', { fqn: `${schema}.raw`, column: 'total' });
  assert.is(summary.entities, 2);
  assert.equal([affected[0].fqn, affected[0].certainty], [`${schema}.core`, 'certain']);
});

test('a proposal is checked in each of its forms', async () => {
  const ddl = await answerOf('check_change', { fqn: `${schema}.raw`, proposal: 'ALTER TABLE raw DROP COLUMN note' });
  assert.is(ddl.verdict, 'ok');
  assert.equal(
    ddl.changes.map(({ change }: { change: string }) => change),
    ['dropped'],
  );
  const columns = JSON.stringify([{ name: 'total', dataType: 'INT' }]);
  assert.is((await answerOf('check_change', { fqn: `${schema}.raw`, proposal: columns })).changes.length, 1);
});

test('a root cause is looked for upstream', async () => {
  const { suspects, failedTests, recentChanges } = await answerOf('root_cause', { fqn: `${schema}.mart` });
  assert.equal(
    suspects.map(({ fqn }: { fqn: string }) => fqn),
    [`${schema}.raw`],
  );
  assert.is(failedTests[0].result, 'No rows at all.');
  assert.ok(recentChanges.length >= 3, `${recentChanges.length} changes`);
});

test('changes of a scope are listed', async () => {
  const { changes } = await answerOf('changes', { scope: schema, from: String(startedAt) });
  const created = changes.filter(({ event }: { event: string }) => event === 'entityCreated');
  assert.ok(created.some(({ fqn }: { fqn: string }) => fqn === `${schema}.core`));
  assert.ok(changes.every(({ fqn }: { fqn: string }) => fqn === schema || fqn.startsWith(`${schema}.`)));
});

test('owners and health answer for a scope', async () => {
  assert.equal((await answerOf('owners', { fqn: `${schema}.raw` })).owners, []);
  const { cycles, scope } = await answerOf('health', { scope: schema });
  assert.equal([cycles, scope], [[], schema]);
});

test('what can be corrected is an answer that says so', async () => {
  for (const [name, given, words] of [
    ['get_asset', { fqn: 'no.such.asset' }, /not found/],
    ['get_asset', { fqn: `${schema}.raw`, type: 'nothing' }, /type "nothing" is unknown/],
    ['get_asset', {}, /Bad arguments: fqn/],
    ['get_asset', { fqn: `${schema}.raw`, unknown: 1 }, /Bad arguments/],
    ['lineage', { fqn: `${schema}.raw`, depth: 51 }, /Bad arguments: depth/],
    ['trail', { fqn: `${schema}.raw`, column: 'absent' }, /not found/],
    ['check_change', { fqn: `${schema}.raw`, proposal: 'not SQL at all' }, /proposed.ddl/],
    ['changes', { scope: schema, from: 'yesterday' }, /from must be/],
  ] as const) {
    const { isError, text } = await call(name, given);
    assert.ok(isError, `${name} ${text}`);
    assert.match(text, words);
  }
  await client.callTool({ name: 'absent', arguments: {} }).then(
    () => assert.unreachable('an unknown tool answered'),
    (failure: Error) => assert.match(failure.message, /Unknown tool absent/),
  );
});

test('an answer fits its budget in whole rows and counts the others', async () => {
  const wide = uniqueName('wide');
  await createTable(
    wide,
    Array.from({ length: 200 }, (_, at) => `column_${at}`),
  );
  const { texts, text } = await call('get_asset', { fqn: `${schema}.${wide}`, maxTokens: 500 });
  assert.ok(text.length <= 500 * 3, `${text.length} characters`);
  const { columns, omitted } = JSON.parse(texts[1] ?? '');
  const rest = omitted.find(({ list }: { list: string }) => list === 'columns');
  assert.is(columns.length + rest.count, 200);
  assert.ok(columns.length > 0);
  assert.ok(omitted.some(({ list }: { list: string }) => list === 'page'));
});

test('resources are pages, and prompts are filled in', async () => {
  const uri = `tributary://asset/table/${encodeURIComponent(`${schema}.raw`)}`;
  const { contents } = await client.readResource({ uri });
  assert.match(String((contents[0] as { text: string }).text), /^# raw\n/);
  const { resources } = await client.listResources();
  assert.ok(resources.length > 0);
  const prompt = await client.getPrompt({ name: 'review_migration', arguments: { migration: 'DROP TABLE raw' } });
  assert.match(JSON.stringify(prompt.messages[0]), /DROP TABLE raw/);
});

test('no tool and no resource names what the caller may not see', async () => {
  const tag = uniqueName('Secret');
  ok(await service.admin.post('/v1/tags', { name: tag, classification: 'PII', description: 'x' }), 201);
  const secret = uniqueName('secret');
  const hidden = await createTable(secret, ['a']);
  const visible = await createTable(uniqueName('open'), ['b']);
  await feed(hidden, visible, 'a', 'b');
  const label = { tagFQN: `PII.${tag}`, source: 'Classification', labelType: 'Manual', state: 'Confirmed' };
  ok(await service.admin.patch(`/v1/tables/${hidden.id}`, [{ op: 'add', path: '/tags/-', value: label }]));
  const rule = { effect: 'deny' as const, operations: ['All'], condition: `matchAnyTag('PII.${tag}')` };
  const { name } = await createRightsFactory(service).person([rule]);
  const reader = await connect(await service.token(name));
  const open = visible.fullyQualifiedName;
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ['search', { query: secret }],
    ['lineage', { fqn: open }],
    ['lineage', { fqn: open, column: 'b' }],
    ['trail', { fqn: open, column: 'b' }],
    ['impact', { fqn: open }],
    ['root_cause', { fqn: open }],
    ['owners', { fqn: open }],
    ['get_asset', { fqn: open }],
    ['health', { scope: schema }],
    ['changes', { scope: schema, from: String(startedAt) }],
  ];
  for (const [tool, given] of calls) {
    const { text, isError } = await call(tool, { ...given, maxTokens: 50_000 }, reader);
    assert.is(isError, false, `${tool}: ${text}`);
    assert.not.ok(
      text.includes(hidden.fullyQualifiedName),
      `${tool} names the hidden table: ${text.slice(Math.max(0, text.indexOf(hidden.fullyQualifiedName) - 150)).slice(0, 500)}`,
    );
  }
  const told = await call('lineage', { fqn: open });
  assert.ok(told.text.includes(hidden.fullyQualifiedName), 'who may see it is told its name');
  for (const given of [{ fqn: hidden.fullyQualifiedName }, { fqn: hidden.fullyQualifiedName, type: 'table' }]) {
    for (const tool of ['get_asset', 'owners', 'lineage', 'impact', 'root_cause']) {
      assert.ok((await call(tool, given, reader)).isError, `${tool} answers for a hidden table`);
    }
  }
  const uri = `tributary://asset/table/${encodeURIComponent(hidden.fullyQualifiedName)}`;
  await reader.readResource({ uri }).then(
    () => assert.unreachable('a hidden page was read'),
    (failure: Error) => assert.type(failure.message, 'string'),
  );
  await reader.close();
});

test('the endpoint has no sessions, wants a token and refuses foreign pages', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const refused = await anonymous(service).post('/mcp', ping);
  expectRefused(refused, 401);
  assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer/);
  const reader = await createPerson(service, uniqueName('reader'));
  assert.equal(ok(await reader.post('/mcp', ping)).result, {});
  expectRefused(await reader.get('/mcp'), 405);
  expectRefused(await reader.delete('/mcp'), 405);
  expectRefused(await reader.post('/mcp', ping, { origin: 'https://elsewhere.example' }), 403);
  ok(await reader.post('/mcp', ping, { origin: 'http://localhost:6274' }));
  expectRefused(await reader.raw('POST', '/mcp', '{'), 400);
  expectRefused(await reader.post('/mcp', Array(21).fill(ping)), 400);
  expectRefused(await reader.raw('POST', '/mcp', `"${'x'.repeat(70_000)}"`), 413);
  assert.is((await reader.post('/mcp', ping, { 'mcp-protocol-version': '1999-01-01' })).status, 400);
});

test.run();
