import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { TRIBUTARY } from '../support/program.ts';
import { suite } from '../support/suite.ts';
import { ENVIRONMENTS } from './environments.ts';
import { type SeededService, startSeededService } from './mcp-clients.ts';
import { runScript } from './python.ts';

/**
 * Shows what the published Python client of the Model Context Protocol sees of a service with the sample company, over
 * HTTP and over `tributary mcp`. The client refuses structured content that is not as the tool declares.
 */

const test = suite('clients: published Python client of MCP');

const provided = await ENVIRONMENTS.mcp();

const ORDERS = 'shop_postgres.shop.sales.orders';
const REVENUE = 'warehouse_snowflake.ANALYTICS.MARTS.REVENUE_DAILY';
const DASHBOARD = 'metabase.management';

const READING: readonly (readonly [string, JsonObject])[] = [
  ['search', { query: 'columns.tags.tagFQN:PII.Sensitive' }],
  ['get_asset', { fqn: ORDERS }],
  ['get_asset', { fqn: DASHBOARD }],
  ['owners', { fqn: ORDERS }],
  ['lineage', { fqn: ORDERS }],
  ['lineage', { fqn: ORDERS, column: 'total' }],
  ['trail', { fqn: REVENUE, column: 'NET_EUR' }],
  ['paths', { from: ORDERS, to: DASHBOARD }],
  ['inherited_labels', { tag: 'PII.Sensitive', scope: 'warehouse_snowflake' }],
  ['label_flows', { tag: 'PII' }],
  ['important_assets', { type: 'table' }],
  ['single_points', { scope: 'warehouse_snowflake' }],
  ['communities', {}],
  ['lineage_agreement', { scope: 'warehouse_snowflake' }],
  ['promises', { type: 'dataProduct', fqn: 'sales-figures' }],
  ['impact', { fqn: ORDERS, column: 'total' }],
  ['impact', { fqn: ORDERS, only: 'dashboard' }],
  ['check_change', { fqn: ORDERS, proposal: 'ALTER TABLE orders DROP COLUMN total' }],
  ['changes', { scope: 'warehouse_snowflake.ANALYTICS.MARTS', from: '2020-01-01' }],
  [
    'what_if',
    {
      changes: JSON.stringify([{ op: 'removeAsset', entity: { type: 'table', fullyQualifiedName: ORDERS } }]),
      fqn: REVENUE,
    },
  ],
  ['root_cause', { fqn: DASHBOARD }],
  ['health', {}],
  ['graph_schema', { label: 'Table' }],
  ['ask_graph', { query: 'MATCH (t:Table) RETURN t.name AS name ORDER BY name LIMIT 3' }],
];

const WRITING: readonly (readonly [string, JsonObject])[] = [
  ['describe', { fqn: ORDERS, description: 'Orders.' }],
  ['tag', { fqn: ORDERS, tag: 'PII.Sensitive' }],
  ['assign', { fqn: ORDERS, owner: 'jonas', mode: 'add' }],
  ['add_edge', { from: ORDERS, to: REVENUE }],
];

const REFUSED: readonly (readonly [string, JsonObject, RegExp])[] = [
  ['get_asset', { fqn: 'shop_postgres.shop.sales.order' }, /not found/],
  ['lineage', { fqn: ORDERS, depth: 900 }, /Bad arguments: depth/],
  ['describe', { fqn: ORDERS, description: 'Orders.' }, /this connection only reads/],
];

type Seen = {
  readonly error?: string;
  readonly message?: string;
  readonly version: string;
  readonly server: string;
  readonly tools: readonly { readonly name: string; readonly hasOutput: boolean }[];
  readonly resources: readonly string[];
  readonly templates: readonly string[];
  readonly prompts: readonly string[];
  readonly calls: readonly {
    readonly tool: string;
    readonly error?: string;
    readonly message?: string;
    readonly isError: boolean;
    readonly texts: readonly string[];
    readonly structured: JsonObject | null;
  }[];
  readonly page: string;
  readonly filled: readonly string[];
};

const namesOf = (calls: readonly (readonly [string, ...unknown[]])[]) => [...new Set(calls.map(([name]) => name))];

if ('missing' in provided) {
  test.skipped('the Python client over HTTP and over standard input', provided.missing);
  test('a skipped run has a reason', () => assert.ok(provided.missing.length > 0));
} else {
  let service: SeededService;

  /** Where the client connects to, with a token or none, and whether it is configured to write. */
  const placeOf = (transport: string, token: string | undefined, isWriter: boolean) => {
    if (transport === 'stdio') {
      const args = [TRIBUTARY, 'mcp', ...(isWriter ? ['--write'] : [])];
      return { server: { command: process.execPath, args, env: service.env(token ?? '') } };
    }
    const headers = {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(isWriter ? { 'X-Tributary-Mcp-Write': 'on' } : {}),
    };
    return { url: `${service.address}/mcp`, headers };
  };

  type RunOptions = { readonly token?: string; readonly isWriter?: boolean; readonly mode?: 'auto' | 'legacy' };

  const run = async (
    transport: string,
    calls: readonly (readonly [string, JsonObject, ...unknown[]])[],
    { token, isWriter = false, mode = 'auto' }: RunOptions = { token: service.token },
  ): Promise<Seen> => {
    const given = {
      mode,
      ...placeOf(transport, token, isWriter),
      calls: calls.map(([name, values]) => [name, values]),
      resource: `tributary://asset/table/${ORDERS}`,
      prompts: [
        ['review_migration', { migration: 'DROP TABLE orders' }],
        ['why_is_this_number_wrong', { fqn: REVENUE, column: 'NET_EUR' }],
      ],
    };
    const output = await runScript(provided.python, 'mcp_client.py', [transport, JSON.stringify(given)]);
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Seen;
  };

  const expectAnswers = (seen: Seen): void => {
    assert.is(seen.error, undefined, seen.message ?? '');
    for (const { tool, error, message, isError, texts, structured } of seen.calls) {
      assert.is(error, undefined, `${tool}: ${message}`);
      assert.is(isError, false, `${tool}: ${texts?.join('\n')}`);
      const { page, ...rest } = structured ?? {};
      assert.equal(JSON.parse(texts.at(-1) ?? ''), rest, tool);
      if (page !== undefined) assert.is(texts[0], page);
    }
  };

  test.before(async () => {
    service = await startSeededService();
  });

  test.after(() => service.stop());

  for (const transport of ['http', 'stdio']) {
    test(`every reading tool answers as it declares, over ${transport}`, async () => {
      const seen = await run(transport, READING);
      expectAnswers(seen);
      assert.equal([seen.server, seen.version], ['tributary', '2026-07-28']);
      assert.equal(
        seen.tools.map(({ name }) => name).sort(),
        namesOf(READING).sort(),
        'every tool that is listed is called',
      );
      assert.ok(seen.tools.every(({ hasOutput }) => hasOutput));
      assert.ok(seen.resources.length > 0);
      assert.equal(seen.templates, ['tributary://asset/{type}/{fqn}']);
      assert.equal(seen.prompts, ['review_migration', 'why_is_this_number_wrong']);
      assert.match(seen.page, /^# Orders\n/m);
      assert.match(seen.filled[0] ?? '', /DROP TABLE orders/);
      assert.match(seen.filled[1] ?? '', /REVENUE_DAILY \(NET_EUR\)/);
    });

    test(`a client that insists on a handshake is answered alike, over ${transport}`, async () => {
      const calls = READING.slice(0, 3);
      const [recent, old] = await Promise.all([
        run(transport, calls),
        run(transport, calls, { token: service.token, mode: 'legacy' }),
      ]);
      assert.equal([recent.version, old.version], ['2026-07-28', '2025-11-25']);
      assert.equal({ ...old, version: recent.version }, recent);
    });

    test(`refusals are answers, over ${transport}`, async () => {
      const { calls } = await run(transport, REFUSED);
      assert.is(calls.length, REFUSED.length);
      calls.forEach(({ tool, isError, texts }, at) => {
        assert.ok(isError, tool);
        assert.match(texts.join('\n'), REFUSED[at]?.[2] ?? /never/);
      });
    });

    test(`writing tools are there when the connection is configured to write, over ${transport}`, async () => {
      const seen = await run(transport, WRITING, { token: service.token, isWriter: true });
      expectAnswers(seen);
      assert.equal(seen.tools.map(({ name }) => name).sort(), [...namesOf(READING), ...namesOf(WRITING)].sort());
      assert.ok(seen.calls.every(({ structured }) => structured?.['dryRun'] === true));
    });

    test(`a wrong token is no connection, over ${transport}`, async () => {
      const seen = await run(transport, [], { token: 'wrong' });
      assert.ok(seen.error, JSON.stringify(seen));
      assert.ok((seen.message ?? '').length > 0);
    });
  }

  test('no token is no connection', async () => {
    const seen = await run('http', [], {});
    assert.ok(seen.error, JSON.stringify(seen));
  });
}

test.run();
