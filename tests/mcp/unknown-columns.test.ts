import type { Client } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { callTool, connectMcp, toolRefusal } from '../support/mcp-client.ts';
import { openService, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that every tool suggests the nearest column in place of one that the asset does not have. */

const test = suite('mcp: unknown columns');

const NEAR = 'Did you mean total?';

let client: Client;
let raw: string;

test.before(async () => {
  const service = await openService();
  const name = uniqueName('mcpcolumn');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  const columns = [
    { name: 'total', dataType: 'INT' },
    { name: 'address', dataType: 'STRUCT', children: [{ name: 'city', dataType: 'STRING' }] },
  ];
  for (const table of ['raw', 'mart'])
    ok(await service.admin.post('/v1/tables', { name: table, databaseSchema: `${name}.db.public`, columns }), 201);
  raw = `${name}.db.public.raw`;
  client = await connectMcp(service, await service.token('admin'), { 'x-tributary-mcp-write': 'on' });
});

test.after(() => client.close());

const expectSuggestion = async (name: string, given: Record<string, unknown>, hint: string): Promise<void> => {
  const told = await toolRefusal(client, name, given);
  assert.ok(told.includes(hint), `${name}: ${told}`);
};

test('tools that read suggest the nearest column', async () => {
  for (const name of ['lineage', 'trail', 'impact']) {
    await expectSuggestion(name, { fqn: raw, column: 'totl' }, NEAR);
    await expectSuggestion(name, { fqn: raw, column: `${raw}.totl` }, `Did you mean ${raw}.total?`);
    await expectSuggestion(name, { fqn: raw, column: 'adress.city' }, 'Did you mean address.city?');
    const told = await toolRefusal(client, name, { fqn: raw, column: 'nothing_of_the_kind' });
    assert.not.match(told, /Did you mean/);
  }
  await expectSuggestion('paths', { from: `${raw}.totl`, to: raw.replace('raw', 'mart') }, NEAR);
});

test('a proposed change suggests the column that it may mean', async () => {
  for (const change of ['DROP COLUMN totl', 'RENAME COLUMN totl TO sum', 'ALTER COLUMN totl TYPE BIGINT'])
    await expectSuggestion('check_change', { fqn: raw, proposal: `ALTER TABLE raw ${change}` }, NEAR);
});

test('tools that write suggest the nearest column', async () => {
  const mart = raw.replace('raw', 'mart');
  await expectSuggestion(
    'describe',
    { fqn: raw, column: 'adress.city', description: 'x' },
    'Did you mean address.city?',
  );
  await expectSuggestion(
    'tag',
    { fqn: raw, column: `${raw}.totl`, tag: 'PII.Sensitive' },
    `Did you mean ${raw}.total?`,
  );
  await expectSuggestion('add_edge', { from: raw, to: mart, columns: [{ from: 'totl', to: 'total' }] }, NEAR);
});

test('another letter case is understood, or answered by the right one', async () => {
  for (const [name, given] of [
    ['lineage', { fqn: raw, column: 'TOTAL' }],
    ['trail', { fqn: raw, column: 'TOTAL' }],
    ['impact', { fqn: raw, column: 'TOTAL' }],
    ['describe', { fqn: raw, column: 'TOTAL', description: 'x' }],
    ['check_change', { fqn: raw, proposal: 'ALTER TABLE raw DROP COLUMN "TOTAL"' }],
  ] as const) {
    const { isError, text } = await callTool(client, name, given);
    assert.ok(!isError || text.includes(NEAR), `${name}: ${text}`);
  }
});

test.run();
