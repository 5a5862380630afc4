/** Shows that truncated maps, lists and exports say so (lineage.md 7 and 9). */
import * as assert from 'uvu/assert';
import { ok } from '../../../support/expect.ts';
import { type Client, type Reply, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { tableRows } from '../../../support/wide-schema.ts';
import { column, feed, type Made, openWorld, type World } from '../../fixture.ts';
import { chain, tablesOf } from '../graph/fixture.ts';
import { qualityOf, shownIn, tested } from '../record-tests-fixture.ts';
import { cutOf, within } from '../truncation-fixture.ts';
import { address, depths, depthsOf, docId } from './fixture.ts';

const test = suite('lineage: truncated maps');

let world: World;

test.before(async () => {
  world = await openWorld();
});

const four = async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c, d);
  return { a, b, c, d };
};

test('a truncated page of one direction says so and shows the nearest records', async () => {
  const { a, b, c, d } = await four();
  const page = (client: Client, root: Made, query: string) =>
    client.get(address('getLineageByEntityCount', root, query));
  const down = 'direction=Downstream';
  const enough = await within(world, { nodes: 4, edges: 3 });
  for (const client of [world.admin, enough]) {
    const whole = await page(client, a, `${down}&maxDepth=10`);
    assert.equal(depthsOf(ok(whole)), depths([a, 0], [b, 1], [c, 2], [d, 3]));
    assert.is(cutOf(whole), null);
  }
  assert.is(cutOf(await page(world.admin, a, `${down}&size=1`)), null, 'whoever asks for a part is given all of that');
  const few = await within(world, { nodes: 2 });
  const near = await page(few, a, down);
  assert.equal(depthsOf(ok(near)), depths([a, 0], [b, 1]));
  assert.is(cutOf(near), 'nodes');
  const up = await page(few, d, 'direction=Upstream');
  assert.equal(depthsOf(ok(up)), depths([d, 0], [c, 1]));
  assert.is(cutOf(up), 'nodes');
  const thin = await within(world, { edges: 1 });
  const one = await page(thin, a, down);
  assert.equal(Object.keys(ok(one).downstreamEdges), [docId(a, b)]);
  assert.is(cutOf(one), 'edges');
  const behind = await page(thin, a, `${down}&from=2&size=1`);
  ok(behind);
  assert.is(cutOf(behind), 'edges', 'a page behind what was looked at may be empty for that reason only');
  const counted = async (query: string) => {
    const reply = await page(thin, c, `${down}&include_pagination_info=true${query}`);
    assert.equal(depthsOf(ok(reply)), depths([c, 0], [d, 1]));
    return cutOf(reply);
  };
  assert.is(await counted('&upstreamDepth=0'), null);
  assert.is(await counted(''), 'edges', 'what is counted on the other side is too much');
});

/** Services of which each feeds the next by a table of its own. */
const services = async (count: number): Promise<Made[]> => {
  const made = await Promise.all(
    Array.from({ length: count }, async () => {
      const service = await world.make('services/databaseServices', { name: uniqueName('cut'), serviceType: 'Mysql' });
      const database = await world.make('databases', { name: 'db', service: service.fullyQualifiedName });
      const schema = await world.make('databaseSchemas', { name: 'public', database: database.fullyQualifiedName });
      const table = { name: 'a', databaseSchema: schema.fullyQualifiedName, columns: [column('a')] };
      return { service, table: await world.make('tables', table) };
    }),
  );
  await chain(world.admin, ...made.map(({ table }) => table));
  return made.map(({ service }) => service);
};

test('a truncated platform map says so', async () => {
  const [one, two, three] = await services(3);
  if (!one || !two || !three) throw new Error('there are three');
  const filter = encodeURIComponent([one, two, three].map(({ name }) => `name:${name}`).join(' OR '));
  const platform = (client: Client, query = '') =>
    client.get(`/v1/lineage/getPlatformLineage?view=service&query_filter=${filter}${query}`);
  const whole = await platform(world.admin);
  assert.is(Object.keys(ok(whole).nodes).length, 3);
  assert.equal(Object.keys(whole.json.upstreamEdges).sort(), [docId(one, two), docId(two, three)].sort());
  assert.is(cutOf(whole), null);
  const part = await platform(world.admin, '&size=1');
  assert.equal([Object.keys(ok(part).nodes).length, cutOf(part)], [1, null], 'as much as was asked for');
  const thin = await platform(await within(world, { edges: 1 }));
  assert.is(Object.keys(ok(thin).upstreamEdges).length, 1);
  assert.is(cutOf(thin), 'edges');
  const few = await within(world, { nodes: 2 });
  for (const query of ['', '&size=2']) {
    const cut = await platform(few, query);
    assert.ok(Object.keys(ok(cut).nodes).length <= 2);
    assert.is(cutOf(cut), 'nodes', `there are more services than can be looked at: ${query}`);
  }
});

test('a truncated upstream check of test failures says so', async () => {
  const { a, b, c, d } = await four();
  await tested(world, a, 'Failed');
  const whole = await qualityOf(world.admin, d, 'upstreamDepth=3');
  const ways = [
    [a.id, b.id],
    [b.id, c.id],
    [c.id, d.id],
  ].sort();
  assert.equal(shownIn(ok(whole)), { nodes: [a.id], edges: ways });
  assert.is(cutOf(whole), null);
  const near = await qualityOf(world.admin, d, 'upstreamDepth=1');
  assert.equal([shownIn(ok(near)), cutOf(near)], [{ nodes: [], edges: [] }, null]);
  const thin = await qualityOf(await within(world, { edges: 2 }), d, 'upstreamDepth=3');
  ok(thin);
  assert.is(cutOf(thin), 'edges');
  const few = await qualityOf(await within(world, { nodes: 2 }), d, 'upstreamDepth=3');
  assert.equal(shownIn(ok(few)), { nodes: [], edges: [] });
  assert.is(cutOf(few), 'nodes');
});

/** A table that feeds so many others, and the answer to the request that said so. */
const fan = async (count: number): Promise<{ readonly hub: Made; readonly told: Reply; readonly stray: object }> => {
  const hub = await world.table('hub');
  ok(await world.admin.put('/v1/tables/bulk', tableRows(world.schemaFqn, count)));
  const edgeTo = (fullyQualifiedName: string) => ({
    fromEntity: { id: hub.id, type: 'table' },
    toEntity: { type: 'table', fullyQualifiedName },
  });
  const rows = Array.from({ length: count }, (_, at) => edgeTo(`${world.schemaFqn}.t${at}`));
  const stray = edgeTo(`${world.schemaFqn}.nobody`);
  const told = await world.admin.put('/v1/lineage/bulk', rows.toSpliced(count / 2, 0, stray));
  return { hub, told, stray };
};

test('a map limits the neighbours of a layer and says so, and an export contains all of them', async () => {
  const { hub, told, stray } = await fan(1002);
  const { numberOfRowsPassed, failedRequest } = ok(told);
  assert.equal(
    [
      numberOfRowsPassed,
      failedRequest.map(({ request, status }: { request: unknown; status: number }) => [request, status]),
    ],
    [1002, [[stray, 404]]],
    'a bad row among more than a thousand fails alone',
  );
  const shown = async (query = '', operation = 'getLineage') => {
    const reply = await world.admin.get(address(operation, hub, `fields=name${query}`));
    return [Object.keys(ok(reply).nodes).length - 1, Object.keys(reply.json.downstreamEdges).length, cutOf(reply)];
  };
  assert.equal(await shown(), [1000, 1000, 'nodes']);
  assert.equal(await shown('', 'getLineage/Downstream'), [1000, 1000, 'nodes']);
  assert.equal(await shown('&size=1000'), [1000, 1000, null]);
  assert.equal(await shown('&from=1000'), [2, 2, null]);
  assert.equal(await shown('&size=2000'), [1002, 1002, null]);
  await feed(world.admin, await world.table('up'), hub);
  assert.equal(await shown('&downstreamDepth=0'), [1, 0, null]);
  const file = await world.admin.get(address('export', hub, 'upstreamDepth=0'));
  ok(file);
  assert.is(file.text.trimEnd().split('\r\n').length, 1003, 'a line for each, below the names of the columns');
  assert.is(cutOf(file), null);
  const page = await world.admin.get(address('export', hub, 'upstreamDepth=0&size=1000'));
  assert.equal([page.text.trimEnd().split('\r\n').length, cutOf(page)], [1001, null]);
});

test.run();
