import * as assert from 'uvu/assert';
import { detailsOf, feed, mapping, openWorld, type World } from '../lineage/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows what answers say besides their bodies, which existing clients compare: hints, ETags and unknown columns. */

const test = suite('http: hints');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

test('a name that is taken says what is there and how to update it', async () => {
  const { name, fullyQualifiedName } = await world.table('orders');
  const refused = await world.admin.post('/v1/tables', { name, databaseSchema: world.schemaFqn, columns: [] });
  expectRefused(refused, 409, 'Entity already exists');
  const hint = `table ${fullyQualifiedName} is there already: PUT /v1/tables updates it`;
  assert.is(refused.headers.get('x-hint'), hint);
});

test('a stale write says the present ETag', async () => {
  const { id } = await world.table('orders');
  const path = `/v1/tables/${id}`;
  const patch = JSON.stringify([{ op: 'add', path: '/description', value: 'new' }]);
  const headers = { 'content-type': 'application/json-patch+json', 'if-match': '"stale"' };
  const refused = await world.admin.raw('PATCH', path, patch, headers);
  expectRefused(refused, 412);
  const present = refused.headers.get('etag') ?? '';
  assert.is(present, (await world.admin.get(path)).headers.get('etag'));
  ok(await world.admin.raw('PATCH', path, patch, { ...headers, 'if-match': present }));
});

test('a refusal names the rule that denies, or says that none allows', async () => {
  const { id } = await world.table('orders');
  const plain = await rights.person();
  const unallowed = await plain.delete(`/v1/tables/${id}`);
  expectRefused(unallowed, 403, /operations \[Delete\] not allowed$/);
  assert.is(unallowed.headers.get('x-hint'), 'No rule allows Delete on table');
  const denied = await rights.person([
    { operations: ['All'], resources: ['all'] },
    { operations: ['Delete'], resources: ['table'], effect: 'deny' },
  ]);
  const refused = await denied.delete(`/v1/tables/${id}`);
  expectRefused(refused, 403, /operations \[Delete\] not allowed$/);
  assert.match(refused.headers.get('x-hint') ?? '', /^The rule \S+ denies Delete$/);
});

test('a name that nothing has suggests the one that was meant, if the caller may see it', async () => {
  const service = await world.make('services/databaseServices', {
    name: `${uniqueName('pg')}.example.org`,
    serviceType: 'Postgres',
  });
  const database = await world.make('databases', { name: 'shop', service: service.fullyQualifiedName });
  const hintFor = async (path: string, client = world.admin) => {
    const reply = await client.get(`/v1/${path}`);
    expectRefused(reply, 404, /instance for .* not found$/);
    return reply.headers.get('x-hint');
  };
  assert.is(await hintFor(`databases/name/${service.name}.shop`), `Did you mean ${database.fullyQualifiedName}?`);
  const table = await world.make('tables', { name: 'orders', databaseSchema: world.schemaFqn, columns: [] });
  const [, ...below] = table.fullyQualifiedName.split('.');
  const shouted = [world.serviceFqn, ...below].join('.').replace(/[^.]+$/, 'ORDERS');
  assert.is(
    await hintFor(`tables/name/${shouted.replace('.db.public.', '.DB.PUBLIC.')}`),
    `Did you mean ${table.fullyQualifiedName}?`,
  );
  assert.is(await hintFor(`tables/name/${world.schemaFqn}.nothing`), null);
  const blind = await rights.person([
    { operations: ['All'], resources: ['all'] },
    { operations: ['All'], resources: ['database'], effect: 'deny' },
  ]);
  assert.is(await hintFor(`databases/name/${service.name}.shop`, blind), null);
});

test('what a header cannot contain is encoded', async () => {
  const name = `${uniqueName('größe')} 表`;
  ok(await world.admin.post('/v1/domains', { name, description: 'd', domainType: 'Aggregate' }), 201);
  const again = await world.admin.post('/v1/domains', { name, description: 'd', domainType: 'Aggregate' });
  const hint = again.headers.get('x-hint') ?? '';
  assert.match(hint, /^[\x20-\x7e]+$/);
  assert.ok(decodeURIComponent(hint).includes(name));
});

test('columns of lineage that nobody knows are told by a header, wherever edges are written', async () => {
  const [from, to] = [await world.table('from'), await world.table('to')];
  const unknown = (reply: { headers: Headers }) => reply.headers.get('x-lineage-unknown-columns');
  const columnsLineage = [mapping(from, ['a', 'nope'], to, 'a'), mapping(from, ['a'], to, 'größe')];
  const names = [`${from.fullyQualifiedName}.nope`, `${to.fullyQualifiedName}.größe`].map(encodeURIComponent);
  const put = await feed(world.admin, from, to, { columnsLineage });
  ok(put);
  assert.is(unknown(put), names.join(', '));
  assert.is(unknown(await feed(world.admin, from, to, { columnsLineage: [mapping(from, ['a'], to, 'a')] })), null);
  const edge = {
    fromEntity: { id: from.id, type: 'table' },
    toEntity: { id: to.id, type: 'table' },
    lineageDetails: { columnsLineage },
  };
  const scope = { source: 'DbtLineage', scopeFqn: to.fullyQualifiedName, edges: [edge] };
  for (const [path, body] of [
    ['/v1/lineage/bulk', [edge]],
    ['/v1/lineage/scope', { ...scope, dryRun: true }],
    ['/v1/lineage/scope', scope],
  ] as const) {
    const reply = await world.admin.put(path, body);
    ok(reply);
    assert.is(unknown(reply), names.join(', '), path);
  }
  const patched = await world.admin.patch(`/v1/lineage/table/${from.id}/table/${to.id}`, [
    { op: 'add', path: '/columnsLineage/-', value: mapping(from, ['b'], to, 'none') },
  ]);
  assert.is(unknown(patched), encodeURIComponent(`${to.fullyQualifiedName}.none`));
  assert.is((await detailsOf(world.admin, from, to)).columnsLineage.length, 1);
  const many = Array.from({ length: 25 }, (_, at) => `x${at}`);
  const told = unknown(await feed(world.admin, from, to, { columnsLineage: [mapping(from, many, to, 'a')] })) ?? '';
  assert.match(told, /, and 5 more$/);
});

test('moments are numbers or dates in the operations that are our own', async () => {
  const [from, to] = [await world.table('from'), await world.table('to')];
  ok(await feed(world.admin, from, to));
  const edgesAt = async (asOf: string) =>
    ok(await world.admin.get(`/v1/lineage/graph?id=${to.id}&asOf=${asOf}`)).edges.length;
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  for (const [asOf, edges] of [
    [tomorrow, 1],
    [tomorrow.slice(0, 10), 1],
    [tomorrow.slice(0, 16), 1],
    ['2020-01-31', 0],
    ['2020-01-31T10:00:00%2B02:00', 0],
    ['2020-01-31T10:00:00+02:00', 0],
    [String(Date.now() + 1000), 1],
  ] as const)
    assert.is(await edgesAt(asOf), edges, asOf);
  for (const asOf of ['yesterday', '2020-13-01', '1969-01-01', '2020-01-31T', '1.5'])
    expectRefused(await world.admin.get(`/v1/lineage/graph?id=${to.id}&asOf=${asOf}`), 400, /asOf must be/);
  ok(await world.admin.get(`/v1/audit?from=2020-01-31&to=${tomorrow}`));
  ok(await world.admin.get(`/v1/lineage/diff?id=${to.id}&from=2020-01-31&to=${tomorrow}`));
});

test.run();
