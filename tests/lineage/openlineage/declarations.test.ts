import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { countStored, ok } from '../../support/expect.ts';
import { moment } from '../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import type { Client } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, feed, type Made, mapping, openWorld, pipelineIn, type World } from '../fixture.ts';
import { drawnAround, HIDING_CARRIERS, pair, pairsOf, SENSITIVE, tablesOf } from '../read/graph/fixture.ts';

/** Shows how events without a run declare all lineage of a job or dataset, and withdraw what they declared before. */

const test = suite('lineage: OpenLineage declarations');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const ONE = '/v1/lineage/openlineage';

const named = ({ fullyQualifiedName }: Made) => ({ namespace: 'anywhere', name: fullyQualifiedName });
const dataset = (made: Made, more: object = {}) => ({ ...named(made), type: 'DATASET', ...more });

/** A job is called after a pipeline and its service. */
const jobOf = ({ fullyQualifiedName }: Made, facets: object = {}) => {
  const [namespace = '', name = ''] = fullyQualifiedName.split('.');
  return { namespace, name, facets };
};

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();

type Flow = { readonly minute?: number; readonly from?: readonly Made[]; readonly to?: readonly Made[] };

/** An event without a run. */
const jobEvent = (job: object, { minute = 0, from = [], to = [] }: Flow) => ({
  eventTime: at(minute),
  job,
  inputs: from.map(named),
  outputs: to.map(named),
});

const runEvent = (job: object, flow: Flow) => ({
  ...jobEvent(job, flow),
  eventType: 'COMPLETE',
  run: { runId: randomUUID() },
});

const send = async (event: object, client: Client = world.admin): Promise<readonly JsonObject[]> =>
  ok(await client.post(ONE, event))['unappliedFacets'] ?? [];

const reasons = (told: readonly JsonObject[]) => told.map(({ of, facet, reason }) => [of, facet, reason]);

const edgesAround = async (made: Made, query = '') =>
  pairsOf((await drawnAround(world.admin, made, `&upstreamDepth=3&downstreamDepth=3${query}`)).edges);

const tables = <T extends string>(...names: readonly T[]) => tablesOf(world, ...names);

const LATE = [['job', 'lineage', 'a later event declared this lineage']];

test('a job declares all its lineage: what it does not repeat is withdrawn, and the past keeps it', async () => {
  const { a, b, x } = await tables('a', 'b', 'x');
  const job = jobOf(await pipelineIn(world, 'load'));
  assert.equal(await send(jobEvent(job, { from: [a, b], to: [x] })), []);
  const before = await moment();
  assert.equal(await edgesAround(x), [pair(a, x), pair(b, x)].sort());
  assert.equal(await send(jobEvent(job, { minute: 1, from: [a], to: [x] })), []);
  assert.equal(await edgesAround(x), [pair(a, x)]);
  assert.equal(await edgesAround(x, `&asOf=${before}`), [pair(a, x), pair(b, x)].sort());
  const stored = await countStored(world.service);
  await send(jobEvent(job, { minute: 1, from: [a], to: [x] }));
  assert.equal(await countStored(world.service), stored, 'a replay changes nothing');
});

test('a declaration withdraws nothing that people, runs or other jobs state', async () => {
  const { a, b, c, d, x } = await tables('a', 'b', 'c', 'd', 'x');
  const [job, other] = [jobOf(await pipelineIn(world, 'one')), jobOf(await pipelineIn(world, 'other'))];
  await send(jobEvent(job, { from: [a, b, c, d], to: [x] }));
  ok(await feed(world.admin, a, x, { description: 'By hand.' }));
  await send(runEvent(job, { minute: 1, from: [b], to: [x] }));
  await send(jobEvent(other, { minute: 2, from: [c], to: [x] }));
  await send(jobEvent(job, { minute: 3, to: [x] }));
  assert.equal(await edgesAround(x), [pair(a, x), pair(b, x), pair(c, x)].sort());
  await send(jobEvent(other, { minute: 4, to: [x] }));
  assert.equal(await edgesAround(x), [pair(a, x), pair(b, x)].sort());
});

test('runs withdraw nothing, whatever they leave out', async () => {
  const { a, b, x } = await tables('a', 'b', 'x');
  const job = jobOf(await pipelineIn(world, 'load'));
  await send(jobEvent(job, { from: [a], to: [x] }));
  await send(runEvent(job, { minute: 1, from: [b], to: [x] }));
  await send(
    runEvent(jobOf({ ...x, fullyQualifiedName: `${job.namespace}.${job.name}` }, { lineage: { entries: [] } }), {
      minute: 2,
      from: [b],
      to: [x],
    }),
  );
  assert.equal(await edgesAround(x), [pair(a, x), pair(b, x)].sort());
});

test('an older declaration that comes late neither withdraws nor adds, in one request or in several', async () => {
  const { a, b, c, x } = await tables('a', 'b', 'c', 'x');
  const job = jobOf(await pipelineIn(world, 'load'));
  await send(jobEvent(job, { minute: 5, from: [a], to: [x] }));
  assert.equal(reasons(await send(jobEvent(job, { minute: 4, from: [b], to: [x] }))), LATE);
  assert.equal(await edgesAround(x), [pair(a, x)]);
  const batch = [jobEvent(job, { minute: 7, from: [b], to: [x] }), jobEvent(job, { minute: 6, from: [c], to: [x] })];
  const { left_out: left } = ok(await world.admin.post('/v1/lineage/batch', batch));
  assert.equal(
    left.map(({ index, unappliedFacets }: JsonObject) => [index, reasons(unappliedFacets as unknown as JsonObject[])]),
    [[1, LATE]],
  );
  assert.equal(await edgesAround(x), [pair(b, x)]);
});

test('declarations of one job that are sent at the same time leave the edges of the latest', async () => {
  const { a, b, c, d, x } = await tables('a', 'b', 'c', 'd', 'x');
  const job = jobOf(await pipelineIn(world, 'load'));
  const sources = [a, b, c, d];
  await Promise.all(sources.map((from, minute) => send(jobEvent(job, { minute, from: [from], to: [x] }))));
  assert.equal(await edgesAround(x), [pair(d, x)]);
});

test('an event from the future does not keep later ones from declaring', async () => {
  const { a, b, x } = await tables('a', 'b', 'x');
  const job = jobOf(await pipelineIn(world, 'load'));
  await send({ ...jobEvent(job, { from: [a], to: [x] }), eventTime: '2999-01-01T00:00:00Z' });
  await moment();
  const now = new Date().toISOString();
  assert.equal(await send({ ...jobEvent(job, { from: [b], to: [x] }), eventTime: now }), []);
  assert.equal(await edgesAround(x), [pair(b, x)]);
});

test('who says nothing of lineage withdraws none, and an empty or deleted facet withdraws all', async () => {
  const { a, x } = await tables('a', 'x');
  const load = await pipelineIn(world, 'load');
  const job = jobOf(load);
  for (const [minute, lineage] of [
    [1, { entries: [] }],
    [4, { _deleted: true }],
  ] as const) {
    await send(jobEvent(job, { minute, from: [a], to: [x] }));
    await send(jobEvent(jobOf(load, { documentation: { description: 'Loads x.' } }), { minute: minute + 1 }));
    assert.equal(await edgesAround(x), [pair(a, x)]);
    assert.equal(await send(jobEvent(jobOf(load, { lineage }), { minute: minute + 2 })), []);
    assert.equal(await edgesAround(x), []);
  }
});

test('a declaration replaces columns and SQL, and edges between jobs as well', async () => {
  const { a, x } = await tables('a', 'x');
  const [load, next] = [await pipelineIn(world, 'load'), await pipelineIn(world, 'next')];
  const declare = (minute: number, entries: readonly object[], more: object = {}) =>
    send(jobEvent(jobOf(load, { lineage: { entries }, ...more }), { minute }));
  const byColumns = dataset(x, {
    inputs: [dataset(a)],
    fields: { b: { inputs: [dataset(a, { field: 'a' })] } },
  });
  const handsOn = { ...jobOf(next), type: 'JOB', inputs: [{ ...jobOf(load), type: 'JOB' }] };
  await declare(0, [byColumns, handsOn], { sql: { query: 'insert into x select a from a' } });
  const first = await detailsOf(world.admin, a, x);
  assert.equal(
    [first.columnsLineage, first.sqlQuery, first.pipeline.id],
    [[mapping(a, ['a'], x, 'b')], 'insert into x select a from a', load.id],
  );
  assert.equal(await edgesAround(next), [pair(load, next)]);
  await declare(1, [dataset(x, { inputs: [dataset(a)] })]);
  const second = await detailsOf(world.admin, a, x);
  assert.equal([second.columnsLineage ?? [], second.sqlQuery], [[], undefined]);
  assert.equal(await edgesAround(next), []);
});

test('a dataset declares from what it is derived, and columns alone declare it too', async () => {
  const { a, b, view } = await tables('a', 'b', 'view');
  const derive = (minute: number, facets: JsonObject) =>
    send({ eventTime: at(minute), dataset: { ...named(view), facets } });
  const from = (...all: readonly Made[]) => ({ lineage: { inputs: all.map((one) => dataset(one)) } });
  await derive(0, from(a, b));
  await derive(1, { documentation: { description: 'A view.' } });
  assert.equal(await edgesAround(view), [pair(a, view), pair(b, view)].sort());
  await derive(2, from(b));
  assert.equal(await edgesAround(view), [pair(b, view)]);
  await derive(3, { columnLineage: { fields: { a: { inputFields: [{ ...named(a), field: 'a' }] } } } });
  assert.equal(await edgesAround(view), [pair(a, view)]);
  assert.equal(reasons(await derive(2, from(b))), [['dataset', 'lineage', 'a later event declared this lineage']]);
  await derive(4, { lineage: { _deleted: true } });
  assert.equal(await edgesAround(view), []);
});

test('who may not edit the lineage of a job adds to what it declares, and withdraws nothing', async () => {
  const { a, b, x } = await tables('a', 'b', 'x');
  const job = jobOf(await pipelineIn(world, 'load'));
  const caller = await rights.person([
    { operations: ['EditLineage', 'ViewAll'] },
    { effect: 'deny', operations: ['EditLineage'], resources: ['pipeline'] },
  ]);
  await send(jobEvent(job, { from: [a], to: [x] }));
  const told = await send(jobEvent(job, { minute: 9, from: [b], to: [x] }), caller);
  assert.equal(reasons(told), [['job', 'lineage', 'not allowed to replace what was declared before']]);
  assert.equal(await edgesAround(x), [pair(a, x), pair(b, x)].sort());
  assert.equal(await send(jobEvent(job, { minute: 1, to: [x] })), [], 'nor does it count as the latest');
  assert.equal(await edgesAround(x), [pair(b, x)]);
});

test('an edge whose ends the caller may not edit stays, and its ends are not named', async () => {
  const { a, x, secret } = await tables('a', 'x', 'secret');
  const job = jobOf(await pipelineIn(world, 'load'));
  const label = { op: 'add', path: '/tags/-', value: { tagFQN: 'Tier.Tier1' } };
  ok(await world.admin.patch(`/v1/tables/${secret.id}`, [label]));
  const caller = await rights.person([
    { operations: ['EditLineage', 'ViewAll'] },
    {
      effect: 'deny',
      operations: ['EditLineage', 'ViewAll', 'ViewBasic'],
      resources: ['table'],
      condition: `matchAnyTag('Tier.Tier1')`,
    },
  ]);
  await send(jobEvent(job, { from: [a, secret], to: [x] }));
  const reply = await caller.post(ONE, jobEvent(job, { minute: 1, to: [x] }));
  assert.equal(reasons(ok(reply)['unappliedFacets']), [
    ['job', 'lineage', 'not allowed to withdraw all that was declared before'],
  ]);
  assert.not(reply.text.includes(secret.name) || reply.text.includes(secret.id), reply.text);
  assert.equal(await edgesAround(x), [pair(secret, x)]);
});

test('an edge does not name the job that declared it to whom policy hides the job', async () => {
  const { a, x } = await tables('a', 'x');
  const hidden = await pipelineIn(world, 'hidden', { tags: [SENSITIVE] });
  await send(jobEvent(jobOf(hidden), { from: [a], to: [x] }));
  const caller = await rights.person([HIDING_CARRIERS]);
  const reply = await caller.get(`/v1/lineage/getLineageEdge/${a.id}/${x.id}?assertions=true`);
  assert.match(String(ok(reply).edge.sourceName), /^declaration [0-9a-f-]{36}$/);
  assert.not(reply.text.includes(hidden.name) || reply.text.includes(hidden.id), reply.text);
});

test.run();
