import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import type { NetworkAsset } from '../../src/insight/graph/network.ts';
import { feed, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { expectRef, expectRefused, ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { copyPreparedHome } from '../support/prepared-home.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { openSecondProcess } from '../support/second-process.ts';
import { anonymous, type Client, closeServiceAt, openServiceAt, placeOfRun } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { compareAgain } from './compare-again.ts';
import { type Arc, drawArcs, randomFrom } from './random-graphs.ts';

/**
 * Compares importance with a slow computation on what the store holds. Each score depends on the whole store, so it has a
 * database of its own, to which nobody else writes.
 */

const test = suite('insight: importance');

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

type Row = {
  readonly entity: Made;
  readonly score: number;
  readonly rank: number;
  readonly parts: Readonly<Record<'lineage' | 'usage' | 'contracts' | 'tier', number>>;
};

const rowsOf = async (client: Client, query = ''): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const { data, paging } = ok(await client.get(`/v1/insight/importance?limit=1000${query}${after}`));
    rows.push(...data);
    if (paging.after === undefined) {
      assert.is(paging.total, rows.length);
      return rows;
    }
    after = `&after=${paging.after}`;
  }
};

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

const DAY_MS = 86_400_000;
const dayBefore = (day: string, days: number) => new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);

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
      await expectScores(await rowsOf(client), () => true, what);
      return true;
    } catch (found) {
      failure = found;
      return false;
    }
  };
  await waitUntil(areRight, `the scores are right ${what}`, () => failure, { pauseMs: 200 });
};

/** Random lineage of tables with tiers, use and contracts; every seventh table is hidden from some. */
const plantGraph = async (seed: number, size: number): Promise<{ tables: readonly Made[]; arcs: readonly Arc[] }> => {
  const random = randomFrom(seed);
  const tables: Made[] = [];
  for (let at = 0; at < size; at += 1) {
    const tier = Math.floor(random() * 8) + 1;
    const tags = [
      ...(tier <= 4 ? [{ tagFQN: `Tier.Tier${tier}`, source: 'Classification' }] : []),
      ...(at % 7 === 3 ? [SENSITIVE] : []),
    ];
    const columns = [{ name: 'a', dataType: 'INT' }];
    tables.push(await world.make('tables', { name: `g${seed}_${at}`, databaseSchema: world.schemaFqn, columns, tags }));
  }
  const arcs = drawArcs(random, size, size * 2);
  for (const [from, to] of arcs) ok(await feed(world.admin, tables[from] as Made, tables[to] as Made));
  for (const [at, { id, name }] of tables.entries()) {
    if (at % 3 === 0) {
      const date = dayBefore(new Date().toISOString().slice(0, 10), at % 9);
      ok(await world.admin.post(`/v1/usage/table/${id}`, { date, count: at + 1 }));
    }
    if (at % 5 === 0) await world.make('dataContracts', { name: `c_${name}`, entity: { id, type: 'table' } });
  }
  return { tables, arcs };
};

let planted: Awaited<ReturnType<typeof plantGraph>>;

test('scores are those of the slow computation, with and without what is hidden', async () => {
  planted = await plantGraph(5, 28);
  await compareAgain(world.admin);
  const rows = await rowsOf(world.admin);
  await expectScores(rows, () => true, 'all');
  assert.is(rows[0]?.score, 1);
  assert.equal(
    rows.map(({ rank }) => rank),
    rows.map((_, at) => at + 1),
  );
  for (const { entity } of rows.slice(0, 10)) expectRef(entity);
  const person = await rights.person([HIDING]);
  await expectScores(await rowsOf(person), ({ tags }) => !tags.includes('PII.Sensitive'), 'some');
});

test('the parts explain the score', async () => {
  const rows = await rowsOf(world.admin);
  const products = rows.map(({ parts }) => parts.lineage * parts.usage * parts.contracts * parts.tier);
  const most = Math.max(...products);
  for (const [at, { score }] of rows.entries()) assert.ok(Math.abs(score - (products[at] ?? 0) / most) < 1e-5);
  assert.ok(rows.every(({ parts }) => parts.usage >= 1 && parts.usage <= 1.5));
  for (const name of ['usage', 'contracts', 'tier'] as const)
    assert.ok(
      rows.some(({ parts }) => parts[name] > 1),
      name,
    );
});

test('an answer names changes within seconds, also those of another process', async () => {
  const other = await openSecondProcess(world.service);
  await rowsOf(other);
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

test('type and scope choose rows and leave scores and ranks as they are', async () => {
  const all = await rowsOf(world.admin);
  const tables = await rowsOf(world.admin, '&type=table');
  assert.equal(
    tables,
    all.filter(({ entity }) => (entity as Made & { type: string }).type === 'table'),
  );
  const below = await rowsOf(world.admin, `&scope=${world.schemaFqn}`);
  assert.equal(
    below,
    all.filter(({ entity }) => entity.fullyQualifiedName.startsWith(`${world.schemaFqn}.`)),
  );
  const one = planted.tables[0]?.fullyQualifiedName ?? '';
  assert.is((await rowsOf(world.admin, `&scope=${one}`)).length, 1);
  assert.is((await rowsOf(world.admin, `&scope=${world.serviceFqn}&type=topic`)).length, 0);
});

test('pages lead to the end, and CSV has the rows of JSON', async () => {
  const path = `/v1/insight/importance?scope=${world.schemaFqn}`;
  const all = await rowsOf(world.admin, `&scope=${world.schemaFqn}`);
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const { data, paging, computedAt } = ok(await world.admin.get(`${path}&limit=10${after}`));
    assert.ok(data.length <= 10 && paging.total === all.length && computedAt <= Date.now());
    rows.push(...data);
    if (paging.after === undefined) break;
    after = `&after=${paging.after}`;
  }
  assert.equal(rows, all);
  const reply = await world.admin.get(`${path}&limit=1000`, { accept: 'text/csv' });
  const lines = reply.text.trim().split(/\r?\n/);
  assert.is(lines[0], 'rank,score,entityType,entity,lineage,usage,contracts,tier');
  const cells = all.map(({ entity, score, rank, parts: { lineage, usage, contracts, tier } }) =>
    [rank, score, 'table', entity.fullyQualifiedName, lineage, usage, contracts, tier].join(),
  );
  assert.equal(lines.slice(1), cells);
});

test('bad requests are refused', async () => {
  const get = (query: string) => world.admin.get(`/v1/insight/importance?${query}`);
  expectRefused(await get('type=nothing'), 400);
  expectRefused(await get('limit=0'), 400);
  expectRefused(await get('limit=1001'), 400);
  expectRefused(await get('after=x'), 400);
  expectRefused(await get('depth=3'), 400);
  expectRefused(await get('scope=no.such.thing'), 404);
  const person = await rights.person([HIDING]);
  const hidden = planted.tables[3]?.fullyQualifiedName ?? '';
  expectRefused(await person.get(`/v1/insight/importance?scope=${hidden}`), 404);
  expectRefused(await anonymous(world.service).get('/v1/insight/importance'), 401);
});

test.run();
