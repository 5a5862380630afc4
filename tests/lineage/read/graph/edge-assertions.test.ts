import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../src/model/json.ts';
import { ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import type { Client } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { feed, type Made, openWorld, pipelineIn, ref, type World } from '../../fixture.ts';
import { drawnAround, HIDING, HIDING_CARRIERS, idsOf, pair, SENSITIVE, tablesOf } from './fixture.ts';

/** Shows who states the edges of a graph. */

const test = suite('lineage: who states the edges of a graph');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

type Edge = JsonObject & { readonly fromEntity: string; readonly toEntity: string; readonly assertions?: JsonObject[] };

const edgesAround = async (client: Client, table: Made, query = ''): Promise<Map<string, Edge>> => {
  const { edges } = await drawnAround(client, table, `&assertions=true${query}`);
  return new Map(edges.map((edge: Edge) => [`${edge.fromEntity} ${edge.toEntity}`, edge]));
};

const assertionsOf = (edges: ReadonlyMap<string, Edge>, from: Made, to: Made): readonly JsonObject[] =>
  edges.get(pair(from, to))?.assertions ?? [];

test('each edge lists its sources, the newest first, with what each says of itself and nothing else', async () => {
  const { admin } = world;
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  const load = await pipelineIn(world, 'load');
  ok(
    await feed(admin, a, b, { source: 'DbtLineage', sourceName: 'shop', sqlQuery: 'select 1', description: 'by dbt' }),
  );
  await moment();
  ok(await feed(admin, a, b, { source: 'PipelineLineage', pipeline: ref(load, 'pipeline') }));
  ok(await feed(admin, b, c));
  const edges = await edgesAround(admin, b);
  const [seen, said, ...more] = assertionsOf(edges, a, b);
  assert.equal(more, []);
  const { pipeline, createdAt, updatedAt, seenAt, ...rest } = seen as JsonObject & { readonly pipeline: Made };
  assert.equal([rest, pipeline.id], [{ source: 'PipelineLineage', createdBy: 'admin', updatedBy: 'admin' }, load.id]);
  assert.equal([createdAt, seenAt], [updatedAt, updatedAt]);
  assert.equal([said?.['source'], said?.['sourceName']], ['DbtLineage', 'shop']);
  assert.equal(
    ['sqlQuery', 'description', 'columnsLineage'].filter((name) => name in (said ?? {})),
    [],
  );
  assert.ok(Number(said?.['createdAt']) < Number(createdAt));
  assert.equal(
    assertionsOf(edges, b, c).map(({ source }) => source),
    ['Manual'],
  );
});

test('nobody is told of them unasked, and the lineage among named assets lists them as well', async () => {
  const { admin } = world;
  const { a, b } = await tablesOf(world, 'a', 'b');
  ok(await feed(admin, a, b, { source: 'ViewLineage' }));
  const { edges } = await drawnAround(admin, a);
  assert.equal(
    edges.map((edge: JsonObject) => 'assertions' in edge),
    [false],
  );
  const named = ok(await admin.post('/v1/lineage/graph?assertions=true', { ids: idsOf([a, b]) }));
  assert.equal(
    named.edges.map((edge: Edge) => edge.assertions?.map(({ source }) => source)),
    [['ViewLineage']],
  );
});

test('who said the same again was seen again, and a past graph tells who stated it then', async () => {
  const { admin } = world;
  const { a, b } = await tablesOf(world, 'a', 'b');
  ok(await feed(admin, a, b, { source: 'QueryLineage' }));
  const first = await moment();
  await moment();
  ok(await feed(admin, a, b, { source: 'QueryLineage' }));
  ok(await feed(admin, a, b, { source: 'Manual' }));
  const [byHand, byLog] = assertionsOf(await edgesAround(admin, a), a, b);
  assert.equal([byHand?.['source'], byLog?.['source']], ['Manual', 'QueryLineage']);
  assert.ok(Number(byLog?.['seenAt']) > Number(byLog?.['updatedAt']), 'it was confirmed');
  const then = assertionsOf(await edgesAround(admin, a, `&asOf=${first}`), a, b);
  assert.equal(
    then.map(({ source, seenAt }) => [source, seenAt]),
    [['QueryLineage', undefined]],
    'when it was seen last is of today',
  );
  ok(await admin.delete(`/v1/lineage/table/${a.id}/table/${b.id}`));
  assert.equal(
    assertionsOf(await edgesAround(admin, a, `&asOf=${first}`), a, b).map(({ source }) => source),
    ['QueryLineage'],
    'also of an edge that has ended',
  );
});

test('a compact answer names their pipelines once, and fields choose what is told of those', async () => {
  const { admin } = world;
  const { a, b } = await tablesOf(world, 'a', 'b');
  const load = await pipelineIn(world, 'load');
  ok(await feed(admin, a, b, { source: 'SparkLineage', pipeline: ref(load, 'pipeline') }));
  const { edges, entities } = await drawnAround(
    admin,
    a,
    '&assertions=true&compact=true&fields=name&edgeFields=source',
  );
  const [edge] = edges;
  assert.equal([edge.assertions[0].pipeline, edge.lineageDetails], [load.id, { source: 'SparkLineage' }]);
  assert.equal(entities[load.id], { id: load.id, type: 'pipeline', name: load.name });
});

test('what is hidden is not told: neither a pipeline, nor who states an edge to a hidden asset', async () => {
  const { admin } = world;
  const tables = await tablesOf(world, 'a', 'b', 'c!');
  const { a, b } = tables;
  const secret = tables['c!'];
  const load = await pipelineIn(world, 'load', { tags: [SENSITIVE] });
  ok(await feed(admin, a, b, { source: 'PipelineLineage', pipeline: ref(load, 'pipeline') }));
  ok(await feed(admin, b, secret, { source: 'DbtLineage' }));
  const client = await rights.person([HIDING, HIDING_CARRIERS]);
  const edges = await edgesAround(client, b);
  assert.equal(
    assertionsOf(edges, a, b).map(({ source, pipeline }) => [source, pipeline]),
    [['PipelineLineage', undefined]],
  );
  assert.equal(edges.get(pair(b, secret)), { fromEntity: b.id, toEntity: secret.id });
  assert.equal(assertionsOf(await edgesAround(admin, b), b, secret).length, 1);
});

test.run();
