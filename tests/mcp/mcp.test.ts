import type { Client } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import { compareAgain } from '../insight/compare-again.ts';
import { createPerson, expectRefused, ok } from '../support/expect.ts';
import { callTool, connectMcp, toolAnswer } from '../support/mcp-client.ts';
import { createRightsFactory } from '../support/rights.ts';
import { anonymous, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows what the tools, resources and prompts of MCP answer to the SDK's client, and to whom. */

const test = suite('mcp: tools');

let service: Service;
let schema: string;
let client: Client;
let startedAt: number;

const call = (name: string, given: Record<string, unknown>, asked = client) => callTool(asked, name, given);

const answerOf = (name: string, given: Record<string, unknown>, asked = client) => toolAnswer(asked, name, given);

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
  await compareAgain(service.admin);
  client = await connectMcp(service, await service.token('admin'));
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
      'inherited_labels',
      'label_flows',
      'important_assets',
      'single_points',
      'communities',
      'promises',
      'lineage_agreement',
      'impact',
      'check_change',
      'changes',
      'what_if',
      'root_cause',
      'health',
      'graph_schema',
      'ask_graph',
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
  assert.not.match(texts[0] ?? '', /note/, 'columns are answered once');
});

test('an asset of any type is found by its name', async () => {
  const dashboards = uniqueName('boards');
  ok(await service.admin.post('/v1/services/dashboardServices', { name: dashboards, serviceType: 'Metabase' }), 201);
  ok(await service.admin.post('/v1/charts', { name: 'sales', service: dashboards, chartType: 'Line' }), 201);
  const made = { name: 'figures', service: dashboards, charts: [`${dashboards}.sales`] };
  ok(await service.admin.post('/v1/dashboards', made), 201);
  const { type, charts } = await answerOf('get_asset', { fqn: `${dashboards}.figures` });
  assert.equal([type, charts], ['dashboard', [{ type: 'chart', fqn: `${dashboards}.sales` }]]);
  const chart = await answerOf('get_asset', { fqn: `${dashboards}.sales` });
  assert.equal(chart.dashboards, [{ type: 'dashboard', fqn: `${dashboards}.figures` }]);
  assert.match((await answerOf('root_cause', { fqn: `${dashboards}.sales` })).note, /dashboards of a chart/);
  assert.is((await answerOf('search', { query: 'name:figures', type: 'dashboard' })).total, 1);
  assert.is((await answerOf('get_asset', { fqn: 'admin' })).type, 'user');
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

test('a query is answered by its columns, and the schema tells what it may ask for', async () => {
  const query = 'MATCH (t:Table)-[:FEEDS]->(u) WHERE t.fullyQualifiedName = $name RETURN t.name AS from, u.name AS to';
  const { columns, rows, truncated } = await answerOf('ask_graph', { query, parameters: { name: `${schema}.core` } });
  assert.equal([columns, rows, truncated], [['from', 'to'], [{ from: 'core', to: 'mart' }], false]);
  const { labels, edges } = await answerOf('graph_schema', { label: 'Table', maxTokens: 8000 });
  assert.equal(
    labels.map(({ label }: { label: string }) => label),
    ['Table'],
  );
  assert.ok(edges.some(({ edge }: { edge: string }) => edge === 'FEEDS'));
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

test('a column that is made from a labelled one should carry the label', async () => {
  const classification = uniqueName('Kind');
  ok(await service.admin.post('/v1/classifications', { name: classification, description: 'Kinds.' }), 201);
  ok(await service.admin.post('/v1/tags', { name: 'Money', classification, description: 'Money.' }), 201);
  const tag = `${classification}.Money`;
  const found = ok(await service.admin.get(`/v1/tables/name/${schema}.core`));
  const label = [{ op: 'add', path: '/columns/0/tags', value: [{ tagFQN: tag, source: 'Classification' }] }];
  ok(await service.admin.patch(`/v1/tables/${found.id}`, label));
  const { columns, missing, sources } = await answerOf('inherited_labels', { tag, scope: schema, state: 'missing' });
  assert.equal([missing, sources], [1, 1]);
  const because = `${schema}.core.amount → ${schema}.mart.revenue`;
  assert.equal(columns, [{ column: `${schema}.mart.revenue`, state: 'missing', because, confidence: 1 }]);
});

test('what much depends on is important, and what alone holds lineage together is a single point', async () => {
  const { assets, ranked } = await answerOf('important_assets', { scope: schema, type: 'table' });
  assert.is(ranked, 3);
  assert.equal(
    assets.map(({ fqn, tier }: { fqn: string; tier: number }) => [fqn, tier]),
    [
      [`${schema}.raw`, 1],
      [`${schema}.core`, 1],
      [`${schema}.mart`, 1],
    ],
  );
  const points = await answerOf('single_points', { scope: schema });
  assert.equal(points.assets, [{ type: 'table', fqn: `${schema}.core`, separates: 1 }]);
});

test('the ways to an asset tell what was promised along them', async () => {
  const { ways, paths, broken } = await answerOf('promises', { type: 'table', fqn: `${schema}.mart` });
  const path = ['raw', 'core', 'mart'].map((name) => `${schema}.${name}`);
  assert.equal([paths, broken, ways.length, ways[0].path], [1, 0, 1, path]);
});

test('what lineage joins belongs together', async () => {
  const { groups } = await answerOf('communities', { scope: schema });
  assert.equal(
    groups.map(({ size, domain, agreement, members }: Record<string, unknown>) => [size, domain, agreement, members]),
    [[3, null, 0, ['core', 'mart', 'raw'].map((name) => `${schema}.${name}`)]],
  );
});

test('lineage that people have drawn is declared and not observed', async () => {
  const { edges, declaredOnly, observedOnly } = await answerOf('lineage_agreement', { scope: schema });
  assert.equal([declaredOnly, observedOnly], [2, 0]);
  assert.equal(
    edges.map(({ lastSeen: _, ...edge }: { lastSeen: string }) => edge),
    [
      { from: 'core', to: 'mart' },
      { from: 'raw', to: 'core' },
    ].map(({ from, to }) => ({
      from: `${schema}.${from}`,
      to: `${schema}.${to}`,
      state: 'declaredOnly',
      sources: 'Manual',
      confidence: 1,
    })),
  );
  assert.equal((await answerOf('lineage_agreement', { scope: schema, state: 'observedOnly' })).edges, []);
});

test('impact tells what a dropped column reaches', async () => {
  const { affected, summary } = await answerOf('impact', { fqn: `${schema}.raw`, column: 'total' });
  assert.is(summary.entities, 2);
  assert.equal([affected[0].fqn, affected[0].certainty], [`${schema}.core`, 'certain']);
  assert.equal(affected[0].columns, ['amount']);
  const dashboards = await answerOf('impact', { fqn: `${schema}.raw`, only: 'dashboard' });
  assert.equal([dashboards.affected, dashboards.summary.entities], [[], 2]);
  const grouped = await answerOf('impact', { fqn: `${schema}.raw`, groupBy: 'type', list: 'groups' });
  assert.equal([grouped.groups, grouped.affected], [[{ key: 'table', count: 2 }], undefined]);
  const none = await answerOf('impact', { fqn: `${schema}.raw`, groupBy: 'type', only: 'dashboard' });
  assert.equal(none.groups, []);
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

test('changes of several assets are asked about together', async () => {
  const { id } = ok(await service.admin.get(`/v1/tables/name/${schema}.raw`));
  const changes = JSON.stringify([{ op: 'removeAsset', entity: { id, type: 'table' } }]);
  const answer = await answerOf('what_if', { changes });
  assert.equal([answer.verdict, answer.truncated, answer.impact], ['ok', false, undefined]);
  assert.ok(answer.changes.every(({ change }: { change: string }) => change === 'dropped'));
  const around = await answerOf('what_if', { changes, fqn: `${schema}.core` });
  assert.equal(
    around.impact.map(({ entity }: { entity: { fqn: string } }) => entity.fqn),
    [`${schema}.mart`],
  );
  assert.equal(around.removedMappings, [{ from: `${schema}.raw.total`, to: `${schema}.core.amount` }]);
});

test('a root cause is looked for upstream', async () => {
  const { suspects, failures } = await answerOf('root_cause', { fqn: `${schema}.mart` });
  assert.equal(
    failures.map(({ fqn, kind }: { fqn: string; kind: string }) => [fqn, kind]),
    [[`${schema}.raw`, 'test']],
  );
  assert.equal(
    suspects.map(({ fqn, trail }: { fqn: string; trail: string[] }) => [fqn, trail.at(-1)]),
    [[`${schema}.raw`, `${schema}.mart`]],
  );
  const ofColumn = await answerOf('root_cause', { fqn: `${schema}.raw`, column: 'note', window: '1h' });
  assert.equal([ofColumn.type, ofColumn.truncated], ['table', false]);
});

test('changes of a scope are listed', async () => {
  const { changes } = await answerOf('changes', { scope: schema, from: String(startedAt) });
  const created = changes.filter(({ change }: { change: string }) => change === 'created');
  assert.ok(created.some(({ fqn }: { fqn: string }) => fqn === `${schema}.core`));
  const { id } = ok(await service.admin.get(`/v1/tables/name/${schema}.core`));
  ok(await service.admin.patch(`/v1/tables/${id}`, [{ op: 'add', path: '/description', value: 'All cores.' }]));
  ok(await service.admin.put(`/v1/tables/${id}/followers`, ok(await service.admin.get('/v1/users/name/admin')).id));
  const later = await answerOf('changes', { scope: `${schema}.core`, from: String(startedAt) });
  const { at: _, ...described } = later.changes.find(({ change }: { change: string }) => change === 'described');
  assert.equal(described, {
    change: 'described',
    type: 'table',
    fqn: `${schema}.core`,
    by: 'admin',
    before: 'All core.',
    after: 'All cores.',
  });
  const { isError, text } = await call('changes', { scope: `${schema}.cor`, from: String(startedAt) });
  assert.ok(isError);
  assert.ok(text.includes(`${schema}.cor not found\nDid you mean table ${schema}.core`), text);
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
    ['search', { query: 'x', type: 'tabel' }, /type "tabel" is unknown/],
    ['health', { list: 'nothing' }, /list must be one of cycles, orphans/],
    ['health', { skip: 3 }, /skip must be given together with list/],
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

test('a resource is a page, and prompts are filled in', async () => {
  const uri = `tributary://asset/table/${encodeURIComponent(`${schema}.raw`)}`;
  const { contents } = await client.readResource({ uri });
  assert.match(String((contents[0] as { text: string }).text), /^_.* data that others wrote.*_\n\n# raw\n/);
  const prompt = await client.getPrompt({ name: 'review_migration', arguments: { migration: 'DROP TABLE raw' } });
  assert.match(JSON.stringify(prompt.messages[0]), /DROP TABLE raw/);
});

test('a client that lists all resources gets each of them once, and those alone that it may see', async () => {
  const tag = uniqueName('Listed');
  ok(await service.admin.post('/v1/tags', { name: tag, classification: 'PII', description: 'x' }), 201);
  const tags = [{ tagFQN: `PII.${tag}`, source: 'Classification', labelType: 'Manual', state: 'Confirmed' }];
  const names = Array.from({ length: 260 }, (_, at) => `listed_${at + 100}`);
  const rows = names.map((name) => ({ name, databaseSchema: schema, columns: [], tags }));
  assert.is(ok(await service.admin.put('/v1/tables/bulk', rows)).numberOfRowsPassed, names.length);
  const rule = { effect: 'deny' as const, operations: ['All'], condition: `!matchAnyTag('PII.${tag}')` };
  const { name } = await createRightsFactory(service).person([rule]);
  const reader = await connectMcp(service, await service.token(name));
  const { resources } = await reader.listResources();
  assert.equal(
    resources.map(({ uri }) => uri),
    names.map((table) => `tributary://asset/table/${encodeURIComponent(`${schema}.${table}`)}`),
  );
  await reader.close();
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
  const reader = await connectMcp(service, await service.token(name));
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

test('an asset should have the tier of what it is made from, and a column its description', async () => {
  const { id } = ok(await service.admin.get(`/v1/tables/name/${schema}.core`));
  const changes = [
    { op: 'add', path: '/tags', value: [{ tagFQN: 'Tier.Tier2', source: 'Classification' }] },
    { op: 'add', path: '/columns/0/description', value: 'What was paid.' },
  ];
  ok(await service.admin.patch(`/v1/tables/${id}`, changes));
  const asked = { scope: `${schema}.mart` };
  const { assets, property } = await answerOf('inherited_labels', { ...asked, property: 'tier' });
  assert.is(property, 'tier');
  const reason = `${schema}.core → ${schema}.mart`;
  const common = { state: 'missing', confidence: 1 };
  assert.equal(assets, [{ asset: `${schema}.mart`, type: 'table', value: 'Tier.Tier2', because: reason, ...common }]);
  const { columns } = await answerOf('inherited_labels', { ...asked, property: 'description' });
  const because = `${schema}.core.amount → ${schema}.mart.revenue`;
  assert.equal(columns, [{ column: `${schema}.mart.revenue`, value: 'What was paid.', because, ...common }]);
});

test.run();
