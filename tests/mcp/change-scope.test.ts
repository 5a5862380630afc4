import type { Client } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import { createPerson, ok } from '../support/expect.ts';
import { connectMcp, toolAnswer, toolRefusal } from '../support/mcp-client.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows which changes are those of a domain, data product, team or user, to whom. */

const test = suite('mcp: changes of groups');

type Made = { readonly id: string; readonly fullyQualifiedName: string };

const startedAt = Date.now() - 1000;

let service: Service;
let schema: string;
let client: Client;

const createTable = async (word: string): Promise<Made> => {
  const columns = [{ name: 'a', dataType: 'INT' }];
  return ok(await service.admin.post('/v1/tables', { name: uniqueName(word), databaseSchema: schema, columns }), 201);
};

const add = async (holder: string, { id }: Made) =>
  ok(await service.admin.put(`/v1/${holder}/assets/add`, { assets: [{ id, type: 'table' }] }));

const own = async (type: string, owner: { readonly id: string }, table: Made) => {
  const owners = [{ op: 'add', path: '/owners', value: [{ id: owner.id, type }] }];
  ok(await service.admin.patch(`/v1/tables/${table.id}`, owners));
};

const changesOf = async (scope: string, asked = client) => {
  const given = { scope, from: String(startedAt), maxTokens: 50_000 };
  const { changes, assets } = await toolAnswer(asked, 'changes', given);
  return { names: new Set<string>(changes.map(({ fqn }: { fqn: string }) => fqn)), assets };
};

test.before(async () => {
  service = await openService();
  const name = uniqueName('mcpscope');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  schema = `${name}.db.public`;
  client = await connectMcp(service, await service.token('admin'));
});

test.after(() => client.close());

test('changes of a domain, data product, team or user are those of their assets', async () => {
  const domain = uniqueName('Sales');
  const kind = { description: 'x', domainType: 'Aggregate' };
  ok(await service.admin.post('/v1/domains', { name: domain, ...kind }), 201);
  ok(await service.admin.post('/v1/domains', { name: 'Europe', parent: domain, ...kind }), 201);
  const product = uniqueName('Figures');
  ok(await service.admin.post('/v1/dataProducts', { name: product, description: 'x', domains: [domain] }), 201);
  const team = ok(await service.admin.post('/v1/teams', { name: uniqueName('crew'), teamType: 'Group' }), 201);
  const person = await createPerson(service, uniqueName('mei').toLowerCase());
  const sold = await createTable('sold');
  const shipped = await createTable('shipped');
  const other = await createTable('other');
  await add(`domains/${domain}`, sold);
  await add(`domains/${domain}.Europe`, shipped);
  await add(`dataProducts/${product}`, sold);
  await own('team', team, shipped);
  await own('user', person, other);
  const tables = [sold, shipped, other].map(({ fullyQualifiedName }) => fullyQualifiedName);
  const among = ({ names }: { readonly names: ReadonlySet<string> }) => tables.map((name) => names.has(name));
  const whole = await changesOf(domain);
  assert.equal(among(whole), [true, true, false]);
  assert.ok(whole.names.has(domain) && whole.names.has(`${domain}.Europe`));
  assert.equal(among(await changesOf(`${domain}.Europe`)), [false, true, false]);
  assert.equal(among(await changesOf(product)), [true, false, false]);
  assert.equal(among(await changesOf(team.name)), [false, true, false]);
  const owned = await changesOf(person.name);
  assert.equal([among(owned), owned.assets], [[false, false, true], 1]);
  const rules = [{ effect: 'deny' as const, operations: ['All'], resources: ['table'], condition: 'noOwner()' }];
  const { name } = await createRightsFactory(service).person(rules);
  const reader = await connectMcp(service, await service.token(name));
  assert.equal(among(await changesOf(domain, reader)), [false, true, false], 'what is hidden stays hidden');
  await reader.close();
});

test('what is below an asset of a domain belongs to it', async () => {
  const domain = uniqueName('Sales');
  ok(await service.admin.post('/v1/domains', { name: domain, description: 'x', domainType: 'Aggregate' }), 201);
  const { id } = ok(await service.admin.get(`/v1/databaseSchemas/name/${schema}`));
  const assets = [{ id, type: 'databaseSchema' }];
  ok(await service.admin.put(`/v1/domains/${domain}/assets/add`, { assets }));
  const { fullyQualifiedName } = await createTable('below');
  const { names, assets: count } = await changesOf(domain);
  assert.ok(names.has(schema) && names.has(fullyQualifiedName));
  assert.is(count, 1);
});

test('a deleted asset tells of its end, and an unknown name is refused', async () => {
  const { id, fullyQualifiedName: scope } = await createTable('gone');
  ok(await service.admin.delete(`/v1/tables/${id}`));
  const given = { scope, from: String(startedAt) };
  const { changes, note, breaking } = await toolAnswer(client, 'changes', given);
  assert.equal([changes[0].change, changes[0].breaking, breaking, note], ['deleted', true, 1, undefined]);
  const unknown = await toolRefusal(client, 'changes', { ...given, scope: `${scope}.nothing` });
  assert.match(unknown, /gone_\w+\.nothing not found/);
});

test.run();
