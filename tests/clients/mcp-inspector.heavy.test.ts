import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { TRIBUTARY } from '../support/program.ts';
import { createShop, openShell, SHOP_SCHEMA, type Shell } from '../support/shell.ts';
import { suite } from '../support/suite.ts';
import { ENVIRONMENTS } from './environments.ts';
import { runNodeProgram } from './node.ts';

/**
 * Shows what the published inspector of the Model Context Protocol sees of a service, over HTTP and over
 * `tributary mcp`. The inspector refuses structured content that is not as the tool declares.
 */

const test = suite('clients: published inspector of MCP');

/** The codes by which the inspector ends when a tool refuses a call, and when the server does not offer it. */
const CALL_FAILED = 5;

const ORDERS = `${SHOP_SCHEMA}.orders`;
const DAILY = `${SHOP_SCHEMA}.daily`;

type Named = { readonly name: string; readonly uri?: string };

type Called = {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: JsonObject;
};

type Answered = Partial<Record<'tools' | 'resources' | 'prompts', readonly Named[]>> & Called;

const provided = await ENVIRONMENTS.mcpInspector();

if ('missing' in provided) {
  test.skipped('the inspector over HTTP and over standard input', provided.missing);
  test('a skipped run has a reason', () => assert.ok(provided.missing.length > 0));
} else {
  let shell: Shell;
  let reader: string;

  /** How the inspector reaches the service, as whom, and whether it is configured to write. */
  type Connection = { readonly transport: string; readonly token?: string; readonly isWriter?: boolean };

  const connect = async ({ transport, token, isWriter = false }: Connection): Promise<readonly string[]> => {
    const { TRIBUTARY_TOKEN } = await shell.variables();
    const given = token ?? TRIBUTARY_TOKEN;
    const { address } = shell.service;
    if (transport === 'stdio') {
      const variables = ['-e', `TRIBUTARY_SERVER=${address}`, '-e', `TRIBUTARY_TOKEN=${given}`];
      const command = [process.execPath, TRIBUTARY, 'mcp'];
      return isWriter ? [...variables, '--', ...command, '--write'] : [...variables, '--', ...command];
    }
    const headers = [`Authorization: Bearer ${given}`, ...(isWriter ? ['X-Tributary-Mcp-Write: on'] : [])];
    return ['--transport', 'http', ...headers.flatMap((header) => ['--header', header]), '--', `${address}/mcp`];
  };

  const inspect = async (connection: Connection, method: string, ...args: readonly string[]) => {
    const given = ['--cli', '--format', 'json', '--method', method, ...args, ...(await connect(connection))];
    const env = { MCP_STORAGE_DIR: join(shell.folder, 'inspector') };
    return runNodeProgram(provided.folder, 'mcp-inspector', given, shell.folder, env);
  };

  const call = (connection: Connection, tool: string, values: JsonObject) =>
    inspect(connection, 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(values));

  const resultOf = (output: string): Answered => (JSON.parse(output) as { readonly result: Answered }).result;

  const answerOf = async (run: ReturnType<typeof inspect>): Promise<Answered> => {
    const { code, output, errors } = await run;
    assert.is(code, 0, `${errors}\n${output}`);
    return resultOf(output);
  };

  const namesOf = (list: readonly Named[] | undefined): readonly string[] => (list ?? []).map(({ name }) => name);

  test.before(async () => {
    shell = await openShell();
    await createShop(shell);
    const columns = [{ name: 'id', dataType: 'INT' }];
    for (const name of ['orders', 'daily'])
      await shell.send('POST', 'tables', { name, databaseSchema: SHOP_SCHEMA, columns });
    const bot = (await shell.send('POST', 'users', {
      name: 'reader',
      email: 'reader@example.com',
      isBot: true,
    })) as { readonly id: string };
    const issued = await shell.send('PUT', `users/generateToken/${bot.id}`, { JWTTokenExpiry: 'OneHour' });
    reader = (issued as { readonly JWTToken: string }).JWTToken;
  });

  test.after(() => shell.stop());

  for (const transport of ['http', 'stdio']) {
    test(`tools, resources and prompts are listed, over ${transport}`, async () => {
      const tools = namesOf((await answerOf(inspect({ transport }, 'tools/list', '--strict'))).tools);
      assert.ok(tools.includes('get_asset') && tools.includes('check_change'), tools.join());
      assert.not.ok(tools.includes('describe'), 'writing is off');
      const { resources = [] } = await answerOf(inspect({ transport }, 'resources/list'));
      assert.ok(resources.some(({ uri }) => uri === `tributary://asset/table/${ORDERS}`));
      const { prompts } = await answerOf(inspect({ transport }, 'prompts/list'));
      assert.equal(namesOf(prompts), ['review_migration', 'why_is_this_number_wrong']);
    });

    test(`a reading tool answers as it declares, over ${transport}`, async () => {
      const { content, structuredContent } = await answerOf(call({ transport }, 'get_asset', { fqn: ORDERS }));
      const { page, ...rest } = structuredContent ?? {};
      assert.equal([rest['type'], rest['fqn']], ['table', ORDERS]);
      assert.equal([content[0]?.text, JSON.parse(content[1]?.text ?? '')], [page, rest]);
    });

    test(`a writing tool is refused where writing is off, and to who may not edit, over ${transport}`, async () => {
      const values = { from: ORDERS, to: DAILY };
      const off = await call({ transport }, 'add_edge', values);
      assert.is(off.code, CALL_FAILED);
      assert.match(off.errors, /tool_not_found/);
      const { structuredContent } = await answerOf(call({ transport, isWriter: true }, 'add_edge', values));
      assert.equal([structuredContent?.['isNew'], structuredContent?.['dryRun']], [true, true]);
      const writing = { ...values, dryRun: false, revision: structuredContent?.['revision'] ?? '' };
      const refused = await call({ transport, token: reader, isWriter: true }, 'add_edge', writing);
      assert.is(refused.code, CALL_FAILED, refused.output);
      const { isError, content } = resultOf(refused.output);
      assert.is(isError, true);
      assert.match(content[0]?.text ?? '', /EditLineage\] not allowed/);
      const { edges } = (await shell.send('GET', `lineage/graph?type=table&fqn=${ORDERS}`)) as { readonly edges: [] };
      assert.equal(edges, []);
    });

    test(`a wrong token is no connection, over ${transport}`, async () => {
      const { code, output } = await inspect({ transport, token: 'wrong' }, 'tools/list');
      assert.is.not(code, 0);
      assert.is(output, '');
    });
  }
}

test.run();
