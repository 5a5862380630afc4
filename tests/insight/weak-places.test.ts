import * as assert from 'uvu/assert';
import { feed, type Made, openWorld, procedureIn, ref, type World } from '../lineage/fixture.ts';
import { HIDING, tablesOf } from '../lineage/read/graph/fixture.ts';
import { expectRef, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, type Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { compareAgain } from './compare-again.ts';
import { type Arc, drawArcs, partSizes, randomFrom, reachableFrom } from './random-graphs.ts';

/** Shows single points of failure and dead ends as they are answered, with and without what is hidden. */

const test = suite('insight: single points and dead ends');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const freshAgain = () => compareAgain(world.admin);

type SinglePoints = {
  readonly data: readonly { readonly entity: Made; readonly separates: number }[];
  readonly bridges: readonly { readonly from: Made; readonly to: Made; readonly separates: number }[];
};

const SINGLE_POINTS = '/v1/insight/single-points';
const DEAD_ENDS = '/v1/insight/dead-ends';

const singlePoints = async (client: Client, query = ''): Promise<SinglePoints> =>
  ok(await client.get(`${SINGLE_POINTS}?limit=1000&scope=${world.serviceFqn}${query}`));

type DeadEnd = { readonly entity: Made; readonly lastUsed?: string; readonly upstreamOnlyFor: readonly Made[] };

const deadEnds = async (client: Client, query = ''): Promise<readonly DeadEnd[]> =>
  ok(await client.get(`${DEAD_ENDS}?limit=1000&scope=${world.serviceFqn}${query}`)).data;

const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

const use = async ({ id }: Made, days: number): Promise<void> => {
  ok(await world.admin.post(`/v1/usage/table/${id}`, { date: daysAgo(days), count: 3 }));
};

/** Random lineage, a part of which is hidden from some and a part of which was used; edges between numbers. */
type Planted = {
  readonly tables: readonly Made[];
  readonly arcs: readonly Arc[];
  readonly hidden: ReadonlySet<number>;
  readonly used: ReadonlySet<number>;
};

const plant = async (seed: number, size: number): Promise<Planted> => {
  const random = randomFrom(seed);
  const names = Array.from({ length: size }, (_, at) => `w${seed}_${at}${at % 6 === 2 ? '!' : ''}`);
  const made = await tablesOf(world, ...names);
  const tables = names.map((name) => made[name] as Made);
  const arcs = drawArcs(random, size, Math.round(size * 1.1), false);
  for (const [from, to] of arcs) ok(await feed(world.admin, tables[from] as Made, tables[to] as Made));
  const used = new Set(tables.map((_, at) => at).filter((at) => at % 5 === 4));
  for (const at of used) await use(tables[at] as Made, 10);
  return { tables, arcs, used, hidden: new Set(names.flatMap((name, at) => (name.endsWith('!') ? [at] : []))) };
};

/** Those of the planted tables that a caller may see, and the edges between them. */
const seenBy = ({ tables, arcs }: Planted, hidden: ReadonlySet<number>) => ({
  nodes: tables.map((_, at) => at).filter((at) => !hidden.has(at)),
  arcs: arcs.filter(([from, to]) => !hidden.has(from) && !hidden.has(to)),
});

const pointsByRemoval = (planted: Planted, hidden: ReadonlySet<number>): string[] => {
  const { nodes, arcs } = seenBy(planted, hidden);
  const both = arcs.flatMap(([from, to]): Arc[] => [
    [from, to],
    [to, from],
  ]);
  return nodes.flatMap((node) => {
    const rest = [...reachableFrom(both, node)].filter((other) => other !== node);
    const separates = rest.length - (partSizes(rest, arcs)[0] ?? 0);
    return separates > 0 ? [`${planted.tables[node]?.id} ${separates}`] : [];
  });
};

const deadEndsByReach = (planted: Planted, hidden: ReadonlySet<number>): string[] => {
  const { nodes, arcs } = seenBy(planted, hidden);
  const isEnd = (node: number) => arcs.every(([from]) => from !== node);
  const idOf = (node: number) => planted.tables[node]?.id ?? '';
  const servesOnly = (end: number) => (node: number) => {
    const far = [...reachableFrom(arcs, node)];
    return node !== end && far.filter(isEnd).join() === String(end) && far.every((one) => !planted.used.has(one));
  };
  return nodes
    .filter((node) => isEnd(node) && !planted.used.has(node))
    .map((end) => [idOf(end), ...nodes.filter(servesOnly(end)).map(idOf).sort()].join());
};

const planted: Planted[] = [];

test('single points and dead ends are those of the slow computations, with and without what is hidden', async () => {
  for (const seed of [1, 2, 3]) planted.push(await plant(seed, 18));
  await freshAgain();
  const person = await rights.person([HIDING]);
  for (const client of [world.admin, person]) {
    const hiddenOf = ({ hidden }: Planted) => (client === person ? hidden : new Set<number>());
    const { data, bridges } = await singlePoints(client);
    assert.equal(
      data.map(({ entity, separates }) => `${entity.id} ${separates}`).sort(),
      planted.flatMap((one) => pointsByRemoval(one, hiddenOf(one))).sort(),
    );
    assert.ok(data.length > 5 && bridges.length > 5);
    assert.equal(
      (await deadEnds(client))
        .map(({ entity, upstreamOnlyFor }) => [entity.id, ...upstreamOnlyFor.map(({ id }) => id).sort()].join())
        .sort(),
      planted.flatMap((one) => deadEndsByReach(one, hiddenOf(one))).sort(),
    );
  }
});

test('those that separate most come first, and bridges lead downstream', async () => {
  const { data, bridges } = await singlePoints(world.admin);
  for (const list of [data, bridges]) {
    const sizes = list.map(({ separates }) => separates);
    assert.equal(
      sizes,
      [...sizes].sort((one, other) => other - one),
    );
  }
  const pairs = new Set(
    planted.flatMap(({ tables, arcs }) => arcs.map((arc) => arc.map((at) => tables[at]?.id).join())),
  );
  for (const { from, to } of bridges) {
    assert.ok(pairs.has([from.id, to.id].join()));
    for (const end of [from, to]) expectRef(end);
  }
});

test('use within the days exempts, and tells the last day', async () => {
  const { feeding, end } = await tablesOf(world, 'feeding', 'end');
  ok(await feed(world.admin, feeding, end));
  await use(end, 40);
  await freshAgain();
  const find = async (query: string) => (await deadEnds(world.admin, query)).find(({ entity }) => entity.id === end.id);
  assert.is(await find(''), undefined);
  assert.is(await find('&unusedDays=41'), undefined);
  const found = await find('&unusedDays=30');
  assert.equal([found?.lastUsed, found?.upstreamOnlyFor.map(({ id }) => id)], [daysAgo(40), [feeding.id]]);
  await use(feeding, 1);
  await freshAgain();
  assert.equal((await find('&unusedDays=30'))?.upstreamOnlyFor, []);
});

test('what moves data is no dead end, and neither is what feeds it', async () => {
  const { source } = await tablesOf(world, 'source');
  const procedure = await procedureIn(world, 'move');
  const edge = { fromEntity: ref(source), toEntity: ref(procedure, 'storedProcedure') };
  ok(await world.admin.put('/v1/lineage', { edge }));
  await freshAgain();
  const ids = (await deadEnds(world.admin)).map(({ entity }) => entity.id);
  assert.equal([ids.includes(source.id), ids.includes(procedure.id)], [false, false]);
});

test('pages lead to the end, and CSV has the rows of JSON', async () => {
  const whole = await singlePoints(world.admin);
  const [points, bridges]: [unknown[], unknown[]] = [[], []];
  for (let after = ''; ; ) {
    const page = ok(await world.admin.get(`${SINGLE_POINTS}?scope=${world.serviceFqn}&limit=7${after}`));
    assert.is(page.paging.total, whole.data.length + whole.bridges.length);
    points.push(...page.data);
    bridges.push(...page.bridges);
    if (page.paging.after === undefined) break;
    after = `&after=${page.paging.after}`;
  }
  assert.equal([points, bridges], [whole.data, whole.bridges]);
  const accept = { accept: 'text/csv' };
  const csv = await world.admin.get(`${SINGLE_POINTS}?scope=${world.serviceFqn}&limit=1000`, accept);
  const [head, ...lines] = csv.text.trim().split(/\r?\n/);
  assert.is(head, 'entityType,entity,toEntityType,toEntity,separates');
  assert.equal(
    lines.sort(),
    [
      ...whole.data.map(({ entity, separates }) => `table,${entity.fullyQualifiedName},,,${separates}`),
      ...whole.bridges.map(({ from, to, separates }) =>
        ['table', from.fullyQualifiedName, 'type' in to ? to.type : '', to.fullyQualifiedName, separates].join(),
      ),
    ].sort(),
  );
  const ends = await deadEnds(world.admin);
  const endLines = (await world.admin.get(`${DEAD_ENDS}?scope=${world.serviceFqn}&limit=1000`, accept)).text;
  assert.equal(endLines.trim().split(/\r?\n/), [
    'entityType,entity,lastUsed,upstreamOnlyFor',
    ...ends.map(({ entity, lastUsed = '', upstreamOnlyFor }) =>
      [
        'table',
        entity.fullyQualifiedName,
        lastUsed,
        upstreamOnlyFor.map((one) => one.fullyQualifiedName).join('; '),
      ].join(),
    ),
  ]);
});

test('bad requests are refused', async () => {
  for (const path of [SINGLE_POINTS, DEAD_ENDS]) {
    for (const query of ['limit=0', 'limit=1001', 'after=x', 'type=table']) {
      expectRefused(await world.admin.get(`${path}?${query}`), 400);
    }
    expectRefused(await world.admin.get(`${path}?scope=no.such.thing`), 404);
    expectRefused(await anonymous(world.service).get(path), 401);
  }
  for (const days of ['0', '3651', 'x', '1.5']) {
    expectRefused(await world.admin.get(`${DEAD_ENDS}?unusedDays=${days}`), 400);
  }
});

test.run();
