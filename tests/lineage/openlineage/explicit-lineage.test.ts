import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { countStored, expectRefused, ok } from '../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import type { Client } from '../../support/service.ts';
import { uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, type Made, mapping, openWorld, pipelineIn, type World } from '../fixture.ts';
import { drawnAround, pair, pairsOf } from '../read/graph/fixture.ts';

/** Shows what becomes of events that say themselves what feeds what, and how a batch of events is answered. */

const test = suite('lineage: OpenLineage events with lineage facets');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const ONE = '/v1/lineage/openlineage';
const BATCH = '/v1/lineage/batch';

const named = ({ fullyQualifiedName }: Made) => ({ namespace: 'anywhere', name: fullyQualifiedName });
const dataset = (made: Made, more: object = {}) => ({ ...named(made), type: 'DATASET', ...more });

/** A job is called after a pipeline and its service. */
const jobOf = ({ fullyQualifiedName }: Made) => {
  const [namespace = '', name = ''] = fullyQualifiedName.split('.');
  return { namespace, name };
};

const eventOf = (job: object, entries: readonly object[] | undefined, more: object = {}) => ({
  ...{ eventType: 'COMPLETE', eventTime: '2026-03-01T10:00:00Z' },
  job: { ...job, ...(entries ? { facets: { lineage: { entries } } } : {}) },
  ...more,
});

const tables = async <T extends string>(...names: readonly T[]): Promise<Record<T, Made>> => {
  const made = await Promise.all(names.map((name) => world.table(name)));
  return Object.fromEntries(names.map((name, at) => [name, made[at]])) as Record<T, Made>;
};

const edgesAround = async (made: Made, client: Client = world.admin) =>
  pairsOf((await drawnAround(client, made, '&upstreamDepth=3&downstreamDepth=3')).edges);

test('a job that moves many tables joins only those that it says, with their columns', async () => {
  const { a, b, c, d } = await tables('a', 'b', 'c', 'd');
  const load = await pipelineIn(world, 'load');
  const entries = [
    dataset(c, { inputs: [dataset(a)], fields: { b: { inputs: [dataset(a, { field: 'a' })] } } }),
    dataset(d, { inputs: [dataset(b)] }),
  ];
  const both = { inputs: [named(a), named(b)], outputs: [named(c), named(d)] };
  const { datasets, ...rest } = ok(await world.admin.post(ONE, eventOf(jobOf(load), entries, both)));
  assert.equal([datasets.length, rest], [4, { request: load.fullyQualifiedName, status: 200 }]);
  assert.equal(await edgesAround(a), [pair(a, c)]);
  assert.equal(await edgesAround(b), [pair(b, d)]);
  const details = await detailsOf(world.admin, a, c);
  assert.equal([details.pipeline.id, details.columnsLineage], [load.id, [mapping(a, ['a'], c, 'b')]]);
});

test('jobs hand on data to each other, through no pipeline besides', async () => {
  const { a, x } = await tables('a', 'x');
  const [first, second] = [await pipelineIn(world, 'first'), await pipelineIn(world, 'second')];
  const job = (made: Made, more: object = {}) => ({ ...jobOf(made), type: 'JOB', ...more });
  const entries = [
    job(second, { inputs: [job(first), dataset(a)] }),
    dataset(x, {
      inputs: [job(second)],
      fields: { a: { inputs: [{ type: 'JOB', transformations: [{ type: 'DIRECT' }] }] } },
    }),
  ];
  const event = eventOf({ namespace: 'dags', name: uniqueName('dag') }, entries, { inputs: [named(a)] });
  const { unappliedFacets, status } = ok(await world.admin.post(ONE, event));
  assert.is(status, 200);
  assert.equal(
    unappliedFacets.map(({ of, facet, reason }: JsonObject) => [of, facet, reason]),
    [['job', 'lineage', 'what a job says of its own work is not kept']],
  );
  assert.equal(await edgesAround(second), [pair(a, second), pair(first, second), pair(second, x)].sort());
  const edge = ok(await world.admin.get(`/v1/lineage/getLineageEdge/${first.id}/${second.id}`)).edge;
  assert.equal([edge.source, edge.pipeline], ['OpenLineage', undefined]);
});

test('an event that is sent again changes nothing, and one without the facet adds what it implies', async () => {
  const { a, b, c } = await tables('a', 'b', 'c');
  const load = jobOf(await pipelineIn(world, 'load'));
  const both = { inputs: [named(a), named(b)], outputs: [named(c)] };
  const event = eventOf(load, [dataset(c, { inputs: [dataset(a)] })], both);
  ok(await world.admin.post(ONE, event));
  const before = await countStored(world.service);
  ok(await world.admin.post(ONE, event));
  assert.equal(await countStored(world.service), before);
  assert.equal(await edgesAround(c), [pair(a, c)]);
  ok(await world.admin.post(ONE, eventOf(load, undefined, both)));
  assert.equal(await edgesAround(c), [pair(a, c), pair(b, c)].sort());
});

test('who may not edit the lineage of a job that an event names is refused, and nothing is written', async () => {
  const { a, x } = await tables('a', 'x');
  const [load, guarded] = [await pipelineIn(world, 'load'), await pipelineIn(world, 'guarded')];
  const client = await rights.person([
    { operations: ['EditLineage', 'ViewAll'] },
    { effect: 'deny', operations: ['EditLineage'], resources: ['pipeline'] },
  ]);
  const plain = eventOf(jobOf(load), [dataset(x, { inputs: [dataset(a)] })]);
  const through = eventOf(jobOf(load), [dataset(x, { inputs: [dataset(a), { ...jobOf(guarded), type: 'JOB' }] })]);
  const before = await countStored(world.service);
  expectRefused(await client.post(ONE, through), 403, /EditLineage/);
  assert.equal(await countStored(world.service), before);
  ok(await client.post(ONE, plain));
  assert.equal(await edgesAround(x), [pair(a, x)]);
});

test('a batch is answered without a word where all of it passed', async () => {
  const { a, b } = await tables('a', 'b');
  const load = jobOf(await pipelineIn(world, 'load'));
  const good = eventOf(load, undefined, { inputs: [named(a)], outputs: [named(b)] });
  const reply = await world.admin.post(BATCH, [good, good]);
  assert.equal([reply.status, reply.text], [204, '']);
  assert.equal(await edgesAround(a), [pair(a, b)]);
  assert.is((await world.admin.post(`/api${BATCH}`, [good])).status, 204, 'also where clients look for it');
  assert.is((await world.admin.post(BATCH, [])).status, 204);
});

test('a batch says which events failed and why, and what of the others was left out', async () => {
  const { a, b } = await tables('a', 'b');
  const load = jobOf(await pipelineIn(world, 'load'));
  const good = eventOf(load, undefined, { inputs: [named(a)], outputs: [named(b)] });
  const strange = { ...good, outputs: [{ ...named(b), facets: { invented: { x: 1 } } }] };
  const answer = ok(await world.admin.post(BATCH, [good, { job: { namespace: 'n' } }, strange, 'text']));
  assert.equal(answer.status, 'partial_success');
  assert.equal(answer.summary, { received: 4, successful: 2, failed: 2, retriable: 0, non_retriable: 2 });
  assert.equal(
    answer.failed_events.map(({ index, retriable }: JsonObject) => [index, retriable]),
    [
      [1, false],
      [3, false],
    ],
  );
  assert.match(answer.failed_events[0].reason, /job\.name/);
  assert.equal(answer.left_out, [
    { index: 2, unappliedFacets: [{ of: 'dataset', facet: 'invented', reason: 'not known' }] },
  ]);
  assert.equal(await edgesAround(a), [pair(a, b)], 'the others are there');
  const told = ok(await world.admin.post(BATCH, [strange]));
  assert.equal([told.status, told.failed_events, told.left_out.length], ['success', [], 1]);
});

test('a batch that is no list, or too long, is refused', async () => {
  expectRefused(await world.admin.post(BATCH, {}), 400, /body must be a list/);
  expectRefused(
    await world.admin.post(
      BATCH,
      Array.from({ length: 1001 }, () => ({})),
    ),
    413,
    /at most 1000 events/,
  );
});

test.run();
