import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../support/expect.ts';
import type { Person } from '../../support/rights.ts';
import { suite } from '../../support/suite.ts';
import { waitForSequencing } from '../../support/wait-for-events.ts';
import { detailsOf, edgeBody, feed, type Made, mapping, type World } from '../fixture.ts';
import { bare, type Desk, openDesk } from './rows-fixture.ts';

/** Shows how administrators tell the history of lineage: rows that say since when an edge is as they tell. */

const test = suite('lineage: history in bulk');

const DAY_MS = 86_400_000;

let desk: Desk;
let world: World;
let editor: Person;

test.before(async () => {
  desk = await openDesk();
  world = desk.world;
  editor = await desk.rights.person([{ operations: ['All'] }]);
});

test.after(() => desk.rights.clear());

const daysAgo = (days: number): number => Date.now() - days * DAY_MS;

const put = async (...rows: readonly object[]) => ok(await world.admin.put('/v1/lineage/bulk', rows));

const expectAllPass = async (...rows: readonly object[]) =>
  assert.equal((await put(...rows)).failedRequest, [], 'all rows pass');

const asOf = async ({ id }: Made, at: number) =>
  ok(await world.admin.get(`/v1/lineage/graph?id=${id}&asOf=${at}&columns=true&downstreamDepth=2`));

const shownAt = async (root: Made, at: number) => {
  const { nodes, edges, columnEdges } = await asOf(root, at);
  return {
    nodes: nodes.length,
    sql: edges[0]?.lineageDetails.sqlQuery,
    columns: columnEdges.map(({ fromColumn }: { fromColumn: string }) => fromColumn.split('.').at(-1)),
  };
};

test('an edge is there from the time that its row says, and is told now', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const since = daysAgo(20);
  const before = Date.now();
  await expectAllPass({ ...bare(a, b, { sqlQuery: 'one', columnsLineage: [mapping(a, ['a'], b, 'b')] }), since });
  assert.equal(await shownAt(a, since - 1), { nodes: 1, sql: undefined, columns: [] });
  assert.equal(await shownAt(a, since), { nodes: 2, sql: 'one', columns: ['a'] });
  assert.equal(await shownAt(a, Date.now()), { nodes: 2, sql: 'one', columns: ['a'] });
  const { createdAt, updatedAt } = await detailsOf(world.admin, a, b);
  assert.equal([createdAt, updatedAt], [since, since]);
  await waitForSequencing(world.service);
  const { data } = ok(await world.admin.get(`/v1/events?entityId=${a.id}&timestamp=${before}&limit=100`));
  const told = data.find(({ eventType }: { eventType: string }) => eventType === 'entityLineageAdded');
  assert.ok(told?.timestamp >= before, 'the event is of the moment at which it was told');
  const stale = ok(await world.admin.get(`/v1/lineage/health?scope=${world.schemaFqn}&olderThan=${daysAgo(1)}`));
  assert.not.match(JSON.stringify(stale.staleEdges ?? stale), new RegExp(b.id), 'it was confirmed by being told');
});

test('later rows tell how the edge changed, and the past shows each state', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const first = { ...bare(a, b, { sqlQuery: 'one', columnsLineage: [mapping(a, ['a'], b, 'b')] }), since: daysAgo(20) };
  const second = {
    edge: {
      ...edgeBody(a, b, { sqlQuery: 'two', columnsLineage: [mapping(a, ['c'], b, 'b')] }).edge,
      since: daysAgo(10),
    },
  };
  await expectAllPass(first, second);
  assert.equal(await shownAt(a, daysAgo(15)), { nodes: 2, sql: 'one', columns: ['a'] });
  assert.equal(await shownAt(a, daysAgo(5)), { nodes: 2, sql: 'two', columns: ['c'] });
  const diff = ok(
    await world.admin.get(`/v1/lineage/diff?id=${a.id}&from=${daysAgo(15)}&to=${daysAgo(5)}&downstreamDepth=1`),
  );
  assert.equal([diff.added.edges, diff.removed.edges, diff.changed.length], [[], [], 1]);
  assert.is(diff.changed[0].before.lineageDetails.sqlQuery, 'one');
  ok(await feed(world.admin, a, b, { sqlQuery: 'three' }));
  assert.is((await shownAt(a, daysAgo(5))).sql, 'two');
  assert.is((await shownAt(a, Date.now())).sql, 'three');
});

test('the same said again changes nothing, whatever time it names', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  await expectAllPass({ ...bare(a, b, { sqlQuery: 'one' }), since: daysAgo(20) });
  const before = await detailsOf(world.admin, a, b);
  await expectAllPass({ ...bare(a, b, { sqlQuery: 'one' }), since: daysAgo(30) }, bare(a, b, { sqlQuery: 'one' }));
  assert.equal(await detailsOf(world.admin, a, b), before);
  assert.is((await asOf(a, daysAgo(25))).edges.length, 0);
});

test('what would not be history is refused and changes nothing, row by row', async () => {
  const [a, b, c] = await Promise.all([world.table('a'), world.table('b'), world.table('c')]);
  await expectAllPass({ ...bare(a, b, { sqlQuery: 'one' }), since: daysAgo(20) });
  const { failedRequest, numberOfRowsPassed } = await put(
    { ...bare(a, b, { sqlQuery: 'two' }), since: daysAgo(21) },
    { ...bare(a, b, { source: 'DbtLineage' }), since: daysAgo(21) },
    { ...bare(a, c), since: Date.now() + DAY_MS },
    { ...bare(a, c), since: 'yesterday' },
    { ...bare(a, c), since: -1 },
    bare(b, c),
  );
  assert.is(numberOfRowsPassed, 1);
  const messages = failedRequest.map(({ status, message }: { status: number; message: string }) => [status, message]);
  assert.equal(
    messages.map(([status]: readonly [number]) => status),
    [400, 400, 400, 400, 400],
  );
  assert.match(messages[0][1], /since must not be before the last change of the edge, \d{4}-/);
  assert.match(messages[1][1], /since must not be before the last change/);
  assert.match(messages[2][1], /since must not be in the future/);
  for (const [, message] of messages.slice(3)) assert.match(message, /since/);
  assert.is((await detailsOf(world.admin, a, b)).sqlQuery, 'one');
  assert.is((await asOf(a, Date.now())).edges.length, 2, 'a to b, and b to c');
});

test('only administrators tell history, and only in bulk', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const dated = { ...bare(a, b), since: daysAgo(20) };
  const { failedRequest } = ok(await editor.put('/v1/lineage/bulk', [dated]));
  assert.equal(
    failedRequest.map(({ status, message }: { status: number; message: string }) => [status, message]),
    [[403, 'Only administrators may say since when lineage is so']],
  );
  assert.equal(ok(await editor.put('/v1/lineage/bulk', [bare(a, b)])).failedRequest, []);
  expectRefused(await world.admin.put('/v1/lineage', { edge: dated }), 400, /since/);
  assert.is((await asOf(a, daysAgo(10))).edges.length, 0);
});

test.run();
