import type { Client } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import { createPerson, ok } from '../support/expect.ts';
import { connectMcp, toolAnswer, toolRefusal } from '../support/mcp-client.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a tool that is asked about a person, tag, domain, service or scope that there is not says so. */

const test = suite('mcp: unknown names');

let service: Service;
let client: Client;
let schema: string;
let person: string;
let tag: string;

const NOBODY = 'nobodyatall';

test.before(async () => {
  service = await openService();
  const name = uniqueName('unknown');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  schema = `${name}.db.public`;
  const columns = [{ name: 'knowncolumn', dataType: 'INT' }];
  ok(await service.admin.post('/v1/tables', { name: 'orders', databaseSchema: schema, columns }), 201);
  person = (await createPerson(service, uniqueName('known'))).name;
  const classification = uniqueName('Unused').replaceAll('_', '');
  ok(await service.admin.post('/v1/classifications', { name: classification, description: 'Unused.' }), 201);
  ok(await service.admin.post('/v1/tags', { name: 'Tag', classification, description: 'Unused.' }), 201);
  tag = `${classification}.Tag`;
  client = await connectMcp(service, await service.token('admin'), { 'x-tributary-mcp-write': 'on' });
});

test.after(() => client.close());

const UNKNOWN: readonly (readonly [filter: string, says: RegExp])[] = [
  [`owners.name:${NOBODY}`, /user or team instance for nobodyatall not found/],
  [`owners.displayName:"Nobody at All"`, /user or team instance for Nobody at All not found/],
  ['tags.tagFQN:PII.Sensitiv', /tag or glossary term instance for PII\.Sensitiv not found/],
  ['columns.tags.tagFQN:Nothing.Like.This', /tag or glossary term instance for Nothing\.Like\.This not found/],
  ['tier.tagFQN:Tier.Tier99', /tag or glossary term instance for Tier\.Tier99 not found/],
  [`domains.name:${NOBODY}`, /domain instance for nobodyatall not found/],
  [`service.name:${NOBODY}`, /service instance for nobodyatall not found/],
  [`columns.name:${NOBODY}`, /column instance for nobodyatall not found/],
];

for (const [filter, says] of UNKNOWN) {
  test(`a search for ${filter} is refused, alone and among other words`, async () => {
    for (const query of [filter, `orders AND ${filter}`, `(${filter}) AND description:orders`]) {
      assert.match(await toolRefusal(client, 'search', { query }), says);
    }
  });
}

test('a search for what is known, and has nothing, is an empty list', async () => {
  const alone = 'zzqxyw';
  for (const query of [
    `owners.name:${person}`,
    `tags.tagFQN:${tag}`,
    `service.name:${schema.split('.')[0]} AND ${alone}`,
    `columns.name:knowncolumn AND ${alone}`,
    alone,
    `owners.name:${alone}*`,
    `description:${alone}`,
  ]) {
    const { hits, total } = await toolAnswer(client, 'search', { query });
    assert.equal([hits, total], [[], 0], query);
  }
});

test('a search that finds something says nothing of a filter without effect', async () => {
  const { total } = await toolAnswer(client, 'search', {
    query: `fullyQualifiedName:"${schema}" OR owners.name:${NOBODY}`,
  });
  assert.ok(total > 0);
});

test('a person that a policy hides is as unknown as one that there is not', async () => {
  const rights = createRightsFactory(service);
  const hidden = await createPerson(service, uniqueName('hidden'));
  const rule = { operations: ['ViewAll'], resources: ['user'], effect: 'deny' } as const;
  const limited = await connectMcp(service, await service.token((await rights.person([rule])).name));
  const message = await toolRefusal(limited, 'search', { query: `owners.name:${hidden.name}` });
  assert.match(message, /user or team instance for .* not found/);
  await limited.close();
});

test('a name in the place that was asked for is suggested before those elsewhere, however alike they are', async () => {
  const elsewhere = uniqueName('elsewhere');
  ok(await service.admin.post('/v1/services/databaseServices', { name: elsewhere, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: elsewhere }), 201);
  for (const name of ['public', 'a', 'b', 'c']) {
    ok(await service.admin.post('/v1/databaseSchemas', { name, database: `${elsewhere}.db` }), 201);
    const databaseSchema = `${elsewhere}.db.${name}`;
    ok(await service.admin.post('/v1/tables', { name: 'order', databaseSchema, columns: [] }), 201);
  }
  const database = schema.replace(/\.public$/, '');
  const place = ok(await service.admin.post('/v1/databaseSchemas', { name: 'a (1.0): b', database }), 201);
  const databaseSchema = place.fullyQualifiedName;
  ok(await service.admin.post('/v1/tables', { name: 'orders', databaseSchema, columns: [] }), 201);
  for (const there of [schema, databaseSchema]) {
    const message = await toolRefusal(client, 'get_asset', { fqn: `${there}.order` });
    assert.ok(message.includes(`Did you mean table ${there}.orders or `), message);
  }
});

const CALLS: readonly (readonly [tool: string, given: () => Record<string, unknown>, says: RegExp])[] = [
  ['search', () => ({ query: 'orders', type: NOBODY }), /type "nobodyatall" is unknown, expected one of/],
  ['get_asset', () => ({ fqn: `${schema}.order` }), /not found\nDid you mean table .*\.orders/],
  ['owners', () => ({ fqn: NOBODY }), /not found/],
  ['lineage', () => ({ fqn: NOBODY }), /not found/],
  ['paths', () => ({ from: NOBODY, to: `${schema}.orders` }), /not found/],
  ['inherited_labels', () => ({ tag: 'PII.Sensitiv' }), /tag instance for PII\.Sensitiv not found/],
  ['inherited_labels', () => ({ tag, scope: NOBODY }), /instance for nobodyatall not found/],
  ['label_flows', () => ({ tag: 'PIII' }), /tag instance for PIII not found/],
  ['label_flows', () => ({ tag, scope: NOBODY }), /instance for nobodyatall not found/],
  ['label_flows', () => ({ tag, types: NOBODY }), /type nobodyatall is not known/],
  ['important_assets', () => ({ scope: NOBODY }), /instance for nobodyatall not found/],
  ['important_assets', () => ({ type: NOBODY }), /type nobodyatall is not known/],
  ['single_points', () => ({ scope: NOBODY }), /instance for nobodyatall not found/],
  ['communities', () => ({ scope: NOBODY }), /instance for nobodyatall not found/],
  ['promises', () => ({ type: 'dataProduct', fqn: NOBODY }), /instance for nobodyatall not found/],
  ['lineage_agreement', () => ({ scope: NOBODY }), /instance for nobodyatall not found/],
  ['impact', () => ({ fqn: `${schema}.orders`, only: NOBODY }), /type "nobodyatall" is unknown/],
  ['check_change', () => ({ fqn: NOBODY, proposal: '[]' }), /not found/],
  ['changes', () => ({ scope: NOBODY, from: '2020-01-01' }), /asset instance for nobodyatall not found/],
  ['changes', () => ({ scope: NOBODY, type: 'user', from: '2020-01-01' }), /user instance for nobodyatall not found/],
  ['changes', () => ({ scope: NOBODY, type: 'team', from: '2020-01-01' }), /team instance for nobodyatall not found/],
  ['what_if', () => ({ changes: '[]', fqn: NOBODY }), /not found/],
  ['root_cause', () => ({ fqn: NOBODY }), /not found/],
  ['health', () => ({ scope: `${schema}.order` }), /not found\nDid you mean table .*\.orders/],
  ['graph_schema', () => ({ label: 'Tabel' }), /label instance for Tabel not found\nDid you mean Table\?/],
  ['ask_graph', () => ({ query: 'MATCH (t:Tabel) RETURN t.name' }), /Tabel/],
  ['describe', () => ({ fqn: NOBODY, description: 'New.' }), /not found/],
  ['tag', () => ({ fqn: `${schema}.orders`, tag: 'PII.Sensitiv' }), /not found\nPII has the tags .*PII\.Sensitive/],
  ['assign', () => ({ fqn: `${schema}.orders`, owner: NOBODY, mode: 'add' }), /user or team instance for nobodyatall/],
  ['add_edge', () => ({ from: NOBODY, to: `${schema}.orders` }), /not found/],
];

for (const [tool, given, says] of CALLS) {
  test(`${tool} refuses an unknown name: ${says.source}`, async () => {
    assert.match(await toolRefusal(client, tool, given()), says);
  });
}

test('the tags that a classification has are named, and counted beyond the first', async () => {
  const classification = uniqueName('Many').replaceAll('_', '');
  ok(await service.admin.post('/v1/classifications', { name: classification, description: 'Many.' }), 201);
  const tags = Array.from({ length: 23 }, (_, at) => ({ name: `T${at + 10}`, classification, description: 'One.' }));
  ok(await service.admin.put('/v1/tags/bulk', tags));
  const given = { fqn: `${schema}.orders`, tag: `${classification}.T99` };
  const message = await toolRefusal(client, 'tag', given);
  assert.match(message, new RegExp(`has the tags ${classification}\\.T10, .*T29, and 3 more that search finds`));
});

test('every tool that takes a name is asked for an unknown one', async () => {
  const asked = new Set(CALLS.map(([tool]) => tool));
  // The column of a trail is refused where unknown columns are.
  const { tools } = await client.listTools();
  assert.equal(
    tools.map(({ name }) => name).filter((name) => !asked.has(name)),
    ['trail'],
  );
});

test.run();
