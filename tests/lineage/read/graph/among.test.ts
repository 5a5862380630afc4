import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import type { Client } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { feed, type Made, mapping, openWorld, type World } from '../../fixture.ts';
import { chain, drawnAround, HIDING, idsOf, lots, pair, pairsOf, tablesOf } from './fixture.ts';

/** Shows the lineage among assets that a request names. */

const test = suite('lineage: the graph among named assets');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const ask = (client: Client, tables: readonly Pick<Made, 'id'>[], query = '') =>
  client.post(`/v1/lineage/graph${query}`, { ids: idsOf(tables) });

const among = async (client: Client, tables: readonly Pick<Made, 'id'>[], query = '') =>
  ok(await ask(client, tables, query));

test('every edge between two of them is there, and the neighbours that nobody named are counted', async () => {
  const { admin } = world;
  const { a, b, c, d, e } = await tablesOf(world, 'a', 'b', 'c', 'd', 'e');
  await chain(admin, a, b, c);
  await chain(admin, a, c, d, e);
  const { nodes, edges, hiddenCounts, truncated, frontier, ...rest } = await among(admin, [c, a, b, d]);
  assert.equal(idsOf(nodes), idsOf([c, a, b, d]), 'in the order in which they were named');
  assert.equal(pairsOf(edges), [pair(a, b), pair(b, c), pair(a, c), pair(c, d)].sort());
  assert.equal([truncated, frontier, 'root' in rest], [false, [], false]);
  assert.equal([hiddenCounts[d.id], hiddenCounts[a.id]], [
    { upstream: 0, downstream: 1 },
    { upstream: 0, downstream: 0 },
  ] as never);
  assert.not.ok('depth' in nodes[0], 'there is nothing to be far from');
  const [node] = (await drawnAround(admin, c)).nodes;
  const { depth: _, ...told } = node;
  assert.equal(nodes[0], told, 'a node says what it says in every graph');
});

test('what is named twice comes once, and what nobody knows is left out', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  await chain(world.admin, a, b);
  const named = [a, { id: a.id.toUpperCase() }, { id: '00000000-0000-4000-8000-000000000000' }, b];
  const { nodes, edges } = await among(world.admin, named);
  assert.equal([idsOf(nodes), pairsOf(edges)], [idsOf([a, b]), [pair(a, b)]]);
  const none = await among(world.admin, []);
  assert.equal([none.nodes, none.edges], [[], []]);
});

test('a hidden asset is a stub beside a visible neighbour, and like one that is not there elsewhere', async () => {
  const { a, 'h!': h, 'far!': far, b } = await tablesOf(world, 'a', 'h!', 'far!', 'b');
  await chain(world.admin, a, h, far);
  await chain(world.admin, a, b);
  const viewer = await rights.person([HIDING]);
  const { nodes, edges, hiddenCounts } = await among(viewer, [a, h, far, b]);
  assert.equal(idsOf(nodes), idsOf([a, h, b]));
  assert.equal(nodes[1], { id: h.id, type: 'table', hidden: true });
  assert.equal(pairsOf(edges), [pair(a, h), pair(a, b)].sort());
  const toHidden = edges.find(({ toEntity }: { toEntity: string }) => toEntity === h.id);
  assert.equal(toHidden, { fromEntity: a.id, toEntity: h.id });
  assert.not.ok(h.id in hiddenCounts);
  const [alone, unknown] = [
    await ask(viewer, [far]),
    await ask(viewer, [{ id: '00000000-0000-4000-8000-000000000000' }]),
  ];
  const told = ({ asOf: _, ...answer }: { asOf: number }) => answer;
  assert.equal(told(ok(alone)), told(ok(unknown)));
});

test('deleted assets come when they are included, and the past when it is asked for', async () => {
  const { admin } = world;
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  await chain(admin, a, b, c);
  const before = await moment();
  ok(await admin.delete(`/v1/lineage/table/${a.id}/table/${b.id}`));
  ok(await admin.delete(`/v1/tables/${c.id}`));
  const pairs = async (query: string) => pairsOf((await among(admin, [a, b, c], query)).edges);
  assert.equal(await pairs(''), []);
  assert.equal(await pairs('?include=all'), [pair(b, c)]);
  assert.equal(await pairs(`?include=all&asOf=${before}`), [pair(a, b), pair(b, c)].sort());
  const gone = await among(admin, [a, b, c], '?include=deleted');
  assert.equal(idsOf(gone.nodes), idsOf([c]));
});

test('columns, fewer members and references once are chosen as for other graphs', async () => {
  const { admin } = world;
  const { a, b } = await tablesOf(world, 'a', 'b');
  ok(await feed(admin, a, b, { sqlQuery: 'select 1', columnsLineage: [mapping(a, ['a'], b, 'b')] }));
  const whole = await among(admin, [a, b], '?columns=true');
  assert.equal(whole.columnEdges.length, 1);
  assert.equal(
    whole.nodes[0].columns.map(({ name }: { name: string }) => name),
    ['a'],
  );
  const brief = await among(admin, [a, b], '?compact=true&edgeFields=source&fields=name');
  assert.equal(brief.nodes, idsOf([a, b]));
  assert.equal(brief.entities[a.id].name, a.name);
  assert.equal(brief.edges[0].lineageDetails, { source: 'Manual' });
  assert.equal([brief.edges[0].hasSql, brief.edges[0].columnPairs], [true, 1]);
});

test('it tells the same edges as graphs around each of the assets', async () => {
  const pick = lots(7);
  const made = Object.values(await tablesOf(world, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'));
  for (let edge = 0; edge < 14; edge += 1) {
    const [from, to] = [made[pick(8)], made[pick(8)]];
    if (from && to && from !== to) ok(await feed(world.admin, from, to));
  }
  const around = await Promise.all(made.map((one) => drawnAround(world.admin, one)));
  const all = new Set(around.flatMap(({ edges }) => pairsOf(edges)));
  assert.equal(pairsOf((await among(world.admin, made)).edges), [...all].sort());
});

test('what is no question is refused', async () => {
  const path = '/v1/lineage/graph';
  expectRefused(await world.admin.post(path, {}), 400, /ids must not be null/);
  expectRefused(await world.admin.post(path, { ids: ['x'] }), 400, /ids/);
  const many = Array.from({ length: 2001 }, () => '00000000-0000-4000-8000-000000000000');
  expectRefused(await world.admin.post(path, { ids: many }), 400, /2000/);
  expectRefused(await world.admin.post(`${path}?depth=1`, { ids: [] }), 400, /depth/);
  expectRefused(await world.admin.post(`${path}?include=some`, { ids: [] }), 400, /include/);
});

test.run();
