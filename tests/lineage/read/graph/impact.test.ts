import * as assert from 'uvu/assert';
import { expectRef, expectRefused, ok } from '../../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { strayId } from '../../../support/samples.ts';
import { uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, feed, type Made, mapping, openWorld, ref, type World } from '../../fixture.ts';
import { tested } from '../record-tests-fixture.ts';
import { chain, HIDING, tablesOf } from './fixture.ts';

/** Shows which records and columns a change affects, and how certain that is. */

const test = suite('lineage: impact');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answer = any;

const impact = async ({ id }: Made, query = '', client = world.admin): Promise<Answer> =>
  ok(await client.get(`/v1/lineage/impact?id=${id}${query}`));

const named = (table: Made, name: string): string => `${table.fullyQualifiedName}.${name}`;

/** What is told of each affected record, but for who owns it. */
const brief = ({ affected }: Answer) =>
  affected.map(({ entity, columns, depth, path, certainty }: Answer) => ({
    id: entity.id,
    columns,
    depth,
    path: path.map(({ id }: Made) => id),
    certainty,
  }));

test('columns computed from the changed one are certainly affected, and no others', async () => {
  const { a, b, c, other } = await tablesOf(world, 'a', 'b', 'c', 'other');
  ok(
    await feed(world.admin, a, b, {
      columnsLineage: [mapping(a, ['a', 'b'], b, 'a'), mapping(a, ['a'], b, 'b'), mapping(a, ['c'], b, 'c')],
    }),
  );
  ok(await feed(world.admin, b, c, { columnsLineage: [mapping(b, ['a'], c, 'c')] }));
  ok(await feed(world.admin, b, other, { columnsLineage: [mapping(b, ['c'], other, 'c')] }));
  ok(await feed(world.admin, c, a, { columnsLineage: [mapping(c, ['c'], a, 'b')] }));
  const answer = await impact(a, '&column=a&change=drop');
  assert.equal(Object.keys(answer), ['root', 'affected', 'summary']);
  expectRef(answer.root);
  assert.equal(brief(answer), [
    { id: b.id, columns: [named(b, 'a'), named(b, 'b')], depth: 1, path: [a.id, b.id], certainty: 'certain' },
    { id: c.id, columns: [named(c, 'c')], depth: 2, path: [a.id, b.id, c.id], certainty: 'certain' },
  ]);
  assert.equal(answer.summary, { entities: 2, columns: 3, contracts: 0, tests: 0, owners: 0 });
  for (const { entity, path } of answer.affected) for (const one of [entity, ...path]) expectRef(one);
  assert.equal(await impact(a, `&column=${encodeURIComponent(named(a, 'a'))}`), answer);
  const both = await impact(a, '&column=a&column=c');
  assert.equal(new Set(brief(both).map(({ id }: Made) => id)), new Set([b.id, c.id, other.id]));
  assert.equal(brief(await impact(a, '&column=a&maxDepth=1')), [brief(answer)[0]]);
});

test('the change of the columns decides which impact is certain', async () => {
  const { a, b, c, d, e, bare } = await tablesOf(world, 'a', 'b', 'c', 'd', 'e', 'bare');
  ok(
    await feed(world.admin, a, b, {
      columnsLineage: [mapping(a, ['a'], b, 'a'), mapping(a, ['a'], b, 'b', { function: 'length(a)' })],
    }),
  );
  ok(await feed(world.admin, b, c, { columnsLineage: [mapping(b, ['a'], c, 'a')] }));
  ok(await feed(world.admin, b, d, { columnsLineage: [mapping(b, ['b'], d, 'b')] }));
  ok(await feed(world.admin, c, e, { columnsLineage: [mapping(c, ['a', 'b'], e, 'c')] }));
  ok(await feed(world.admin, c, bare));
  const certainties = async (change: string): Promise<unknown> =>
    Object.fromEntries(
      (await impact(a, `&column=a${change}`)).affected.map(({ entity, certainty, columns }: Answer) => [
        [a, b, c, d, e, bare].findIndex(({ id }) => id === entity.id),
        [certainty, columns.length],
      ]),
    );
  const dropped = {
    1: ['certain', 2],
    2: ['certain', 1],
    3: ['certain', 1],
    4: ['certain', 1],
    5: ['possible', 0],
  };
  assert.equal(await certainties('&change=drop'), dropped);
  assert.equal(await certainties(''), dropped);
  assert.equal(await certainties('&change=rename'), {
    1: ['certain', 2],
    2: ['possible', 1],
    3: ['possible', 1],
    4: ['possible', 1],
    5: ['possible', 0],
  });
  assert.equal(await certainties('&change=retype'), {
    1: ['certain', 2],
    2: ['certain', 1],
    3: ['possible', 1],
    4: ['possible', 1],
    5: ['possible', 0],
  });
});

test('the tests of the changed asset itself count: those of the asset and of the changed columns', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  const [whole, first, second] = [
    await tested(world, a),
    await tested(world, a, 'Failed', 'a'),
    await tested(world, a, undefined, 'b'),
  ];
  const ownTests = async (query: string) => {
    const { root, summary } = await impact(a, query);
    return [new Set((root.tests ?? []).map(({ id }: Made) => id)), summary.tests];
  };
  assert.equal(await ownTests(''), [new Set([whole.id, first.id, second.id]), 3]);
  assert.equal(await ownTests('&column=a'), [new Set([whole.id, first.id]), 2]);
});

test('a type passed on along a longer path is certainly affected, whatever a shorter path says', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  ok(await feed(world.admin, a, c, { columnsLineage: [mapping(a, ['a'], c, 'a', { function: 'coalesce(a, b)' })] }));
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  ok(await feed(world.admin, b, c, { columnsLineage: [mapping(b, ['a'], c, 'a')] }));
  ok(await feed(world.admin, c, d, { columnsLineage: [mapping(c, ['a'], d, 'a')] }));
  const found = brief(await impact(a, '&column=a&change=retype'));
  assert.equal(
    found.map(({ id, certainty, path }: Answer) => [id, certainty, path]),
    [
      [b.id, 'certain', [a.id, b.id]],
      [c.id, 'certain', [a.id, b.id, c.id]],
      [d.id, 'certain', [a.id, b.id, c.id, d.id]],
    ],
  );
});

test('an edge without column mappings makes everything downstream possibly affected', async () => {
  const { a, b, bare, far, farther } = await tablesOf(world, 'a', 'b', 'bare', 'far', 'farther');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  ok(await feed(world.admin, b, bare, { sqlQuery: 'insert "mappings":[] into bare' }));
  ok(await feed(world.admin, bare, far, { columnsLineage: [mapping(bare, ['a'], far, 'a')] }));
  await chain(world.admin, far, farther, b);
  const possible = (table: Made, depth: number, ...path: Made[]) => ({
    id: table.id,
    columns: [],
    depth,
    path: [...path, table].map(({ id }) => id),
    certainty: 'possible',
  });
  assert.equal(brief(await impact(a, '&column=a')), [
    { id: b.id, columns: [named(b, 'a')], depth: 1, path: [a.id, b.id], certainty: 'certain' },
    possible(bare, 2, a, b),
    possible(far, 3, a, b, bare),
    possible(farther, 4, a, b, bare, far),
  ]);
  assert.equal(brief(await impact(a, '&column=b')), []);
  const whole = await impact(a);
  assert.equal(
    brief(whole).map(({ id, certainty }: Answer) => [id, certainty]),
    [
      [b.id, 'certain'],
      [bare.id, 'possible'],
      [far.id, 'possible'],
      [farther.id, 'possible'],
    ],
  );
  const said = { columnsLineage: [mapping(a, ['b'], bare, 'b')], sqlQuery: 'x "mappings":[] y' };
  ok(await feed(world.admin, a, bare, said));
  assert.equal(brief(await impact(a, '&column=c')), []);
});

test('impacts are sorted by certainty, tier and distance, and have their owners', async () => {
  const owner = await rights.person();
  const table = (name: string, tier?: string, owners: readonly object[] = []) =>
    world.make('tables', {
      name: uniqueName(name),
      databaseSchema: world.schemaFqn,
      columns: [column('a')],
      owners: owners as never,
      ...(tier === undefined ? {} : { tags: [{ tagFQN: `Tier.${tier}`, source: 'Classification' }] }),
    });
  const [a, near, third, first, maybe] = await Promise.all([
    table('a'),
    table('near'),
    table('third', 'Tier3'),
    table('first', 'Tier1', [ref(owner, 'user')]),
    table('maybe', 'Tier1', [ref(owner, 'user')]),
  ]);
  const derive = async (from: Made, to: Made) =>
    ok(await feed(world.admin, from, to, { columnsLineage: [mapping(from, ['a'], to, 'a')] }));
  await derive(a, near);
  await derive(near, third);
  await derive(third, first);
  await chain(world.admin, a, maybe);
  const answer = await impact(a, '&column=a');
  assert.equal(
    brief(answer).map(({ id }: Made) => id),
    [first.id, third.id, near.id, maybe.id],
  );
  const [worst, , unowned] = answer.affected;
  assert.is(worst.tier, 'Tier.Tier1');
  assert.equal(
    worst.owners.map(({ id }: Made) => id),
    [owner.id],
  );
  for (const one of worst.owners) expectRef(one);
  assert.equal([unowned.owners, 'tier' in unowned], [[], false]);
  assert.equal(answer.summary, { entities: 4, columns: 3, contracts: 0, tests: 0, owners: 1 });
});

test('a hidden asset is reported as affected without anything downstream of it', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!', 'behind');
  const [{ a, behind }, hidden] = [tables, tables['hidden!']];
  ok(await feed(world.admin, a, hidden, { columnsLineage: [mapping(a, ['a'], hidden, 'b')] }));
  ok(await feed(world.admin, hidden, behind, { columnsLineage: [mapping(hidden, ['b'], behind, 'c')] }));
  const caller = await rights.person([HIDING]);
  const stub = { id: hidden.id, type: 'table', hidden: true };
  for (const query of ['&column=a', '']) {
    const answer = await impact(a, query, caller);
    assert.equal(
      answer.affected.map(({ path, ...rest }: Answer) => ({ ...rest, path: path.slice(1) })),
      [
        {
          entity: stub,
          columns: [],
          depth: 1,
          certainty: 'certain',
          owners: [],
          contracts: [],
          tests: [],
          path: [stub],
        },
      ],
    );
    assert.not.match(JSON.stringify(answer), hidden.name);
  }
  assert.is((await impact(a, '&column=a')).affected.length, 2);
  expectRefused(await caller.get(`/v1/lineage/impact?id=${hidden.id}`), 403);
});

test('a chart stands for the columns of its dashboards', async () => {
  const { a } = await tablesOf(world, 'a');
  const service = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Looker' });
  const chart = await world.make('charts', { name: uniqueName('chart'), service: service.fullyQualifiedName });
  const dashboard = await world.make('dashboards', {
    name: uniqueName('sales'),
    service: service.fullyQualifiedName,
    charts: [chart.fullyQualifiedName],
  });
  const edge = {
    fromEntity: ref(a),
    toEntity: ref(dashboard, 'dashboard'),
    lineageDetails: { columnsLineage: [mapping(a, ['b'], dashboard, chart.name)] },
  };
  ok(await world.admin.put('/v1/lineage', { edge }));
  const answer = await impact(a, '&column=b');
  assert.equal(brief(answer), [
    {
      id: dashboard.id,
      columns: [named(dashboard, chart.name)],
      depth: 1,
      path: [a.id, dashboard.id],
      certainty: 'certain',
    },
  ]);
});

test('a change of a pipeline possibly affects the targets of its edges', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  const service = await world.make('services/pipelineServices', { name: uniqueName('etl'), serviceType: 'Airflow' });
  const pipeline = await world.make('pipelines', { name: 'nightly', service: service.fullyQualifiedName });
  ok(await feed(world.admin, a, b, { pipeline: ref(pipeline, 'pipeline') }));
  await chain(world.admin, b, c);
  const possible = (table: Made, depth: number, ...path: Made[]) => ({
    id: table.id,
    columns: [],
    depth,
    path: [...path, table].map(({ id }) => id),
    certainty: 'possible',
  });
  assert.equal(brief(await impact(pipeline)), [possible(b, 1, pipeline), possible(c, 2, pipeline, b)]);
});

test('an invalid request is refused with a reason', async () => {
  const { a } = await tablesOf(world, 'a');
  const get = (query: string) => world.admin.get(`/v1/lineage/impact?${query}`);
  expectRefused(await get(''), 400, /id, or type and fqn/);
  expectRefused(await get(`id=${strayId()}`), 404);
  expectRefused(await get(`id=${a.id}&column=nope`), 404, /nope/);
  expectRefused(await get(`id=${a.id}&change=paint`), 400, /change/);
  expectRefused(await get(`id=${a.id}&maxDepth=51`), 400, /maxDepth/);
});

test('of several dashboards with one chart only those with a mapping are affected', async () => {
  const { a } = await tablesOf(world, 'a');
  const service = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Looker' });
  const chart = await world.make('charts', { name: uniqueName('chart'), service: service.fullyQualifiedName });
  const boards = await Promise.all(
    ['one', 'two', 'three'].map((name) =>
      world.make('dashboards', {
        name: uniqueName(name),
        service: service.fullyQualifiedName,
        charts: [chart.fullyQualifiedName],
      }),
    ),
  );
  const [one, two] = boards as [Made, Made, Made];
  const told = async (): Promise<unknown> =>
    brief(await impact(a, '&column=b'))
      .map(({ id, columns, certainty }: Answer) => [id, columns, certainty])
      .sort();
  const say = async (dashboard: Made) => {
    const lineageDetails = { columnsLineage: [mapping(a, ['b'], dashboard, chart.name)] };
    const edge = { fromEntity: ref(a), toEntity: ref(dashboard, 'dashboard'), lineageDetails };
    ok(await world.admin.put('/v1/lineage', { edge }));
  };
  const certain = (dashboard: Made) => [dashboard.id, [named(dashboard, chart.name)], 'certain'];
  await say(two);
  assert.equal(await told(), [certain(two)]);
  await say(one);
  assert.equal(await told(), [certain(one), certain(two)].sort());
});

test.run();
