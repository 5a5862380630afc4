import * as assert from 'uvu/assert';
import { feed, type Made, openWorld, ref, type World } from '../lineage/fixture.ts';
import { chain, HIDING, tablesOf } from '../lineage/read/graph/fixture.ts';
import { expectRef, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { compareAgain } from './compare-again.ts';
import { type Arc, drawArcs, randomFrom } from './random-graphs.ts';

/** Shows whether promises can hold along all ways to an asset or a data product, with and without what is hidden. */

const test = suite('insight: promises');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const freshAgain = () => compareAgain(world.admin);

type Check = { readonly promised: number | null; readonly upstream: number | null; readonly holds: boolean | null };

type Row = {
  readonly path: readonly Made[];
  readonly uncovered: readonly Made[];
  readonly freshness: Check;
  readonly availability: Check;
  readonly unowned: readonly Made[];
};

type Answer = {
  readonly data: readonly Row[];
  readonly summary: { readonly paths: number; readonly broken: number };
  readonly paging: { readonly total?: number; readonly after?: string; readonly truncated?: boolean };
};

const PATH = '/v1/insight/promises';

const promisesOf = async (client: Client, { id }: Pick<Made, 'id'>, query = ''): Promise<Answer> =>
  ok(await client.get(`${PATH}?id=${id}&limit=1000${query}`));

const HOUR = 3600;

const promise = (entity: Made, sla: object | undefined, type = 'table', more: object = {}): Promise<Made> =>
  world.make('dataContracts', {
    name: uniqueName('promise'),
    entity: ref(entity, type),
    ...(sla === undefined ? {} : { sla }),
    ...more,
  } as never);

const every = (interval: number, more: object = {}) => ({ refreshFrequency: { interval, unit: 'hour' }, ...more });

/** Random lineage of tables, some of which are hidden from some, with contracts and owners. */
type Planted = {
  readonly tables: readonly Made[];
  readonly arcs: readonly Arc[];
  readonly hidden: ReadonlySet<number>;
  /** The hours that contracts promise; null when a contract promises none. */
  readonly hours: ReadonlyMap<number, number | null>;
  readonly owned: ReadonlySet<number>;
};

const plant = async (seed: number, size: number): Promise<Planted> => {
  const random = randomFrom(seed);
  const names = Array.from({ length: size }, (_, at) => `p${seed}_${at}${at % 5 === 2 ? '!' : ''}`);
  const made = await tablesOf(world, ...names);
  const tables = names.map((name) => made[name] as Made);
  const arcs = drawArcs(random, size, Math.round(size * 1.6), seed % 2 === 0);
  for (const [from, to] of arcs) ok(await feed(world.admin, tables[from] as Made, tables[to] as Made));
  const hours = new Map<number, number | null>();
  const owned = new Set<number>();
  const user = await rights.person();
  for (const [at, table] of tables.entries()) {
    const drawn = Math.floor(random() * 6);
    if (drawn > 1) {
      const interval = drawn === 2 ? null : 1 + Math.floor(random() * 20);
      hours.set(at, interval);
      await promise(table, interval === null ? undefined : every(interval));
    }
    if (random() < 0.5) continue;
    owned.add(at);
    const owners = [{ op: 'add', path: '/owners', value: [{ id: user.id, type: 'user' }] }];
    ok(await world.admin.patch(`/v1/tables/${table.id}`, owners));
  }
  return { tables, arcs, hours, owned, hidden: new Set(names.flatMap((name, at) => (name.endsWith('!') ? [at] : []))) };
};

/** All ways to a table, with what is said of each, as texts. */
const slowRows = ({ tables, arcs, hidden, hours, owned }: Planted, target: number, sees: boolean): string[] => {
  const seen = arcs.filter((arc) => sees || !arc.some((node) => hidden.has(node)));
  const extend = (way: readonly number[]): (readonly number[])[] => {
    const above = seen.flatMap(([from, to]) => (to === way[0] && !way.includes(from) ? [from] : []));
    return above.length === 0 ? [way] : above.flatMap((node) => extend([node, ...way]));
  };
  const idsOf = (nodes: readonly number[]) => nodes.map((node) => tables[node]?.id).join();
  return extend([target])
    .map((way) => {
      const promised = hours.get(target) ?? null;
      const agreed = way.slice(0, -1).flatMap((node) => hours.get(node) ?? []);
      const upstream = agreed.length === 0 ? null : agreed.reduce((sum, one) => sum + one, 0);
      const holds = promised === null || upstream === null ? null : upstream <= promised;
      return [
        idsOf(way),
        idsOf(way.filter((node) => !hours.has(node))),
        idsOf(way.filter((node) => !owned.has(node))),
        promised === null ? null : promised * HOUR,
        upstream === null ? null : upstream * HOUR,
        holds,
      ].join(' ');
    })
    .sort();
};

const textsOf = ({ data }: Answer): string[] =>
  data
    .map(({ path, uncovered, unowned, freshness: { promised, upstream, holds } }) =>
      [...[path, uncovered, unowned].map((list) => list.map(({ id }) => id).join()), promised, upstream, holds].join(
        ' ',
      ),
    )
    .sort();

test('ways and promises are those of the slow search, with and without what is hidden', async () => {
  const planted = [await plant(1, 12), await plant(2, 9)];
  await freshAgain();
  const person = await rights.person([HIDING]);
  let isBroken = false;
  for (const one of planted) {
    for (const [target, table] of one.tables.entries()) {
      const all = await promisesOf(world.admin, table);
      assert.equal(textsOf(all), slowRows(one, target, true));
      const broken = all.data.filter(({ freshness }) => freshness.holds === false).length;
      assert.equal(all.summary, { paths: all.data.length, broken });
      isBroken ||= broken > 0;
      if (one.hidden.has(target)) expectRefused(await person.get(`${PATH}?id=${table.id}`), 403);
      else assert.equal(textsOf(await promisesOf(person, table)), slowRows(one, target, false));
    }
  }
  assert.is(isBroken, true);
});

test('a data product promises for its output ports, and its contract covers its assets', async () => {
  const { raw, core, mart, report, far } = await tablesOf(world, 'raw', 'core', 'mart', 'report', 'far');
  await chain(world.admin, raw, core, mart, report);
  ok(await feed(world.admin, far, report));
  const domain = await world.make('domains', { name: uniqueName('d'), description: 'x', domainType: 'Aggregate' });
  const product = await world.make('dataProducts', {
    name: uniqueName('product'),
    description: 'x',
    domains: [domain.fullyQualifiedName],
  });
  for (const { id } of [core, mart]) {
    const value = [{ op: 'add', path: '/domains', value: [{ id: domain.id, type: 'domain' }] }];
    ok(await world.admin.patch(`/v1/tables/${id}`, value));
    const join = [{ op: 'add', path: '/dataProducts', value: [{ id: product.id, type: 'dataProduct' }] }];
    ok(await world.admin.patch(`/v1/tables/${id}`, join));
  }
  const time = { timezone: 'GMT+00:00 (Europe/London)' };
  await promise(product, every(24, { availabilityTime: '06:00', ...time }), 'dataProduct', {
    entityStatus: 'Approved',
  });
  await promise(raw, every(24, { maxLatency: { value: 30, unit: 'minute' }, availabilityTime: '05:00', ...time }));
  await freshAgain();
  const assets = await promisesOf(world.admin, product);
  const lengths = ({ data }: Answer) => data.map(({ path }) => path.map(({ name }) => name.split('_')[0]).join());
  assert.is(assets.data.length, 2);
  const [first] = assets.data;
  assert.equal(first?.freshness, { promised: 24 * HOUR, upstream: 24.5 * HOUR, holds: false });
  assert.equal(first?.availability, { promised: 6 * HOUR, upstream: 5 * HOUR, holds: true });
  assert.equal(first?.uncovered, []);
  assert.equal(assets.summary, { paths: 2, broken: 2 });
  const name = encodeURIComponent(product.fullyQualifiedName);
  assert.equal(ok(await world.admin.get(`${PATH}?type=dataProduct&fqn=${name}&limit=1000`)), assets);

  const ports = { assets: [ref(report)] };
  ok(await world.admin.put(`/v1/dataProducts/${name}/outputPorts/add`, ports));
  const atPort = await promisesOf(world.admin, product);
  assert.is(atPort.data.length, 2, lengths(atPort).join(' '));
  assert.ok(atPort.data.every(({ path }) => path.at(-1)?.id === report.id));
  const short = atPort.data.find(({ path }) => path.length === 2);
  assert.equal(
    short?.uncovered.map(({ id }) => id),
    [far.id, report.id],
  );
  assert.equal(short?.freshness, { promised: 24 * HOUR, upstream: null, holds: null });
  assert.is(atPort.data[0]?.path.length, 4, 'the broken one comes first');
});

test('contracts and owners that a caller may not see do not count', async () => {
  const { from, to } = await tablesOf(world, 'from', 'to');
  ok(await feed(world.admin, from, to));
  await promise(from, every(3));
  const deny = (resource: string) => ({ effect: 'deny', operations: ['ViewAll'], resources: [resource] }) as const;
  const person = await rights.person([deny('dataContract'), deny('user')]);
  const owner = await rights.person();
  const owners = [{ op: 'add', path: '/owners', value: [{ id: owner.id, type: 'user' }] }];
  ok(await world.admin.patch(`/v1/tables/${from.id}`, owners));
  await freshAgain();
  const [row] = (await promisesOf(person, to)).data;
  assert.equal([row?.freshness.upstream, row?.uncovered.length, row?.unowned.length], [null, 2, 2]);
  const [all] = (await promisesOf(world.admin, to)).data;
  assert.equal([all?.freshness.upstream, all?.uncovered.length, all?.unowned.length], [3 * HOUR, 1, 1]);
  for (const one of all?.path ?? []) expectRef(one);
});

/** Layers of tables, each of which feeds all of the next layer, and one at the end. */
const plantLayers = async (layers: number, width: number): Promise<Made> => {
  const last = await world.table('last');
  let below: readonly Made[] = [last];
  const edges: object[] = [];
  for (let layer = 0; layer < layers; layer += 1) {
    const tables = await Promise.all(Array.from({ length: width }, () => world.table('layer')));
    for (const from of tables) {
      for (const to of below) edges.push({ fromEntity: ref(from), toEntity: ref(to) });
    }
    below = tables;
  }
  ok(await world.admin.put('/v1/lineage/bulk', edges as never));
  return last;
};

test('more ways than can be listed are told', async () => {
  const last = await plantLayers(5, 7);
  await freshAgain();
  const reply = await world.admin.get(`${PATH}?id=${last.id}&limit=10`);
  const { data, summary, paging }: Answer = ok(reply);
  assert.is(reply.headers.get('x-lineage-truncated'), 'paths');
  assert.equal([data.length, summary.paths, paging.total, paging.truncated], [10, 10_000, undefined, true]);
});

test('pages lead to the end, and CSV has the rows of JSON', async () => {
  const last = await plantLayers(3, 3);
  await promise(last, every(5));
  await freshAgain();
  const all = await promisesOf(world.admin, last);
  assert.is(all.data.length, 27);
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const { data, paging, summary }: Answer = ok(await world.admin.get(`${PATH}?id=${last.id}&limit=10${after}`));
    assert.equal([paging.total, summary.paths], [27, 27]);
    rows.push(...data);
    if (paging.after === undefined) break;
    after = `&after=${paging.after}`;
  }
  assert.equal(rows, all.data);
  const { text } = await world.admin.get(`${PATH}?id=${last.id}&limit=1000`, { accept: 'text/csv' });
  const [head, ...lines] = text.trim().split(/\r?\n/);
  assert.is(
    head,
    'path,uncovered,freshnessPromised,freshnessUpstream,freshnessHolds,availabilityPromised,availabilityUpstream,availabilityHolds,unowned',
  );
  const names = (list: readonly Made[], separator: string) =>
    list.map(({ fullyQualifiedName }) => fullyQualifiedName).join(separator);
  const cells = ({ promised, upstream, holds }: Check) => [promised ?? '', upstream ?? '', holds ?? ''];
  assert.equal(
    lines,
    all.data.map(({ path, uncovered, freshness, availability, unowned }) =>
      [
        names(path, ' → '),
        names(uncovered, '; '),
        ...cells(freshness),
        ...cells(availability),
        names(unowned, '; '),
      ].join(),
    ),
  );
});

test('bad requests are refused', async () => {
  const table = await world.table('asked');
  const get = (query: string) => world.admin.get(`${PATH}?${query}`);
  for (const query of ['', 'type=table', `fqn=${table.fullyQualifiedName}`, 'type=nothing&fqn=x']) {
    expectRefused(await get(query), 400);
  }
  for (const query of ['limit=0', 'limit=1001', 'after=x', 'scope=x', 'depth=3']) {
    expectRefused(await get(`id=${table.id}&${query}`), 400);
  }
  for (const query of ['id=x', `id=${crypto.randomUUID()}`, 'type=table&fqn=no.such.thing']) {
    expectRefused(await get(query), 404);
  }
  expectRefused(await anonymous(world.service).get(`${PATH}?id=${table.id}`), 401);
  const [row] = (await promisesOf(world.admin, table)).data;
  assert.equal(
    row?.path.map(({ id }) => id),
    [table.id],
    'an asset without lineage is a way of its own',
  );
});

test.run();
