import * as assert from 'uvu/assert';
import { ok } from '../../support/expect.ts';
import { confirmAnswers, expectAsInGraph, pauseUntilKept, SOON } from '../../support/kept-answers.ts';
import { waitUntil } from '../../support/patience.ts';
import { createRightsFactory } from '../../support/rights.ts';
import { openSecondProcess, openSecondProcessWith } from '../../support/second-process.ts';
import { type Client, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { column, edgeBody, feed, type Made, mapping, openWorld, pipelineIn, ref, type World } from '../fixture.ts';

/**
 * Shows that lineage kept in memory is what the graph gives, after every change of its edges and of the records it tells
 * of, for callers who see everything; and that nobody else gets it.
 */

const test = suite('lineage: kept lineage');

let world: World;
/** Calls a service that confirms answers soon. */
let soon: Client;

test.before(async () => {
  world = await openWorld();
  soon = (await openSecondProcessWith(world.service, SOON)).client;
});

const DEPTHS = '?upstreamDepth=3&downstreamDepth=3';

const pathsOf = ({ id, fullyQualifiedName }: Made): readonly string[] => [
  `/v1/lineage/table/${id}${DEPTHS}`,
  `/v1/lineage/table/${id}`,
  `/v1/lineage/table/name/${encodeURIComponent(fullyQualifiedName)}${DEPTHS}`,
];

const patch = async (path: string, { id }: Pick<Made, 'id'>, member: string, value: unknown): Promise<void> => {
  ok(await soon.patch(`/v1/${path}/${id}`, [{ op: 'add', path: `/${member}`, value }]));
};

/** Tables in a row, `far → near → root → next → last`, whose first edge runs through a pipeline. */
const makeRow = async () => {
  const [far, near, root, next, last] = await Promise.all(
    ['far', 'near', 'root', 'next', 'last'].map((name) => world.table(name)),
  );
  if (!far || !near || !root || !next || !last) throw new Error('a table is missing');
  const run = await pipelineIn(world, 'run');
  ok(await feed(world.admin, far, near, { pipeline: ref(run, 'pipeline'), source: 'PipelineLineage' }));
  ok(await feed(world.admin, near, root, { columnsLineage: [mapping(near, ['a'], root, 'b')] }));
  ok(await feed(world.admin, root, next));
  ok(await feed(world.admin, next, last));
  return { far, near, root, next, last, run };
};

test('kept lineage follows edges that come, change and go, at either end and far from the record', async () => {
  const admin = soon;
  const { far, near, root, next, last, run } = await makeRow();
  const paths = pathsOf(root);
  const check = (what: string) => expectAsInGraph(admin, paths, what);
  await check('as made');
  const more = await world.table('more');
  const edges = {
    'into the record': [more, root],
    'out of the record': [root, more],
    'into the farthest record upstream': [more, far],
    'out of a record downstream': [next, more],
    'between reached records': [far, last],
  } as const;
  for (const [where, [from, to]] of Object.entries(edges)) {
    ok(await feed(admin, from, to));
    await check(`an edge ${where}`);
    ok(await feed(admin, from, to, { sqlQuery: 'select 1', description: 'made so' }));
    await check(`the details of the edge ${where}`);
    const place = `/v1/lineage/table/${from.id}/table/${to.id}`;
    ok(await admin.patch(place, [{ op: 'replace', path: '/description', value: 'otherwise' }]));
    await check(`the description of the edge ${where}`);
    ok(await admin.delete(place));
    await check(`no edge ${where}`);
  }
  const rows = [edgeBody(more, near, { columnsLineage: [mapping(more, ['a'], near, 'a')] }), edgeBody(last, more)];
  assert.is(ok(await admin.put('/v1/lineage/bulk', rows)).numberOfRowsPassed, 2);
  await check('edges in bulk');
  await patch('tables', near, 'columns', [column('renamed'), column('b'), column('c')]);
  await check('a column is gone');
  const source = `/v1/lineage/source/name/pipeline/${encodeURIComponent(run.fullyQualifiedName)}/type/PipelineLineage`;
  assert.is((await admin.delete(source)).status, 200);
  await check('a source withdrawn');
});

test('kept lineage follows the records that it tells of', async () => {
  const admin = soon;
  const { far, near, root, next, run } = await makeRow();
  const paths = pathsOf(root);
  const check = (what: string) => expectAsInGraph(admin, paths, what);
  await check('as made');
  for (const [path, record] of [
    ['tables', root],
    ['tables', near],
    ['tables', far],
    ['pipelines', run],
  ] as const) {
    await patch(path, record, 'displayName', uniqueName('shown'));
    await check(`${record.name} shown under another name`);
    await patch(path, record, 'description', uniqueName('described'));
    await check(`${record.name} described`);
  }
  for (const [path, record] of [
    ['tables', next],
    ['pipelines', run],
    ['tables', root],
  ] as const) {
    ok(await admin.delete(`/v1/${path}/${record.id}`));
    await check(`${record.name} deleted`);
    ok(await admin.put(`/v1/${path}/restore`, { id: record.id }));
    await check(`${record.name} restored`);
  }
  for (const [path, record] of [
    ['pipelines', run],
    ['tables', next],
    ['tables', far],
    ['tables', root],
  ] as const) {
    ok(await admin.delete(`/v1/${path}/${record.id}?hardDelete=true&recursive=true`));
    await check(`${record.name} deleted for good`);
  }
});

test('kept lineage shows the names that records have since something above them was renamed', async () => {
  const admin = soon;
  const domain = (name: string, parent?: Made) =>
    world.make('domains', {
      name: uniqueName(name),
      description: 'd',
      domainType: 'Aggregate',
      ...(parent ? { parent: parent.fullyQualifiedName } : {}),
    });
  const above = await domain('above');
  const product = await world.make('dataProducts', {
    name: uniqueName('product'),
    description: 'd',
    domains: [above.fullyQualifiedName],
  });
  const below = await domain('below', above);
  const [root] = [await world.table('root')];
  for (const [other, type] of [
    [below, 'domain'],
    [product, 'dataProduct'],
  ] as const) {
    ok(await admin.put('/v1/lineage', { edge: { fromEntity: ref(other, type), toEntity: ref(root) } }));
  }
  await expectAsInGraph(admin, pathsOf(root), 'as made');
  await patch('domains', above, 'name', uniqueName('renamed'));
  await expectAsInGraph(admin, pathsOf(root), 'the domain renamed');
});

test('kept lineage costs at most one query of revisions, whatever its depth', async () => {
  const { root } = await makeRow();
  const own = 'lineage/read_revisions';
  for (const path of pathsOf(root).slice(0, 2)) {
    await confirmAnswers(world.admin, [path]);
    const sent = () => world.service.sent(own);
    const asked = () => world.service.sent('graph/read_bookmark');
    const [before, walked, askedBefore] = [sent(), walksSent(), asked()];
    ok(await world.admin.get(path));
    assert.ok(sent() - before <= 1, path);
    assert.ok(sent() - before + asked() - askedBefore >= 1, `${path} was never compared with the database`);
    assert.is(walksSent() - walked, 0, path);
  }
});

/** How many statements have walked along edges. */
const walksSent = (): number =>
  [...world.service.allSent()].reduce((sum, [name, count]) => sum + (name.startsWith('lineage/walk:') ? count : 0), 0);

test('what another process writes is seen at once', async () => {
  const { far, root, next } = await makeRow();
  const more = await world.table('more');
  const other = await openSecondProcess(world.service);
  const [path = ''] = pathsOf(root);
  await confirmAnswers(world.admin, [path]);
  ok(await feed(other, more, far));
  const { upstreamEdges } = ok(await world.admin.get(path));
  assert.is(upstreamEdges.length, 3);
  await confirmAnswers(world.admin, [path]);
  ok(await other.delete(`/v1/lineage/table/${root.id}/table/${next.id}`));
  assert.equal(ok(await world.admin.get(path)).downstreamEdges, []);
});

test('a PUT that changes nothing answers with what is kept around its upstream end, and one that changes it does not', async () => {
  const { root, next } = await makeRow();
  const others = await Promise.all(['one', 'two'].map((name) => world.table(name)));
  const put = async (to: Made) => ok(await soon.put('/v1/lineage', edgeBody(root, to)));
  const adjacentSent = () => world.service.sent('lineage/list_adjacent');
  for (const [at, other] of others.entries()) {
    const changed = await put(other);
    assert.is(changed.downstreamEdges.length, at + 2);
    await pauseUntilKept();
    assert.equal(await put(other), changed);
    const before = adjacentSent();
    assert.equal(await put(next), changed);
    assert.is(adjacentSent(), before);
  }
  ok(await soon.patch(`/v1/tables/${next.id}`, [{ op: 'add', path: '/displayName', value: 'Next' }]));
  const named = (await put(next)).nodes.find(({ id }: Made) => id === next.id);
  assert.is(named.displayName, 'Next');
});

test('readers never see lineage from before the last edge that was answered', async () => {
  const { root } = await makeRow();
  const [path = ''] = pathsOf(root);
  const others = await Promise.all(Array.from({ length: 12 }, () => world.table('more')));
  let written = 0;
  let fromMemory = 0;
  let isOver = false;
  const write = async () => {
    for (const other of others) {
      ok(await feed(soon, other, root));
      written += 1;
      const before = fromMemory;
      if (written % 4 === 0) await waitUntil(() => fromMemory > before, 'an answer is kept');
    }
  };
  const read = async () => {
    while (!isOver) {
      const [least, walked] = [written, walksSent()];
      const { upstreamEdges } = ok(await soon.get(path));
      assert.ok(upstreamEdges.length >= least + 2, `${upstreamEdges.length} edges after ${least} were written`);
      if (walksSent() === walked) fromMemory += 1;
    }
  };
  const writing = write().finally(() => {
    isOver = true;
  });
  await Promise.all([writing, read(), read()]);
});

test('callers who do not see every record never get lineage that was kept for others', async () => {
  const { near, root } = await makeRow();
  const [path = ''] = pathsOf(root);
  const rights = createRightsFactory(world.service);
  const classification = await world.make('classifications', { name: uniqueName('secret'), description: 'd' });
  const tag = await world.make('tags', { name: 'hidden', description: 'd', classification: classification.name });
  const hide = `matchAnyTag('${tag.fullyQualifiedName}')`;
  const person = await rights.person([{ effect: 'deny', operations: ['ViewAll', 'ViewBasic'], condition: hide }]);
  await confirmAnswers(world.admin, [path]);
  assert.is(ok(await person.get(path)).upstreamEdges.length, 2);
  await patch('tables', near, 'tags', [{ tagFQN: tag.fullyQualifiedName, source: 'Classification' }]);
  await confirmAnswers(world.admin, [path]);
  assert.equal(ok(await person.get(path)).upstreamEdges, []);
  assert.is(ok(await world.admin.get(path)).upstreamEdges.length, 2);
  assert.is((await world.admin.get(path.replace('/table/', '/topic/'))).status, 404);
});

test.run();
