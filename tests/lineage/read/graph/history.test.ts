import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { feed, type Made, mapping, openWorld, ref, type World } from '../../fixture.ts';
import { chain, HIDING, lots, tablesOf } from './fixture.ts';

/** Shows lineage as of a past time, and the comparison of two times. */

const test = suite('lineage: history');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const asOf = async ({ id }: Made, at: number, query = '') =>
  ok(await world.admin.get(`/v1/lineage/graph?id=${id}&asOf=${at}&columns=true${query}`));

const diff = async ({ id }: Made, from: number, to: number, query = '') =>
  ok(await world.admin.get(`/v1/lineage/diff?id=${id}&from=${from}&to=${to}${query}`));

const remove = (from: Made, to: Made) => world.admin.delete(`/v1/lineage/table/${from.id}/table/${to.id}`);

test('lineage at a past time has the details and columns of that time', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  const never = await moment();
  ok(await feed(world.admin, a, b, { sqlQuery: 'one', columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  const first = await moment();
  ok(await feed(world.admin, a, b, { sqlQuery: 'two', columnsLineage: [mapping(a, ['b'], b, 'b')] }));
  ok(await feed(world.admin, a, b, { description: 'from the log', source: 'QueryLineage' }));
  const second = await moment();
  ok(await remove(a, b));
  ok(await feed(world.admin, b, c));
  const third = await moment();
  ok(await feed(world.admin, a, b, { sqlQuery: 'four' }));
  const shown = async (at: number) => {
    const { nodes, edges, columnEdges, asOf: told } = await asOf(a, at, '&downstreamDepth=3');
    assert.is(told, at);
    const [edge] = edges;
    return {
      nodes: nodes.map(({ id }: Made) => id),
      sql: edge?.lineageDetails.sqlQuery,
      description: edge?.description,
      columns: columnEdges.map(({ fromColumn }: { fromColumn: string }) => fromColumn),
    };
  };
  const nothing = { nodes: [a.id], sql: undefined, description: undefined, columns: [] };
  assert.equal(await shown(never), nothing);
  assert.equal(await shown(first), {
    nodes: [a.id, b.id],
    sql: 'one',
    description: undefined,
    columns: [`${a.fullyQualifiedName}.a`],
  });
  assert.equal(await shown(second), {
    nodes: [a.id, b.id],
    sql: 'two',
    description: 'from the log',
    columns: [`${a.fullyQualifiedName}.b`],
  });
  assert.equal(await shown(third), nothing);
  const now = await shown(await moment());
  assert.equal([now.nodes, now.sql], [[a.id, b.id, c.id], 'four']);
  assert.equal((await asOf(a, second)).hiddenCounts[a.id], { upstream: 0, downstream: 0 });
  assert.equal((await asOf(a, second, '&downstreamDepth=0')).hiddenCounts[a.id], { upstream: 0, downstream: 1 });
});

test('a comparison reports added, removed and changed edges', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c);
  const before = await moment();
  ok(await feed(world.admin, a, b, { sqlQuery: 'now said' }));
  ok(await remove(b, c));
  ok(await feed(world.admin, a, d, { columnsLineage: [mapping(a, ['a'], d, 'b')] }));
  const after = await moment();
  const there = await diff(a, before, after, '&downstreamDepth=2');
  assert.equal(Object.keys(there), ['added', 'removed', 'changed']);
  const summary = ({ nodes, edges, columnEdges }: typeof there.added) => ({
    nodes: nodes.map(({ id }: Made) => id),
    edges: edges.map(({ fromEntity, toEntity }: { fromEntity: string; toEntity: string }) => [fromEntity, toEntity]),
    columns: columnEdges.map(({ toColumn }: { toColumn: string }) => toColumn),
  });
  assert.equal(summary(there.added), {
    nodes: [d.id],
    edges: [[a.id, d.id]],
    columns: [`${d.fullyQualifiedName}.b`],
  });
  assert.equal(summary(there.removed), { nodes: [c.id], edges: [[b.id, c.id]], columns: [] });
  assert.is(there.changed.length, 1);
  const [changed] = there.changed;
  assert.equal(changed.edge, { fromEntity: a.id, toEntity: b.id });
  assert.equal(
    [changed.before.lineageDetails.sqlQuery, changed.after.lineageDetails.sqlQuery],
    [undefined, 'now said'],
  );
  const same = await diff(a, after, after, '&downstreamDepth=2');
  const none = { nodes: [], edges: [], columnEdges: [] };
  assert.equal(same, { added: none, removed: none, changed: [] });
  const back = await diff(a, after, before, '&downstreamDepth=2');
  assert.equal([back.added, back.removed], [there.removed, there.added]);
});

test('a removed column is shown in the past, and a renamed one has its current name', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a'), mapping(a, ['b'], b, 'b')] }));
  const whole = await moment();
  ok(await world.admin.patch(`/v1/tables/${a.id}`, [{ op: 'remove', path: '/columns/0' }]));
  const without = await moment();
  ok(await world.admin.patch(`/v1/tables/${b.id}`, [{ op: 'replace', path: '/columns/1/name', value: 'renamed' }]));
  const [gone, kept] = [
    { fromColumn: `${a.fullyQualifiedName}.a`, toColumn: `${b.fullyQualifiedName}.a` },
    { fromColumn: `${a.fullyQualifiedName}.b`, toColumn: `${b.fullyQualifiedName}.renamed` },
  ];
  const pairs = (all: readonly { fromColumn: string; toColumn: string }[]) =>
    all.map(({ fromColumn, toColumn }) => ({ fromColumn, toColumn }));
  const shown = async (at: number) => pairs((await asOf(a, at)).columnEdges);
  assert.equal(await shown(whole), [gone, kept]);
  assert.equal(await shown(without), [kept]);
  assert.equal(await shown(await moment()), [kept]);
  const { removed, added } = await diff(a, whole, without);
  assert.equal([pairs(removed.columnEdges), added.columnEdges], [[gone], []]);
  assert.equal([removed.edges, removed.nodes], [[], []]);
});

test('a hard-deleted record is not shown in the past, and a soft-deleted one is', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  await chain(world.admin, a, b, c);
  const before = await moment();
  const nodesAt = async (at: number, query = '') =>
    (await asOf(a, at, `&downstreamDepth=2${query}`)).nodes.map(({ id }: Made) => id);
  ok(await world.admin.delete(`/v1/tables/${c.id}`));
  assert.equal(await nodesAt(before, '&include=all'), [a.id, b.id, c.id]);
  ok(await world.admin.delete(`/v1/tables/${c.id}?hardDelete=true`));
  assert.equal(await nodesAt(before, '&include=all'), [a.id, b.id]);
});

test('a pipeline shows the edges that ran through it at that time', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  const service = await world.make('services/pipelineServices', { name: uniqueName('etl'), serviceType: 'Airflow' });
  const [run, other] = await Promise.all(
    ['run', 'other'].map((name) => world.make('pipelines', { name, service: service.fullyQualifiedName })),
  );
  if (!run || !other) throw new Error('there are two pipelines');
  const pair = ({ fromEntity, toEntity }: { fromEntity: string; toEntity: string }) => `${fromEntity} ${toEntity}`;
  const pairsAt = async (root: Made, at: number): Promise<string[]> =>
    (await asOf(root, at, '&downstreamDepth=2')).edges.map(pair).sort();
  ok(await feed(world.admin, a, b, { pipeline: ref(run, 'pipeline'), columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  ok(await feed(world.admin, b, c));
  const first = await moment();
  const whole = [`${a.id} ${run.id}`, `${run.id} ${b.id}`, `${a.id} ${b.id}`, `${b.id} ${c.id}`].sort();
  assert.equal(await pairsAt(run, first), whole);
  ok(await feed(world.admin, a, b, { pipeline: ref(other, 'pipeline'), source: 'PipelineLineage' }));
  const second = await moment();
  assert.equal(await pairsAt(run, second), [], 'the newest word counts');
  assert.is((await pairsAt(other, second)).length, 4);
  assert.equal(await pairsAt(run, first), whole);
  ok(await remove(a, b));
  const third = await moment();
  assert.equal([await pairsAt(other, third), await pairsAt(run, third)], [[], []]);
  const { removed, added } = await diff(run, first, third, '&downstreamDepth=2');
  assert.equal(removed.edges.map(pair).sort(), whole);
  assert.equal([added.edges, removed.columnEdges.length > 0], [[], true]);
  assert.equal(new Set(removed.nodes.map(({ id }: Made) => id)), new Set([a.id, b.id, c.id]));
  const now = ok(await world.admin.get(`/v1/lineage/graph?id=${run.id}&downstreamDepth=2`));
  assert.equal(now.edges, []);
});

test('a comparison shows a hidden asset as an anonymous node only', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!', 'behind');
  const [{ a, behind }, hidden] = [tables, tables['hidden!']];
  const before = await moment();
  ok(await feed(world.admin, a, hidden, { sqlQuery: 'select secret' }));
  await chain(world.admin, hidden, behind);
  const after = await moment();
  const caller = await rights.person([HIDING]);
  const { added } = ok(await caller.get(`/v1/lineage/diff?id=${a.id}&from=${before}&to=${after}&downstreamDepth=5`));
  assert.equal(added, {
    nodes: [{ id: hidden.id, type: 'table', hidden: true }],
    edges: [{ fromEntity: a.id, toEntity: hidden.id }],
    columnEdges: [],
  });
  expectRefused(await caller.get(`/v1/lineage/diff?id=${hidden.id}&from=${before}&to=${after}`), 403);
});

test('a comparison without both times is refused', async () => {
  const { a } = await tablesOf(world, 'a');
  const get = (query: string) => world.admin.get(`/v1/lineage/diff?id=${a.id}${query}`);
  expectRefused(await get(''), 400, /from must be given/);
  expectRefused(await get('&from=1'), 400, /to must be given/);
  expectRefused(await get('&from=1&to=x'), 400, /to must be milliseconds since 1970 or a date/);
});

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answer = any;

/** A graph as a set of texts, so that two can be compared and one turned into the other. */
const factsOf = ({ nodes, edges, columnEdges }: Answer): Set<string> =>
  new Set([
    ...nodes.map(({ id }: Made) => `node ${id}`),
    ...edges.map((edge: Answer) => `edge ${JSON.stringify(edge)}`),
    ...columnEdges.map((edge: Answer) => `columns ${JSON.stringify(edge)}`),
  ]);

const applied = (graph: Answer, { added, removed, changed }: Answer): Set<string> => {
  const facts = factsOf(graph);
  for (const fact of factsOf(removed)) assert.ok(facts.delete(fact), `removed what was not there: ${fact}`);
  for (const fact of factsOf(added)) {
    assert.is(facts.has(fact), false, `added what was there: ${fact}`);
    facts.add(fact);
  }
  for (const { edge, before, after } of changed) {
    assert.ok(facts.delete(`edge ${JSON.stringify({ ...edge, ...before })}`), 'changed what was not there');
    facts.add(`edge ${JSON.stringify({ ...edge, ...after })}`);
  }
  return facts;
};

test('applying a comparison to the first graph yields the second', async () => {
  const draw = lots(7);
  const tables = await Promise.all(Array.from({ length: 6 }, (_, at) => world.table(`h${at}`)));
  const pick = (): Made => tables[draw(tables.length)] as Made;
  const times = [await moment()];
  for (let round = 0; round < 6; round += 1) {
    for (let step = 0; step < 5; step += 1) {
      const [from, to] = [pick(), pick()];
      if (from === to) continue;
      if (draw(3) === 0) await remove(from, to);
      else {
        const column = 'abc'[draw(3)] ?? 'a';
        const source = ['Manual', 'QueryLineage'][draw(2)] ?? 'Manual';
        const columnsLineage = [mapping(from, [column], to, 'a')];
        ok(await feed(world.admin, from, to, { source, sqlQuery: `q${draw(4)}`, columnsLineage }));
      }
    }
    times.push(await moment());
  }
  const span = '&upstreamDepth=3&downstreamDepth=3';
  const root = tables[0] as Made;
  const graphs = await Promise.all(times.map((at) => asOf(root, at, span)));
  for (const [one, other] of [
    [0, 6],
    [2, 3],
    [5, 1],
    [3, 6],
  ] as const) {
    const there = await diff(root, times[one] ?? 0, times[other] ?? 0, span);
    assert.equal(applied(graphs[one], there), factsOf(graphs[other]), `from ${one} to ${other}`);
  }
  const now = ok(await world.admin.get(`/v1/lineage/graph?id=${root.id}&columns=true${span}`));
  assert.equal(factsOf(now), factsOf(graphs[6]));
});

test.run();
