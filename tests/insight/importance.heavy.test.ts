import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import type { NetworkAsset } from '../../src/insight/graph/network.ts';
import { feed, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING } from '../lineage/read/graph/fixture.ts';
import { expectRef, ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { copyPreparedHome } from '../support/prepared-home.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { openSecondProcess } from '../support/second-process.ts';
import { type Client, closeServiceAt, openServiceAt, placeOfRun } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { compareAgain } from './compare-again.ts';
import { dayBefore, plantAssets, type Row, readRows } from './importance-fixture.ts';

/**
 * Compares importance with a slow computation on what the store holds. Each score depends on the whole store, so it has a
 * database of its own, to which nobody else writes.
 */

const test = suite('insight: scores of importance');

let home: string;
let server: EmbeddedServer;
let world: World;
let rights: RightsFactory;

test.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-importance-'));
  await copyPreparedHome(home);
  server = await startEmbeddedServer({ home, heap: '512m', pagecache: '128m', report: () => {} });
  const { uri, user, password } = server;
  world = await openWorld(await openServiceAt({ ...placeOfRun(), uri, user, password }));
  rights = createRightsFactory(world.service);
});

test.after(async () => {
  await closeServiceAt(world.service);
  await server.stop();
  await rm(home, { recursive: true, force: true });
});

const ASSETS = `
MATCH (n:Entity)
WHERE NOT n.deleted AND (n.entityType IN $types OR EXISTS { (n)-[:FEEDS]-() })
RETURN n.id AS id, n.entityType AS entityType, n.fullyQualifiedName AS fqn,
  [(n)-[:FEEDS]->(to WHERE NOT to.deleted) | to.id] AS feeds,
  [(n)-[:TAGGED]->(tag) | tag.fullyQualifiedName] AS tags,
  EXISTS { (n)-[:HAS_CONTRACT]->(c:Entity WHERE NOT c.deleted) } AS hasContract,
  n.usedOn AS usedOn,
  [(n)-[:HAS_USAGE]->(day) | {date: day.date, count: day.count}] AS days`;

const TYPES =
  'table topic container dashboard dashboardDataModel mlmodel searchIndex apiEndpoint pipeline storedProcedure file'.split(
    ' ',
  );

type StoredAsset = Pick<NetworkAsset, 'id' | 'entityType' | 'feeds'> & {
  readonly tags: readonly string[];
  readonly hasContract: boolean;
  readonly usedOn: string | null;
  readonly days: readonly { readonly date: string; readonly count: number }[];
};

/** PageRank by the book: each asset hands on its rank to what it is made from, or to all when that is nothing. */
const slowRanks = (assets: readonly StoredAsset[]): ReadonlyMap<string, number> => {
  const above = new Map(assets.map(({ id }) => [id, [] as string[]]));
  for (const { id, feeds } of assets) for (const to of feeds) above.get(to)?.push(id);
  const size = assets.length;
  let ranks = new Map(assets.map(({ id }) => [id, 1 / size]));
  for (let round = 0; round < 150; round += 1) {
    const next = new Map(assets.map(({ id }) => [id, 0.15 / size]));
    let lost = 0;
    for (const [id, rank] of ranks) {
      const sources = above.get(id) ?? [];
      for (const source of sources) next.set(source, (next.get(source) ?? 0) + (0.85 * rank) / sources.length);
      if (sources.length === 0) lost += rank;
    }
    ranks = new Map([...next].map(([id, rank]) => [id, rank + (0.85 * lost) / size]));
  }
  return ranks;
};

const slowScores = async (isSeen: (asset: StoredAsset) => boolean) => {
  const stored = (await world.service.graph.query(ASSETS, { types: TYPES })) as unknown as StoredAsset[];
  const assets = stored.filter(isSeen);
  const ranks = slowRanks(assets);
  const highest = Math.max(...ranks.values());
  const newest =
    assets
      .map(({ usedOn }) => usedOn ?? '')
      .sort()
      .at(-1) ?? '';
  const usesOf = ({ usedOn, days }: StoredAsset) =>
    usedOn !== null && usedOn > dayBefore(newest, 30)
      ? days.reduce((sum, { date, count }) => (date > dayBefore(usedOn, 30) && date <= usedOn ? sum + count : sum), 0)
      : 0;
  const products = assets.map((asset) => {
    const same = assets.filter(({ entityType }) => entityType === asset.entityType);
    const below = same.filter((other) => usesOf(other) < usesOf(asset)).length / same.length;
    const tier = asset.tags.find((tag) => tag.startsWith('Tier.')) ?? '';
    const factors = { 'Tier.Tier1': 1.5, 'Tier.Tier2': 1.3, 'Tier.Tier3': 1.1 }[tier] ?? 1;
    const lineage = (ranks.get(asset.id) ?? 0) / highest;
    return [asset.id, lineage * (1 + below / 2) * (asset.hasContract ? 1.25 : 1) * factors] as const;
  });
  const most = Math.max(...products.map(([, product]) => product));
  return new Map(products.map(([id, product]) => [id, product / most]));
};

const expectScores = async (rows: readonly Row[], isSeen: (asset: StoredAsset) => boolean, what: string) => {
  const wanted = await slowScores(isSeen);
  assert.equal(rows.map(({ entity }) => entity.id).sort(), [...wanted.keys()].sort(), what);
  for (const { entity, score } of rows) {
    assert.ok(
      Math.abs(score - (wanted.get(entity.id) ?? -1)) < 2e-5,
      `${what}: ${score}, not ${wanted.get(entity.id)}`,
    );
  }
};

/** A process compares its graph with the database by itself, some seconds after the last time. */
const waitForScores = async (client: Client, what: string): Promise<void> => {
  let failure: unknown;
  const areRight = async () => {
    try {
      await expectScores(await readRows(client), () => true, what);
      return true;
    } catch (found) {
      failure = found;
      return false;
    }
  };
  await waitUntil(areRight, `the scores are right ${what}`, () => failure, { pauseMs: 200 });
};

test('scores are those of the slow computation, with and without what is hidden', async () => {
  await plantAssets(world, 5, 28);
  await compareAgain(world.admin);
  const rows = await readRows(world.admin);
  await expectScores(rows, () => true, 'all');
  assert.is(rows[0]?.score, 1);
  assert.equal(
    rows.map(({ rank }) => rank),
    rows.map((_, at) => at + 1),
  );
  for (const { entity } of rows.slice(0, 10)) expectRef(entity);
  const person = await rights.person([HIDING]);
  await expectScores(await readRows(person), ({ tags }) => !tags.includes('PII.Sensitive'), 'some');
});

test('an answer names changes within seconds, also those of another process', async () => {
  const other = await openSecondProcess(world.service);
  await readRows(other);
  const [from, to, gone] = [await world.table('from'), await world.table('to'), await world.table('gone')];
  ok(await feed(world.admin, from, to));
  ok(await feed(world.admin, gone, to));
  for (const client of [world.admin, other]) await waitForScores(client, 'after new edges');
  ok(await world.admin.delete(`/v1/tables/${gone.id}`));
  for (const client of [world.admin, other]) {
    const { data } = ok(await client.get(`/v1/insight/importance?limit=1000&scope=${world.schemaFqn}`));
    const isNamed = data.some(({ entity }: Row) => entity.id === gone.id);
    assert.is(isNamed, false, 'what is gone is not named, however old the graph is');
  }
  ok(await world.admin.delete(`/v1/lineage/table/${from.id}/table/${to.id}`));
  ok(await world.admin.put('/v1/tables/restore', { id: gone.id }));
  for (const client of [world.admin, other]) await waitForScores(client, 'after changes');
  ok(await world.admin.delete(`/v1/tables/${gone.id}?hardDelete=true`));
  for (const client of [world.admin, other]) await waitForScores(client, 'after removal');
});

test.run();
