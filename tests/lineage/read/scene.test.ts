import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { expectRefused, ok } from '../../support/expect.ts';
import { createRightsFactory, type Person } from '../../support/rights.ts';
import { type Client, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { column, feed, type Made, mapping, openWorld, pipelineIn, ref, type World } from '../fixture.ts';

/** Shows lineage drawn together to layers, to what a focus consists of, and to assets with their fields. */

const test = suite('lineage: scenes');

let world: World;
/** Sees everything but what is sensitive. */
let shielded: Person;

const SENSITIVE = { tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' };

type SceneNode = {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly levelKind: string;
  readonly band: string;
  readonly counts: Record<string, number>;
  readonly childrenCount: number;
  readonly fields: readonly { readonly name: string; readonly id: string; readonly dataType?: string }[];
  readonly isFocus: boolean;
  readonly isOrigin: boolean;
  readonly isGhost: boolean;
  readonly isExpandable: boolean;
  readonly [member: string]: unknown;
};

type Scene = {
  readonly nodes: readonly SceneNode[];
  readonly edges: readonly (JsonObject & { readonly from: string; readonly to: string; readonly weight: number })[];
  readonly breadcrumb: readonly { readonly label: string; readonly levelKind: string }[];
  readonly hiddenNodeCount: number;
  readonly sampled: boolean;
  readonly [member: string]: unknown;
};

const readScene = async (query: Record<string, string>, client: Client = world.admin): Promise<Scene> =>
  ok(await client.get(`/v1/lineage/scene?${new URLSearchParams(query)}`));

const focusOn = ({ fullyQualifiedName }: Made, entityType: string, more: Record<string, string> = {}) =>
  readScene({ focusFqn: fullyQualifiedName, entityType, ...more });

/** The nodes as level and full name, in the order of the answer. */
const namesOf = ({ nodes }: Scene): readonly string[] =>
  nodes.map(({ levelKind, fullyQualifiedName }) => `${levelKind} ${fullyQualifiedName}`);

/** The edges as the names of their nodes and how many edges they stand for. */
const flowsOf = ({ nodes, edges }: Scene): readonly string[] => {
  const nameOf = (id: string) => nodes.find((node) => node.id === id)?.fullyQualifiedName;
  return edges.map(({ from, to, weight }) => `${nameOf(from)} -> ${nameOf(to)}: ${weight}`).sort();
};

type Home = {
  readonly service: Made;
  readonly sales: Made;
  readonly stock: Made;
  readonly raw: Made;
  readonly mart: Made;
  readonly goods: Made;
};

/** A database service with the databases sales (raw, mart) and stock (goods). */
const makeHome = async (name: string): Promise<Home> => {
  const service = await world.make('services/databaseServices', { name: uniqueName(name), serviceType: 'Postgres' });
  const inService = (one: string) => world.make('databases', { name: one, service: service.fullyQualifiedName });
  const [sales, stock] = [await inService('sales'), await inService('stock')];
  const within = (database: Made, one: string) =>
    world.make('databaseSchemas', { name: one, database: database.fullyQualifiedName });
  const [raw, mart, goods] = [await within(sales, 'raw'), await within(sales, 'mart'), await within(stock, 'goods')];
  return { service, sales, stock, raw, mart, goods };
};

const tableIn = (schema: Made, name: string, more: JsonObject = {}): Promise<Made> =>
  world.make('tables', {
    name,
    databaseSchema: schema.fullyQualifiedName,
    columns: [column('a'), column('b'), column('c', { dataType: 'INT' })],
    ...more,
  });

/** Two tables of raw feed one of mart, which feeds one of goods and one of another service. */
const makeFlows = async () => {
  const [home, away] = [await makeHome('home'), await makeHome('away')];
  const [orders, lines, facts, items, copies] = [
    await tableIn(home.raw, 'orders'),
    await tableIn(home.raw, 'lines'),
    await tableIn(home.mart, 'facts', { displayName: 'Facts of sales' }),
    await tableIn(home.goods, 'items'),
    await tableIn(away.raw, 'copies'),
  ];
  await tableIn(home.raw, 'alone');
  ok(await feed(world.admin, orders, facts, { columnsLineage: [mapping(orders, ['a', 'b'], facts, 'c')] }));
  ok(await feed(world.admin, lines, facts, { sqlQuery: 'insert into facts select * from lines' }));
  ok(await feed(world.admin, facts, items));
  ok(await feed(world.admin, facts, copies));
  return { home, away, orders, lines, facts, items, copies };
};

type Flows = Awaited<ReturnType<typeof makeFlows>>;
let flows: Flows;

test.before(async () => {
  world = await openWorld();
  shielded = await createRightsFactory(world.service).person([
    { effect: 'deny', operations: ['All'], resources: ['all'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  flows = await makeFlows();
});

const fqn = ({ fullyQualifiedName }: Made): string => fullyQualifiedName;

test('the layers of the catalog are its services, with the edges and assets that each stands for', async () => {
  const { home, away } = flows;
  const scene = await readScene({ band: 'LAYER', size: '1000' });
  assert.equal([scene['lens'], scene['band'], scene['focusFqn']], ['service', 'LAYER', undefined]);
  assert.equal(scene.breadcrumb, [{ id: 'lens:service', label: 'service', levelKind: 'service', band: 'LAYER' }]);
  const own = scene.nodes.find(({ fullyQualifiedName }) => fullyQualifiedName === fqn(home.service));
  assert.equal(
    { ...own, sourceEntity: undefined },
    {
      id: `service:${home.service.id}`,
      fullyQualifiedName: fqn(home.service),
      entityType: 'databaseService',
      levelKind: 'service',
      band: 'LAYER',
      serviceType: 'Postgres',
      label: home.service.name,
      childrenCount: 5,
      hiddenChildrenCount: 0,
      counts: { table: 5 },
      fields: [],
      isFocus: false,
      isOrigin: false,
      isExpandable: true,
      isGhost: false,
      sourceEntity: undefined,
    },
  );
  const [edge] = scene.edges.filter(({ from }) => from === own?.id);
  const to = `service:${away.service.id}`;
  assert.equal([edge?.to, edge?.weight, edge?.['isRollup'], edge?.['band']], [to, 1, true, 'LAYER']);
});

test('a service consists of its databases, and other services stand beside them', async () => {
  const { home, away } = flows;
  const scene = await focusOn(home.service, 'databaseService');
  assert.equal(
    namesOf(scene),
    [`service ${fqn(away.service)}`, `database ${fqn(home.sales)}`, `database ${fqn(home.stock)}`].sort((a, b) =>
      a.slice(a.indexOf(' ')) < b.slice(b.indexOf(' ')) ? -1 : 1,
    ),
  );
  assert.equal(
    flowsOf(scene),
    [`${fqn(home.sales)} -> ${fqn(home.stock)}: 1`, `${fqn(home.sales)} -> ${fqn(away.service)}: 1`].sort(),
  );
  const [sales] = scene.nodes.filter(
    ({ levelKind, fullyQualifiedName }) => levelKind === 'database' && fullyQualifiedName === fqn(home.sales),
  );
  assert.equal([sales?.counts, sales?.childrenCount, sales?.['parentFqn']], [{ table: 4 }, 4, fqn(home.service)]);
  assert.equal(scene.nodes.map(({ isGhost }) => isGhost).filter(Boolean).length, 1);
  assert.equal(
    scene.breadcrumb.map(({ label }) => label),
    ['service', home.service.name],
  );
  assert.equal([scene.sampled, scene.hiddenNodeCount, scene['originFqn']], [false, 0, fqn(home.service)]);
});

test('a database consists of its schemas, also of those without lineage', async () => {
  const { home } = flows;
  const empty = await world.make('databaseSchemas', { name: 'empty', database: fqn(home.stock) });
  const scene = await focusOn(home.stock, 'database');
  assert.equal(
    namesOf(scene).filter((name) => name.startsWith('schema')),
    [`schema ${fqn(empty)}`, `schema ${fqn(home.goods)}`],
  );
  assert.equal(flowsOf(scene), [`${fqn(home.service)} -> ${fqn(home.goods)}: 1`]);
  const within = await focusOn(home.sales, 'database');
  assert.ok(flowsOf(within).includes(`${fqn(home.raw)} -> ${fqn(home.mart)}: 2`));
});

test('a schema consists of its assets, and the neighbours of these are drawn together', async () => {
  const { home, facts, items, copies, away } = flows;
  const scene = await focusOn(home.mart, 'databaseSchema');
  const inside = scene.nodes.filter(({ isGhost }) => !isGhost);
  assert.equal(
    inside.map((node) => [node.fullyQualifiedName, node.levelKind, node['label']]),
    [[fqn(facts), 'table', 'Facts of sales']],
  );
  assert.equal(
    flowsOf(scene),
    [
      `${fqn(facts)} -> ${fqn(away.service)}: 1`,
      `${fqn(facts)} -> ${fqn(home.service)}: 1`,
      `${fqn(home.service)} -> ${fqn(facts)}: 2`,
    ].sort(),
  );
  const [out] = scene.edges.filter(({ to }) => to === `service:${away.service.id}`);
  assert.equal(out?.['underlyingEdgeIds'], [`${facts.id}--->${copies.id}`]);
  assert.is(out?.['isRollup'], true);
  const raw = await focusOn(home.raw, 'databaseSchema', { downstreamDepth: '2' });
  const names = raw.nodes.flatMap(({ isGhost, fullyQualifiedName }) => (isGhost ? [] : fullyQualifiedName));
  assert.equal(
    names.map((name) => name.slice(fqn(home.raw).length + 1)),
    ['alone', 'lines', 'orders'],
  );
  assert.ok(flowsOf(raw).includes(`${fqn(home.service)} -> ${fqn(away.service)}: 1`), 'two steps away');
  assert.not.ok(raw.nodes.some(({ fullyQualifiedName }) => fullyQualifiedName === fqn(items)));
});

test('around an asset are assets, with the details of their edges, as many steps away as asked', async () => {
  const { orders, lines, facts, items, copies } = flows;
  const scene = await focusOn(lines, 'table');
  assert.equal(scene.nodes.map(({ fullyQualifiedName }) => fullyQualifiedName).sort(), [fqn(facts), fqn(lines)].sort());
  const [edge] = scene.edges;
  assert.equal(
    [edge?.['source'], edge?.['sqlQuery'], edge?.['isRollup'], edge?.weight],
    ['Manual', 'insert into facts select * from lines', false, 1],
  );
  assert.equal(
    scene.breadcrumb.map(({ levelKind }) => levelKind),
    ['service', 'service', 'database', 'schema', 'table'],
  );
  const own = scene.nodes.find(({ isFocus }) => isFocus);
  assert.equal([own?.fullyQualifiedName, own?.isOrigin, own?.['parentFqn']], [fqn(lines), true, fqn(flows.home.raw)]);
  const far = await focusOn(lines, 'table', { upstreamDepth: '0', downstreamDepth: '2' });
  assert.is(far.nodes.length, 4);
  const only = await focusOn(facts, 'table', { downstreamDepth: '0' });
  assert.equal(only.edges.map(({ from }) => from).sort(), [orders, lines].map(({ id }) => `table:${id}`).sort());
  assert.not.ok(only.nodes.some(({ id }) => [items, copies].some((one) => id === `table:${one.id}`)));
});

test('the layers around an asset show where it is', async () => {
  const { facts, home, away } = flows;
  const scene = await focusOn(facts, 'table', { band: 'LAYER' });
  assert.equal(flowsOf(scene), [`${fqn(home.service)} -> ${fqn(away.service)}: 1`]);
  const origin = scene.nodes.filter(({ isOrigin }) => isOrigin);
  assert.equal(
    origin.map(({ fullyQualifiedName }) => fullyQualifiedName),
    [fqn(home.service)],
  );
  const around = await focusOn(home.service, 'databaseService', { band: 'LAYER', upstreamDepth: '0' });
  assert.equal(flowsOf(around), [`${fqn(home.service)} -> ${fqn(away.service)}: 1`]);
});

test('fields show the columns that an edge joins before the others, and how many there are', async () => {
  const { orders, facts } = flows;
  const scene = await focusOn(orders, 'table', { band: 'FIELD' });
  const nodeOf = ({ id }: Made) => scene.nodes.find((node) => node.id === `table:${id}`);
  assert.equal(
    nodeOf(facts)?.fields.map(({ name, dataType }) => [name, dataType]),
    [
      ['c', 'INT'],
      ['a', 'STRING'],
      ['b', 'STRING'],
    ],
  );
  assert.equal(nodeOf(orders)?.counts, { column: 3 });
  const field = (table: Made, name: string) => `table:${table.id}::field::${fqn(table)}.${name}`;
  assert.equal(
    scene.edges.map(({ from, to, band }) => [from, to, band]),
    [
      [field(orders, 'a'), field(facts, 'c'), 'FIELD'],
      [field(orders, 'b'), field(facts, 'c'), 'FIELD'],
    ],
  );
  const wide = await tableIn(flows.home.raw, uniqueName('wide'), {
    columns: Array.from({ length: 120 }, (_, at) => column(`c${at}`)),
  });
  ok(await feed(world.admin, wide, facts, { columnsLineage: [mapping(wide, ['c119'], facts, 'a')] }));
  const [node] = (await focusOn(wide, 'table', { band: 'FIELD' })).nodes.filter(({ isFocus }) => isFocus);
  assert.equal([node?.fields.length, node?.fields[0]?.name], [50, 'c119']);
  assert.equal([node?.['hiddenChildrenCount'], node?.childrenCount], [70, 120]);
  ok(await world.admin.delete(`/v1/tables/${wide.id}?hardDelete=true`));
});

test('the fields of a dashboard are its charts, and charts that policy hides leave an edge between the assets', async () => {
  const sales = await tableIn(flows.home.raw, uniqueName('sales'));
  const service = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Looker' });
  const chartOf = (name: string, more: JsonObject = {}) =>
    world.make('charts', { name: uniqueName(name), service: service.fullyQualifiedName, ...more });
  const [shown, secret] = [await chartOf('trend', { chartType: 'Line' }), await chartOf('map', { tags: [SENSITIVE] })];
  const boardOf = (...charts: readonly Made[]) =>
    world.make('dashboards', {
      name: uniqueName('board'),
      service: service.fullyQualifiedName,
      charts: charts.map(fqn),
    });
  const [both, hidden] = [await boardOf(secret, shown), await boardOf(secret)];
  const say = async (from: Made, board: Made, chart: Made) => {
    const lineageDetails = { columnsLineage: [mapping(from, ['b'], board, chart.name)] };
    const edge = { fromEntity: ref(from), toEntity: ref(board, 'dashboard'), lineageDetails };
    assert.is((await world.admin.put('/v1/lineage', { edge })).status, 200);
  };
  await say(sales, both, shown);
  await say(sales, hidden, secret);
  const query = { focusFqn: fqn(sales), entityType: 'table', band: 'FIELD' };
  const fieldOf = (at: string, name: string) => `${at}::field::${name}`;
  const column = fieldOf(`table:${sales.id}`, `${fqn(sales)}.b`);
  const chart = (board: Made, { name }: Made) => fieldOf(`dashboard:${board.id}`, `${fqn(board)}.${name}`);
  const wayOf = ({ edges }: Scene) => edges.map(({ from, to }) => `${from} ${to}`).sort();
  const whole = await readScene(query);
  const boardIn = ({ nodes }: Scene, { id }: Made) => nodes.find((node) => node.id === `dashboard:${id}`);
  assert.equal(
    boardIn(whole, both)?.fields.map(({ name, dataType = '' }) => `${name} ${dataType}`),
    [`${shown.name} Line`, `${secret.name} `],
  );
  assert.equal(boardIn(whole, both)?.counts, { chart: 2 });
  assert.equal(wayOf(whole), [`${column} ${chart(both, shown)}`, `${column} ${chart(hidden, secret)}`].sort());
  const seen = await readScene(query, shielded);
  assert.equal(
    [both, hidden].map((board) => boardIn(seen, board)?.fields.map(({ name }) => name)),
    [[shown.name], []],
  );
  assert.equal(wayOf(seen), [`${column} ${chart(both, shown)}`, `table:${sales.id} dashboard:${hidden.id}`].sort());
  assert.not.ok(JSON.stringify(seen).includes(secret.name));
});

test('domains and data products are lenses and focuses', async () => {
  const make = (name: string) =>
    world.make('domains', { name: uniqueName(name), description: 'x', domainType: 'Aggregate' });
  const [shop, depot] = [await make('shop'), await make('depot')];
  const home = await makeHome('zoned');
  for (const [{ id }, zone] of [
    [home.raw, shop],
    [home.goods, depot],
  ] as const) {
    const change = [{ op: 'add', path: '/domains', value: [ref(zone, 'domain')] }];
    ok(await world.admin.patch(`/v1/databaseSchemas/${id}`, change));
  }
  const [sold, stored, other] = [
    await tableIn(home.raw, 'sold'),
    await tableIn(home.goods, 'stored'),
    await tableIn(home.goods, 'other'),
  ];
  const goods = await world.make('dataProducts', {
    name: uniqueName('goods'),
    description: 'x',
    domains: [fqn(depot)],
  });
  ok(await world.admin.put(`/v1/dataProducts/${encodeURIComponent(fqn(goods))}/assets/add`, { assets: [ref(stored)] }));
  ok(await feed(world.admin, sold, stored));
  ok(await feed(world.admin, sold, other));
  const layers = await readScene({ lens: 'domain', band: 'LAYER', size: '1000' });
  assert.ok(flowsOf(layers).includes(`${fqn(shop)} -> ${fqn(depot)}: 2`));
  const own = layers.nodes.find(({ fullyQualifiedName }) => fullyQualifiedName === fqn(depot));
  assert.equal([own?.levelKind, own?.counts], ['domain', { table: 2 }]);
  const inside = await focusOn(depot, 'domain', { lens: 'domain' });
  assert.equal(flowsOf(inside), [`${fqn(shop)} -> ${fqn(other)}: 1`, `${fqn(shop)} -> ${fqn(stored)}: 1`].sort());
  assert.equal(
    inside.nodes.filter(({ isGhost }) => isGhost).map(({ levelKind }) => levelKind),
    ['domain'],
  );
  const product = await focusOn(goods, 'dataProduct', { lens: 'dataProduct' });
  assert.equal(
    product.nodes.filter(({ isGhost }) => !isGhost).map((node) => node.fullyQualifiedName),
    [fqn(stored)],
  );
  assert.equal(
    product.nodes.filter(({ isGhost }) => isGhost).map((node) => node.fullyQualifiedName),
    [fqn(sold)],
  );
});

test('data runs through a pipeline in halves when the pipeline is the focus', async () => {
  const home = await makeHome('piped');
  const [from, to] = [await tableIn(home.raw, 'from'), await tableIn(home.mart, 'to')];
  const run = await pipelineIn(world, uniqueName('run'));
  ok(await feed(world.admin, from, to, { pipeline: ref(run, 'pipeline'), source: 'PipelineLineage' }));
  const scene = await focusOn(run, 'pipeline');
  assert.equal(flowsOf(scene), [`${fqn(from)} -> ${fqn(run)}: 1`, `${fqn(run)} -> ${fqn(to)}: 1`].sort());
  const [edge] = (await focusOn(from, 'table')).edges;
  assert.match(JSON.stringify(edge), new RegExp(run.id));
});

test('a scene is cut to its largest nodes, keeps its focus and says what is missing', async () => {
  const { facts, home } = flows;
  const scene = await focusOn(facts, 'table', { size: '2' });
  assert.equal([scene.nodes.length, scene.hiddenNodeCount, scene.edges.length], [2, 3, 1]);
  assert.ok(scene.nodes.some(({ isFocus }) => isFocus));
  const schema = await focusOn(home.raw, 'databaseSchema', { size: '1' });
  assert.equal([schema.nodes.length, schema.sampled], [1, true]);
});

test('a filter keeps the assets that it wants and the focus', async () => {
  const { facts, orders, items } = flows;
  const scene = await focusOn(facts, 'table', { query_filter: 'name:orders' });
  assert.equal(scene.nodes.map(({ id }) => id).sort(), [`table:${facts.id}`, `table:${orders.id}`].sort());
  const all = await focusOn(flows.home.service, 'databaseService', { query_filter: 'name:(facts OR items)' });
  assert.ok(flowsOf(all).includes(`${fqn(flows.home.sales)} -> ${fqn(flows.home.stock)}: 1`));
  assert.is(
    all.nodes.reduce((sum, { childrenCount }) => sum + childrenCount, 0),
    2,
  );
  expectRefused(await world.admin.get(`/v1/lineage/scene?focusFqn=${fqn(items)}&query_filter={`), 400);
});

test('deleted assets are in a scene only when asked for', async () => {
  const home = await makeHome('gone');
  const [from, to] = [await tableIn(home.raw, 'from'), await tableIn(home.raw, 'to')];
  ok(await feed(world.admin, from, to));
  ok(await world.admin.delete(`/v1/tables/${to.id}`));
  assert.equal((await focusOn(from, 'table')).edges, []);
  assert.is((await focusOn(from, 'table', { includeDeleted: 'true' })).edges.length, 1);
  assert.equal(namesOf(await focusOn(home.raw, 'databaseSchema')), [`table ${fqn(from)}`]);
});

test('nobody sees in a scene what policy hides', async () => {
  const home = await makeHome('veiled');
  const [open, secret, beyond] = [
    await tableIn(home.raw, 'open'),
    await tableIn(home.mart, 'secret', { tags: [SENSITIVE] }),
    await tableIn(home.goods, 'beyond'),
  ];
  ok(await feed(world.admin, open, secret));
  ok(await feed(world.admin, secret, beyond));
  for (const query of [
    { focusFqn: fqn(open), entityType: 'table', downstreamDepth: '3' },
    { focusFqn: fqn(open), entityType: 'table', band: 'FIELD' },
    { focusFqn: fqn(home.mart), entityType: 'databaseSchema' },
    { focusFqn: fqn(home.sales), entityType: 'database' },
    { focusFqn: fqn(home.service), entityType: 'databaseService' },
    { focusFqn: fqn(home.service), entityType: 'databaseService', band: 'LAYER' },
    { band: 'LAYER', size: '1000' },
    { size: '1000' },
  ]) {
    const scene = await readScene(query, shielded);
    const text = JSON.stringify(scene);
    for (const word of [secret.id, fqn(secret)]) assert.not.ok(text.includes(word), JSON.stringify(query));
    const within = scene.nodes.filter(({ fullyQualifiedName }) => fullyQualifiedName.startsWith(fqn(home.service)));
    const ids = new Set(within.map(({ id }) => id));
    assert.equal(
      scene.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
      [],
      JSON.stringify(query),
    );
    assert.equal(
      within.flatMap(({ counts, levelKind }) => (levelKind === 'table' ? [] : Object.keys(counts))),
      [],
    );
  }
  const path = `/v1/lineage/scene?entityType=table&focusFqn=${fqn(secret)}`;
  expectRefused(await shielded.get(path), 403);
});

test('what is no scene is refused', async () => {
  for (const query of [
    'lens=team',
    'band=asset',
    'upstreamDepth=4',
    'downstreamDepth=-1',
    'size=0',
    'size=1001',
    'focusFqn=x&entityType=nothing',
  ]) {
    expectRefused(await world.admin.get(`/v1/lineage/scene?${query}`), 400);
  }
  expectRefused(await world.admin.get('/v1/lineage/scene?entityType=table&focusFqn=no.such.table.here'), 404);
  expectRefused(await world.admin.get('/v1/lineage/scene?focusFqn=nobody'), 404);
});

test.run();
