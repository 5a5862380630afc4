/** Shows that change events about edges do not reveal records that policies hide (lineage.md 11, events.md 3 and 6). */
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { openEventStream } from '../support/event-stream.ts';
import { expectList, ok } from '../support/expect.ts';
import { createRightsFactory, type Person } from '../support/rights.ts';
import type { Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForNotifications, waitForSequencing } from '../support/wait-for-events.ts';
import { feed, type Made, mapping, openWorld, pipelineIn, ref, type World } from './fixture.ts';
import { bare } from './ingest/rows-fixture.ts';
import { HIDING, HIDING_CARRIERS, SENSITIVE, tablesOf } from './read/graph/fixture.ts';

const test = suite('lineage: visibility of change events');

let world: World;
let reader: Person;
let blindToPipelines: Person;

test.before(async () => {
  world = await openWorld();
  const rights = createRightsFactory(world.service);
  reader = await rights.person([HIDING]);
  blindToPipelines = await rights.person([HIDING, HIDING_CARRIERS]);
});

type Event = JsonObject & {
  readonly eventType: string;
  readonly changeDescription: { readonly [list: string]: readonly { oldValue?: string; newValue?: string }[] };
};

const LISTS = ['fieldsAdded', 'fieldsUpdated', 'fieldsDeleted'];

/** The edges that an event tells of, by what happened to them. */
const edgesIn = (event: Event): JsonObject[] => {
  assert.equal(event['incrementalChangeDescription'], event.changeDescription);
  return LISTS.flatMap((list) =>
    (event.changeDescription[list] ?? []).map(({ oldValue, newValue }) => JSON.parse(newValue ?? oldValue ?? '')),
  );
};

const lineageEvents = async (client: Client, { id }: Made): Promise<Event[]> => {
  await waitForSequencing(world.service);
  const types = 'entityLineageAdded,entityLineageUpdated,entityLineageDeleted';
  const { data, paging } = expectList(await client.get(`/v1/events?entityId=${id}&eventType=${types}&limit=1000`));
  assert.is(paging.total, data.length, 'what is hidden is not counted');
  return data;
};

const targetsTold = (events: readonly Event[]) =>
  events.map((event) => [event.eventType, ...edgesIn(event).map(({ toEntity }) => toEntity)]);

test('a caller who may not see an endpoint gets no event when an edge to it is added, changed or removed', async () => {
  const { from, seen, 'gone!': hidden } = await tablesOf(world, 'from', 'seen', 'gone!');
  const secret = { sqlQuery: 'SELECT secret FROM from', columnsLineage: [mapping(from, ['a'], hidden, 'b')] };
  ok(await feed(world.admin, from, hidden, secret));
  ok(await feed(world.admin, from, hidden, { ...secret, description: 'again' }));
  ok(await feed(world.admin, from, seen, { sqlQuery: 'SELECT a FROM from' }));
  ok(await world.admin.delete(`/v1/lineage/table/${from.id}/table/${hidden.id}`));
  assert.equal(targetsTold(await lineageEvents(world.admin, from)), [
    ['entityLineageAdded', hidden.id],
    ['entityLineageUpdated', hidden.id],
    ['entityLineageAdded', seen.id],
    ['entityLineageDeleted', hidden.id],
  ]);
  const told = await lineageEvents(reader, from);
  assert.equal(targetsTold(told), [['entityLineageAdded', seen.id]]);
  assert.not.match(JSON.stringify(told), new RegExp(`${hidden.id}|${hidden.name}|secret`));
});

test('an event about several edges omits those to hidden assets', async () => {
  const { from, one, two, 'some!': hidden } = await tablesOf(world, 'from', 'one', 'two', 'some!');
  ok(
    await world.admin.put('/v1/lineage/bulk', [
      bare(from, one),
      bare(from, hidden, { sqlQuery: 'x' }),
      bare(from, two),
    ]),
  );
  const [all] = await lineageEvents(world.admin, from);
  assert.is(edgesIn(all as Event).length, 3, 'one event tells of all');
  const told = await lineageEvents(reader, from);
  assert.equal(targetsTold(told), [['entityLineageAdded', one.id, two.id]]);
  assert.not.match(JSON.stringify(told), new RegExp(`${hidden.id}|${hidden.name}`));
});

test('edges of a hard-deleted record are shown only to callers who may see its whole type', async () => {
  const { from, 'gone!': hidden } = await tablesOf(world, 'from', 'gone!');
  ok(await feed(world.admin, from, hidden));
  ok(await world.admin.delete(`/v1/tables/${hidden.id}?hardDelete=true`));
  assert.ok((await lineageEvents(world.admin, from)).length > 0);
  assert.equal(await lineageEvents(reader, from), []);
});

test('the pipeline of an edge is shown only to callers who may see it', async () => {
  const { from, to } = await tablesOf(world, 'from', 'to');
  const pipeline = await pipelineIn(world, 'nightly', { tags: [SENSITIVE] });
  ok(await feed(world.admin, from, to, { sqlQuery: 'SELECT 1', pipeline: ref(pipeline, 'pipeline') }));
  const carrierTold = async (client: Client) => {
    const [event] = await lineageEvents(client, from);
    const details = edgesIn(event as Event)[0]?.['lineageDetails'] as JsonObject;
    assert.is(details['sqlQuery'], 'SELECT 1');
    return (details['pipeline'] as JsonObject | undefined)?.['id'];
  };
  assert.is(await carrierTold(world.admin), pipeline.id);
  assert.is(await carrierTold(reader), pipeline.id);
  assert.is(await carrierTold(blindToPipelines), undefined);
});

test('a stream contains no edge to a hidden asset', async () => {
  const { from, seen, 'unheard!': hidden } = await tablesOf(world, 'from', 'seen', 'unheard!');
  const token = await world.service.token(reader.name);
  // A stream begins after the last numbered event, and the table's creation gets its number a moment later.
  await waitForSequencing(world.service);
  const hearing = await openEventStream(world.service.app, token, `scope=events&entityId=${from.id}`);
  ok(await feed(world.admin, from, hidden, { sqlQuery: 'secret' }));
  ok(await world.admin.put('/v1/lineage/bulk', [bare(from, hidden, { sqlQuery: 'more' }), bare(from, seen)]));
  await waitForSequencing(world.service);
  const [heard] = await hearing.count(1);
  assert.equal(targetsTold([heard?.data]), [['entityLineageAdded', seen.id]]);
  assert.is(hearing.heard.length, 1);
  await hearing.leave();
});

test('a follower is not notified of an edge to a hidden asset', async () => {
  const { from, seen, 'unsaid!': hidden } = await tablesOf(world, 'from', 'seen', 'unsaid!');
  ok(await reader.put(`/v1/tables/${from.id}/followers`, reader.id));
  await waitForNotifications(world.service);
  ok(await feed(world.admin, from, hidden));
  ok(await feed(world.admin, from, seen));
  await waitForNotifications(world.service);
  const { data, paging } = expectList(await reader.get('/v1/notifications?limit=100'));
  assert.equal([data.map(({ summary }: JsonObject) => summary), paging.total], [['lineage added'], 1]);
  assert.equal(ok(await reader.get('/v1/notifications/count')), { unread: 1, total: 1 });
  assert.equal(ok(await reader.put('/v1/notifications/read', { before: Date.now() + 1000 })), { updated: 1 });
});

test.run();
