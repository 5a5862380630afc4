import * as assert from 'uvu/assert';
import { findCycles } from '../../../../src/lineage/read/graph/cycles.ts';
import { expectRef, expectRefused, ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { openSecondProcessWith } from '../../../support/second-process.ts';
import { suite } from '../../../support/suite.ts';
import { feed, type Made, mapping, openWorld, ref, type World } from '../../fixture.ts';
import { chain, distances, HIDING, randomPairs, tablesOf } from './fixture.ts';

/** Shows the problems that the lineage health check reports. */

const test = suite('lineage: health report');

let world: World;
let rights: RightsFactory;

test.beforeEach(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const health = async (query = '', client = world.admin) =>
  ok(await client.get(`/v1/lineage/health?scope=${world.serviceFqn}${query}`));

const idsOf = (refs: readonly Made[]): string[] => refs.map(({ id }) => id).sort();

test('the report contains cycles, assets without lineage and hubs without owners', async () => {
  const owner = await rights.person();
  const { a, b, c, d, lone, hub } = await tablesOf(world, 'a', 'b', 'c', 'd', 'lone', 'hub');
  await chain(world.admin, a, b, c, a);
  await chain(world.admin, c, d);
  for (const from of [a, b, d]) await chain(world.admin, from, hub);
  await chain(world.admin, hub, ok(await world.admin.get(`/v1/tables/${d.id}`)));
  const answer = await health();
  assert.equal(Object.keys(answer), [
    'cycles',
    'orphans',
    'danglingColumns',
    'unconfirmedEdges',
    'unownedHubs',
    'truncated',
  ]);
  assert.equal(answer.cycles.map(idsOf).sort(), [idsOf([a, b, c]), idsOf([d, hub])].sort());
  assert.equal(idsOf(answer.orphans), [lone.id]);
  const [largest, ...others] = answer.unownedHubs;
  assert.equal([largest.entity.id, largest.upstream, largest.downstream], [hub.id, 3, 1]);
  assert.ok(others.every(({ upstream, downstream }: typeof largest) => upstream + downstream <= 4));
  for (const one of [...answer.cycles.flat(), ...answer.orphans, largest.entity]) expectRef(one);
  assert.equal([answer.danglingColumns, answer.unconfirmedEdges, answer.truncated], [[], [], []]);
  ok(await world.admin.patch(`/v1/tables/${hub.id}`, [{ op: 'add', path: '/owners', value: [ref(owner, 'user')] }]));
  const owned = (await health()).unownedHubs.map(({ entity }: { entity: Made }) => entity.id);
  assert.is(owned.includes(hub.id), false);
  const few = await health('&limit=1');
  assert.equal([few.cycles.length, few.unownedHubs.length], [1, 1]);
  assert.ok(few.truncated.includes('cycles') && few.truncated.includes('unownedHubs'));
});

test('the report contains stale edges', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  await chain(world.admin, a, b, c);
  const between = await moment();
  await chain(world.admin, a, b);
  const { unconfirmedEdges } = await health(`&olderThan=${between}`);
  assert.is(unconfirmedEdges.length, 1);
  const [edge] = unconfirmedEdges;
  assert.equal([edge.fromEntity.id, edge.toEntity.id, edge.seenAt < between], [b.id, c.id, true]);
  assert.equal((await health(`&olderThan=${Date.now() + 1}`)).unconfirmedEdges.length, 2);
  assert.equal((await health('&olderThan=1')).unconfirmedEdges, []);
  expectRefused(await world.admin.get('/v1/lineage/health?olderThan=long'), 400, /olderThan/);
});

test('the report contains edges with missing columns', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a', 'b'], b, 'c'), mapping(a, ['a'], b, 'a')] }));
  assert.equal((await health()).danglingColumns, []);
  const gone = `${a.fullyQualifiedName}.b`;
  await world.service.graph.query('MATCH (c:Column {fullyQualifiedName: $gone}) DETACH DELETE c', { gone });
  const { danglingColumns } = await health();
  assert.equal(
    danglingColumns.map(({ entity, column, edge }: { entity: Made; column: string; edge: unknown }) => [
      entity.id,
      column,
      edge,
    ]),
    [[a.id, gone, { fromEntity: a.id, toEntity: b.id }]],
  );
});

test('the report covers only its scope and the assets that the caller may see', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!', 'lone!', 'b');
  const [{ a, b }, hidden] = [tables, tables['hidden!']];
  await chain(world.admin, a, hidden, a);
  await chain(world.admin, hidden, b);
  assert.equal((await health()).cycles.map(idsOf), [idsOf([a, hidden])]);
  const caller = await rights.person([HIDING]);
  const answer = await health(`&olderThan=${Date.now() + 1}`, caller);
  assert.equal([answer.cycles, answer.orphans, answer.unconfirmedEdges], [[], [], []]);
  assert.not.match(JSON.stringify(answer), hidden.name);
  const part = await world.admin.get(`/v1/lineage/health?scope=${world.serviceFqn.slice(0, -1)}`);
  assert.equal(ok(part).cycles, []);
  assert.equal(ok(await world.admin.get(`/v1/lineage/health?scope=${a.fullyQualifiedName}`)).cycles, []);
});

test('a report on the whole catalog is bounded and says when it is truncated', async () => {
  const { a, b, c, hub } = await tablesOf(world, 'a', 'b', 'c', 'hub');
  await chain(world.admin, a, b, a);
  for (const from of [a, b, c]) await chain(world.admin, from, hub);
  const get = async (query: string, client = world.admin) => ok(await client.get(`/v1/lineage/health?${query}`));
  const all = await get('limit=1000');
  assert.ok(all.cycles.map(idsOf).some((ids: string[]) => String(ids) === String(idsOf([a, b]))));
  assert.ok(all.unownedHubs.some(({ entity }: { entity: Made }) => entity.id === hub.id));
  assert.equal(all.truncated.includes('cycles'), false);
  const twin = await openSecondProcessWith(
    world.service,
    {},
    { env: { MAX_LINEAGE_NODES: '1', MAX_LINEAGE_EDGES: '2' } },
  );
  const whole = await get('limit=1000', twin.client);
  assert.equal(whole.truncated, ['cycles', 'orphans', 'danglingColumns', 'unownedHubs']);
  for (let at = 0; at < 12; at += 1) await world.table('more');
  const { truncated } = await get(`scope=${world.serviceFqn}`, twin.client);
  assert.ok(truncated.includes('orphans') && truncated.includes('unownedHubs'), String(truncated));
});

test('every cycle of a random graph consists of nodes that reach each other', () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const pairs = randomPairs(seed, 12, 10 + (seed % 12));
    const reached = Array.from({ length: 12 }, (_, id) => new Set(distances(pairs, id, 12, 'down').keys()));
    const wanted = new Set<string>();
    for (let id = 0; id < 12; id += 1) {
      const group = reached.flatMap((others, other) => (others.has(id) && reached[id]?.has(other) ? [other] : []));
      if (group.length > 1) wanted.add(group.join());
    }
    const found = findCycles(pairs.map(([from, to]) => [String(from), String(to)]));
    const shown = found.map((group) =>
      group
        .map(Number)
        .sort((a, b) => a - b)
        .join(),
    );
    assert.equal(new Set(shown), wanted, `seed ${seed}`);
  }
  const long = Array.from({ length: 50_000 }, (_, at) => [String(at), String((at + 1) % 50_000)] as const);
  assert.is(findCycles(long)[0]?.length, 50_000);
});

test('withdrawing an assertion does not confirm its edge', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  ok(await feed(world.admin, a, b, { source: 'Manual' }));
  ok(await feed(world.admin, a, b, { source: 'DbtLineage' }));
  const between = await moment();
  ok(await world.admin.delete(`/v1/lineage/table/${b.id}/type/DbtLineage`));
  const { unconfirmedEdges } = await health(`&olderThan=${between}`);
  assert.ok(unconfirmedEdges.some(({ fromEntity }: { fromEntity: { id: string } }) => fromEntity.id === a.id));
});

test.run();
