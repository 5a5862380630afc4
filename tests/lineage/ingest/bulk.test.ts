import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../support/expect.ts';
import { waitUntil } from '../../support/patience.ts';
import { strayId } from '../../support/samples.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, edgeBody, feed, graphOf, type Made, mapping, type World } from '../fixture.ts';
import { bare, barredFrom, type Desk, openDesk } from './rows-fixture.ts';

/** Shows how edges are written in bulk, each row with its own result. */

const test = suite('lineage: bulk PUT');

let desk: Desk;
let world: World;

test.before(async () => {
  desk = await openDesk();
  world = desk.world;
});

test.after(() => desk.rights.clear());

const arrow = (from: Made, to: Made) => `${from.fullyQualifiedName}--->${to.fullyQualifiedName}`;

test('a row is an edge, bare or wrapped in a request, and its result names both endpoints', async () => {
  const [a, b, c] = await Promise.all([world.table('a'), world.table('b'), world.table('c')]);
  const answer = ok(
    await world.admin.put('/v1/lineage/bulk', [
      bare(a, b, { sqlQuery: 'select 1', columnsLineage: [mapping(a, ['a'], b, 'b'), mapping(a, ['nope'], b, 'c')] }),
      edgeBody(b, c, undefined, { description: 'then on' }),
    ]),
  );
  assert.equal(answer, {
    dryRun: false,
    status: 'success',
    numberOfRowsProcessed: 2,
    numberOfRowsPassed: 2,
    numberOfRowsFailed: 0,
    successRequest: [
      { request: arrow(a, b), status: 200 },
      { request: arrow(b, c), status: 200 },
    ],
    failedRequest: [],
  });
  const graph = await graphOf(world.admin, a, '?downstreamDepth=2');
  assert.equal(
    graph.downstreamEdges.map((edge: { fromEntity: string; toEntity: string }) => [edge.fromEntity, edge.toEntity]),
    [
      [a.id, b.id],
      [b.id, c.id],
    ],
  );
  const details = await detailsOf(world.admin, a, b);
  assert.equal([details.sqlQuery, details.columnsLineage], ['select 1', [mapping(a, ['a'], b, 'b')]]);
  assert.is((await detailsOf(world.admin, b, c)).description, 'then on');
});

test('an invalid row fails alone, with the status of a single request', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const stray = { id: strayId(), type: 'table' };
  const rows = [
    { ...bare(a, b), toEntity: stray },
    { ...bare(a, b), lineageDetails: { pipeline: { id: strayId(), type: 'pipeline' } } },
    bare(a, a),
    bare(a, b, { columnsLineage: [{ fromColumns: [], toColumn: 'x' }] }),
    bare(a, b, { source: 'Hearsay' }),
    { ...bare(a, b), unheardOf: 1 },
    { ...bare(a, b), fromEntity: { id: a.id, type: 'no such type' } },
    'no edge at all',
    null,
    { edge: null },
    bare(a, b, { description: 'whole' }),
  ];
  const answer = ok(await world.admin.put('/v1/lineage/bulk', rows));
  assert.equal(
    [answer.status, answer.numberOfRowsProcessed, answer.numberOfRowsPassed, answer.numberOfRowsFailed],
    ['partialSuccess', 11, 1, 10],
  );
  assert.equal(
    answer.failedRequest.map(({ status }: { status: number }) => status),
    [404, 404, 400, 400, 400, 400, 400, 400, 400, 400],
  );
  assert.equal(
    answer.failedRequest.map(({ request }: { request: unknown }) => request),
    rows.slice(0, 10),
  );
  for (const { message } of answer.failedRequest) assert.ok(message.length > 0);
  assert.equal(answer.successRequest, [{ request: arrow(a, b), status: 200 }]);
  assert.is((await detailsOf(world.admin, a, b)).description, 'whole');
});

test('a row without the right on both endpoints is refused and the others are stored', async () => {
  const [mine, yours, theirs] = await Promise.all([world.table('mine'), world.table('yours'), world.table('theirs')]);
  const person = await barredFrom(desk, theirs);
  const answer = ok(await person.put('/v1/lineage/bulk', [bare(mine, yours), bare(mine, theirs), bare(theirs, yours)]));
  assert.equal(answer.successRequest, [{ request: arrow(mine, yours), status: 200 }]);
  assert.equal(
    answer.failedRequest.map(({ status }: { status: number }) => status),
    [403, 403],
  );
  expectRefused(await world.admin.get(`/v1/lineage/getLineageEdge/${mine.id}/${theirs.id}`), 404);
});

test('rows about one pair are applied in the order of the request', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const said = (text: string, source: string) => bare(a, b, { description: text, source });
  const texts = ['one', 'two', 'three', 'four'];
  const rows = [...texts.map((text) => said(text, 'DbtLineage')), said('by hand', 'Manual')];
  assert.is(ok(await world.admin.put('/v1/lineage/bulk', rows)).numberOfRowsPassed, 5);
  const details = await detailsOf(world.admin, a, b);
  assert.equal([details.source, details.description], ['Manual', 'by hand']);
  ok(await world.admin.delete(`/v1/lineage/table/${b.id}/type/Manual`));
  assert.is((await detailsOf(world.admin, a, b)).description, 'four');
});

test('sending the same rows again changes nothing', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const rows = [bare(a, b, { columnsLineage: [mapping(a, ['a', 'b'], b, 'c')] })];
  ok(await world.admin.put('/v1/lineage/bulk', rows));
  const before = await detailsOf(world.admin, a, b);
  assert.is(ok(await world.admin.put('/v1/lineage/bulk', rows)).numberOfRowsPassed, 1);
  assert.equal(await detailsOf(world.admin, a, b), before);
  const [counted] = await world.service.graph.query(
    'MATCH (s:Assertion {fromId: $a, toId: $b}) RETURN count(s) AS said',
    { a: a.id, b: b.id },
  );
  assert.equal(counted, { said: 1 });
});

test('unknown columns fail their row on request', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const rows = [
    bare(a, b, { columnsLineage: [mapping(a, ['nope'], b, 'a')] }),
    bare(b, a, { columnsLineage: [mapping(b, ['a'], a, 'a')] }),
  ];
  const answer = ok(await world.admin.put('/v1/lineage/bulk?strictColumns=true', rows));
  assert.equal(answer.successRequest, [{ request: arrow(b, a), status: 200 }]);
  assert.is(answer.failedRequest[0].status, 400);
  assert.match(answer.failedRequest[0].message, /nope/);
});

test('an empty list succeeds, and a body that is too long or no list is refused', async () => {
  const empty = ok(await world.admin.put('/v1/lineage/bulk', []));
  assert.equal([empty.status, empty.numberOfRowsProcessed], ['success', 0]);
  expectRefused(await world.admin.put('/v1/lineage/bulk', {}), 400);
  expectRefused(await world.admin.put('/v1/lineage/bulk', new Array(5001).fill({})), 413);
  assert.is(ok(await world.admin.put('/v1/lineage/bulk', new Array(5000).fill({}))).numberOfRowsFailed, 5000);
});

/** What was told of a record: by event, newest first, the records that its edges lead to. */
const toldOf = async (of: Made, wanted: number): Promise<string[]> => {
  const path = `/v1/events?entityId=${of.id}&eventType=entityLineageAdded,entityLineageUpdated`;
  const listed = async () => ok(await world.admin.get(path)).data;
  await waitUntil(async () => (await listed()).length >= wanted, 'everything is told');
  return (await listed()).map((event: { eventType: string; changeDescription: Record<string, Field[]> }) => {
    const { fieldsAdded = [], fieldsUpdated = [] } = event.changeDescription;
    const ends = (fields: Field[]) => fields.map(({ newValue }) => JSON.parse(newValue).toEntity).join(' ');
    return `${event.eventType} +${ends(fieldsAdded)} ~${ends(fieldsUpdated)}`;
  });
};

type Field = { readonly newValue: string };

test('edges from one record share an event, separately for new and changed edges', async () => {
  const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => world.table(name)));
  if (!a || !b || !c || !d) return assert.unreachable();
  ok(await world.admin.put('/v1/lineage/bulk', [bare(a, b), bare(b, c)]));
  const again = [bare(a, b, { description: 'said' }), bare(a, c), bare(b, c), bare(a, a), bare(a, d)];
  const answer = ok(await world.admin.put('/v1/lineage/bulk', again));
  assert.equal([answer.numberOfRowsPassed, answer.failedRequest.length], [4, 1]);
  const told = [
    `entityLineageAdded +${b.id} ~`,
    `entityLineageAdded +${c.id} ${d.id} ~`,
    `entityLineageUpdated + ~${b.id}`,
  ];
  assert.equal((await toldOf(a, 3)).sort(), told.sort());
  assert.equal(await toldOf(b, 1), [`entityLineageAdded +${c.id} ~`]);
});

test('edges beyond the limit of one event are published in several events', async () => {
  const hub = await world.table('hub');
  const spokes = await Promise.all(Array.from({ length: 101 }, (_, at) => world.table(`spoke${at}`)));
  const rows = spokes.map((spoke) => bare(hub, spoke));
  assert.is(ok(await world.admin.put('/v1/lineage/bulk', rows)).numberOfRowsPassed, 101);
  const told = await toldOf(hub, 2);
  assert.is(told.length, 2);
  for (const { id } of spokes) assert.is(told.filter((line) => line.includes(id)).length, 1);
});

test('concurrent requests on the same edges lose no assertion', async () => {
  const [hub, ...spokes] = await Promise.all(Array.from({ length: 9 }, (_, at) => world.table(`busy${at}`)));
  if (!hub) return assert.unreachable();
  const sources = ['Manual', 'DbtLineage', 'QueryLineage', 'ViewLineage'];
  const puts = sources.flatMap((source) => [
    world.admin.put(
      '/v1/lineage/bulk',
      spokes.map((spoke) => bare(hub, spoke, { source })),
    ),
    ...spokes.slice(0, 2).map((spoke) => world.admin.put('/v1/lineage', { edge: bare(hub, spoke, { source }) })),
  ]);
  for (const answer of await Promise.all(puts)) {
    assert.is(ok(answer).numberOfRowsFailed ?? 0, 0);
  }
  const rows = await world.service.graph.query(
    `MATCH (s:Assertion) WHERE s.fromId = $hub AND s.until IS NULL AND s.edgeId > ''
     RETURN s.toId AS toId, collect(s.source) AS sources`,
    { hub: hub.id },
  );
  assert.is(rows.length, spokes.length);
  for (const row of rows) assert.equal([...(row['sources'] as string[])].sort(), [...sources].sort());
});

test('the number of statements does not grow with the number of rows', async () => {
  const tables = await Promise.all(Array.from({ length: 60 }, (_, at) => world.table(`many${at}`)));
  const rows = tables.slice(1).map((table, at) => bare(tables[at] as Made, table));
  const names = [
    'catalog/record/read_reference_by_id',
    'lineage/read_edge',
    'lineage/read_event_subject',
    'lineage/update_edge',
  ];
  const before = names.map((name) => world.service.sent(name));
  assert.is(ok(await world.admin.put('/v1/lineage/bulk', rows)).numberOfRowsPassed, 59);
  names.forEach((name, at) => {
    const sent = world.service.sent(name) - (before[at] ?? 0);
    assert.ok(sent >= 1 && sent <= 2, `${name} was sent ${sent} times`);
  });
});

test('so many sources state an edge, because each write of it reads them all', async () => {
  const [from, to] = await Promise.all([world.table('many'), world.table('sources')]);
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) => bare(from, to, { source: 'DbtLineage', sourceName: `project${at}` }));
  const { failedRequest, numberOfRowsPassed } = ok(await world.admin.put('/v1/lineage/bulk', rows(201)));
  assert.is(numberOfRowsPassed, 200);
  assert.equal(
    failedRequest.map(({ status, message }: { status: number; message: string }) => [status, message]),
    [[400, '[an edge may have at most 200 sources]']],
  );
  ok(await feed(world.admin, from, to, { source: 'DbtLineage', sourceName: 'project7', description: 'again' }));
});

test.run();
