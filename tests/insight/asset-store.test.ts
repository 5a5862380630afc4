import * as assert from 'uvu/assert';
import { createAssetStore, updateAssetStore } from '../../src/insight/graph/asset-store.ts';
import { feed, openWorld, type World } from '../lineage/fixture.ts';
import { tablesOf } from '../lineage/read/graph/fixture.ts';
import { ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';

/** Shows what the graph in memory reads, and that its limits are kept and said. */

const test = suite('insight: assets in memory');

let world: World;

test.before(async () => {
  world = await openWorld();
});

const PLENTY = { assets: 1_000_000, edges: 2_000_000 };

test('an update reads only what has changed', async () => {
  const { graph, registry } = world.service;
  let read = 0;
  const counting: typeof graph.read = (statement, params, options) => {
    if (statement.name === 'insight/graph/read_assets' && 'ids' in params) read += (params.ids as string[]).length;
    return graph.read(statement, params, options);
  };
  const source = { graph: { ...graph, read: counting }, registry };
  await world.table('first');
  const store = createAssetStore();
  assert.is(await updateAssetStore(source, store, PLENTY), true);
  assert.is(read, store.assets.size);
  read = 0;
  assert.is(await updateAssetStore(source, store, PLENTY), false);
  assert.is(read, 0);
  const { from, to } = await tablesOf(world, 'from', 'to');
  await updateAssetStore(source, store, PLENTY);
  assert.is(read, 2);
  read = 0;
  const before = store.edges;
  ok(await feed(world.admin, from, to));
  assert.is(await updateAssetStore(source, store, PLENTY), true);
  assert.equal([read, store.edges], [2, before + 1]);
  assert.equal(store.assets.get(from.id)?.feeds, [to.id]);
  ok(await world.admin.delete(`/v1/tables/${to.id}?hardDelete=true`));
  assert.is(await updateAssetStore(source, store, PLENTY), true);
  assert.is(store.assets.has(to.id), false);
});

test('what exceeds a limit is left out, and that is said', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  for (const [from, to] of [[a, b] as const, [b, c] as const, [a, c] as const]) ok(await feed(world.admin, from, to));
  const source = world.service;
  const few = createAssetStore();
  await updateAssetStore(source, few, { ...PLENTY, assets: 2 });
  assert.equal([few.assets.size, few.cut], [2, 'assets']);
  const some = createAssetStore();
  await updateAssetStore(source, some, { ...PLENTY, edges: 1 });
  assert.is(some.cut, 'edges');
  const all = createAssetStore();
  await updateAssetStore(source, all, PLENTY);
  assert.is(all.cut, undefined);
  await updateAssetStore(source, all, { ...PLENTY, assets: all.assets.size - 1 });
  assert.is(all.cut, 'assets');
});

test.run();
