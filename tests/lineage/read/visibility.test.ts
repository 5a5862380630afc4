/**
 * Shows what callers see of lineage when they may not view an endpoint or the pipeline of an edge (lineage.md 7 and
 * 11).
 */
import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../support/expect.ts';
import { moment } from '../../support/patience.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../../support/rights.ts';
import { type Client, type Reply, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { edgeBody, feed, type Made, mapping, openWorld, pipelineIn, procedureIn, ref, type World } from '../fixture.ts';
import { chain, HIDING, HIDING_CARRIERS, SENSITIVE, tablesOf } from './graph/fixture.ts';
import { address, depths, depthsOf, docId } from './map/fixture.ts';
import { qualityOf, shownIn, tested } from './record-tests-fixture.ts';

const test = suite('lineage: visibility');

let world: World;
let rights: RightsFactory;
/** Sees everything but what bears the mark of what is personal. */
let reader: Person;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  reader = await rights.person([HIDING, HIDING_CARRIERS]);
});

test.after(() => rights.clear());

const byNames = (from: Made, to: Made): string => {
  const [one, other] = [from, to].map(({ fullyQualifiedName }) => encodeURIComponent(fullyQualifiedName));
  return `/v1/lineage/getLineageEdge/table/name/${one}/table/name/${other}`;
};

test('an edge is read by the names of its endpoints by callers who may see both', async () => {
  const tables = await tablesOf(world, 'a', 'b', 'hidden!', 'apart!');
  const [{ a, b }, hidden, apart] = [tables, tables['hidden!'], tables['apart!']];
  ok(await feed(world.admin, a, b, { sqlQuery: 'select open' }));
  ok(
    await feed(world.admin, a, hidden, { sqlQuery: 'select secret', columnsLineage: [mapping(a, ['a'], hidden, 'b')] }),
  );
  ok(await feed(world.admin, hidden, b, { sqlQuery: 'select secret' }));
  assert.is(ok(await reader.get(byNames(a, b))).edge.sqlQuery, 'select open');
  for (const [from, to] of [
    [a, hidden],
    [hidden, b],
  ] as const) {
    assert.is(ok(await world.admin.get(byNames(from, to))).edge.sqlQuery, 'select secret');
    const reply = await reader.get(byNames(from, to));
    expectRefused(reply, 403);
    assert.not.match(reply.text, 'secret');
  }
  expectRefused(await reader.get(byNames(a, apart)), 403, undefined, 'FORBIDDEN');
  expectRefused(await world.admin.get(byNames(a, apart)), 404, 'Lineage edge not found');
});

test('lineage in one direction goes past a hidden asset and not through it', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!', 'behind', 'seen', 'after');
  const [{ a, behind, seen, after }, hidden] = [tables, tables['hidden!']];
  await chain(world.admin, a, hidden, behind);
  await chain(world.admin, a, seen, after);
  await chain(world.admin, hidden, after);
  const read = async (direction: string, root: Made, client: Client = reader) =>
    ok(await client.get(address(`getLineage/${direction}`, root)));
  const down = await read('Downstream', a);
  assert.equal(depthsOf(down), depths([a, 0], [seen, 1], [after, 2]));
  assert.equal(Object.keys(down.downstreamEdges).sort(), [docId(a, seen), docId(seen, after)].sort());
  assert.is(down.nodes[after.fullyQualifiedName].paging.entityUpstreamCount, 1);
  const up = await read('Upstream', after);
  assert.equal(depthsOf(up), depths([after, 0], [seen, 1], [a, 2]));
  assert.equal(depthsOf(await read('Upstream', behind)), depths([behind, 0]));
  for (const answer of [down, up]) assert.not.match(JSON.stringify(answer), new RegExp(`${hidden.id}|${hidden.name}`));
  assert.is(Object.keys((await read('Downstream', a, world.admin)).nodes).length, 5);
});

test('failing tests of hidden assets and upstream of them are not reported', async () => {
  const tables = await tablesOf(world, 'root', 'near', 'hidden!', 'behind');
  const [{ root, near, behind }, hidden] = [tables, tables['hidden!']];
  await chain(world.admin, behind, hidden, root);
  await chain(world.admin, near, root);
  for (const table of [near, hidden, behind]) await tested(world, table, 'Failed');
  const whole = ok(await qualityOf(world.admin, root, 'upstreamDepth=3'));
  assert.is(whole.nodes.length, 3);
  const reply = await qualityOf(reader, root, 'upstreamDepth=3');
  assert.equal(shownIn(ok(reply)), { nodes: [near.id], edges: [[near.id, root.id]] });
  assert.not.match(reply.text, new RegExp(`${hidden.id}|${hidden.name}|${behind.name}`));
  await chain(world.admin, behind, near);
  const past = shownIn(ok(await qualityOf(reader, root, 'upstreamDepth=3')));
  assert.equal(new Set(past.nodes), new Set([near.id, behind.id]), 'on another way it is reached');
  assert.is(past.edges.length, 2);
});

/** What data runs through and some may not view, of either kind that there is. */
const carriers = async (): Promise<readonly (readonly [carrier: Made, type: string])[]> => {
  const more = { tags: [SENSITIVE], displayName: uniqueName('Shown as') };
  return [
    [await pipelineIn(world, 'secret', more), 'pipeline'],
    [await procedureIn(world, 'secret', more), 'storedProcedure'],
  ];
};

/** Everything that reads an edge, by what it is called; each shows somebody who may view it what the edge runs through. */
const readings = (a: Made, b: Made, from: number, to: number): Readonly<Record<string, string>> => {
  const name = encodeURIComponent(a.fullyQualifiedName);
  return {
    'a graph by id': `/v1/lineage/table/${a.id}`,
    'a graph by name': `/v1/lineage/table/name/${name}`,
    'an edge by ids': `/v1/lineage/getLineageEdge/${a.id}/${b.id}`,
    'an edge by names': byNames(a, b),
    'a map': address('getLineage', a),
    'a map without paths': address('getLineage', a, 'preservePaths=false'),
    'a map downstream': address('getLineage/Downstream', a),
    'a map upstream': address('getLineage/Upstream', b),
    'a page': address('getLineageByEntityCount', a, 'direction=Downstream'),
    'what is wrong upstream': address('getDataQualityLineage', b),
    'an export': address('export', a),
    'a native graph': `/v1/lineage/graph?id=${a.id}&columns=true`,
    'a native graph of the past': `/v1/lineage/graph?id=${a.id}&asOf=${to}`,
    'a comparison': `/v1/lineage/diff?id=${a.id}&from=${from}&to=${to}`,
    'a comparison backwards': `/v1/lineage/diff?id=${a.id}&from=${to}&to=${from}`,
    'a native graph as CSV': `/v1/lineage/graph?id=${a.id}&format=csv`,
    paths: `/v1/lineage/paths?from=${a.id}&to=${b.id}`,
  };
};

/** What may be told of an edge that runs through something, to somebody who may not view that. */
const isSilent = ({ text }: Reply, carrier: Made & { readonly displayName?: string }, what: string): void => {
  for (const secret of [carrier.id, carrier.name, carrier.displayName ?? '']) {
    assert.not.ok(secret !== '' && text.includes(secret), `${what} tells of ${secret}`);
  }
};

test('no read reveals a hidden pipeline', async () => {
  for (const [carrier, type] of await carriers()) {
    const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
    await tested(world, a, 'Failed');
    const from = await moment();
    const said = { sqlQuery: 'select shared', columnsLineage: [mapping(a, ['a'], b, 'b')] };
    ok(await feed(world.admin, a, b, { ...said, pipeline: ref(carrier, type) }));
    const to = await moment();
    for (const [what, path] of Object.entries(readings(a, b, from, to))) {
      const whole = await world.admin.get(path);
      ok(whole);
      assert.ok(whole.text.includes(carrier.name), `${what} tells nobody of a ${type}`);
      const reply = await reader.get(path);
      ok(reply);
      assert.ok(reply.text.includes('select shared'), `${what} tells of the rest: ${reply.text}`);
      isSilent(reply, carrier, `${what} through a ${type}`);
    }
    for (const format of ['graphml', 'mermaid', 'dot']) {
      isSilent(await reader.get(`/v1/lineage/graph?id=${a.id}&format=${format}`), carrier, format);
    }
    const map = ok(await reader.get(address('getLineage', a)));
    assert.equal(Object.keys(map.downstreamEdges), [docId(a, b)]);
    assert.is(map.downstreamEdges[docId(a, b)].docId, docId(a, b));
  }
});

test('the history of an edge reveals no hidden pipeline', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const [[one, kind], [other, otherKind]] = (await carriers()) as [[Made, string], [Made, string]];
  ok(await feed(world.admin, a, b, { pipeline: ref(one, kind) }));
  const before = await moment();
  ok(await feed(world.admin, a, b, { pipeline: ref(other, otherKind) }));
  const path = `/v1/lineage/diff?id=${a.id}&from=${before}&to=${await moment()}`;
  const [changed] = ok(await world.admin.get(path)).changed;
  const carrierOf = (side: { lineageDetails: { pipeline?: { id: string } } }) => side.lineageDetails.pipeline?.id;
  assert.equal([carrierOf(changed.before), carrierOf(changed.after)], [one.id, other.id]);
  const reply = await reader.get(path);
  ok(reply);
  for (const carrier of [one, other]) isSilent(reply, carrier, 'a comparison');
});

test('the answer to PUT hides the pipeline of an edge as a read does', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const secret = await pipelineIn(world, 'secret', { tags: [SENSITIVE] });
  ok(await feed(world.admin, a, b, { pipeline: ref(secret, 'pipeline') }));
  const editor = await rights.person([{ operations: ['EditLineage'], resources: ['table'] }, HIDING_CARRIERS]);
  const reply = await editor.put('/v1/lineage', edgeBody(a, b, { source: 'QueryLineage', sqlQuery: 'select mine' }));
  assert.is(ok(reply).downstreamEdges[0].lineageDetails.sqlQuery, 'select mine');
  isSilent(reply, secret, 'the answer');
  const kept = ok(await world.admin.get(`/v1/lineage/getLineageEdge/${a.id}/${b.id}`)).edge;
  assert.is(kept.pipeline.id, secret.id, 'and it still runs through that');
});

test('sending back a redacted pipeline restores it only for callers who may see it', async () => {
  for (const [carrier, type] of await carriers()) {
    const entities = [ref(carrier, type), { type, fullyQualifiedName: carrier.fullyQualifiedName }];
    for (const one of entities) {
      const hydrate = (client: Client) => client.post('/v1/lineage/hydrate', { entities: [one], fields: '*' });
      const whole = ok(await hydrate(world.admin));
      assert.equal([whole.entitiesByType[type][0].id, whole.droppedCount], [carrier.id, 0]);
      const reply = await hydrate(reader);
      assert.equal(ok(reply), { entitiesByType: {}, droppedCount: 1 });
    }
  }
});

test.run();
