import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import { helpIfAvailable } from '../../src/http/hint.ts';
import { detailsOf, feed, mapping, openWorld, type World } from '../lineage/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitFor } from '../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { type Reply, uniqueName } from '../support/service.ts';
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

test('rows of a bulk operation that are refused name each rule once', async () => {
  const plain = await rights.person();
  const rows = ['a', 'b'].map((name) => ({ name, databaseSchema: world.schemaFqn, columns: [] }));
  const refused = await plain.put('/v1/tables/bulk', rows);
  assert.equal(
    ok(refused).failedRequest.map(({ status }: { status: number }) => status),
    [403, 403],
  );
  assert.is(refused.headers.get('x-hint'), 'No rule allows Create|BulkCreate on table');
  assert.is((await world.admin.put('/v1/tables/bulk', [])).headers.get('x-hint'), null);
});

test('rows of bulk lineage and of test results name the rule that refuses them, and the right names', async () => {
  const [from, to] = [await world.table('from'), await world.table('to')];
  const plain = await rights.person();
  const edge = { fromEntity: { id: from.id, type: 'table' }, toEntity: { id: to.id, type: 'table' } };
  const refused = await plain.put('/v1/lineage/bulk', [edge, edge]);
  assert.equal(
    ok(refused).failedRequest.map(({ status }: { status: number }) => status),
    [403, 403],
  );
  assert.is(refused.headers.get('x-hint'), 'No rule allows EditLineage on table');
  const shouted = { type: 'table', fullyQualifiedName: to.fullyQualifiedName.toUpperCase() };
  const missing = await world.admin.put('/v1/lineage/bulk', [{ ...edge, toEntity: shouted }]);
  assert.is(ok(missing).failedRequest[0].status, 404);
  assert.is(missing.headers.get('x-hint'), `Did you mean ${to.fullyQualifiedName}?`);
  assert.is((await world.admin.put('/v1/lineage/bulk', [edge])).headers.get('x-hint'), null);
  const testCase = ok(
    await world.admin.post('/v1/dataQuality/testCases', {
      name: 'rows',
      entityLink: `<#E::table::${to.fullyQualifiedName}>`,
      testDefinition: 'tableRowCountToEqual',
      parameterValues: [{ name: 'value', value: '1' }],
    }),
    201,
  );
  const result = { timestamp: Date.now(), testCaseStatus: 'Success', result: 'one row' };
  const putResult = (client: Pick<typeof plain, 'put'>, testCaseFQN: string) =>
    client.put('/v1/dataQuality/testCases/testCaseResults/bulk', [{ ...result, testCaseFQN }]);
  const unallowed = await putResult(plain, testCase.fullyQualifiedName);
  assert.is(ok(unallowed).failedRequest[0].status, 403);
  assert.match(unallowed.headers.get('x-hint') ?? '', /^No rule allows .*EditTests/);
  const unknown = await putResult(world.admin, `${to.fullyQualifiedName}.ROWS`);
  assert.is(ok(unknown).failedRequest[0].status, 404);
});

test('counts and exports of a search say of fields that no index has that they searched for text', async () => {
  const told = 'No field ownr (did you mean owners?): searched as text';
  for (const path of ['aggregate?field=serviceType&', 'export?', 'export/async?', 'entityTypeCounts?']) {
    const reply = await world.admin.get(`/v1/search/${path}q=ownr:mei`);
    assert.ok([200, 202].includes(reply.status), reply.text);
    assert.is(reply.headers.get('x-hint'), told, path);
    assert.is((await world.admin.get(`/v1/search/${path}q=owners.name:mei`)).headers.get('x-hint'), null, path);
  }
  const hintOf = async (path: string, body: object) => {
    const reply = await world.admin.post(`/v1/search/${path}`, body);
    ok(reply);
    return reply.headers.get('x-hint');
  };
  const counted = { fieldName: 'serviceType' };
  assert.is(await hintOf('aggregate', { ...counted, queryText: 'ownr:mei' }), told);
  assert.is(await hintOf('aggregate', { ...counted, query: 'ownr:mei' }), told);
  assert.is(
    await hintOf('aggregate', { ...counted, queryText: 'ownr:mei', query: 'zebra:x' }),
    `${told}; No field zebra: searched as text`,
  );
  assert.is(await hintOf('aggregate', { ...counted, queryText: 'owners.name:mei', query: 'name:x' }), null);
  const previewed = { index: 'all', searchSettings: {} };
  assert.is(await hintOf('preview', { ...previewed, query: 'ownr:mei' }), told);
  assert.is(await hintOf('preview', { ...previewed, query: 'owners.name:mei' }), null);
});

test('a scope of lineage that nothing has suggests the one that was meant', async () => {
  const [from, to] = [await world.table('from'), await world.table('to')];
  const edge = { fromEntity: { id: from.id, type: 'table' }, toEntity: { id: to.id, type: 'table' } };
  const shouted = world.schemaFqn.toUpperCase();
  const put = (scopeFqn: string, edges: readonly object[], client: Pick<typeof world.admin, 'put'> = world.admin) =>
    client.put('/v1/lineage/scope', { source: 'DbtLineage', scopeFqn, edges });
  const hint = `Did you mean ${world.schemaFqn}?`;
  const outside = await put(shouted, [edge]);
  expectRefused(outside, 400, `${to.fullyQualifiedName} is outside the scope ${shouted}`);
  assert.is(outside.headers.get('x-hint'), hint);
  const empty = await put(shouted, []);
  assert.is(ok(empty).removed, 0);
  assert.is(empty.headers.get('x-hint'), hint);
  assert.is((await put(world.schemaFqn, [])).headers.get('x-hint'), null);
  assert.is((await put(world.schemaFqn, [edge])).headers.get('x-hint'), null);
  const blind = await rights.person([
    { operations: ['All'], resources: ['all'] },
    { operations: ['All'], resources: ['databaseSchema'], effect: 'deny' },
  ]);
  assert.is((await put(shouted, [], blind)).headers.get('x-hint'), null);
  const plain = await rights.person();
  expectRefused(await put(`${to.fullyQualifiedName}.x`, [edge], plain), 403, /EditLineage\] not allowed$/);
});

test('a column that nothing has suggests the nearest one, to who may see the asset', async () => {
  const { id, fullyQualifiedName } = await world.make('tables', {
    name: uniqueName('t'),
    databaseSchema: world.schemaFqn,
    columns: [
      { name: 'amount', dataType: 'INT' },
      { name: 'address', dataType: 'STRUCT', children: [{ name: 'city', dataType: 'STRING' }] },
    ],
  });
  const link = (column: string) => encodeURIComponent(`<#E::table::${fullyQualifiedName}::columns::${column}>`);
  const check = { entity: { id, type: 'table' }, proposed: { ddl: 'ALTER TABLE t DROP COLUMN amuont' } };
  const blind = await rights.person([
    { operations: ['All'], resources: ['all'] },
    { operations: ['All'], resources: ['table'], effect: 'deny' },
  ]);
  for (const [send, hint] of [
    [(client) => client.get(`/v1/lineage/impact?id=${id}&column=amuont`), 'Did you mean amount?'],
    [(client) => client.get(`/v1/lineage/impact?id=${id}&column=adress.city`), 'Did you mean address.city?'],
    [(client) => client.get(`/v1/lineage/paths?from=${link('amuont')}&to=${id}`), 'Did you mean amount?'],
    [(client) => client.post('/v1/dataContracts/check', check), 'Did you mean amount?'],
  ] as const satisfies readonly (readonly [(client: typeof blind) => Promise<Reply>, string])[]) {
    assert.is((await send({ ...blind, ...world.admin })).headers.get('x-hint'), hint);
    const refused = await send(blind);
    expectRefused(refused, 403);
    assert.not.match(refused.headers.get('x-hint') ?? '', /Did you mean/);
  }
});

test('files of unknown names suggest the names that were meant, now and as jobs', async () => {
  const { fullyQualifiedName } = await world.table('orders');
  const path = `/v1/tables/name/${fullyQualifiedName}`;
  const { text } = await world.admin.get(`${path}/export`);
  const shouted = `/v1/tables/name/${fullyQualifiedName.toUpperCase()}`;
  for (const reply of [
    await world.admin.get(`${shouted}/export`),
    await world.admin.get(`${shouted}/exportAsync`),
    await world.admin.raw('PUT', `${shouted}/import`, text, { 'content-type': 'text/plain' }),
    await world.admin.raw('PUT', `${shouted}/importAsync`, text, { 'content-type': 'text/plain' }),
  ]) {
    expectRefused(reply, 404);
    assert.is(reply.headers.get('x-hint'), `Did you mean ${fullyQualifiedName}?`);
  }
});

test('the result of a bulk operation that runs as a job says why its rows failed', async () => {
  const plain = await rights.person();
  const rows = ['a', 'b'].map((name) => ({ name, databaseSchema: world.schemaFqn.toUpperCase(), columns: [] }));
  const resultOf = async (client: typeof plain | typeof world.admin, body: readonly object[]) => {
    const started = await client.put('/v1/tables/bulk?async=true', body);
    ok(started, 202);
    const job = `/v1/jobs/${started.headers.get('x-job-id')}`;
    await waitFor(
      async () => ok(await client.get(job)),
      ({ status }) => status === 'COMPLETED',
      'the job is over',
    );
    return { job, result: await client.get(`${job}/result`), whole: await client.get(job) };
  };
  const hint = `Did you mean ${world.schemaFqn}?`;
  const failed = await resultOf(world.admin, rows);
  assert.is(ok(failed.result).numberOfRowsFailed, 2);
  assert.is(failed.result.headers.get('x-hint'), hint);
  assert.is(failed.whole.headers.get('x-hint'), hint);
  const refused = await resultOf(
    plain,
    rows.map((row) => ({ ...row, databaseSchema: world.schemaFqn })),
  );
  assert.is(refused.result.headers.get('x-hint'), 'No rule allows Create|BulkCreate on table');
  const passed = await resultOf(world.admin, [{ name: uniqueName('t'), databaseSchema: world.schemaFqn, columns: [] }]);
  assert.is(ok(passed.result).numberOfRowsPassed, 1);
  assert.is(passed.result.headers.get('x-hint'), null);
});

test('a name in a body or in the path of any operation suggests the one that was meant', async () => {
  const table = await world.table('orders');
  const shouted = table.fullyQualifiedName.toUpperCase();
  const hint = `Did you mean ${table.fullyQualifiedName}?`;
  for (const reply of [
    await world.admin.get(`/v1/lineage/table/name/${shouted}`),
    await world.admin.get(`/v1/lineage/graph?type=table&fqn=${shouted}`),
    await world.admin.get(`/v1/tables/name/${shouted}/columns`),
    await world.admin.delete(`/v1/tables/name/${shouted}`),
  ]) {
    expectRefused(reply, 404);
    assert.is(reply.headers.get('x-hint'), hint);
  }
  const misplaced = { name: uniqueName('t'), databaseSchema: world.schemaFqn.toUpperCase(), columns: [] };
  const refused = await world.admin.post('/v1/tables', misplaced);
  expectRefused(refused, 404);
  assert.is(refused.headers.get('x-hint'), `Did you mean ${world.schemaFqn}?`);
});

test('a search for a field that no index has says that it searched for text', async () => {
  const hintOf = async (q: string, rest = '') => {
    const reply = await world.admin.get(`/v1/search/query?q=${encodeURIComponent(q)}${rest}`);
    ok(reply);
    return reply.headers.get('x-hint');
  };
  assert.is(await hintOf('ownr:mei'), 'No field ownr (did you mean owners?): searched as text');
  assert.is(
    await hintOf('ownr.name:mei AND zebra:x'),
    'No field ownr.name (did you mean owners.name?): searched as text; No field zebra: searched as text',
  );
  for (const q of ['owners.name:mei', 'a b', 's3://bucket/x', '12:30', '"ownr:mei"', '_exists_:owners', '*'])
    assert.is(await hintOf(q), null, q);
  assert.is(await hintOf('partitions:3', '&index=topic'), null);
  assert.match((await hintOf('partitions:3')) ?? '', /^No field partitions/);
  assert.is((await hintOf(Array.from({ length: 40 }, (_, at) => `x${at}:1`).join(' ')))?.split(';').length, 5);
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

test('a hidden record does not silence the hint at a visible one', async () => {
  const name = uniqueName('crm');
  const [hidden, seen] = await Promise.all(
    [name.toLowerCase(), name.toUpperCase()].map((each, at) =>
      world.make('services/databaseServices', {
        name: each,
        serviceType: 'Postgres',
        tags: at === 0 ? [{ tagFQN: 'PII.Sensitive', source: 'Classification' }] : [],
      }),
    ),
  );
  const meant = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const hintFor = async (client: typeof world.admin) =>
    (await client.get(`/v1/services/databaseServices/name/${meant}`)).headers.get('x-hint');
  assert.is(await hintFor(world.admin), `Did you mean ${hidden?.fullyQualifiedName}?`);
  const blind = await rights.person([
    { operations: ['All'], resources: ['all'] },
    { operations: ['All'], resources: ['databaseService'], effect: 'deny', condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  assert.is(await hintFor(blind), `Did you mean ${seen?.fullyQualifiedName}?`);
});

test('where the database does not answer there is no help, and the answer stays', async () => {
  const outage = () => Promise.reject(new CatalogError('unavailable', 'The database does not answer at the moment'));
  assert.is(await helpIfAvailable(outage), undefined);
  assert.is(await helpIfAvailable(async () => 'help'), 'help');
  const fault = await helpIfAvailable(() => Promise.reject(new TypeError('a fault'))).catch(String);
  assert.is(fault, 'TypeError: a fault');
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
