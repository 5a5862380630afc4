/** Shows that impact and path responses are truncated at their limits and say so (lineage.md 9 and 11). */
import * as assert from 'uvu/assert';
import { ok } from '../../../support/expect.ts';
import type { Client, Reply } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, feed, type Made, mapping, openWorld, type World } from '../../fixture.ts';
import { cutOf, within } from '../truncation-fixture.ts';
import { chain, idsOf, tablesOf } from './fixture.ts';

const test = suite('lineage: truncated impacts and paths');

let world: World;

test.before(async () => {
  world = await openWorld();
});

type Affected = { readonly entity: Made; readonly columns: readonly string[] };

const impact = async (client: Client, { id }: Made, query = '') => {
  const reply = await client.get(`/v1/lineage/impact?id=${id}${query}`);
  const affected: readonly Affected[] = ok(reply).affected;
  return { ids: idsOf(affected.map(({ entity }) => entity)), affected, cut: cutOf(reply) };
};

test('an impact beyond its limit of records or edges says so and shows the nearest ones', async () => {
  const { a, b, c, d, e } = await tablesOf(world, 'a', 'b', 'c', 'd', 'e');
  await chain(world.admin, a, b, c, d, e);
  const all = idsOf([b, c, d, e]);
  for (const client of [world.admin, await within(world, { nodes: 5, edges: 4 })]) {
    const { ids, cut } = await impact(client, a);
    assert.equal([ids, cut], [all, null]);
  }
  const few = await impact(await within(world, { nodes: 2 }), a);
  assert.equal([few.ids, few.cut], [all.slice(0, 2), 'nodes']);
  const thin = await impact(await within(world, { edges: 2 }), a);
  assert.equal([thin.ids.slice(0, 2), thin.cut], [all.slice(0, 2), 'edges']);
  const near = await impact(await within(world, { nodes: 2, edges: 1 }), a, '&maxDepth=1');
  assert.equal([near.ids, near.cut], [all.slice(0, 1), null], 'all that was asked for');
});

test('a column impact is truncated like an asset impact', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  for (const [from, to] of [
    [a, b],
    [b, c],
    [c, d],
  ] as const) {
    ok(await feed(world.admin, from, to, { columnsLineage: [mapping(from, ['a'], to, 'a')] }));
  }
  const whole = await impact(world.admin, a, '&column=a');
  assert.equal([whole.ids, whole.cut], [idsOf([b, c, d]), null]);
  const few = await impact(await within(world, { nodes: 2 }), a, '&column=a');
  assert.equal([few.ids, few.cut], [idsOf([b, c]), 'nodes']);
  assert.is((await impact(await within(world, { edges: 2 }), a, '&column=a')).cut, 'edges');
});

test('an impact of a whole record covers all its columns or says that it does not', async () => {
  const names = Array.from({ length: 6 }, (_, at) => `c${at}`);
  const columns = names.map((name) => column(name));
  const [a, b] = await Promise.all([world.table('a', columns), world.table('b', columns)]);
  ok(await feed(world.admin, a, b, { columnsLineage: names.map((name) => mapping(a, [name], b, name)) }));
  const whole = await impact(world.admin, a);
  assert.is(whole.affected[0]?.columns.length, 6);
  const { affected, cut } = await impact(await within(world, { nodes: 3 }), a);
  assert.ok(affected[0]?.columns.length === 6 || cut !== null, 'columns were left out, and nobody was told');
});

const paths = (client: Client, from: string, to: string, query = ''): Promise<Reply> =>
  client.get(`/v1/lineage/paths?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}${query}`);

const found = (reply: Reply): unknown[] => {
  const { paths: all, truncated } = ok(reply);
  return [all.map(({ nodes }: { nodes: readonly Made[] }) => idsOf(nodes)), truncated];
};

test('the shortest paths are returned, with a flag that there are more', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c, d);
  await chain(world.admin, a, d);
  const long = idsOf([a, b, c, d]);
  assert.equal(found(await paths(world.admin, a.id, d.id, '&maxPaths=1')), [[idsOf([a, d])], true]);
  assert.equal(found(await paths(world.admin, a.id, d.id, '&maxPaths=2')), [[idsOf([a, d]), long], false]);
  assert.equal(found(await paths(world.admin, a.id, d.id, '&maxPaths=1&maxLength=1')), [[idsOf([a, d])], false]);
});

test('an incomplete search for paths says so', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c, d);
  const enough = await within(world, { edges: 3 });
  assert.equal(found(await paths(enough, a.id, d.id)), [[idsOf([a, b, c, d])], false]);
  const cut = await paths(await within(world, { edges: 2 }), a.id, d.id);
  assert.equal(found(cut), [[], true]);
  assert.is(cutOf(cut), 'edges', 'every answer that is cut for want of room says so in its header');
});

test('paths from a record to a column start at any of its columns, or say that they do not', async () => {
  const names = ['a', 'b', 'c'];
  const [from, to] = await Promise.all([world.table('from'), world.table('to')]);
  ok(await feed(world.admin, from, to, { columnsLineage: names.map((name) => mapping(from, [name], to, name)) }));
  const thin = await within(world, { edges: 2 });
  for (const name of names) {
    const link = `<#E::table::${to.fullyQualifiedName}::columns::${name}>`;
    assert.is(ok(await paths(world.admin, from.id, link)).paths.length, 1);
    const answer = ok(await paths(thin, from.id, link));
    assert.ok(answer.paths.length === 1 || answer.truncated, `nobody was told that the path to ${name} is missing`);
  }
});

test.run();
