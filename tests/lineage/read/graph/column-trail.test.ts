import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, feed, type Made, mapping, openWorld, ref, type World } from '../../fixture.ts';
import { cutOf, within } from '../truncation-fixture.ts';
import { HIDING, idsOf, pair, pairsOf, tablesOf } from './fixture.ts';

/** Shows the trail of columns: what they are made from and what is made from them, as a lineage graph. */

const test = suite('lineage: the trail of a column');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const named = ({ fullyQualifiedName }: Made, name: string): string => `${fullyQualifiedName}.${name}`;

const trail = async ({ id }: Made, query: string, client: Client = world.admin) =>
  ok(await client.get(`/v1/lineage/graph?id=${id}&${query}`));

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answer = any;

/** Column edges as pairs of full names, in an order of their own. */
const columnPairsIn = ({ columnEdges }: Answer): string[] =>
  columnEdges.map(({ fromColumn, toColumn }: Answer) => `${fromColumn} ${toColumn}`).sort();

const columnPair = (from: Made, fromName: string, to: Made, toName: string): string =>
  `${named(from, fromName)} ${named(to, toName)}`;

const depthsIn = ({ nodes }: Answer) => Object.fromEntries(nodes.map(({ id, depth }: Answer) => [id, depth]));

/** Says that columns of one table feed columns of another: `a>b` is from a to b. */
const feedColumns = async (from: Made, to: Made, ...pairs: readonly string[]): Promise<void> => {
  const columnsLineage = pairs.map((text) => {
    const [origin = '', target = ''] = text.split('>');
    return mapping(from, [origin], to, target);
  });
  ok(await feed(world.admin, from, to, { sqlQuery: 'select 1', columnsLineage }));
};

/** `first` and `second` feed `root`, which is read by `next` and, behind it, by `last`; `aside` reads another column. */
const chained = async () => {
  const tables = await tablesOf(world, 'first', 'second', 'root', 'next', 'last', 'aside');
  const { first, second, root, next, last, aside } = tables;
  await feedColumns(first, second, 'a>a', 'b>c');
  await feedColumns(second, root, 'a>a', 'c>b');
  await feedColumns(root, next, 'a>b', 'b>c');
  await feedColumns(next, last, 'b>a', 'c>c');
  await feedColumns(root, aside, 'b>b');
  ok(await feed(world.admin, first, last));
  return tables;
};

test('a trail leads both ways as far as it goes, and holds nothing else', async () => {
  const { first, second, root, next, last } = await chained();
  const answer = await trail(root, 'column=a');
  assert.equal(depthsIn(answer), { [root.id]: 0, [second.id]: -1, [first.id]: -2, [next.id]: 1, [last.id]: 2 });
  assert.equal(
    pairsOf(answer.edges),
    [pair(first, second), pair(second, root), pair(root, next), pair(next, last)].sort(),
    'the edge without columns is not on the trail',
  );
  assert.equal(
    columnPairsIn(answer),
    [
      columnPair(first, 'a', second, 'a'),
      columnPair(second, 'a', root, 'a'),
      columnPair(root, 'a', next, 'b'),
      columnPair(next, 'b', last, 'a'),
    ].sort(),
  );
  for (const { id, columns } of answer.nodes) {
    assert.equal(
      columns.map(({ name }: Answer) => name),
      [id === next.id ? 'b' : 'a'],
    );
  }
  assert.is(answer.edges[0].lineageDetails.sqlQuery, 'select 1');
  assert.equal([answer.truncated, answer.frontier], [false, []]);
  assert.equal(answer.trail, { columns: 5, assets: 5, cutColumns: 0, cutAssets: 0 });
  assert.equal(answer.hiddenCounts[root.id], { upstream: 0, downstream: 1 }, 'neighbours that are not on the trail');
  assert.equal(answer.hiddenCounts[first.id], { upstream: 0, downstream: 0 });
  const { asOf: _, ...same } = await trail(root, `column=${encodeURIComponent(named(root, 'a'))}&column=a`);
  const { asOf: __, ...whole } = answer;
  assert.equal(same, whole);
  assert.not.ok('trail' in (await trail(root, 'columns=true')), 'other graphs are as they were');
});

test('several columns have their trails in one graph', async () => {
  const { first, second, root, next, last, aside } = await chained();
  const answer = await trail(root, 'column=a&column=b');
  assert.equal(new Set(idsOf(answer.nodes)), new Set(idsOf([first, second, root, next, last, aside])));
  assert.equal(answer.trail, { columns: 11, assets: 6, cutColumns: 0, cutAssets: 0 });
  assert.is(answer.columnEdges.length, 9);
});

test('depths bound a trail, which counts what lies beyond them', async () => {
  const { second, root, next } = await chained();
  const answer = await trail(root, 'column=a&upstreamDepth=1&downstreamDepth=1');
  assert.equal(depthsIn(answer), { [root.id]: 0, [second.id]: -1, [next.id]: 1 });
  assert.equal(answer.trail, { columns: 3, assets: 3, cutColumns: 2, cutAssets: 2 });
  assert.equal(answer.hiddenCounts[next.id], { upstream: 0, downstream: 1 });
  assert.equal(answer.frontier, [second.id, next.id], 'from where the trail goes on');
  assert.is(answer.truncated, false);
  const up = await trail(root, 'column=a&downstreamDepth=0');
  assert.equal(Object.values(depthsIn(up)).sort(), [-1, -2, 0]);
  assert.equal(up.trail, { columns: 3, assets: 3, cutColumns: 1, cutAssets: 1 });
});

test('a trail that comes back ends, and what it passes twice is there once', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  await feedColumns(a, b, 'a>a');
  await feedColumns(b, c, 'a>a');
  await feedColumns(c, a, 'a>a', 'a>b');
  const answer = await trail(a, 'column=a');
  assert.equal(pairsOf(answer.edges), [pair(a, b), pair(b, c), pair(c, a)].sort());
  assert.equal(answer.trail, { columns: 4, assets: 3, cutColumns: 0, cutAssets: 0 });
  assert.is(answer.columnEdges.length, 4);
  const near = await trail(a, 'column=a&upstreamDepth=0&downstreamDepth=2');
  assert.ok(columnPairsIn(near).includes(columnPair(c, 'a', a, 'a')), 'edges between what is shown are shown');
  assert.is(near.trail.cutColumns, 1);
});

test('a hidden asset on a trail is an end without a name', async () => {
  const { a, b, c, 'x!': x, behind, near } = await tablesOf(world, 'a', 'b', 'c', 'x!', 'behind', 'near');
  await feedColumns(a, b, 'a>a');
  await feedColumns(b, c, 'a>a');
  await feedColumns(b, x, 'a>a');
  await feedColumns(x, behind, 'a>a');
  await feedColumns(x, near, 'a>a');
  await feedColumns(c, near, 'a>a');
  const caller = await rights.person([HIDING]);
  const answer = await trail(a, 'column=a', caller);
  assert.equal(new Set(idsOf(answer.nodes)), new Set(idsOf([a, b, c, x, near])));
  assert.equal(
    answer.nodes.find(({ id }: Made) => id === x.id),
    { id: x.id, type: 'table', hidden: true },
  );
  assert.equal(pairsOf(answer.edges), [pair(a, b), pair(b, c), pair(b, x), pair(c, near)].sort());
  assert.is(answer.columnEdges.length, 3);
  assert.equal(answer.trail, { columns: 4, assets: 4, cutColumns: 0, cutAssets: 0 });
  assert.is(x.id in answer.hiddenCounts, false);
  for (const secret of [x.name, behind.name]) assert.not.match(JSON.stringify(answer), secret);
  assert.equal((await trail(a, 'column=a')).trail, { columns: 6, assets: 6, cutColumns: 0, cutAssets: 0 });
  const short = await trail(a, 'column=a&downstreamDepth=1', caller);
  assert.equal(
    short.trail,
    { columns: 2, assets: 2, cutColumns: 1, cutAssets: 2 },
    'of what is hidden no columns count',
  );
  expectRefused(await caller.get(`/v1/lineage/graph?id=${x.id}&column=a`), 403);
});

test('columns that are nested, and those of other kinds, have trails', async () => {
  const schema = [column('o', { dataType: 'STRUCT', dataTypeDisplay: 'struct', children: [column('i')] })];
  const nested = await world.table('nested', schema);
  const plain = await world.table('plain');
  const storage = await world.make('services/storageServices', { name: uniqueName('st'), serviceType: 'S3' });
  const files = await world.make('containers', {
    name: uniqueName('files'),
    service: storage.fullyQualifiedName,
    dataModel: { columns: [column('f')] },
  });
  const messaging = await world.make('services/messagingServices', { name: uniqueName('ms'), serviceType: 'Kafka' });
  const topic = await world.make('topics', {
    name: uniqueName('topic'),
    service: messaging.fullyQualifiedName,
    partitions: 1,
    messageSchema: {
      schemaType: 'JSON',
      schemaFields: [{ name: 'm', dataType: 'RECORD', children: [{ name: 'n', dataType: 'STRING' }] }],
    },
  });
  const put = async (from: Made, fromType: string, to: Made, toType: string, columnsLineage: unknown[]) =>
    ok(
      await world.admin.put('/v1/lineage', {
        edge: { fromEntity: ref(from, fromType), toEntity: ref(to, toType), lineageDetails: { columnsLineage } },
      } as never),
    );
  await put(topic, 'topic', files, 'container', [mapping(topic, ['m.n'], files, 'f')]);
  await put(files, 'container', nested, 'table', [mapping(files, ['f'], nested, 'o.i')]);
  await put(nested, 'table', plain, 'table', [mapping(nested, ['o.i'], plain, 'a')]);
  const answer = await trail(nested, 'column=o.i');
  assert.equal(depthsIn(answer), { [nested.id]: 0, [files.id]: -1, [topic.id]: -2, [plain.id]: 1 });
  assert.equal(
    columnPairsIn(answer),
    [
      columnPair(topic, 'm.n', files, 'f'),
      columnPair(files, 'f', nested, 'o.i'),
      columnPair(nested, 'o.i', plain, 'a'),
    ].sort(),
  );
  assert.equal((await trail(nested, 'column=o')).trail, { columns: 1, assets: 1, cutColumns: 0, cutAssets: 0 });
});

test('the charts of a dashboard stand for its columns, and a dashboard that shares a chart is not on the trail', async () => {
  const { a } = await tablesOf(world, 'a');
  const service = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Looker' });
  const chart = await world.make('charts', { name: uniqueName('chart'), service: service.fullyQualifiedName });
  const boards = [];
  for (const name of ['one', 'other']) {
    boards.push(
      await world.make('dashboards', {
        name: uniqueName(name),
        service: service.fullyQualifiedName,
        charts: [chart.fullyQualifiedName],
      }),
    );
  }
  const [one, other] = boards as [Made, Made];
  ok(
    await world.admin.put('/v1/lineage', {
      edge: {
        fromEntity: ref(a),
        toEntity: ref(one, 'dashboard'),
        lineageDetails: { columnsLineage: [mapping(a, ['a'], one, chart.name)] },
      },
    } as never),
  );
  ok(
    await world.admin.put('/v1/lineage', { edge: { fromEntity: ref(a), toEntity: ref(other, 'dashboard') } } as never),
  );
  const down = await trail(a, 'column=a');
  assert.equal(idsOf(down.nodes), [a.id, one.id]);
  const up = await trail(one, `column=${encodeURIComponent(named(one, chart.name))}`);
  assert.equal(depthsIn(up), { [one.id]: 0, [a.id]: -1 });
  assert.equal(columnPairsIn(up), columnPairsIn(down));
});

test('a filter leaves out assets, and bridges keep the trail', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  await feedColumns(a, b, 'a>a');
  await feedColumns(b, c, 'a>a');
  ok(
    await world.admin.patch(`/v1/tables/${c.id}`, [
      { op: 'add', path: '/tags/-', value: { tagFQN: 'Tier.Tier1', source: 'Classification' } },
    ]),
  );
  const answer = await trail(a, 'column=a&tags=Tier.Tier1');
  assert.equal(idsOf(answer.nodes), [a.id, c.id]);
  assert.equal([answer.edges.length, answer.edges[0].bridged], [1, true]);
  assert.equal(answer.trail, { columns: 2, assets: 2, cutColumns: 0, cutAssets: 0 });
});

test('a trail is as of a time, and then names columns that are gone', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  await feedColumns(a, b, 'a>a');
  await feedColumns(b, c, 'a>a');
  const before = await moment();
  ok(await world.admin.delete(`/v1/lineage/table/${b.id}/table/${c.id}`));
  ok(await world.admin.patch(`/v1/tables/${a.id}`, [{ op: 'remove', path: '/columns/0' }]));
  assert.equal(idsOf((await trail(b, 'column=a')).nodes), [b.id]);
  const past = await trail(b, `column=a&asOf=${before}`);
  assert.equal(columnPairsIn(past), [columnPair(a, 'a', b, 'a'), columnPair(b, 'a', c, 'a')].sort());
  assert.equal(idsOf((await trail(a, `column=a&asOf=${before}`)).nodes), [a.id, b.id, c.id]);
  expectRefused(await world.admin.get(`/v1/lineage/graph?id=${a.id}&column=nope&asOf=${before}`), 404);
});

test('a trail that is too large says so, counts what is known of the rest, and where it goes on', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await feedColumns(a, b, 'a>a', 'a>b');
  await feedColumns(b, c, 'a>a');
  await feedColumns(c, d, 'a>a');
  const most = await trail(a, 'column=a&maxNodes=2');
  assert.equal([idsOf(most.nodes), most.truncated, most.frontier], [[a.id, b.id], true, [b.id]]);
  assert.equal(most.trail, { columns: 3, assets: 2, cutColumns: 2, cutAssets: 2 });
  assert.equal(most.hiddenCounts[b.id], { upstream: 0, downstream: 1 });
  const cutBy = async (limits: { readonly nodes?: number; readonly edges?: number }) => {
    const client = await within(world, limits);
    const reply = await client.get(`/v1/lineage/graph?id=${a.id}&column=a`);
    const { truncated, frontier, nodes } = ok(reply);
    assert.is(truncated, true);
    return { cut: cutOf(reply), frontier, nodes: idsOf(nodes) };
  };
  assert.equal(await cutBy({ nodes: 2 }), { cut: 'nodes', frontier: [b.id], nodes: [a.id, b.id] });
  assert.equal(await cutBy({ edges: 2 }), { cut: 'edges', frontier: [b.id, c.id], nodes: [a.id, b.id, c.id] });
});

test('a column must be one of the asset, and there may be a hundred of them', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const ask = (query: string) => world.admin.get(`/v1/lineage/graph?id=${a.id}&${query}`);
  expectRefused(await ask('column=none'), 404);
  expectRefused(await ask(`column=${encodeURIComponent(named(b, 'a'))}`), 404);
  const many = Array.from({ length: 101 }, (_, at) => `column=c${at}`).join('&');
  expectRefused(await ask(many), 400);
  expectRefused(await ask('column=a&downstreamDepth=51'), 400);
  expectRefused(await world.admin.get('/v1/lineage/graph?column=a'), 400);
});

test('the other formats hold the trail alone', async () => {
  const { first, root, aside } = await chained();
  const { text } = await world.admin.get(`/v1/lineage/graph?id=${root.id}&column=a&format=csv`);
  assert.ok(text.includes(named(first, 'a')) && !text.includes(named(root, 'b')) && !text.includes(aside.name));
});

test.run();
