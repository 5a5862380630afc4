import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../support/expect.ts';
import { createRightsFactory } from '../../support/rights.ts';
import { strayId } from '../../support/samples.ts';
import { openSecondProcess } from '../../support/second-process.ts';
import { uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, feed, graphOf, type Made, mapping, openWorld, ref, type World } from '../fixture.ts';

/** Shows how edges are patched and deleted. */

const test = suite('lineage: PATCH and DELETE');

let world: World;
let pipeline: Made;

test.before(async () => {
  world = await openWorld();
  const service = await world.make('services/pipelineServices', { name: uniqueName('etl'), serviceType: 'Airflow' });
  pipeline = await world.make('pipelines', { name: 'nightly', service: service.fullyQualifiedName });
});

const PATCH = { 'content-type': 'application/json-patch+json' };

const pathOf = (from: Made, to: Made): string => `/v1/lineage/table/${from.id}/table/${to.id}`;

const patch = (from: Made, to: Made, operations: readonly unknown[]) =>
  world.admin.patch(pathOf(from, to), operations, PATCH);

test('a patch changes the named members and returns the details', async () => {
  const [a, b] = [await world.table('a'), await world.table('b')];
  ok(await feed(world.admin, a, b, { sqlQuery: 'one', columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  const before = await detailsOf(world.admin, a, b);
  const added = mapping(a, ['b'], b, 'b', { function: 'upper(b)' });
  const answer = ok(
    await patch(a, b, [
      { op: 'test', path: '/sqlQuery', value: 'one' },
      { op: 'replace', path: '/sqlQuery', value: 'two' },
      { op: 'add', path: '/pipeline', value: ref(pipeline, 'pipeline') },
      { op: 'add', path: '/columnsLineage/-', value: added },
      { op: 'add', path: '/description', value: 'why' },
      { op: 'replace', path: '/createdBy', value: 'somebody' },
    ]),
  );
  assert.equal(answer, await detailsOf(world.admin, a, b));
  assert.equal([answer.sqlQuery, answer.pipeline.id, answer.description], ['two', pipeline.id, 'why']);
  assert.equal(answer.columnsLineage, [mapping(a, ['a'], b, 'a'), added]);
  assert.equal([answer.createdBy, answer.createdAt, answer.source], ['admin', before.createdAt, 'Manual']);
  const byName = `/v1/lineage/table/name/${encodeURIComponent(a.fullyQualifiedName)}/table/name/${encodeURIComponent(b.fullyQualifiedName)}`;
  const whole = [{ op: 'replace', path: '/columnsLineage', value: [added] }];
  assert.equal(ok(await world.admin.patch(byName, whole)).columnsLineage, [added]);
  assert.equal(
    ok(
      await patch(a, b, [
        { op: 'remove', path: '/pipeline' },
        { op: 'remove', path: '/sqlQuery' },
      ]),
    ).sqlQuery,
    undefined,
  );
  assert.is((await detailsOf(world.admin, a, b)).pipeline, undefined);
});

test('temporary tables can be added, replaced and removed', async () => {
  const [a, b] = [await world.table('a'), await world.table('b')];
  const tables = (...names: readonly string[]) =>
    names.map((name) => ({ fromEntity: a.fullyQualifiedName, toEntity: name }));
  const named = tables('tmp_1');
  ok(await feed(world.admin, a, b, { sqlQuery: 'q', tempLineageTables: named }));
  assert.equal((await detailsOf(world.admin, a, b)).tempLineageTables, named);
  const more = tables('tmp_2', 'tmp_3');
  const answer = ok(await patch(a, b, [{ op: 'replace', path: '/tempLineageTables', value: more }]));
  assert.equal([answer.tempLineageTables, answer.sqlQuery], [more, 'q']);
  ok(await patch(a, b, [{ op: 'remove', path: '/tempLineageTables/0' }]));
  assert.equal((await detailsOf(world.admin, a, b)).tempLineageTables, more.slice(1));
  ok(await patch(a, b, [{ op: 'remove', path: '/tempLineageTables' }]));
  assert.is((await detailsOf(world.admin, a, b)).tempLineageTables, undefined);
});

test('a caller who may not see the pipeline can patch the rest and learns nothing of it', async () => {
  const rights = createRightsFactory(world.service);
  const [a, b] = [await world.table('a'), await world.table('b')];
  ok(await feed(world.admin, a, b, { sqlQuery: 'one', pipeline: ref(pipeline, 'pipeline') }));
  const blind = await rights.person([
    { effect: 'allow', operations: ['EditLineage', 'ViewAll'] },
    { effect: 'deny', operations: ['ViewAll'], resources: ['pipeline'] },
  ]);
  const guess = [{ op: 'test', path: '/pipeline/id', value: pipeline.id }];
  expectRefused(await blind.patch(pathOf(a, b), guess, PATCH), 400);
  const change = [{ op: 'replace', path: '/sqlQuery', value: 'two' }];
  const answer = ok(await blind.patch(pathOf(a, b), change, PATCH));
  assert.equal([answer.sqlQuery, answer.pipeline], ['two', undefined]);
  assert.is((await detailsOf(blind, a, b)).pipeline, undefined);
  assert.is((await detailsOf(world.admin, a, b)).pipeline.id, pipeline.id, 'it is what it was');
  await rights.clear();
});

test('a patch changes the assertion of its source, else the newest, and no other', async () => {
  const [a, b] = [await world.table('a'), await world.table('b')];
  const [one, two] = [mapping(a, ['a'], b, 'a'), mapping(a, ['b'], b, 'b')];
  ok(await feed(world.admin, a, b, { sqlQuery: 'by hand', columnsLineage: [one] }));
  ok(await feed(world.admin, a, b, { source: 'DbtLineage', columnsLineage: [two] }));
  const three = mapping(a, ['c'], b, 'c');
  const answer = ok(await patch(a, b, [{ op: 'replace', path: '/columnsLineage', value: [one, three] }]));
  assert.equal([answer.source, answer.sqlQuery], ['DbtLineage', 'by hand']);
  assert.equal(answer.columnsLineage, [one, three]);
  ok(await world.admin.delete(`/v1/lineage/table/${b.id}/type/DbtLineage`));
  assert.equal((await detailsOf(world.admin, a, b)).columnsLineage, [one]);
  const other = ok(
    await patch(a, b, [
      { op: 'replace', path: '/source', value: 'QueryLineage' },
      { op: 'replace', path: '/sqlQuery', value: 'from the log' },
    ]),
  );
  assert.equal([other.source, other.sqlQuery], ['QueryLineage', 'from the log']);
  ok(await world.admin.delete(`/v1/lineage/table/${b.id}/type/QueryLineage`));
  const left = await detailsOf(world.admin, a, b);
  assert.equal([left.source, left.sqlQuery], ['Manual', 'by hand']);
});

test('a patch reads its edge once to authorize it, and once more for the columns that it names', async () => {
  const [a, b] = [await world.table('a'), await world.table('b')];
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  const { graph } = world.service;
  let looks = 0;
  const read: typeof graph.read = (statement, ...rest) => {
    if (statement.name === 'lineage/read_edge') looks += 1;
    return graph.read(statement, ...rest);
  };
  const twin = await openSecondProcess({ ...world.service, graph: { ...graph, read } });
  const value = mapping(a, ['b'], b, 'b');
  ok(await twin.patch(pathOf(a, b), [{ op: 'add', path: '/columnsLineage/-', value }], PATCH));
  assert.is(looks, 2);
});

test('an edge is read once more when its last assertion is just being replaced', async () => {
  const [a, b] = [await world.table('a'), await world.table('b')];
  ok(await feed(world.admin, a, b, { sqlQuery: 'one' }));
  const { graph } = world.service;
  let looks = 0;
  // The moment between the old assertion and the new one is too short to be met, so the first look is given it.
  const read: typeof graph.read = async (statement, ...rest) => {
    const rows = await graph.read(statement, ...rest);
    if (statement.name !== 'lineage/read_edge') return rows;
    looks += 1;
    return looks === 1 ? rows.map((row) => ({ ...row, assertions: [] })) : rows;
  };
  const twin = await openSecondProcess({ ...world.service, graph: { ...graph, read } });
  assert.is((await detailsOf(twin, a, b)).sqlQuery, 'one');
  assert.is(looks, 2);
});

test('concurrent patches of one edge are all applied', async () => {
  const [a, b] = [await world.table('a'), await world.table('b')];
  ok(await feed(world.admin, a, b));
  const twin = await openSecondProcess(world.service);
  const path = pathOf(a, b);
  const texts = ['one', 'two', 'three'].flatMap((text) => [`here ${text}`, `there ${text}`]);
  const replies = await Promise.all(
    texts.map((text) => {
      const value = mapping(a, ['a'], b, 'b', { function: text });
      const client = text.startsWith('here') ? world.admin : twin;
      return client.patch(path, [{ op: 'add', path: '/columnsLineage/-', value }], PATCH);
    }),
  );
  for (const reply of replies) ok(reply);
  const { columnsLineage } = await detailsOf(world.admin, a, b);
  assert.equal(columnsLineage.map((one: { function: string }) => one.function).sort(), [...texts].sort());
});

test('an invalid patch is refused and changes nothing', async () => {
  const [a, b, c] = [await world.table('a'), await world.table('b'), await world.table('c')];
  ok(await feed(world.admin, a, b, { sqlQuery: 'one' }));
  const before = await detailsOf(world.admin, a, b);
  expectRefused(
    await patch(a, b, [
      { op: 'test', path: '/sqlQuery', value: 'two' },
      { op: 'remove', path: '/sqlQuery' },
    ]),
    400,
  );
  expectRefused(await patch(a, b, [{ op: 'replace', path: '/source', value: 'Guess' }]), 400, /source/);
  expectRefused(await patch(a, b, [{ op: 'add', path: '/columnsLineage/-', value: { toColumn: 'x' } }]), 400);
  expectRefused(await patch(a, b, [{ op: 'add', path: '/pipeline', value: { id: strayId(), type: 'pipeline' } }]), 404);
  expectRefused(await patch(a, b, [{ op: 'replace', path: '/columnsLineage/7', value: {} }]), 400);
  expectRefused(await world.admin.patch(pathOf(a, b), { sqlQuery: 'x' }, PATCH), 400, /array/);
  expectRefused(await patch(a, c, [{ op: 'add', path: '/sqlQuery', value: 'x' }]), 404, 'Lineage edge not found');
  assert.equal(await detailsOf(world.admin, a, b), before);
});

test('DELETE removes an edge with all its assertions, also between deleted records', async () => {
  const [a, b] = [await world.table('a'), await world.table('b')];
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  ok(await feed(world.admin, a, b, { source: 'ViewLineage' }));
  const removed = await world.admin.delete(pathOf(a, b));
  assert.equal([removed.status, removed.text], [200, '']);
  expectRefused(await world.admin.delete(pathOf(a, b)), 404, 'Lineage edge not found');
  expectRefused(await world.admin.delete(pathOf(a, { ...b, id: strayId() })), 404);
  const [past] = await world.service.graph.query(
    `MATCH (:Entity {id: $a})-[e:FED_UNTIL]->(:Entity {id: $b}) MATCH (s:Assertion {edgeId: e.id}) WHERE s.until = e.until
     OPTIONAL MATCH ()-[d:DERIVED {edgeId: e.id}]->()
     RETURN count(DISTINCT s) AS said, count(DISTINCT d) AS pairs, e.until >= e.since AS ended`,
    { a: a.id, b: b.id },
  );
  assert.equal(past, { said: 2, pairs: 1, ended: true });
  ok(await feed(world.admin, a, b));
  ok(await world.admin.delete(`/v1/tables/${a.id}`));
  const named = `/v1/lineage/table/name/${encodeURIComponent(a.fullyQualifiedName)}/table/name/${encodeURIComponent(b.fullyQualifiedName)}`;
  assert.is((await world.admin.delete(named)).status, 200);
  assert.equal((await graphOf(world.admin, b)).upstreamEdges, []);
});

test('the assertions of one source into a record are withdrawn by id and by name, also when there are none', async () => {
  const [a, b, c] = [await world.table('a'), await world.table('b'), await world.table('c')];
  ok(await feed(world.admin, a, c, { source: 'QueryLineage' }));
  ok(await feed(world.admin, b, c, { source: 'QueryLineage' }));
  ok(await feed(world.admin, b, c, { source: 'Manual' }));
  ok(await feed(world.admin, c, a, { source: 'QueryLineage' }));
  const take = (path: string) => world.admin.delete(`/v1/lineage/${path}`);
  expectRefused(await take(`table/${c.id}/type/Guess`), 400, /Guess/);
  expectRefused(await take('source/name/table/no.such.table/type/Manual'), 404);
  assert.is((await take(`table/${strayId()}/type/Manual`)).status, 200);
  assert.is((await take(`table/${c.id}/type/DbtLineage`)).status, 200);
  const reply = await take(`source/name/table/${encodeURIComponent(c.fullyQualifiedName)}/type/QueryLineage`);
  assert.equal([reply.status, reply.text], [200, '']);
  const graph = await graphOf(world.admin, c);
  assert.equal(
    graph.upstreamEdges.map(({ fromEntity }: { fromEntity: string }) => fromEntity),
    [b.id],
  );
  assert.is(graph.downstreamEdges.length, 1);
});

test('assertions through a pipeline are withdrawn at the pipeline', async () => {
  const [a, b, c] = [await world.table('a'), await world.table('b'), await world.table('c')];
  const carried = { source: 'PipelineLineage', pipeline: ref(pipeline, 'pipeline') };
  ok(await feed(world.admin, a, b, carried));
  ok(await feed(world.admin, b, c, { ...carried, source: 'OpenLineage' }));
  ok(await world.admin.delete(`/v1/lineage/pipeline/${pipeline.id}/type/PipelineLineage`));
  expectRefused(await world.admin.get(`/v1/lineage/getLineageEdge/${a.id}/${b.id}`), 404);
  assert.is((await detailsOf(world.admin, b, c)).source, 'OpenLineage');
});

test('the descriptions of edge and details are one text until both are sent', async () => {
  const [a, b, c] = [await world.table('a'), await world.table('b'), await world.table('c')];
  const shown = async (from: Made, to: Made) => {
    const edges = (await graphOf(world.admin, from)).downstreamEdges;
    const edge = edges.find(({ toEntity }: { toEntity: string }) => toEntity === to.id);
    return [edge.description, edge.lineageDetails.description];
  };
  ok(await world.admin.put('/v1/lineage', { edge: { fromEntity: ref(a), toEntity: ref(b), description: 'old' } }));
  assert.equal(await shown(a, b), ['old', 'old']);
  ok(await patch(a, b, [{ op: 'replace', path: '/description', value: 'new' }]));
  assert.equal(await shown(a, b), ['new', 'new']);
  const both = {
    fromEntity: ref(a),
    toEntity: ref(c),
    description: 'outside',
    lineageDetails: { description: 'inside' },
  };
  ok(await world.admin.put('/v1/lineage', { edge: both }));
  assert.equal(await shown(a, c), ['outside', 'inside']);
  ok(await patch(a, c, [{ op: 'replace', path: '/description', value: 'within' }]));
  assert.equal(await shown(a, c), ['outside', 'within']);
});

test('patching an edge reveals nothing to a caller who may not see both endpoints', async () => {
  const rights = createRightsFactory(world.service);
  const [a, b] = [await world.table('a'), await world.table('b')];
  ok(await feed(world.admin, a, b, { sqlQuery: 'secret' }));
  ok(
    await world.admin.patch(`/v1/tables/${b.id}`, [{ op: 'add', path: '/tags', value: [{ tagFQN: 'PII.Sensitive' }] }]),
  );
  const editor = { effect: 'allow', operations: ['EditLineage', 'ViewAll'] } as const;
  const guess = [{ op: 'test', path: '/sqlQuery', value: 'secret' }];
  const seeing = await rights.person([editor]);
  assert.is(ok(await seeing.patch(pathOf(a, b), guess, PATCH)).sqlQuery, 'secret');
  const blind = await rights.person([
    editor,
    { effect: 'deny', operations: ['ViewAll'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  expectRefused(await blind.patch(pathOf(a, b), guess, PATCH), 403);
  expectRefused(await blind.put('/v1/lineage', { edge: { fromEntity: ref(a), toEntity: ref(b) } }), 403);
  await rights.clear();
});

test.run();
