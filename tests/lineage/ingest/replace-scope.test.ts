import * as assert from 'uvu/assert';
import { expectRef, expectRefused, ok } from '../../support/expect.ts';
import { strayId } from '../../support/samples.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, edgeBody, feed, type Made, mapping, type World } from '../fixture.ts';
import { bare, barredFrom, type Desk, openDesk } from './rows-fixture.ts';

/** Shows how a source replaces all its edges within a scope. */

const test = suite('lineage: replacement of a scope');

let desk: Desk;
let world: World;

test.before(async () => {
  desk = await openDesk();
  world = desk.world;
});

test.after(() => desk.rights.clear());

const sources = async (from: Made, to: Made): Promise<unknown> => {
  const [row] = await world.service.graph.query(
    `MATCH (:Entity {id: $from})-[e:FEEDS]->(:Entity {id: $to})
     RETURN COLLECT { MATCH (s:Assertion {edgeId: e.id}) WHERE s.until IS NULL RETURN s.source ORDER BY s.source } AS said`,
    { from: from.id, to: to.id },
  );
  return row?.['said'] ?? [];
};

const put = (edges: readonly object[], more: object) => world.admin.put('/v1/lineage/scope', { edges, ...more });

/** A schema of its own, so that tests do not meet in one scope. */
const openScope = async (name: string) => {
  const schema = await world.make('databaseSchemas', { name, database: `${world.serviceFqn}.db` });
  const table = (tableName: string): Promise<Made> =>
    world.make('tables', {
      name: tableName,
      databaseSchema: schema.fullyQualifiedName,
      columns: ['a', 'b'].map((column) => ({ name: column, dataType: 'STRING' })),
    });
  return { scopeFqn: schema.fullyQualifiedName, table };
};

test('listed edges are stored, unlisted ones are withdrawn, and assertions of other sources stay', async () => {
  const { scopeFqn, table } = await openScope('whole');
  const [from, a, b, c, outside] = await Promise.all([
    world.table('from'),
    table('a'),
    table('b'),
    table('c'),
    world.table('outside'),
  ]);
  const source = 'DbtLineage';
  ok(await feed(world.admin, from, a, { source, description: 'as it was' }));
  ok(await feed(world.admin, from, b, { source }));
  ok(await feed(world.admin, from, b, { description: 'by hand' }));
  ok(await feed(world.admin, a, b, { source }));
  ok(await feed(world.admin, from, c, { source }));
  ok(await feed(world.admin, from, outside, { source }));
  const answer = ok(
    await put(
      [
        bare(from, a, { description: 'as it was' }),
        edgeBody(from, c, { source, columnsLineage: [mapping(from, ['a'], c, 'a')] }),
        bare(a, c),
      ],
      { source, scopeFqn },
    ),
  );
  const { removedEdges, ...counts } = answer;
  assert.equal(counts, { dryRun: false, added: 1, changed: 1, unchanged: 1, removed: 2 });
  assert.equal(
    removedEdges
      .map(({ fromEntity, toEntity }: { fromEntity: Made; toEntity: Made }) => [fromEntity.id, toEntity.id])
      .sort(),
    [
      [from.id, b.id],
      [a.id, b.id],
    ].sort(),
  );
  for (const { fromEntity } of removedEdges) expectRef(fromEntity);
  assert.equal(
    await Promise.all([sources(from, a), sources(from, b), sources(a, b), sources(from, c), sources(a, c)]),
    [[source], ['Manual'], [], [source], [source]],
  );
  assert.equal(await sources(from, outside), [source], 'edges out of the scope stay');
  assert.equal((await detailsOf(world.admin, from, c)).columnsLineage, [mapping(from, ['a'], c, 'a')]);
  const again = ok(
    await put(
      [
        bare(from, a, { description: 'as it was' }),
        bare(from, c, { columnsLineage: [mapping(from, ['a'], c, 'a')] }),
        bare(a, c),
      ],
      { source, scopeFqn },
    ),
  );
  assert.equal(again, { dryRun: false, added: 0, changed: 0, unchanged: 3, removed: 0, removedEdges: [] });
});

test('a name that only starts with the text of the scope is outside', async () => {
  const { scopeFqn, table } = await openScope('sales');
  const other = await openScope('sales2');
  const [a, b, far] = await Promise.all([table('a'), table('b'), other.table('a')]);
  ok(await feed(world.admin, a, far, { source: 'DbtLineage' }));
  ok(await feed(world.admin, a, b, { source: 'DbtLineage' }));
  const answer = ok(await put([], { source: 'DbtLineage', scopeFqn }));
  assert.is(answer.removed, 1);
  assert.equal(await sources(a, far), ['DbtLineage']);
  ok(await put([bare(far, a)], { source: 'DbtLineage', scopeFqn: a.fullyQualifiedName }));
  assert.equal(await sources(far, a), ['DbtLineage']);
});

test('more removals than allowed are refused with 409 and change nothing', async () => {
  const { scopeFqn, table } = await openScope('careful');
  const from = await world.table('from');
  const tables = await Promise.all(Array.from({ length: 12 }, (_, at) => table(`t${at}`)));
  const source = 'QueryLineage';
  ok(
    await world.admin.put(
      '/v1/lineage/bulk',
      tables.map((to) => bare(from, to, { source })),
    ),
  );
  const said = () => Promise.all(tables.map((to) => sources(from, to)));
  const all = tables.map(() => [source]);
  expectRefused(
    await put([bare(tables[0] as Made, tables[1] as Made)], { source, scopeFqn }),
    409,
    /12 of the 12/,
    'CONFLICT',
  );
  assert.equal(await said(), all);
  assert.equal(await sources(tables[0] as Made, tables[1] as Made), []);
  expectRefused(await put([], { source, scopeFqn, maxRemovals: 11 }), 409, /at most 11/, 'CONFLICT');
  assert.equal(await said(), all);
  const kept = tables.slice(0, 2).map((to) => bare(from, to));
  assert.is(ok(await put(kept, { source, scopeFqn })).removed, 10, 'ten may always go');
  expectRefused(await put([bare(from, tables[0] as Made)], { source, scopeFqn, maxRemovals: 0 }), 409);
  assert.is(ok(await put([], { source, scopeFqn, maxRemovals: 2 })).removed, 2);
  assert.equal(
    await said(),
    tables.map(() => []),
  );
});

test('at most 30 percent of the edges are removed by default', async () => {
  const { scopeFqn, table } = await openScope('many');
  const from = await world.table('from');
  const tables = await Promise.all(Array.from({ length: 40 }, (_, at) => table(`t${at}`)));
  const source = 'QueryLineage';
  const edges = tables.map((to) => bare(from, to, { source }));
  ok(await world.admin.put('/v1/lineage/bulk', edges));
  const others = tables.slice(0, 5).map((to) => bare(from, to, { source: 'DbtLineage' }));
  ok(await world.admin.put('/v1/lineage/bulk', others));
  expectRefused(await put(edges.slice(13), { source, scopeFqn }), 409, /13 of the 40.*at most 12/, 'CONFLICT');
  const result = ok(await put(edges.slice(12), { source, scopeFqn }));
  assert.is(result.removed, 12);
  assert.equal(await sources(from, tables[0] as Made), ['DbtLineage'], 'others keep what they say');
});

test('a dry run reports the changes and stores nothing', async () => {
  const { scopeFqn, table } = await openScope('dry');
  const [from, a, b, c] = await Promise.all([world.table('from'), table('a'), table('b'), table('c')]);
  ok(await feed(world.admin, from, a, { source: 'DbtLineage' }));
  ok(await feed(world.admin, from, b, { source: 'DbtLineage' }));
  const edges = [bare(from, c), bare(from, b, { description: 'new' })];
  const request = { source: 'DbtLineage', scopeFqn };
  const rehearsed = ok(await put(edges, { ...request, dryRun: true }));
  assert.equal(await Promise.all([sources(from, a), sources(from, c)]), [['DbtLineage'], []]);
  assert.is((await detailsOf(world.admin, from, b)).description, undefined);
  const { dryRun, ...done } = ok(await put(edges, request));
  assert.is(dryRun, false);
  assert.equal(rehearsed, { dryRun: true, ...done });
  assert.equal([done.added, done.changed, done.removed], [1, 1, 1]);
});

test('one invalid edge fails the whole request', async () => {
  const { scopeFqn, table } = await openScope('refusing');
  const [from, a, b] = await Promise.all([world.table('from'), table('a'), table('b')]);
  ok(await feed(world.admin, from, b, { source: 'DbtLineage' }));
  const request = { source: 'DbtLineage', scopeFqn };
  const refuse = async (status: number, edge: unknown, more: object = {}) =>
    expectRefused(await put([bare(from, a), edge as object], { ...request, ...more }), status);
  await refuse(400, bare(a, from));
  await refuse(400, bare(a, a));
  await refuse(400, bare(from, b, { source: 'Manual' }));
  await refuse(400, 'no edge');
  await refuse(404, { ...bare(from, b), fromEntity: { id: strayId(), type: 'table' } });
  await refuse(400, bare(from, b), { source: 'Hearsay' });
  await refuse(400, bare(from, b), { scopeFqn: 'a."b' });
  await refuse(400, bare(from, b), { maxRemovals: -1 });
  await refuse(400, bare(from, b), { unheardOf: true });
  expectRefused(await put([], { source: 'DbtLineage' }), 400);
  expectRefused(await world.admin.put('/v1/lineage/scope', { ...request }), 400);
  expectRefused(await put(new Array(50_001).fill({}), request), 413);
  assert.equal(await Promise.all([sources(from, a), sources(from, b)]), [[], ['DbtLineage']]);
});

test('a caller without the right on every asserted or withdrawn edge is refused', async () => {
  const { scopeFqn, table } = await openScope('guarded');
  const [from, a, secret] = await Promise.all([world.table('from'), table('a'), table('secret')]);
  const person = await barredFrom(desk, secret);
  ok(await feed(world.admin, from, secret, { source: 'DbtLineage' }));
  const request = { source: 'DbtLineage', scopeFqn };
  expectRefused(await person.put('/v1/lineage/scope', { ...request, edges: [bare(from, a)] }), 403);
  const many = await person.put('/v1/lineage/scope', { ...request, edges: [bare(from, secret)] });
  expectRefused(many, 403, /EditLineage/);
  const alone = await feed(person, from, secret);
  expectRefused(alone, 403);
  const row = ok(await person.put('/v1/lineage/bulk', [bare(from, secret)])).failedRequest[0];
  assert.equal([many.json.message, row.message], [alone.json.message, alone.json.message], 'in the same words');
  assert.equal(await Promise.all([sources(from, a), sources(from, secret)]), [[], ['DbtLineage']]);
  const narrower = { source: 'DbtLineage', scopeFqn: a.fullyQualifiedName };
  assert.is(ok(await person.put('/v1/lineage/scope', { ...narrower, edges: [bare(from, a)] })).added, 1);
});

test('what a source has stated is looked up only for whoever may state what the request does', async () => {
  const { scopeFqn, table } = await openScope('asked');
  const [from, to] = await Promise.all([world.table('asked'), table('into')]);
  const edges = [{ fromEntity: { id: from.id, type: 'table' }, toEntity: { id: to.id, type: 'table' } }];
  const known = () => world.service.sent('lineage/list_of_source_in_scope');
  const before = known();
  const barred = await barredFrom(desk, to);
  expectRefused(await barred.put('/v1/lineage/scope', { source: 'DbtLineage', scopeFqn, edges }), 403, /EditLineage/);
  assert.is(known(), before);
  ok(await put(edges, { source: 'DbtLineage', scopeFqn }));
  assert.is(known(), before + 1);
});

test.run();
