import * as assert from 'uvu/assert';
import { ok } from '../../support/expect.ts';
import { suite } from '../../support/suite.ts';
import { waitForSequencing } from '../../support/wait-for-events.ts';
import { feed, type Made, openWorld, type World } from '../fixture.ts';

/** Shows what changes of edges leave behind: events in the order of the changes, and unchanged records. */

const test = suite('lineage: events of edges');

let world: World;

test.before(async () => {
  world = await openWorld();
});

const describe = async ({ id }: Made, description: string): Promise<void> => {
  ok(await world.admin.patch(`/v1/tables/${id}`, [{ op: 'add', path: '/description', value: description }]));
};

const removeEdge = async (from: Made, to: Made): Promise<void> => {
  ok(await world.admin.delete(`/v1/lineage/table/${from.id}/table/${to.id}`));
};

const eventsOf = async ({ id }: Made): Promise<{ readonly types: string[]; readonly isRising: boolean }> => {
  await waitForSequencing(world.service);
  const rows = await world.service.graph.query(
    'MATCH (e:ChangeEvent {entityId: $id}) RETURN e.eventType AS type, e.revision AS revision ORDER BY e.seq',
    { id },
  );
  const revisions = rows.map(({ revision }) => Number(revision));
  return {
    types: rows.map(({ type }) => String(type)),
    isRising: revisions.every((revision, at) => at === 0 || revision >= Number(revisions[at - 1])),
  };
};

test('events of a record and of the edges at either end of it keep the order of the changes', async () => {
  const [root, next, before] = await Promise.all(['root', 'next', 'before'].map((name) => world.table(name)));
  assert.ok(root && next && before);
  ok(await feed(world.admin, root, next));
  await describe(root, 'first');
  ok(await feed(world.admin, before, root));
  ok(await feed(world.admin, root, next, { sqlQuery: 'select 1' }));
  await describe(root, 'second');
  await removeEdge(before, root);
  await removeEdge(root, next);
  await describe(root, 'third');
  const { types, isRising } = await eventsOf(root);
  assert.equal(types, [
    'entityCreated',
    'entityLineageAdded',
    'entityUpdated',
    'entityLineageUpdated',
    'entityUpdated',
    'entityLineageDeleted',
    'entityUpdated',
  ]);
  assert.ok(isRising);
});

test('events of concurrent changes of a record and its edges have rising revisions', async () => {
  const [root, ...others] = await Promise.all(['hub', 'a', 'b', 'c', 'd', 'e'].map((name) => world.table(name)));
  assert.ok(root);
  await Promise.all([
    ...others.flatMap((other) => [feed(world.admin, root, other), feed(world.admin, other, root)]),
    ...others.map((_, at) => describe(root, `told ${at}`)),
  ]);
  const { types, isRising } = await eventsOf(root);
  assert.is(types.filter((type) => type === 'entityLineageAdded').length, others.length);
  assert.ok(isRising);
});

const stateOf = async ({ id }: Made): Promise<unknown> => {
  const [row] = await world.service.graph.query(
    `MATCH (n:Entity {id: $id}) OPTIONAL MATCH (doc:SearchDoc {id: $id})
     RETURN n.revision AS revision, doc.revision AS documentRevision, EXISTS { (:Dirty {entityId: $id}) } AS isMarked`,
    { id },
  );
  return { ...row, etag: (await world.admin.get(`/v1/tables/${id}`)).headers.get('etag') };
};

test('an edge leaves its records, their ETags and their search documents as they are', async () => {
  const [from, to] = [await world.table('from'), await world.table('to')];
  const states = () => Promise.all([from, to].map(stateOf));
  // Their creation is none of the index's business any more.
  await world.service.graph.query('MATCH (mark:Dirty) WHERE mark.entityId IN $ids DELETE mark', {
    ids: [from.id, to.id],
  });
  const before = await states();
  ok(await feed(world.admin, from, to));
  assert.equal(await states(), before, 'added');
  ok(await feed(world.admin, from, to, { sqlQuery: 'select 1' }));
  assert.equal(await states(), before, 'updated');
  await removeEdge(from, to);
  assert.equal(await states(), before, 'deleted');
});

test.run();
