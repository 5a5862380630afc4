import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { expectRefused, ok } from '../../support/expect.ts';
import { moment } from '../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import { type Client, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, edgeBody, feed, graphOf, type Made, mapping, openWorld, type World } from '../fixture.ts';
import { newPostgres, newSchema, newTable } from './postgres-fixture.ts';

/** Shows that tables of a formerly unknown namespace merge into the tables that they are, with assertions and history. */

const test = suite('lineage: adoption of OpenLineage tables');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const EVENTS = '/v1/lineage/openlineage';

type Name = { readonly namespace: string; readonly name: string; readonly facets?: object };

const withFields = (namespace: string, name: string, ...fields: string[]): Name => ({
  namespace,
  name,
  facets: { schema: { fields: fields.map((field) => ({ name: field, type: 'int' })) } },
});

/** Says that fields of one dataset are made from those of another. */
const derived = (output: Name, input: Name, fields: Record<string, string>): Name => ({
  ...output,
  facets: {
    ...output.facets,
    columnLineage: {
      fields: Object.fromEntries(
        Object.entries(fields).map(([to, from]) => [
          to,
          { inputFields: [{ namespace: input.namespace, name: input.name, field: from }] },
        ]),
      ),
    },
  },
});

/** Sends an event, and answers the records that its datasets are. */
const tell = async (output: Name, ...inputs: Name[]): Promise<readonly Made[]> => {
  const job = { namespace: 'jobs', name: uniqueName('job') };
  const event = { eventType: 'COMPLETE', eventTime: '2025-03-01T10:00:00Z', job, inputs, outputs: [output] };
  const { datasets } = ok(await world.admin.post(EVENTS, event));
  const records = datasets.map((one: JsonObject) => [one['name'], one['matched'] ?? one['created']]);
  const byName = new Map<unknown, Made>(records);
  return [...inputs, output].map(({ name }) => byName.get(name) as Made);
};

const newHost = (): string => uniqueName('host').replaceAll('_', '-');

const adopt = (namespace: string, more: JsonObject = {}, query = '', client: Client = world.admin) =>
  client.post(`${EVENTS}/adopt${query}`, { namespace, ...more });

const edgesOf = async (table: Pick<Made, 'id'>, query = '') => {
  const { upstreamEdges, downstreamEdges } = await graphOf(world.admin, table, query);
  return [...upstreamEdges, ...downstreamEdges].map(({ fromEntity, toEntity }: JsonObject) => [fromEntity, toEntity]);
};

const edgesAt = async ({ id }: Pick<Made, 'id'>, asOf: number) => {
  const query = `id=${id}&upstreamDepth=1&downstreamDepth=1&columns=true&include=all&asOf=${asOf}`;
  const { edges, columnEdges } = ok(await world.admin.get(`/v1/lineage/graph?${query}`));
  return { edges, columnEdges };
};

test('a table of an unknown namespace gives its lineage to the table that it is', async () => {
  const host = newHost();
  const namespace = `postgres://${host}:5432`;
  const other = await world.table('other');
  const orders = withFields(namespace, 'shop.public.orders', 'Id', 'total');
  const daily = withFields(namespace, 'shop.public.daily', 'id', 'sum');
  const [island, target] = (await tell(derived(daily, orders, { id: 'Id', sum: 'total' }), orders)) as [Made, Made];
  ok(
    await feed(world.admin, other, island, {
      source: 'Manual',
      description: 'by hand',
      columnsLineage: [mapping(other, ['a'], island, 'Id')],
    }),
  );
  const saidBefore = await detailsOf(world.admin, other, island);
  const before = await moment();

  const place = await newPostgres(world, host);
  const schema = await newSchema(world, place);
  const real = await newTable(world, schema, 'orders', ['ID', 'Total', 'extra']);
  const realDaily = await newTable(world, schema, 'daily', ['id', 'SUM']);

  const planned = ok(await adopt(namespace, { dryRun: true }));
  assert.equal(
    planned.data.map(({ into, moved, merged, by, status }: JsonObject) => [
      (into as JsonObject)['id'],
      moved,
      merged,
      by,
      status,
    ]),
    [
      [realDaily.id, 1, 0, 'connection', 200],
      [real.id, 2, 0, 'connection', 200],
    ],
  );
  assert.equal(await edgesOf(real), [], 'a dry run changes nothing');
  assert.is(ok(await world.admin.get(`/v1/tables/${island.id}`)).deleted, false);

  const done = ok(await adopt(namespace));
  assert.equal(
    done.data.map(({ table, unknownColumns, status }: JsonObject) => [
      (table as JsonObject)['id'],
      unknownColumns,
      status,
    ]),
    [
      [target.id, [], 200],
      [island.id, [], 200],
    ],
  );
  assert.is(done.deleted.name, namespace);
  assert.equal(await edgesOf(real), [
    [other.id, real.id],
    [real.id, realDaily.id],
  ]);
  const said = await detailsOf(world.admin, other, real);
  assert.equal(said.columnsLineage, [mapping(other, ['a'], real, 'ID')]);
  assert.equal(
    [said.description, said.createdAt, said.createdBy, said.updatedAt],
    ['by hand', saidBefore.createdAt, saidBefore.createdBy, saidBefore.updatedAt],
  );
  const trail = ok(await world.admin.get(`/v1/lineage/impact?type=table&fqn=${real.fullyQualifiedName}&column=ID`));
  assert.equal(trail.affected[0].columns, [`${realDaily.fullyQualifiedName}.id`]);

  const past = await edgesAt(real, before);
  assert.equal(
    past.edges.map(({ fromEntity, toEntity }: JsonObject) => [fromEntity, toEntity]).sort(),
    [
      [other.id, real.id],
      [real.id, realDaily.id],
    ].sort(),
  );
  assert.is(past.columnEdges.length, 3, 'the past has the names of the table that took its place');

  expectRefused(await world.admin.get(`/v1/tables/${island.id}`), 404);
  assert.is(ok(await world.admin.get(`/v1/tables/${island.id}?include=deleted`)).deleted, true);
  expectRefused(await adopt(namespace), 404);
  const [again] = await tell({ namespace, name: 'shop.public.fresh' }, { namespace, name: 'shop.public.orders' });
  assert.is(again?.id, real.id);
});

test('edges that both tables have become one with the assertions of both', async () => {
  const host = newHost();
  const namespace = `postgres://${host}:5432`;
  const [left, right] = [await world.table('left'), await world.table('right')];
  const [island] = (await tell(withFields(namespace, 'shop.public.orders', 'id', 'only'))) as [Made];
  ok(await feed(world.admin, left, island, { sqlQuery: 'old', columnsLineage: [mapping(left, ['a'], island, 'id')] }));
  ok(
    await feed(world.admin, left, island, {
      source: 'DbtLineage',
      columnsLineage: [mapping(left, ['c'], island, 'only')],
    }),
  );
  const first = await detailsOf(world.admin, left, island);
  ok(await feed(world.admin, right, island, { sqlQuery: 'gone' }));
  const whileRight = await moment();
  ok(await world.admin.delete(`/v1/lineage/table/${right.id}/table/${island.id}`));
  const between = await moment();

  const place = await newPostgres(world, host);
  const real = await newTable(world, await newSchema(world, place), 'orders', ['id']);
  ok(await feed(world.admin, left, real, { columnsLineage: [], description: 'newer' }));
  ok(
    await feed(world.admin, left, real, { source: 'ViewLineage', columnsLineage: [mapping(left, ['b'], real, 'id')] }),
  );
  ok(await feed(world.admin, real, right, {}));

  const done = ok(await adopt(namespace));
  const [{ moved, merged, past, unknownColumns }] = done.data;
  assert.equal([moved, merged, past, unknownColumns], [0, 1, 1, ['only']]);
  const said = await detailsOf(world.admin, left, real);
  assert.equal([said.createdAt, said.description, said.sqlQuery], [first.createdAt, 'newer', 'old']);
  assert.equal(
    said.columnsLineage.map(({ fromColumns }: JsonObject) => fromColumns),
    [[`${left.fullyQualifiedName}.b`], [`${left.fullyQualifiedName}.a`]],
  );
  assert.equal(await edgesOf(real), [
    [left.id, real.id],
    [real.id, right.id],
  ]);
  const { upstreamEdges, downstreamEdges } = await graphOf(world.admin, place.service, '', 'databaseService');
  assert.equal(
    [upstreamEdges, downstreamEdges].map((edges) => edges.map((edge: JsonObject) => edge['lineageDetails'])),
    [1, 1].map((assetEdges) => [{ columnsLineage: [], source: 'ChildAssets', assetEdges }]),
  );
  assert.equal(
    (await edgesAt(real, whileRight)).edges.map(({ fromEntity }: JsonObject) => fromEntity).sort(),
    [left.id, right.id].sort(),
  );
  assert.equal(
    (await edgesAt(real, between)).edges.map(({ fromEntity }: JsonObject) => fromEntity),
    [left.id],
  );
  // Each source withdraws its own part, as before.
  ok(await world.admin.delete(`/v1/lineage/table/${real.id}/type/ViewLineage`));
  ok(await world.admin.delete(`/v1/lineage/table/${left.id}/table/${real.id}`));
  assert.equal(await edgesOf(real), [[real.id, right.id]]);
});

test('an edge between a table and the one that takes its place ends', async () => {
  const host = newHost();
  const namespace = `postgres://${host}:5432`;
  const [island] = (await tell(withFields(namespace, 'shop.public.orders', 'id'))) as [Made];
  const place = await newPostgres(world, host);
  const real = await newTable(world, await newSchema(world, place), 'orders');
  ok(await feed(world.admin, island, real, { columnsLineage: [mapping(island, ['id'], real, 'id')] }));
  const before = await moment();
  const [{ status, past }] = ok(await adopt(namespace)).data;
  assert.equal([status, past], [200, 1]);
  assert.equal(await edgesOf(real), []);
  assert.is((await edgesAt(real, before)).edges.length, 1);
});

test('a table of a known service is created where it belongs, with its columns', async () => {
  const host = newHost();
  const namespace = `postgres://${host}:5432`;
  const other = await world.table('other');
  const [island] = (await tell(withFields(namespace, 'shop.sales.daily', 'day', 'total'))) as [Made];
  ok(await feed(world.admin, island, other, { columnsLineage: [mapping(island, ['total'], other, 'a')] }));
  const place = await newPostgres(world, host);
  const fqn = `${place.service.fullyQualifiedName}.shop.sales.daily`;
  const [planned] = ok(await adopt(namespace, { dryRun: true })).data;
  assert.equal([planned.creates, planned.moved, planned.into], [fqn, 1, undefined]);
  expectRefused(await world.admin.get(`/v1/tables/name/${fqn}`), 404);
  const [done] = ok(await adopt(namespace)).data;
  assert.equal([done.creates, done.moved, done.into.fullyQualifiedName], [fqn, 1, fqn]);
  const table = ok(await world.admin.get(`/v1/tables/name/${fqn}`));
  assert.equal(
    table.columns.map(({ name, dataType }: JsonObject) => [name, dataType]),
    [
      ['day', 'INT'],
      ['total', 'INT'],
    ],
  );
  assert.equal((await detailsOf(world.admin, table, other)).columnsLineage, [mapping(table, ['total'], other, 'a')]);
});

test('tables that are nothing else stay, and a page is continued', async () => {
  const namespace = `nowhere://${uniqueName('ns')}`;
  for (const name of ['one', 'two', 'three']) await tell({ namespace, name });
  const first = ok(await adopt(namespace, {}, '?limit=2'));
  assert.equal(
    first.data.map(({ status, message }: JsonObject) => [status, message]),
    [
      [404, 'The dataset belongs to no record and to no known service'],
      [404, 'The dataset belongs to no record and to no known service'],
    ],
  );
  const rest = ok(await adopt(namespace, {}, `?limit=2&after=${encodeURIComponent(first.paging.after)}`));
  assert.equal([rest.data.length, rest.paging, rest.deleted], [1, {}, undefined]);
  expectRefused(await adopt(`nowhere://${uniqueName('ns')}`), 404);
  expectRefused(await world.admin.post(`${EVENTS}/adopt`, {}), 400);
  expectRefused(await adopt(namespace, { dryrun: true }), 400);
});

test('whoever may not edit one end of an edge moves nothing and learns nothing', async () => {
  const host = newHost();
  const namespace = `postgres://${host}:5432`;
  const other = await world.table('other');
  const [island] = (await tell(withFields(namespace, 'shop.public.orders', 'id'))) as [Made];
  ok(await world.admin.put('/v1/lineage', edgeBody(other, island)));
  const place = await newPostgres(world, host);
  const real = await newTable(world, await newSchema(world, place), 'orders');
  const all = { operations: ['All'], resources: ['all'] };
  const plain = await rights.person([{ operations: ['ViewAll'], resources: ['all'] }]);
  const undeleting = await rights.person([all, { operations: ['Delete'], resources: ['table'], effect: 'deny' }]);
  for (const client of [plain, undeleting]) {
    const refused = await adopt(namespace, {}, '', client);
    assert.is(refused.status === 403 || refused.json.data[0].status === 403, true, refused.text);
    assert.is(refused.text.includes(real.fullyQualifiedName), false);
  }
  assert.equal(await edgesOf(real), []);
  assert.equal(await edgesOf(island), [[other.id, island.id]]);
});

test('a table that is adopted while others write loses nothing and gains nothing twice', async () => {
  const host = newHost();
  const namespace = `postgres://${host}:5432`;
  const others = await Promise.all(Array.from({ length: 12 }, () => world.table('other')));
  const [island] = (await tell(withFields(namespace, 'shop.public.orders', 'id'))) as [Made];
  for (const other of others) ok(await feed(world.admin, other, island, { source: 'DbtLineage' }));
  const place = await newPostgres(world, host);
  const real = await newTable(world, await newSchema(world, place), 'orders');
  const [done] = await Promise.all([
    adopt(namespace),
    ...others.map((other) => feed(world.admin, other, real, { columnsLineage: [mapping(other, ['b'], real, 'id')] })),
  ]);
  assert.is(ok(done).data[0].status, 200);
  const edges = await edgesOf(real);
  assert.equal(edges.map(([from]) => from).sort(), others.map(({ id }) => id).sort());
  const stored = await world.service.graph.query(
    'MATCH (:Entity)-[e:FEEDS]->(:Entity {id: $id}) MATCH (a:Assertion {edgeId: e.id}) WHERE a.until IS NULL ' +
      'WITH e, collect(a.source) AS sources, count { MATCH ()-[:DERIVES {edgeId: e.id}]->() } AS pairs RETURN sources, pairs',
    { id: real.id },
  );
  assert.is(stored.length, 12);
  for (const { sources, pairs } of stored)
    assert.equal([[...(sources as string[])].sort(), pairs], [['DbtLineage', 'Manual'], 1]);
});

test.run();
