import type { Client } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that every answer fits its budget, whatever the catalog holds, and says what it left out and how to get it. */

const test = suite('mcp: budget of answers');

const COLUMNS = 3600;
/** More on each side than are read at once, and more in all than one question about changes looks at. */
const NEIGHBOURS = 2400;
const TRAIL = 24;
const CHARACTERS_PER_TOKEN = 3;
const BUDGETS = [300, 4000];

let service: Service;
let schema: string;
let client: Client;

const columnsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `column_${at}`, dataType: 'INT' }));

const createTable = async (name: string, count: number, description: string) =>
  ok(
    await service.admin.post('/v1/tables', { name, databaseSchema: schema, description, columns: columnsOf(count) }),
    201,
  );

const putEdges = async (edges: readonly object[]): Promise<void> => {
  for (let at = 0; at < edges.length; at += 1000) {
    const { numberOfRowsFailed } = ok(await service.admin.put('/v1/lineage/bulk', edges.slice(at, at + 1000)));
    assert.is(numberOfRowsFailed, 0);
  }
};

const edgeBetween = (from: string, to: string, columnsLineage: readonly object[] = []) => ({
  fromEntity: { type: 'table', fullyQualifiedName: `${schema}.${from}` },
  toEntity: { type: 'table', fullyQualifiedName: `${schema}.${to}` },
  lineageDetails: { columnsLineage },
});

/** A hub with its neighbours, half of them upstream. */
const createHub = async (): Promise<void> => {
  await createTable('hub', 1, 'The hub.');
  const names = Array.from({ length: NEIGHBOURS }, (_, at) => `neighbour_${at}`);
  const tables = names.map((name) => ({ name, databaseSchema: schema, columns: columnsOf(1) }));
  for (let at = 0; at < tables.length; at += 1000) {
    ok(await service.admin.put('/v1/tables/bulk', tables.slice(at, at + 1000)));
  }
  await putEdges(names.map((name, at) => (at % 2 === 0 ? edgeBetween(name, 'hub') : edgeBetween('hub', name))));
};

/** A chain of tables in which each column is made from all of the table before it. */
const createTrail = async (): Promise<void> => {
  const width = 12;
  const names = Array.from({ length: TRAIL }, (_, at) => `stage_${at}`);
  for (const name of names) await createTable(name, width, 'A stage.');
  const mappings = (from: string, to: string) =>
    columnsOf(width).map(({ name }) => ({
      fromColumns: columnsOf(width).map((column) => `${schema}.${from}.${column.name}`),
      toColumn: `${schema}.${to}.${name}`,
      function: `coalesce(${'x'.repeat(500)})`,
    }));
  await putEdges(
    names.slice(1).map((name, at) => {
      const before = names[at] ?? '';
      return edgeBetween(before, name, mappings(before, name));
    }),
  );
};

type Omission = { readonly list: string; readonly count?: number; readonly more: string };

/** How an answer says that its list goes on: what was read and did not fit, and what was not read. */
const goesOn = (list: string): RegExp =>
  new RegExp(`list=${list} and skip=\\d+, or raise maxTokens|^raise maxTokens|^offset=\\d+|^there may be longer ones`);

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
const parse = (texts: readonly string[]): any => JSON.parse(texts.at(-1) ?? '');

/** Asks with several budgets, and demands of each answer that it fits. Returns the last. */
const askWithin = async (name: string, given: Record<string, unknown>) => {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  let last: any;
  for (const maxTokens of BUDGETS) {
    const { isError, texts, text } = await callTool(client, name, { ...given, maxTokens });
    const title = `${name} ${JSON.stringify(given)} with ${maxTokens} tokens`;
    assert.ok(text.length <= maxTokens * CHARACTERS_PER_TOKEN, `${title}: ${text.length} characters`);
    if (isError) assert.match(text, /maxTokens must be at least \d+/, title);
    else {
      last = parse(texts);
      for (const { list, count, more } of (last.omitted ?? []) as Omission[]) {
        assert.ok(count === undefined || count > 0, title);
        assert.match(more, goesOn(list), title);
      }
    }
  }
  assert.ok(last, `${name} refuses every budget`);
  return last;
};

/** Reads a list to its end by what each answer says of the rest. */
const readAll = async (name: string, given: Record<string, unknown>, list: string): Promise<unknown[]> => {
  const rows: unknown[] = [];
  for (let calls = 0; calls < 100; calls += 1) {
    const { texts } = await callTool(client, name, { ...given, list, skip: rows.length, maxTokens: 20_000 });
    const answer = parse(texts);
    rows.push(...answer[list]);
    if (answer.omitted === undefined) return rows;
    assert.match(answer.omitted[0].more, new RegExp(`list=${list} and skip=${rows.length},`));
  }
  throw new Error(`${list} has no end`);
};

test.before(async () => {
  service = await openService();
  const name = uniqueName('budget');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  schema = `${name}.db.public`;
  client = await connectMcp(service, await service.token('admin'));
  await client.listTools();
});

test.after(() => client.close());

test('a table of 3,600 columns is read to its last column', async () => {
  await createTable('wide', COLUMNS, 'Wide.');
  const given = { fqn: `${schema}.wide` };
  const { columns, omitted } = await askWithin('get_asset', given);
  const rest = omitted.find(({ list }: Omission) => list === 'columns');
  assert.ok(columns.length > 100);
  assert.is(columns.length + rest.count, COLUMNS);
  const all = (await readAll('get_asset', given, 'columns')) as { name: string }[];
  assert.is(new Set(all.map(({ name }) => name)).size, COLUMNS);
  for (const tool of ['lineage', 'impact', 'root_cause', 'owners']) await askWithin(tool, given);
  await askWithin('trail', { ...given, column: 'column_3599' });
  const proposal = JSON.stringify(columnsOf(400));
  const checked = await askWithin('check_change', { ...given, proposal });
  assert.is(checked.verdict, 'ok');
});

test('a hub of 2,400 neighbours is read to its last neighbour', async () => {
  await createHub();
  const given = { fqn: `${schema}.hub` };
  const { assets, edges, omitted, truncated } = await askWithin('lineage', given);
  assert.is(truncated, false);
  const counts = Object.fromEntries(omitted.map(({ list, count }: Omission) => [list, count]));
  assert.equal([assets.length + counts['assets'], edges.length + counts['edges']], [NEIGHBOURS + 1, NEIGHBOURS]);
  const all = (await readAll('lineage', given, 'assets')) as { fqn: string }[];
  assert.is(new Set(all.map(({ fqn }) => fqn)).size, NEIGHBOURS + 1);
  for (const tool of ['get_asset', 'impact', 'root_cause']) await askWithin(tool, given);
  await askWithin('changes', { scope: schema, from: '2020-01-01' });
  await askWithin('health', { scope: schema });
  await askWithin('paths', { from: `${schema}.neighbour_0`, to: `${schema}.neighbour_1` });
  await askWithin('search', { query: 'neighbour*', limit: 50 });
});

test('an enormous description is cut, and what follows it is not lost', async () => {
  for (const [name, description] of [
    ['talks_on', 'word '.repeat(20_000)],
    ['talks_lines', 'A line of words.\n'.repeat(5000)],
  ] as const) {
    await createTable(name, 30, description);
    const given = { fqn: `${schema}.${name}` };
    await askWithin('get_asset', given);
    const { texts } = await callTool(client, 'get_asset', given);
    assert.is(parse(texts).columns.length, 30);
    const isOneLine = name === 'talks_on';
    if (isOneLine) assert.match(texts[0] ?? '', /more characters; raise maxTokens/);
    else assert.is(parse(texts).omitted[0].list, 'page');
    for (const tool of ['lineage', 'impact', 'root_cause', 'owners']) await askWithin(tool, given);
    await askWithin('changes', { scope: given.fqn, from: '2020-01-01' });
    await askWithin('search', { query: `name:${name}` });
  }
});

test('an enormous trail is read to its last step', async () => {
  await createTrail();
  const given = { fqn: `${schema}.stage_${TRAIL - 1}`, column: 'column_0' };
  const { origins, steps, omitted } = await askWithin('trail', given);
  assert.is(origins.length, 12);
  const rest = omitted.find(({ list }: Omission) => list === 'steps');
  const count = 12 + (TRAIL - 2) * 144;
  assert.is(steps.length + rest.count, count);
  assert.is((await readAll('trail', given, 'steps')).length, count);
  await askWithin('lineage', { ...given, depth: 50 });
  await askWithin('impact', { fqn: `${schema}.stage_0`, column: 'column_0' });
  await askWithin('paths', { from: `${schema}.stage_0.column_0`, to: `${given.fqn}.column_0`, limit: 100 });
});

test('a long refusal is cut', async () => {
  const { isError, text } = await callTool(client, 'changes', { scope: schema, from: 'x'.repeat(3000) });
  assert.ok(isError);
  assert.ok(text.length < 2000, text);
});

test('a writing tool cuts what it shows', async () => {
  await createTable('rewritten', 1, 'word '.repeat(20_000));
  const writer = await connectMcp(service, await service.token('admin'), { 'x-tributary-mcp-write': 'on' });
  const description = 'new '.repeat(4900);
  const { isError, text } = await callTool(writer, 'describe', { fqn: `${schema}.rewritten`, description });
  assert.is(isError, false);
  assert.ok(text.length <= 4000 * CHARACTERS_PER_TOKEN);
  assert.match(text, /more characters; raise maxTokens/);
  await writer.close();
});

test.run();
