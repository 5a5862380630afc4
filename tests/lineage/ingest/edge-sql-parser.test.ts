import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import { uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, edgeBody, type Made, mapping, openWorld, ref, type World } from '../fixture.ts';

/** Shows how an edge with SQL gets its column mappings from that SQL. */

const test = suite('lineage: columns from SQL');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const HEADER = 'x-lineage-unresolved';

const tables = async (...names: string[]): Promise<Made[]> => Promise.all(names.map((name) => world.table(name)));

const columnsOf = async (from: Made, to: Made) => (await detailsOf(world.admin, from, to)).columnsLineage;

test('an edge with SQL and no columns gets the mappings of its SQL between its two endpoints', async () => {
  const [a, other, b] = (await tables('a', 'other', 'b')) as [Made, Made, Made];
  const sqlQuery = `insert into public.${b.name} (a, b, c)
    select x.a, x.a || x.b, y.c from public.${a.name} x join public.${other.name} y on x.a = y.a`;
  const reply = await world.admin.put('/v1/lineage?parseSql=true', edgeBody(a, b, { sqlQuery }));
  ok(reply);
  assert.is(reply.headers.get(HEADER), '0');
  assert.equal(await columnsOf(a, b), [
    mapping(a, ['a'], b, 'a'),
    mapping(a, ['a', 'b'], b, 'b', { function: 'x.a || x.b' }),
  ]);
  ok(await world.admin.put('/v1/lineage?parseSql=true', edgeBody(other, b, { sqlQuery })));
  assert.equal(await columnsOf(other, b), [mapping(other, ['c'], b, 'c')]);
});

test('an edge put by name gets the mappings of its SQL too', async () => {
  const [a, b] = (await tables('a', 'b')) as [Made, Made];
  const path = `/v1/lineage/table/name/${a.fullyQualifiedName}/table/name/${b.fullyQualifiedName}`;
  const sqlQuery = `insert into ${b.name} (a, b) select upper(c), nowhere.x from ${a.name}`;
  const reply = await world.admin.put(`${path}?parseSql=true`, { sqlQuery });
  ok(reply);
  assert.is(reply.headers.get(HEADER), '1');
  assert.equal(await columnsOf(a, b), [mapping(a, ['c'], b, 'a', { function: 'upper(c)' })]);
});

test('stars and unqualified columns are resolved with the columns of the catalog', async () => {
  const [a, b] = (await tables('a', 'b')) as [Made, Made];
  const reply = await world.admin.put(
    '/v1/lineage?parseSql=true',
    edgeBody(a, b, { sqlQuery: `select * from ${a.name}` }),
  );
  ok(reply);
  assert.equal(
    await columnsOf(a, b),
    ['a', 'b', 'c'].map((name) => mapping(a, [name], b, name)),
  );
});

test('an unresolved column is counted and never guessed', async () => {
  const [a, b] = (await tables('a', 'b')) as [Made, Made];
  const reply = await world.admin.put(
    '/v1/lineage?parseSql=true',
    edgeBody(a, b, { sqlQuery: 'selekt nothing at all' }),
  );
  ok(reply);
  assert.ok(Number(reply.headers.get(HEADER)) > 0);
  assert.equal(await columnsOf(a, b), []);
});

test('SQL is parsed only on request, and not when the request contains columns', async () => {
  const [a, b] = (await tables('a', 'b')) as [Made, Made];
  const sqlQuery = `insert into ${b.name} (a) select a from ${a.name}`;
  const plain = await world.admin.put('/v1/lineage', edgeBody(a, b, { sqlQuery }));
  assert.is(plain.headers.get(HEADER), null);
  assert.equal(await columnsOf(a, b), []);
  const columnsLineage = [mapping(a, ['b'], b, 'c')];
  const given = await world.admin.put('/v1/lineage?parseSql=true', edgeBody(a, b, { sqlQuery, columnsLineage }));
  assert.is(given.headers.get(HEADER), null);
  assert.equal(await columnsOf(a, b), columnsLineage);
  expectRefused(
    await world.admin.put('/v1/lineage?parseSql=true&dialect=klingon', edgeBody(a, b, { sqlQuery })),
    400,
    /dialect/,
  );
});

test('the dialect defaults to that of the target service', async () => {
  const [a, b] = (await tables('a', 'b')) as [Made, Made];
  // Between double quotes Snowflake, where these tables are, has a name, and MySQL has a text.
  const sqlQuery = `insert into ${b.name} (a) select "b" from ${a.name}`;
  ok(await world.admin.put('/v1/lineage?parseSql=true&dialect=mysql', edgeBody(a, b, { sqlQuery })));
  assert.equal(await columnsOf(a, b), []);
  ok(await world.admin.put('/v1/lineage?parseSql=true', edgeBody(a, b, { sqlQuery })));
  assert.equal(await columnsOf(a, b), [mapping(a, ['b'], b, 'a')]);
});

test('a bulk row reports its unresolved columns', async () => {
  const [a, b, c] = (await tables('a', 'b', 'c')) as [Made, Made, Made];
  const row = (from: Made, to: Made, sqlQuery?: string) => ({
    fromEntity: ref(from),
    toEntity: ref(to),
    ...(sqlQuery === undefined ? {} : { lineageDetails: { sqlQuery } }),
  });
  const answer = ok(
    await world.admin.put('/v1/lineage/bulk?parseSql=true', [
      row(a, b, `insert into ${b.name} (a) select b from ${a.name}`),
      row(b, c, 'selekt'),
      row(a, c),
    ]),
  );
  const [read, unread, plain] = answer.successRequest;
  assert.equal(read.unresolved, []);
  assert.is(unread.unresolved.length, 1);
  assert.is(unread.unresolved[0].reason, 'syntax');
  assert.is('unresolved' in plain, false);
  assert.equal(await columnsOf(a, b), [mapping(a, ['b'], b, 'a')]);
});

test('an OpenLineage event reports its unresolved columns', async () => {
  const [a, b] = (await tables('a', 'b')) as [Made, Made];
  const event = (query: string) => ({
    job: { namespace: uniqueName('ns'), name: 'job', facets: { sql: { query } } },
    inputs: [{ namespace: 'any', name: a.fullyQualifiedName }],
    outputs: [{ namespace: 'any', name: b.fullyQualifiedName }],
  });
  const body = event(`insert into ${b.name} (c) select a from ${a.name}`);
  assert.equal(ok(await world.admin.post('/v1/lineage/openlineage?parseSql=true', body)).unresolved, []);
  assert.equal(await columnsOf(a, b), [mapping(a, ['a'], b, 'c')]);
  const answer = ok(await world.admin.post('/v1/lineage/openlineage/batch?parseSql=true', [event('selekt')]));
  assert.is(answer.successRequest[0].unresolved.length, 1);
});

test('a caller without the right is refused before SQL is parsed', async () => {
  const [a, b] = (await tables('a', 'b')) as [Made, Made];
  const plain = await rights.person();
  const reply = await plain.put('/v1/lineage?parseSql=true', edgeBody(a, b, { sqlQuery: `select a from ${a.name}` }));
  expectRefused(reply, 403);
  assert.is(reply.headers.get(HEADER), null);
});

test('column mappings of one event of runs survive the SQL of another, and repeating both changes nothing', async () => {
  const [a, b] = (await tables('a', 'b')) as [Made, Made];
  const datasets = (facets?: object) => ({
    inputs: [{ namespace: 'any', name: a.fullyQualifiedName }],
    outputs: [{ namespace: 'any', name: b.fullyQualifiedName, ...(facets ? { facets } : {}) }],
  });
  const job = { namespace: uniqueName('ns'), name: 'job' };
  const fields = { b: { inputFields: [{ namespace: 'any', name: a.fullyQualifiedName, field: 'b' }] } };
  const first = { job, ...datasets({ columnLineage: { fields } }) };
  const sql = `insert into ${b.name} (c) select a from ${a.name}`;
  const second = { job: { ...job, facets: { sql: { query: sql } } }, ...datasets() };
  const tell = async (event: object) =>
    ok(await world.admin.post('/v1/lineage/openlineage?parseSql=true', { eventType: 'COMPLETE', ...event }));
  await tell(first);
  await tell(second);
  assert.equal(await columnsOf(a, b), [mapping(a, ['b'], b, 'b')]);
  const assertions = async () =>
    world.service.graph.query('MATCH (said:Assertion {fromId: $from, toId: $to}) RETURN count(said) AS said', {
      from: a.id,
      to: b.id,
    });
  const before = await assertions();
  for (const event of [first, second, second, first]) await tell(event);
  assert.equal(await columnsOf(a, b), [mapping(a, ['b'], b, 'b')]);
  assert.equal(await assertions(), before);
  await tell({ ...second, job: { ...job, facets: { sql: { query: 'selekt' } } } });
  assert.equal(await columnsOf(a, b), [mapping(a, ['b'], b, 'b')]);
  const other = { sql: { query: `insert into ${b.name} (c) select c from ${a.name}` } };
  await tell({ ...second, job: { ...job, facets: other } });
  assert.equal(await columnsOf(a, b), [mapping(a, ['c'], b, 'c')]);
});

test.run();
