import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as assert from 'uvu/assert';
import { TRIBUTARY } from '../support/program.ts';
import { createShop, openShell, SHOP_SCHEMA, type Shell } from '../support/shell.ts';
import { suite } from '../support/suite.ts';

/** Shows how the shell compares lineage at two times, and how an assistant that starts it asks the service. */

const test = suite('cli: diff and mcp');

let shell: Shell;
let before: number;

const table = (name: string) => ({ type: 'table', fullyQualifiedName: `${SHOP_SCHEMA}.${name}` });

test.before(async () => {
  shell = await openShell();
  await createShop(shell);
  for (const name of ['orders', 'daily']) {
    const columns = [{ name: 'id', dataType: 'INT' }];
    await shell.send('POST', 'tables', { name, databaseSchema: SHOP_SCHEMA, columns });
  }
  before = Date.now();
  await sleep(2);
  const columnsLineage = [{ fromColumns: [`${SHOP_SCHEMA}.orders.id`], toColumn: `${SHOP_SCHEMA}.daily.id` }];
  const edge = { fromEntity: table('orders'), toEntity: table('daily'), lineageDetails: { columnsLineage } };
  await shell.send('PUT', 'lineage', { edge });
});

test.after(() => shell.stop());

test('a diff shows what came and what went, and tells by --exit-code that something differs', async () => {
  const period = ['--from', String(before)];
  const came = await shell.run('diff', `${SHOP_SCHEMA}.orders`, ...period);
  assert.equal(came, {
    code: 0,
    stderr: '',
    stdout: [
      `+ ${SHOP_SCHEMA}.orders → ${SHOP_SCHEMA}.daily`,
      `+   ${SHOP_SCHEMA}.orders.id → ${SHOP_SCHEMA}.daily.id`,
      '',
    ].join('\n'),
  });
  assert.is((await shell.run('diff', `${SHOP_SCHEMA}.orders`, ...period, '--exit-code')).code, 1);
  const went = await shell.run('diff', `${SHOP_SCHEMA}.orders`, '--from', String(Date.now()), '--to', String(before));
  assert.match(went.stdout, /^- shop_db\.shop\.public\.orders → shop_db\.shop\.public\.daily\n/);
  const same = await shell.run('diff', `${SHOP_SCHEMA}.orders`, '--from', '2020-01-01', '--to', '2020-01-02');
  assert.equal(same, { code: 0, stdout: '', stderr: 'The lineage is the same at both times.\n' });
  const told = JSON.parse((await shell.run('diff', `${SHOP_SCHEMA}.orders`, ...period, '--json')).stdout);
  assert.is(told.added.edges.length, 1);
  assert.is((await shell.run('diff', `${SHOP_SCHEMA}.orders`)).code, 2);
});

const connectAssistant = async (flags: readonly string[] = [], options: ClientOptions = {}): Promise<Client> => {
  const env = Object.fromEntries(
    Object.entries(await shell.variables()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const args = [TRIBUTARY, 'mcp', ...flags];
  const client = new Client({ name: 'assistant', version: '1.0.0' }, options);
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return client;
};

const toolsOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

const ERAS = {
  legacy: {},
  modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const;

for (const [era, options] of Object.entries(ERAS)) {
  test(`an assistant that starts the shell lists the tools of the service and calls one, in the ${era} era`, async () => {
    const client = await connectAssistant([], options);
    try {
      assert.is(client.getProtocolEra(), era);
      const tools = await toolsOf(client);
      assert.equal([tools.includes('get_asset'), tools.includes('describe')], [true, false]);
      const answer = await client.callTool({ name: 'get_asset', arguments: { fqn: `${SHOP_SCHEMA}.orders` } });
      assert.match(JSON.stringify(answer.content), /orders/);
    } finally {
      await client.close();
    }
  });
}

const modern = (id: number, method: string, params: object = {}, version = '2026-07-28') => {
  const prefix = 'io.modelcontextprotocol/';
  const envelope = { [`${prefix}protocolVersion`]: version, [`${prefix}clientCapabilities`]: {} };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } };
};

test('each message of the new version goes with its own headers, whatever its names are', async () => {
  const uri = 'tributary://asset/table/';
  const messages = [
    modern(1, 'resources/read', { uri: `${uri}bücher` }),
    modern(2, 'resources/read', { uri: `${uri}=?base64?YQ==?=` }),
    modern(3, 'prompts/get', { name: ' review_migration' }),
    modern(4, 'tools/list', {}, '2099-01-01'),
    modern(5, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
    modern(6, 'tools/call', { name: 'owners', arguments: { fqn: `${SHOP_SCHEMA}.orders` } }),
    modern(7, 'tools/call', { name: 'owners', arguments: { fqn: `${SHOP_SCHEMA}.orders` } }),
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } },
  ];
  const { code, stdout, stderr } = await shell.pipe(messages.map((one) => `${JSON.stringify(one)}\n`).join(''), 'mcp');
  assert.equal([code, stderr], [0, '']);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(
    answers
      .filter(({ id }) => id !== undefined)
      .map(({ id, error }) => [id, error?.code])
      .sort(([one], [other]) => one - other),
    [
      [1, -32602],
      [2, -32602],
      [3, -32602],
      [4, -32022],
      [5, undefined],
      [6, undefined],
    ],
    'the withdrawn request is not answered',
  );
  assert.equal(
    answers.filter(({ id }) => id === undefined).map(({ method }) => method),
    ['notifications/subscriptions/acknowledged'],
  );
});

test('the tools that write are offered only where the command line asks for them', async () => {
  const client = await connectAssistant(['--write']);
  try {
    assert.ok((await toolsOf(client)).includes('describe'));
  } finally {
    await client.close();
  }
});

test('the end of the input ends it, after everything was answered', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const { code, stdout, stderr } = await shell.pipe(`no message\n${message}\n`, 'mcp');
  assert.is(code, 0);
  assert.equal(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    [1],
  );
  assert.match(stderr, /A message was not understood/);
});

test('a service that does not answer, or refuses the token, is told in words and without the token', async () => {
  const nobody = await shell.run('mcp', '--server', 'http://127.0.0.1:1');
  assert.equal([nobody.code, nobody.stdout], [1, '']);
  assert.match(nobody.stderr, /No service answers at http:\/\/127\.0\.0\.1:1/);
  const refused = await shell.run('mcp', '--token', 'secret-token');
  assert.equal([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /answered 401/);
  assert.not.match(refused.stderr, /secret-token/);
});

test.run();
