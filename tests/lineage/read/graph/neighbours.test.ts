import * as assert from 'uvu/assert';
import { compareAgain } from '../../../insight/compare-again.ts';
import { expectRefused, ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { feed, type Made, openWorld, pipelineIn, ref, type World } from '../../fixture.ts';
import { chain, HIDING, idsOf, pair, pairsOf, tablesOf } from './fixture.ts';

/** Shows how what lies next to an asset is listed, searched, sorted and paged. */

const test = suite('lineage: neighbours');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const ask = (client: Client, { id }: Pick<Made, 'id'>, query: string) =>
  client.get(`/v1/lineage/neighbours?id=${id}&${query}`);

const near = async (client: Client, asset: Pick<Made, 'id'>, query = 'side=downstream') =>
  ok(await ask(client, asset, query));

const named = (name: string, displayName?: string, more = {}): Promise<Made> =>
  world.make('tables', {
    name: uniqueName(name),
    ...(displayName === undefined ? {} : { displayName }),
    databaseSchema: world.schemaFqn,
    columns: [{ name: 'a', dataType: 'STRING' }],
    ...more,
  });

test('neighbours of one side come by name, with the edges to them, and how many there are of each type', async () => {
  const { admin } = world;
  const [hub, ...others] = await Promise.all([
    named('hub'),
    named('z', 'Beta'),
    named('y', 'alpha'),
    named('x', 'Gamma'),
  ]);
  const [beta, alpha, gamma] = others as [Made, Made, Made];
  for (const other of others) ok(await feed(admin, hub, other, { sqlQuery: 'select 1' }));
  await chain(admin, await named('above'), hub);
  const answer = await near(admin, hub);
  assert.equal(idsOf(answer.nodes), idsOf([alpha, beta, gamma]), 'by what they are called, in whichever case');
  assert.equal(pairsOf(answer.edges), [pair(hub, alpha), pair(hub, beta), pair(hub, gamma)].sort());
  assert.equal([answer.root.id, answer.types, answer.paging], [hub.id, [{ type: 'table', count: 3 }], { total: 3 }]);
  assert.equal(
    answer.nodes.map(({ depth, service }: { depth: number; service: object }) => [depth, service !== undefined]),
    others.map(() => [1, true]),
    'native nodes',
  );
  assert.equal(answer.edges[0].lineageDetails.sqlQuery, 'select 1');
  assert.equal(answer.hiddenCounts[hub.id], { upstream: 1, downstream: 0 });
  assert.equal((await near(admin, beta, 'side=upstream')).nodes[0].depth, -1);
});

test('pages have each neighbour once, and go on where the list has changed meanwhile', async () => {
  const { admin } = world;
  const hub = await named('hub');
  const all = await Promise.all(Array.from({ length: 7 }, (_, at) => named('n', `Name ${at}`)));
  for (const other of all) ok(await feed(admin, hub, other));
  const first = await near(admin, hub, 'side=downstream&limit=3');
  assert.equal([idsOf(first.nodes), first.paging.total], [idsOf(all.slice(0, 3)), 7]);
  assert.equal(first.edges.length, 3, 'edges of the page only');
  // One before the place where the page ended is gone.
  ok(await admin.delete(`/v1/lineage/table/${hub.id}/table/${all[0]?.id}`));
  const second = await near(admin, hub, `side=downstream&limit=3&after=${first.paging.after}`);
  assert.equal([idsOf(second.nodes), second.paging.total], [idsOf(all.slice(3, 6)), 6]);
  const last = await near(admin, hub, `side=downstream&limit=3&after=${second.paging.after}`);
  assert.equal([idsOf(last.nodes), 'after' in last.paging], [idsOf(all.slice(6)), false]);
});

test('words and types narrow the list, and the types count what the words find', async () => {
  const { admin } = world;
  const hub = await named('hub');
  const [sales, other] = await Promise.all([named('t', 'Daily SALES by shop'), named('t', 'Sales of books')]);
  const { fullyQualifiedName: service } = await world.make('services/dashboardServices', {
    name: uniqueName('bi'),
    serviceType: 'Metabase',
  });
  const dashboard = await world.make('dashboards', { name: uniqueName('sales'), service });
  for (const table of [sales, other]) ok(await feed(admin, hub, table));
  ok(
    await admin.put('/v1/lineage', {
      edge: { fromEntity: ref(hub), toEntity: { id: dashboard.id, type: 'dashboard' } },
    }),
  );
  const both = await near(admin, hub, 'side=downstream&q=shop%20%20sales');
  assert.equal(idsOf(both.nodes), [sales.id], 'all words, in any order and case');
  const tables = await near(admin, hub, 'side=downstream&q=sales&types=table');
  assert.equal(idsOf(tables.nodes).sort(), idsOf([sales, other]).sort());
  assert.equal(tables.types, [
    { type: 'table', count: 2 },
    { type: 'dashboard', count: 1 },
  ]);
  assert.equal((await near(admin, hub, `side=downstream&q=${world.schemaFqn}.`)).paging.total, 2, 'by full names');
  assert.equal((await near(admin, hub, 'side=downstream&q=nothing')).nodes, []);
});

test('services, domains and tags narrow the list as they do graphs, and find nothing hidden', async () => {
  const { admin } = world;
  const hub = await named('hub');
  const label = { source: 'Classification', labelType: 'Manual', state: 'Confirmed' };
  const [tagged, secret, plain] = [
    await named('tagged', undefined, { tags: [{ tagFQN: 'PII.NonSensitive', ...label }] }),
    await named('secret', undefined, { tags: [{ tagFQN: 'PII.Sensitive', ...label }] }),
    await named('plain'),
  ];
  const domain = await world.make('domains', { name: uniqueName('zone'), description: 'x', domainType: 'Aggregate' });
  const change = [{ op: 'add', path: '/domains', value: [ref(domain, 'domain')] }];
  ok(await admin.patch(`/v1/tables/${plain.id}`, change));
  const { fullyQualifiedName: service } = await world.make('services/dashboardServices', {
    name: uniqueName('bi'),
    serviceType: 'Metabase',
  });
  const dashboard = await world.make('dashboards', { name: uniqueName('board'), service });
  for (const table of [tagged, secret, plain]) ok(await feed(admin, hub, table));
  const edge = { fromEntity: ref(hub), toEntity: { id: dashboard.id, type: 'dashboard' } };
  ok(await admin.put('/v1/lineage', { edge }));
  for (const [query, expected] of [
    [`services=${service}`, [dashboard]],
    [`services=${world.serviceFqn}`, [tagged, secret, plain]],
    [`domains=${domain.fullyQualifiedName}`, [plain]],
    ['tags=PII', [tagged, secret]],
    ['tags=PII&q=tagged', [tagged]],
    [`services=${world.serviceFqn}&types=dashboard`, []],
  ] as const) {
    const found = await near(admin, hub, `side=downstream&${query}`);
    assert.equal(idsOf(found.nodes).sort(), idsOf(expected).sort(), query);
    assert.is(found.paging.total, expected.length, query);
  }
  const viewer = await rights.person([HIDING]);
  assert.equal(idsOf((await near(viewer, hub, 'side=downstream&tags=PII')).nodes), [tagged.id]);
});

test('those on which most depends come first where that is asked for', async () => {
  const { admin } = world;
  const [hub, plain, used, ...readers] = await Promise.all([
    named('hub'),
    named('a', 'A'),
    named('z', 'Z'),
    ...Array.from({ length: 6 }, (_, at) => named(`reader${at}`)),
  ]);
  for (const other of [plain, used]) ok(await feed(admin, hub, other as Made));
  for (const reader of readers) ok(await feed(admin, used as Made, reader));
  await compareAgain(admin);
  const answer = await near(admin, hub as Made, 'side=downstream&order=importance&fields=name,importance');
  assert.equal(idsOf(answer.nodes), idsOf([used, plain] as Made[]));
  const [most, least] = answer.nodes.map(({ importance }: { importance: number }) => importance);
  assert.ok(most > least && least > 0, `${most} and ${least}`);
});

test('hidden neighbours come last, as stubs, and no word finds them', async () => {
  const { admin } = world;
  const { hub, 'a!': hidden, b } = await tablesOf(world, 'hub', 'a!', 'b');
  await chain(admin, hub, hidden);
  await chain(admin, hub, b);
  const viewer = await rights.person([HIDING]);
  const all = await near(viewer, hub);
  assert.equal(all.nodes[1], { id: hidden.id, type: 'table', hidden: true });
  assert.equal([all.nodes[0].id, all.paging.total], [b.id, 2]);
  const toHidden = all.edges.find(({ toEntity }: { toEntity: string }) => toEntity === hidden.id);
  assert.equal(toHidden, { fromEntity: hub.id, toEntity: hidden.id });
  for (const word of [hidden.name, world.schemaFqn]) {
    const found = await near(viewer, hub, `side=downstream&q=${encodeURIComponent(word)}`);
    assert.equal(idsOf(found.nodes), word === hidden.name ? [] : [b.id]);
    assert.equal(found.types, word === hidden.name ? [] : [{ type: 'table', count: 1 }]);
  }
  expectRefused(await ask(viewer, hidden, 'side=upstream'), 403, /./);
  assert.equal((await near(admin, hub)).paging.total, 2);
});

test('what runs through a pipeline is next to it, and half an edge tells no more than the whole', async () => {
  const { admin } = world;
  const { a, 'h!': hidden, b, c } = await tablesOf(world, 'a', 'h!', 'b', 'c');
  const pipeline = await pipelineIn(world, 'load');
  const through = { pipeline: ref(pipeline, 'pipeline'), sqlQuery: 'select secret' };
  ok(await feed(admin, a, b, through));
  ok(await feed(admin, hidden, c, through));
  const below = await near(admin, pipeline);
  assert.equal(idsOf(below.nodes).sort(), idsOf([b, c]).sort());
  assert.equal(pairsOf(below.edges), [pair(pipeline, b), pair(pipeline, c)].sort());
  assert.equal(idsOf((await near(admin, pipeline, 'side=upstream')).nodes).sort(), idsOf([a, hidden]).sort());
  const viewer = await rights.person([HIDING]);
  // The page has only c, whose data comes from what is hidden.
  const seen = await near(viewer, pipeline, `side=downstream&q=${c.name}`);
  assert.equal(seen.edges, [{ fromEntity: pipeline.id, toEntity: c.id }]);
  assert.not.match(JSON.stringify(seen), /secret/);
  const open = await near(viewer, pipeline, `side=downstream&q=${b.name}`);
  assert.equal(open.edges[0].lineageDetails.sqlQuery, 'select secret');
});

test('deleted neighbours come when they are included, and the past when it is asked for', async () => {
  const { admin } = world;
  const { hub, a, b } = await tablesOf(world, 'hub', 'a', 'b');
  await chain(admin, hub, a);
  await chain(admin, hub, b);
  const before = await moment();
  ok(await admin.delete(`/v1/lineage/table/${hub.id}/table/${a.id}`));
  ok(await admin.delete(`/v1/tables/${b.id}`));
  assert.equal((await near(admin, hub)).nodes, []);
  assert.equal(idsOf((await near(admin, hub, 'side=downstream&include=deleted')).nodes), [b.id]);
  const past = await near(admin, hub, `side=downstream&include=all&asOf=${before}`);
  assert.equal(idsOf(past.nodes).sort(), idsOf([a, b]).sort());
  assert.equal(past.asOf, before);
});

test('answers fit their readers as graphs do', async () => {
  const { admin } = world;
  const { hub, a } = await tablesOf(world, 'hub', 'a');
  await chain(admin, hub, a);
  const brief = await near(admin, hub, 'side=downstream&compact=true&fields=name&edgeFields=source&assertions=true');
  assert.equal([brief.root, brief.nodes], [hub.id, [a.id]]);
  assert.equal(brief.entities[a.id], { id: a.id, type: 'table', name: a.name });
  assert.equal(brief.edges[0].assertions.length, 1);
});

test('what is no question is refused', async () => {
  const { a } = await tablesOf(world, 'a');
  for (const [query, reason] of [
    ['', /side must be one of upstream, downstream/],
    ['side=left', /side must be one of/],
    ['side=upstream&order=age', /order must be one of name, importance/],
    ['side=upstream&types=nothing', /Entity type nothing is not known/],
    ['side=upstream&after=x', /cursor/],
    ['side=upstream&limit=0', /limit/],
    ['side=upstream&include=some', /include/],
  ] as const)
    expectRefused(await ask(world.admin, a, query), 400, reason);
  const missing = { id: '00000000-0000-4000-8000-000000000000' };
  expectRefused(await ask(world.admin, missing, 'side=upstream'), 404, /not found/);
  expectRefused(
    await ask(world.admin, { id: `${a.id},${a.id.replace(/^./, 'f')}` }, 'side=upstream'),
    404,
    /not found/,
  );
});

test.run();
