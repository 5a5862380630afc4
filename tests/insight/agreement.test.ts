import * as assert from 'uvu/assert';
import type { Json } from '../../src/model/json.ts';
import { LINEAGE_SOURCES } from '../../src/model/schemas/lineage/lineage.ts';
import { feed, type Made, mapping, openWorld, ref, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE, tablesOf } from '../lineage/read/graph/fixture.ts';
import { expectRef, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { compareAgain } from './compare-again.ts';
import { drawArcs, randomFrom } from './random-graphs.ts';

/** Compares the list of declared and observed lineage with a slow one made of what is told of each edge alone. */

const test = suite('insight: declared and observed');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const PATH = '/v1/lineage/agreement';

const freshAgain = () => compareAgain(world.admin);

type Row = {
  readonly from: Made;
  readonly to: Made;
  readonly state: 'agreed' | 'declaredOnly' | 'observedOnly';
  readonly declared: readonly string[];
  readonly observed: readonly string[];
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly confidence: number;
};

const listed = async (client: Client, query = `&scope=${world.serviceFqn}`) =>
  ok(await client.get(`${PATH}?limit=1000${query}`)) as {
    readonly data: readonly Row[];
    readonly paging: { readonly total: number };
    readonly summary: Readonly<Record<Row['state'], number>>;
  };

const OBSERVED = 'QueryLineage PipelineLineage SparkLineage OpenLineage CrossDatabaseLineage'.split(' ');

const TRUST: Readonly<Record<string, number>> = {
  DbtLineage: 0.95,
  ViewLineage: 0.95,
  ExternalTableLineage: 0.95,
  DashboardLineage: 0.9,
  OpenLineage: 0.9,
  SparkLineage: 0.9,
  PipelineLineage: 0.85,
  CrossDatabaseLineage: 0.8,
  QueryLineage: 0.8,
  ChildAssets: 0.5,
};

const YEAR_MS = 365 * 86_400_000;

type Told = { readonly source: string; readonly createdAt: number; readonly seenAt: number };

/** What a list must say of an edge, by what is told of it alone. */
const expectedRow = async (from: Made, to: Made) => {
  const reply = await world.admin.get(`/v1/lineage/getLineageEdge/${from.id}/${to.id}?assertions=true`);
  if (reply.status === 404) return undefined;
  const told: readonly Told[] = ok(reply).assertions;
  const sources = [...new Set(told.map(({ source }) => source))].sort();
  const observed = sources.filter((source) => OBSERVED.includes(source));
  const declared = sources.filter((source) => !OBSERVED.includes(source));
  const state = observed.length === 0 ? 'declaredOnly' : declared.length === 0 ? 'observedOnly' : 'agreed';
  const trust = told.map(({ source, seenAt }) =>
    source === 'Manual' ? 1 : (TRUST[source] ?? 0) * 0.5 ** ((Date.now() - seenAt) / YEAR_MS),
  );
  return {
    from: from.id,
    to: to.id,
    state,
    declared,
    observed,
    firstSeen: Math.min(...told.map(({ createdAt }) => createdAt)),
    lastSeen: Math.max(...told.map(({ seenAt }) => seenAt)),
    confidence: Math.round(Math.max(...trust) * 1000) / 1000,
  };
};

/** Rows with IDs only; a confidence fades while a test runs, so it is compared with three digits. */
const plain = (rows: readonly Row[]) =>
  rows.map(({ from, to, confidence, ...rest }) => ({
    from: from.id,
    to: to.id,
    ...rest,
    confidence: Math.round(confidence * 1000) / 1000,
  }));

type Planted = { readonly tables: readonly Made[]; readonly pairs: readonly (readonly [Made, Made])[] };

/** Random edges by random sources, some of which were withdrawn again or are years old. Every fifth table is hidden. */
const plant = async (seed: number, size: number): Promise<Planted> => {
  const random = randomFrom(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const columns = [{ name: 'a', dataType: 'INT' }];
  const tables = await Promise.all(
    Array.from({ length: size }, (_, at) =>
      world.make('tables', {
        name: uniqueName(`t${(at * 7) % size}`),
        databaseSchema: world.schemaFqn,
        columns,
        tags: at % 5 === 2 ? [SENSITIVE] : [],
      }),
    ),
  );
  const pairs = drawArcs(random, size, size * 3).map(
    ([from, to]) => [tables[from] as Made, tables[to] as Made] as const,
  );
  for (const [from, to] of pairs) {
    const sources = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(LINEAGE_SOURCES));
    for (const source of sources) {
      const sourceName = random() < 0.3 ? { sourceName: pick(['one', 'other']) } : {};
      ok(await feed(world.admin, from, to, { source, ...sourceName }));
    }
    if (random() < 0.3) {
      const at = `${to.id}/type/${pick(sources)}`;
      ok(await world.admin.delete(`/v1/lineage/table/${at}?from=${from.id}`));
    }
    if (random() < 0.4) {
      const text = `MATCH (:Entity {id: $from})-[edge:FEEDS]->(:Entity {id: $to})
        MATCH (said:Assertion {edgeId: edge.id}) WHERE rand() < 0.7 SET said.seenAt = $seenAt`;
      const seenAt = Date.now() - Math.floor(random() * 4 * YEAR_MS);
      await world.service.graph.query(text, { from: from.id, to: to.id, seenAt });
    }
  }
  return { tables, pairs };
};

let planted: Planted;

const byNames = (one: readonly [Made, Made], other: readonly [Made, Made]): number => {
  const names = ([from, to]: readonly [Made, Made]) => `${from.fullyQualifiedName}\u0000${to.fullyQualifiedName}`;
  return names(one) < names(other) ? -1 : 1;
};

const slowList = async (isIn: (from: Made, to: Made) => boolean) => {
  const rows = await Promise.all(
    [...planted.pairs].sort(byNames).flatMap(([from, to]) => (isIn(from, to) ? [expectedRow(from, to)] : [])),
  );
  return rows.filter((row) => row !== undefined);
};

const isHidden = ({ id }: Made): boolean => planted.tables.findIndex((table) => table.id === id) % 5 === 2;

test('the list is that of the slow comparison, with and without what is hidden', async () => {
  planted = await plant(11, 16);
  await freshAgain();
  const person = await rights.person([HIDING]);
  for (const [client, isIn] of [
    [world.admin, () => true],
    [person, (from: Made, to: Made) => !isHidden(from) && !isHidden(to)],
  ] as const) {
    const wanted = await slowList(isIn);
    const { data, paging, summary } = await listed(client);
    assert.equal(plain(data), wanted);
    assert.is(paging.total, wanted.length);
    for (const state of ['agreed', 'declaredOnly', 'observedOnly'] as const) {
      const some = wanted.filter((row) => row.state === state);
      assert.ok(some.length > 0, state);
      assert.is(summary[state], some.length);
      const chosen = await listed(client, `&scope=${world.serviceFqn}&state=${state}`);
      assert.equal(plain(chosen.data), some);
      assert.equal([chosen.paging.total, chosen.summary], [some.length, summary]);
    }
  }
  const { data } = await listed(world.admin);
  for (const { from, to } of data.slice(0, 5)) for (const end of [from, to]) expectRef(end);
  const two = await listed(world.admin, `&scope=${world.serviceFqn}&state=agreed,observedOnly`);
  assert.equal(
    two.data,
    data.filter(({ state }) => state !== 'declaredOnly'),
  );
});

test('an edge lies in a scope when one of its ends does', async () => {
  for (const { id, fullyQualifiedName } of planted.tables.slice(0, 4)) {
    const { data, summary } = await listed(world.admin, `&scope=${fullyQualifiedName}`);
    const wanted = await slowList((from, to) => from.id === id || to.id === id);
    assert.equal(plain(data), wanted);
    assert.is(summary.agreed + summary.declaredOnly + summary.observedOnly, wanted.length);
  }
});

test('pages lead to the end, and CSV has the rows of JSON', async () => {
  const { data: all } = await listed(world.admin);
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const { data, paging } = ok(await world.admin.get(`${PATH}?scope=${world.serviceFqn}&limit=7${after}`));
    assert.ok(data.length <= 7 && paging.total === all.length);
    rows.push(...data);
    if (paging.after === undefined) break;
    after = `&after=${paging.after}`;
  }
  assert.equal(plain(rows), plain(all));
  const reply = await world.admin.get(`${PATH}?limit=1000&scope=${world.serviceFqn}`, { accept: 'text/csv' });
  const [head, ...lines] = reply.text.trim().split(/\r?\n/);
  assert.is(head, 'fromType,from,toType,to,state,declared,observed,firstSeen,lastSeen,confidence');
  const cells = all.map(({ from, to, state, declared, observed, firstSeen, lastSeen }) =>
    [
      'table',
      from.fullyQualifiedName,
      'table',
      to.fullyQualifiedName,
      state,
      declared.join(' '),
      observed.join(' '),
      firstSeen,
      lastSeen,
    ].join(),
  );
  assert.equal(
    lines.map((line) => line.replace(/,[\d.]+$/, '')),
    cells,
  );
});

test('the list follows what becomes of edges and of their ends', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  ok(await feed(world.admin, a, b, { source: 'QueryLineage' }));
  ok(await feed(world.admin, b, c, { source: 'DbtLineage' }));
  await freshAgain();
  const statesAround = async ({ fullyQualifiedName }: Made) =>
    (await listed(world.admin, `&scope=${fullyQualifiedName}`)).data.map(({ from, state }) => [from.id, state]);
  assert.equal(await statesAround(b), [
    [a.id, 'observedOnly'],
    [b.id, 'declaredOnly'],
  ]);
  ok(await feed(world.admin, a, b, { source: 'ViewLineage' }));
  assert.equal(await statesAround(b), [
    [a.id, 'agreed'],
    [b.id, 'declaredOnly'],
  ]);
  ok(await world.admin.delete(`/v1/tables/${c.id}`));
  assert.equal(await statesAround(b), [[a.id, 'agreed']], 'what is deleted is not named, however old the graph is');
  ok(await world.admin.put('/v1/tables/restore', { id: c.id }));
  await freshAgain();
  assert.is((await statesAround(b)).length, 2);
  ok(await world.admin.delete(`/v1/lineage/table/${a.id}/table/${b.id}`));
  await freshAgain();
  assert.equal(await statesAround(b), [[b.id, 'declaredOnly']]);
  assert.is((await listed(world.admin, `&scope=${b.fullyQualifiedName}`)).paging.total, 1);
});

test('a removed column does not make a source look as if it had spoken again', async () => {
  const [from, to] = [await world.table('told'), await world.table('from')];
  const columnsLineage = ['a', 'b'].map((name) => mapping(from, [name], to, name)) as unknown as Json;
  ok(await feed(world.admin, from, to, { source: 'QueryLineage', columnsLineage }));
  const seenAt = Date.now() - 2 * YEAR_MS;
  const age = 'MATCH (said:Assertion {toId: $to}) SET said.seenAt = $seenAt';
  await world.service.graph.query(age, { to: to.id, seenAt });
  ok(await world.admin.patch(`/v1/tables/${from.id}`, [{ op: 'remove', path: '/columns/1' }]));
  const { assertions } = ok(await world.admin.get(`/v1/lineage/getLineageEdge/${from.id}/${to.id}?assertions=true`));
  assert.equal(
    assertions.map((one: Told) => one.seenAt),
    [seenAt],
  );
});

test('edges between assets of different types are listed as well', async () => {
  const { a } = await tablesOf(world, 'a');
  const service = await world.make('services/dashboardServices', {
    name: uniqueName('dash'),
    serviceType: 'Superset',
  });
  const board = await world.make('dashboards', { name: 'board', service: service.fullyQualifiedName });
  const edge = {
    fromEntity: ref(a),
    toEntity: ref(board, 'dashboard'),
    lineageDetails: { source: 'DashboardLineage' },
  };
  ok(await world.admin.put('/v1/lineage', { edge }));
  await freshAgain();
  const { data } = await listed(world.admin, `&scope=${service.fullyQualifiedName}`);
  assert.equal(
    data.map(({ from, to, declared, confidence }) => [from.id, to.id, declared, confidence]),
    [[a.id, board.id, ['DashboardLineage'], 0.9]],
  );
});

test('bad requests are refused', async () => {
  const get = (query: string) => world.admin.get(`${PATH}?${query}`);
  for (const query of ['limit=0', 'limit=1001', 'after=x', 'state=nothing', 'state=agreed,x', 'depth=3'])
    expectRefused(await get(query), 400);
  expectRefused(await get('scope=no.such.thing'), 404);
  const person = await rights.person([HIDING]);
  const hidden = planted.tables[2]?.fullyQualifiedName ?? '';
  expectRefused(await person.get(`${PATH}?scope=${hidden}`), 404);
  expectRefused(await anonymous(world.service).get(PATH), 401);
});

test.run();
