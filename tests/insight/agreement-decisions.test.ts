import * as assert from 'uvu/assert';
import { detailsOf, feed, graphOf, type Made, mapping, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING, tablesOf } from '../lineage/read/graph/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { strayId } from '../support/samples.ts';
import { anonymous, type Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows how edges are confirmed, and how what sources state of them is withdrawn, each edge on its own. */

const test = suite('insight: confirm and withdraw lineage');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

type Decision = 'confirm' | 'withdraw';

const edgeIds = (from: Pick<Made, 'id'>, to: Pick<Made, 'id'>) => ({ from: from.id, to: to.id });

const decide = (client: Client, decision: Decision, edges: readonly unknown[], more: object = {}) =>
  client.post(`/v1/lineage/agreement/${decision}`, { edges, ...more });

const sourcesOf = async (from: Made, to: Made): Promise<readonly string[]> => {
  const reply = await world.admin.get(`/v1/lineage/getLineageEdge/${from.id}/${to.id}?assertions=true`);
  if (reply.status === 404) return [];
  return ok(reply)
    .assertions.map(({ source }: { source: string }) => source)
    .sort();
};

const statesAt = async ({ fullyQualifiedName }: Made): Promise<readonly string[]> =>
  ok(await world.admin.get(`/v1/lineage/agreement?scope=${fullyQualifiedName}`)).data.map(
    ({ state }: { state: string }) => state,
  );

const arrow = (from: Made, to: Made) => `${from.fullyQualifiedName}--->${to.fullyQualifiedName}`;

const counts = ({ status, numberOfRowsPassed: passed, numberOfRowsFailed: failed }: Record<string, unknown>) => [
  status,
  passed,
  failed,
];

test('confirming adds an assertion of people beside those of other sources, and the list tells at once', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const details = { source: 'QueryLineage', sqlQuery: 'select a', columnsLineage: [mapping(a, ['a'], b, 'b')] };
  ok(await feed(world.admin, a, b, details));
  const { version } = ok(await world.admin.get(`/v1/tables/${b.id}`));
  const since = Date.now();
  const answer = ok(await decide(world.admin, 'confirm', [edgeIds(a, b)]));
  assert.equal(answer, {
    dryRun: false,
    status: 'success',
    numberOfRowsProcessed: 1,
    numberOfRowsPassed: 1,
    numberOfRowsFailed: 0,
    successRequest: [{ request: arrow(a, b), status: 200 }],
    failedRequest: [],
  });
  assert.equal(await sourcesOf(a, b), ['Manual', 'QueryLineage']);
  assert.equal(await statesAt(a), ['agreed']);
  const edge = await detailsOf(world.admin, a, b);
  assert.equal([edge.sqlQuery, edge.columnsLineage, edge.source], ['select a', details.columnsLineage, 'Manual']);
  assert.is(ok(await world.admin.get(`/v1/tables/${b.id}`)).version, version, 'lineage changes no version');
  const { data } = ok(await world.admin.get(`/v1/changes?scope=${b.fullyQualifiedName}&kinds=lineage&from=${since}`));
  assert.equal(
    data.map(({ change, by }: { change: string; by: string }) => [change, by]),
    [['edgeChanged', 'admin']],
  );
  assert.is((await graphOf(world.admin, a)).downstreamEdges[0].lineageDetails.source, 'Manual');
});

test('confirming again keeps what people stated before, and renews when they said so', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const columnsLineage = [mapping(a, ['a'], b, 'c')];
  ok(await feed(world.admin, a, b, { description: 'by hand', columnsLineage }));
  const read = async () =>
    ok(await world.admin.get(`/v1/lineage/getLineageEdge/${a.id}/${b.id}?assertions=true`)).assertions;
  const [before] = await read();
  assert.is(counts(ok(await decide(world.admin, 'confirm', [edgeIds(a, b), edgeIds(a, b)])))[1], 2);
  const [after, ...others] = await read();
  assert.equal(others, []);
  assert.equal({ ...after, seenAt: before.seenAt }, before);
  assert.ok(after.seenAt >= before.seenAt);
});

test('withdrawing takes back all that observed an edge, and an edge that nobody declares ends', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  for (const source of ['QueryLineage', 'SparkLineage', 'DbtLineage']) ok(await feed(world.admin, a, b, { source }));
  for (const sourceName of ['one', 'two']) {
    const columnsLineage = [mapping(b, ['a'], c, 'a')];
    ok(await feed(world.admin, b, c, { source: 'OpenLineage', sourceName, columnsLineage }));
  }
  const since = Date.now();
  const answer = ok(await decide(world.admin, 'withdraw', [edgeIds(a, b), edgeIds(b, c), edgeIds(b, c)]));
  assert.equal(counts(answer), ['success', 3, 0]);
  assert.equal(await sourcesOf(a, b), ['DbtLineage']);
  assert.equal(await sourcesOf(b, c), []);
  assert.equal(await statesAt(b), ['declaredOnly']);
  assert.equal((await graphOf(world.admin, b)).downstreamEdges, []);
  assert.is(ok(await world.admin.get(`/v1/lineage/graph?id=${c.id}&columns=true`)).columnEdges.length, 0);
  const { data } = ok(await world.admin.get(`/v1/changes?scope=${c.fullyQualifiedName}&kinds=lineage&from=${since}`));
  assert.equal(
    data.map(({ change }: { change: string }) => change),
    ['edgeRemoved'],
  );
  assert.equal(
    counts(ok(await decide(world.admin, 'withdraw', [edgeIds(a, b)]))),
    ['success', 1, 0],
    'nothing is left',
  );
});

test('withdrawing takes back the sources that are named', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  for (const source of ['QueryLineage', 'SparkLineage', 'DbtLineage', 'Manual'])
    ok(await feed(world.admin, a, b, { source }));
  ok(await decide(world.admin, 'withdraw', [edgeIds(a, b)], { sources: ['SparkLineage', 'DbtLineage'] }));
  assert.equal(await sourcesOf(a, b), ['Manual', 'QueryLineage']);
  ok(await decide(world.admin, 'withdraw', [edgeIds(a, b)], { sources: ['Manual'] }));
  assert.equal(await statesAt(a), ['observedOnly']);
});

test('a dry run checks everything and changes nothing', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  ok(await feed(world.admin, a, b, { source: 'QueryLineage' }));
  for (const decision of ['confirm', 'withdraw'] as const) {
    const answer = ok(await decide(world.admin, decision, [edgeIds(a, b), edgeIds(b, c)], { dryRun: true }));
    assert.equal([answer.dryRun, ...counts(answer)], [true, 'partialSuccess', 1, 1]);
    assert.equal(await sourcesOf(a, b), ['QueryLineage']);
  }
});

test('a wrong row fails alone', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  ok(await feed(world.admin, a, b, { source: 'QueryLineage' }));
  const stray = strayId();
  const wrong: readonly (readonly [row: unknown, status: number, message: RegExp])[] = [
    [{ from: a.id }, 400, /^\[to must not be null\]/],
    [{ from: a.id, to: 'b' }, 400, /^\[to /],
    [{ ...edgeIds(a, b), because: 'x' }, 400, /because/],
    ['no edge', 400, /./],
    [null, 400, /./],
    [edgeIds(a, { id: stray }), 404, new RegExp(`^entity instance for ${stray} not found$`)],
    [edgeIds(a, c), 404, /^Lineage edge not found$/],
    [edgeIds(b, a), 404, /^Lineage edge not found$/],
    [edgeIds(a, a), 400, /cannot be upstream of itself/],
  ];
  for (const decision of ['confirm', 'withdraw'] as const) {
    const rows = [...wrong.slice(0, 8).map(([row]) => row), edgeIds(a, b)];
    const answer = ok(await decide(world.admin, decision, rows));
    assert.equal(counts(answer), ['partialSuccess', 1, 8], JSON.stringify(answer.failedRequest));
    for (const [at, [row, status, message]] of wrong.slice(0, 8).entries()) {
      assert.equal([answer.failedRequest[at].request, answer.failedRequest[at].status], [row, status]);
      assert.match(answer.failedRequest[at].message, message);
    }
  }
  assert.equal(await sourcesOf(a, b), ['Manual']);
  assert.is(counts(ok(await decide(world.admin, 'confirm', [edgeIds(a, a)])))[0], 'failure');
  assert.equal(counts(ok(await decide(world.admin, 'confirm', []))), ['success', 0, 0]);
});

test('rights hold for each edge, and what is hidden fails like what does not exist', async () => {
  const names = ['a', 'b', 'secret!'] as const;
  const { a, b, 'secret!': secret } = await tablesOf(world, ...names);
  ok(await feed(world.admin, a, b, { source: 'QueryLineage' }));
  ok(await feed(world.admin, a, secret, { source: 'QueryLineage' }));
  const reader = await rights.person();
  const refused = ok(await decide(reader, 'confirm', [edgeIds(a, b)]));
  assert.equal([counts(refused), refused.failedRequest[0].status], [['failure', 0, 1], 403]);
  const editing: RuleOptions = { operations: ['EditLineage'], resources: ['table'] };
  const barred = await rights.person([
    editing,
    { ...editing, effect: 'deny', condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const partly = ok(await decide(barred, 'confirm', [edgeIds(a, secret), edgeIds(a, b)]));
  assert.equal([counts(partly), partly.failedRequest[0].status], [['partialSuccess', 1, 1], 403]);
  assert.equal([await sourcesOf(a, secret), await sourcesOf(a, b)], [['QueryLineage'], ['Manual', 'QueryLineage']]);
  const editor = await rights.person([HIDING, editing]);
  for (const decision of ['withdraw', 'confirm'] as const) {
    const answer = ok(await decide(editor, decision, [edgeIds(a, secret), edgeIds(a, b)], { dryRun: true }));
    assert.equal(counts(answer), ['partialSuccess', 1, 1]);
    const [{ status, message, request }] = answer.failedRequest;
    assert.equal([status, message, request], [404, `entity instance for ${secret.id} not found`, edgeIds(a, secret)]);
    assert.not.ok(JSON.stringify(answer).includes(secret.name));
  }
  assert.equal(await sourcesOf(a, secret), ['QueryLineage']);
  expectRefused(await decide(anonymous(world.service), 'confirm', [edgeIds(a, b)]), 401);
});

test('bad requests are refused as a whole', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const post = (body: object, decision: Decision = 'withdraw') =>
    world.admin.post(`/v1/lineage/agreement/${decision}`, body as never);
  const edges = [edgeIds(a, b)];
  expectRefused(await post({}), 400, /edges/);
  expectRefused(await post({ edges: 'all' }), 400);
  expectRefused(await post({ edges, sources: ['Hearsay'] }), 400);
  expectRefused(await post({ edges, because: 'x' }), 400, /because/);
  expectRefused(await post({ edges, sources: ['Manual'] }, 'confirm'), 400, /sources/);
  expectRefused(await world.admin.post('/v1/lineage/agreement/confirm?dryRun=true', { edges }), 400, /dryRun/);
  const { bulkRows } = world.service.app.engine.limits;
  expectRefused(await post({ edges: new Array(bulkRows + 1).fill(edges[0]) }), 413);
});

test('many edges are decided at once, also while others change them', async () => {
  const hub = await world.table('hub');
  const tables = await Promise.all(Array.from({ length: 150 }, (_, at) => world.table(`leaf${at}`)));
  const bare = (source: string) =>
    tables.map(({ id }) => ({
      fromEntity: { id: hub.id, type: 'table' },
      toEntity: { id, type: 'table' },
      lineageDetails: { source },
    }));
  ok(await world.admin.put('/v1/lineage/bulk', bare('QueryLineage')));
  const edges = tables.map((table) => edgeIds(hub, table));
  const answers = await Promise.all([
    decide(world.admin, 'confirm', edges),
    world.admin.put('/v1/lineage/bulk', bare('SparkLineage')),
    decide(world.admin, 'confirm', [...edges].reverse()),
  ]);
  for (const answer of answers) assert.is(ok(answer).status, 'success');
  const { summary } = ok(await world.admin.get(`/v1/lineage/agreement?scope=${hub.fullyQualifiedName}`));
  assert.equal(summary, { agreed: 150, declaredOnly: 0, observedOnly: 0 });
  assert.is(ok(await decide(world.admin, 'withdraw', edges)).numberOfRowsPassed, 150);
  for (const table of [tables[0], tables[149]] as Made[]) assert.equal(await sourcesOf(hub, table), ['Manual']);
});

test.run();
