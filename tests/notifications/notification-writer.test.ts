import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import type { NotificationAudience } from '../../src/model/schemas/events/notification-audience.ts';
import { createNotificationWriter } from '../../src/notifications/notification-writer.ts';
import { createPerson, ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { createRoleFor } from '../support/rights.ts';
import { openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForNotifications, waitForSequencing } from '../support/wait-for-events.ts';
import { describe, follow, inboxOf, inShort, newActor, newPerson, newShop, type Person } from './fixture.ts';

/** Shows that followers, owners and administrators are notified once (events.md 5). */

const test = suite('notifications: recipients');

let service: Service;
let actor: Person;
let shop: Awaited<ReturnType<typeof newShop>>;

test.before(async () => {
  service = await openService();
  actor = await newActor(service);
  shop = await newShop(service);
});

const told = async (client: Person) => inShort(await inboxOf(service, client));

const prefer = async (client: Person, preferences: object) =>
  ok(await client.put('/v1/notifications/preferences', preferences));

const newTeam = async (users: readonly string[]): Promise<string> =>
  ok(await service.admin.post('/v1/teams', { name: uniqueName('team'), teamType: 'Group', users }), 201).id;

const own = async (collection: string, id: string, owner: { id: string; type: string }) =>
  ok(await service.admin.patch(`/v1/${collection}/${id}`, { owners: [owner] }));

test('a follower is notified once of a change, its author is not, and unfollowing ends it', async () => {
  const id = await shop.newTable('followed');
  const reader = await newPerson(service);
  await follow(reader, 'tables', id);
  await follow(actor, 'tables', id);
  await describe(actor, 'tables', id, 'one');
  assert.equal(await told(reader), ['follower entityUpdated followed: description added']);
  assert.equal(await told(actor), []);
  await describe(service.admin, 'tables', id, 'two');
  assert.equal(await told(actor), ['follower entityUpdated followed: description changed']);
  ok(await reader.delete(`/v1/tables/${id}/followers/${reader.id}`));
  await describe(actor, 'tables', id, 'three');
  assert.is((await told(reader)).length, 2);
});

test('follows, votes, creations and writes without a change notify nobody', async () => {
  const id = await shop.newTable('quiet');
  const reader = await newPerson(service);
  await follow(reader, 'databaseSchemas', shop.schemaId);
  await prefer(reader, { includeDescendants: true });
  await follow(reader, 'tables', id);
  const other = await newPerson(service, 'other');
  await follow(other, 'tables', id);
  ok(await other.put(`/v1/tables/${id}/vote`, { updatedVoteType: 'votedUp' }));
  ok(await other.put(`/v1/tables/${id}/vote`, { updatedVoteType: 'unVoted' }));
  await shop.newTable('quiet_too');
  ok(await actor.patch(`/v1/tables/${id}`, { description: null }));
  assert.equal(await told(reader), []);
});

test('owners are notified: users, team members, and owners of ancestors', async () => {
  const id = await shop.newTable('owned');
  const [single, member, heir] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  await own('tables', id, { id: single.id, type: 'user' });
  await describe(actor, 'tables', id, 'one');
  assert.equal((await told(single))[0], 'owner entityUpdated owned: description added');
  await own('tables', id, { id: await newTeam([member.id, actor.id]), type: 'team' });
  await own('databases', shop.databaseId, { id: heir.id, type: 'user' });
  await describe(actor, 'tables', id, 'two');
  assert.equal((await told(member))[0], 'owner entityUpdated owned: description changed');
  assert.ok(!(await told(actor)).includes('owner entityUpdated owned: description changed'), 'nor is whoever did it');
  assert.ok(!(await told(single)).includes('owner entityUpdated owned: description changed'));
  assert.ok(!(await told(heir)).some((line) => line.includes(' owned:')), 'the table has owners of its own');
  const bare = await shop.newTable('bare');
  await describe(actor, 'tables', bare, 'x');
  assert.equal((await told(heir))[0], 'owner entityUpdated bare: description added');
  ok(await service.admin.patch(`/v1/databases/${shop.databaseId}`, { owners: [] }));
});

test('a follower who is an owner is notified once', async () => {
  const id = await shop.newTable('both');
  const reader = await newPerson(service);
  await own('tables', id, { id: reader.id, type: 'user' });
  await follow(reader, 'tables', id);
  await follow(reader, 'databases', shop.databaseId);
  await prefer(reader, { includeDescendants: true });
  await describe(actor, 'tables', id, 'x');
  assert.is((await told(reader)).filter((line) => line.endsWith('both: description added')).length, 1);
});

test('followers of a container are notified of its descendants on request', async () => {
  const id = await shop.newTable('inside');
  const [wide, narrow] = [await newPerson(service), await newPerson(service)];
  for (const reader of [wide, narrow]) await follow(reader, 'services/databaseServices', shop.serviceId);
  await prefer(wide, { includeDescendants: true });
  await describe(actor, 'tables', id, 'x');
  await describe(actor, 'services/databaseServices', shop.serviceId, uniqueName('x'));
  assert.equal(
    (await told(wide)).map((line) => line.split(':')[0]),
    [`follower entityUpdated ${shop.name}`, 'follower entityUpdated inside'],
  );
  assert.equal(
    (await told(narrow)).map((line) => line.split(':')[0]),
    [`follower entityUpdated ${shop.name}`],
  );
  await prefer(wide, { enabled: false });
});

test('preferences disable all notifications, some reasons or some event types', async () => {
  const id = await shop.newTable('wished');
  const [deaf, ownerOnly, deletionsOnly] = [
    await newPerson(service),
    await newPerson(service),
    await newPerson(service),
  ];
  for (const reader of [deaf, ownerOnly, deletionsOnly]) await follow(reader, 'tables', id);
  await prefer(deaf, { enabled: false });
  await prefer(ownerOnly, { reasons: ['owner'] });
  await prefer(deletionsOnly, { eventTypes: ['entitySoftDeleted'] });
  await describe(actor, 'tables', id, 'x');
  ok(await actor.delete(`/v1/tables/${id}`));
  assert.equal(await told(deaf), []);
  assert.equal(await told(ownerOnly), []);
  assert.equal(await told(deletionsOnly), ['follower entitySoftDeleted wished: deleted']);
});

test('owners of direct downstream assets are notified of changes on request', async () => {
  const [source, middle, far] = [
    await shop.newTable('source'),
    await shop.newTable('middle'),
    await shop.newTable('far'),
  ];
  const feed = async (from: string, to: string) =>
    ok(
      await service.admin.put('/v1/lineage', {
        edge: { fromEntity: { id: from, type: 'table' }, toEntity: { id: to, type: 'table' } },
      }),
    );
  await feed(source, middle);
  await feed(middle, far);
  const [keen, other, farther] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  // What has happened by now is told by what people wish by now.
  assert.equal(await told(keen), []);
  for (const reader of [keen, farther]) await prefer(reader, { reasons: ['downstream'] });
  await own('tables', middle, { id: await newTeam([keen.id, other.id]), type: 'team' });
  await own('tables', far, { id: farther.id, type: 'user' });
  await describe(actor, 'tables', source, 'x');
  assert.equal(await told(keen), ['downstream entityUpdated source: description added']);
  assert.equal(
    (await told(other)).filter((line) => line.startsWith('downstream')),
    [],
  );
  assert.equal(
    (await told(farther)).filter((line) => line.includes('source')),
    [],
  );
});

test('changes before a deletion are notified after the deletion too', async () => {
  const { newTable } = await newShop(service);
  const id = await newTable('short');
  const reader = await newPerson(service);
  await follow(reader, 'tables', id);
  await service.app.notifications.stop();
  await describe(actor, 'tables', id, 'one last word');
  ok(await actor.delete(`/v1/tables/${id}?hardDelete=true`));
  service.app.notifications.start();
  assert.equal(await told(reader), [
    'follower entityDeleted short: deleted for good',
    'follower entityUpdated short: description added',
  ]);
});

test('deletions and restorations notify followers, also of descendants', async () => {
  const { schemaId, newTable } = await newShop(service);
  const id = await newTable('doomed');
  const [reader, owner, wide] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  await follow(reader, 'tables', id);
  await follow(actor, 'tables', id);
  await own('databaseSchemas', schemaId, { id: await newTeam([owner.id]), type: 'team' });
  await follow(wide, 'databaseSchemas', schemaId);
  await prefer(wide, { includeDescendants: true });
  ok(await actor.delete(`/v1/databaseSchemas/${schemaId}?recursive=true`));
  ok(await actor.put('/v1/databaseSchemas/restore', { id: schemaId }));
  ok(await actor.delete(`/v1/databaseSchemas/${schemaId}?recursive=true&hardDelete=true`));
  const ofTable = (reason: string) => [
    `${reason} entityDeleted doomed: deleted for good`,
    `${reason} entityRestored doomed: restored`,
    `${reason} entitySoftDeleted doomed: deleted`,
  ];
  const aboutTable = async (client: Person) => (await told(client)).filter((line) => line.includes(' doomed:'));
  assert.equal(await told(reader), ofTable('follower'));
  assert.equal(await aboutTable(owner), ofTable('owner'));
  assert.equal(await aboutTable(wide), ofTable('follower'));
  assert.equal(await told(actor).then((all) => all.filter((line) => line.includes(' doomed:'))), []);
  const ofSchema = (await told(wide)).filter(
    (line) => line.includes(' public: deleted') || line.includes(' public: restored'),
  );
  assert.is(ofSchema.length, 3, 'the schema itself as well');
});

test('a bot that impersonates the author is not notified either', async () => {
  const robot = await createPerson(service, uniqueName('robot'), {
    isBot: true,
    roles: [await createRoleFor(service, 'Impersonate')],
  });
  ok(
    await service.admin.post('/v1/bots', { name: uniqueName('bot'), botUser: robot.name, allowImpersonation: true }),
    201,
  );
  const client = withToken(service, await service.token(robot.name, { isBot: true }));
  const boss = await createPerson(service, uniqueName('boss'), { roles: [await createRoleFor(service, 'All')] });
  const id = await shop.newTable('robotic');
  const reader = await newPerson(service);
  for (const userId of [robot.id, boss.id, reader.id])
    ok(await service.admin.put(`/v1/tables/${id}/followers`, userId));
  ok(await client.patch(`/v1/tables/${id}`, { description: 'x' }, { 'X-Impersonate-User': boss.name }));
  assert.equal(await told(reader), ['follower entityUpdated robotic: description added']);
  assert.equal(
    [...(await inboxOf(service, client)), ...(await inboxOf(service, boss))].filter((n) => n.entityRef.id === id),
    [],
  );
});

const countOf = async (entityId: string): Promise<Record<string, unknown> | undefined> => {
  const [row] = await service.graph.query(
    `MATCH (n:Notification {entityId: $entityId})
     OPTIONAL MATCH (n)-[:ADDRESSED_TO]->(u:User {id: n.userId})
     OPTIONAL MATCH (n)-[:ABOUT]->(e:ChangeEvent {id: n.changeEventId})
     RETURN count(n) AS told, count(DISTINCT n.userId) AS people, count(u) AS addressed, count(e) AS about`,
    { entityId },
  );
  return row;
};

const plantFollowers = (tableId: string, count: number) =>
  service.graph.query(
    `MATCH (t:Entity {id: $tableId})
     UNWIND range(1, $count) AS at
     CREATE (u:Entity:User {id: randomUUID(), name: 'crowd' + at, fullyQualifiedName: $mark + at, deleted: false})-[:FOLLOWS]->(t)
     RETURN count(u) AS planted`,
    { tableId, count, mark: randomUUID() },
  );

const removeFollowers = (tableId: string) =>
  service.graph.query(
    "MATCH (u:User)-[:FOLLOWS]->(:Entity {id: $tableId}) WHERE u.name STARTS WITH 'crowd' DETACH DELETE u",
    {
      tableId,
    },
  );

test('many followers are notified once each, in small transactions', async () => {
  const { newTable } = await newShop(service);
  const ids = [await newTable('crowded'), await newTable('crowded_too')];
  for (const id of ids) await plantFollowers(id, 25);
  await waitForNotifications(service);
  await service.app.notifications.stop();
  for (const id of ids) await describe(actor, 'tables', id, 'x');
  await waitForSequencing(service);
  const { graph, app } = service;
  const log = { warn: (message: string) => assert.unreachable(message) };
  const options = { maxPeople: 10, minPauseMs: 1 };
  const subscriptionAudiences = () => Promise.resolve(new Map());
  const addressing = createNotificationWriter({
    graph,
    log,
    tail: app.events.tail,
    subscriptionAudiences,
    onWritten: () => {},
    options,
  });
  addressing.start();
  await waitForNotifications(service);
  await addressing.stop();
  service.app.notifications.start();
  const each = { told: 25, people: 25, addressed: 25, about: 25 };
  for (const id of ids) assert.equal(await countOf(id), each);
  for (const id of ids) await removeFollowers(id);
});

test('subscriptions notify more users by relation, by name and as administrators', async () => {
  const id = await shop.newTable('subscribed');
  const [fan, named, stranger] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  await follow(fan, 'tables', id);
  await prefer(fan, { reasons: ['owner'] });
  await waitForNotifications(service);
  await service.app.notifications.stop();
  await describe(service.admin, 'tables', id, 'x');
  await waitForSequencing(service);
  const circle: NotificationAudience = {
    relations: ['follower'],
    userNames: [named.name, actor.name],
    includesAdmins: true,
  };
  const addressing = createNotificationWriter({
    graph: service.graph,
    log: { warn: (message) => assert.unreachable(message) },
    tail: service.app.events.tail,
    subscriptionAudiences: (events) =>
      Promise.resolve(new Map(events.filter(({ entityId }) => entityId === id).map(({ seq }) => [seq, circle]))),
    onWritten: () => {},
  });
  addressing.start();
  await waitForNotifications(service);
  await addressing.stop();
  service.app.notifications.start();
  const line = 'subscription entityUpdated subscribed: description added';
  for (const reader of [fan, named, actor]) assert.is((await told(reader))[0], line);
  assert.equal(await told(stranger), []);
});

test('the notifications of a user are deleted with the user', async () => {
  const id = await shop.newTable('left');
  const reader = await newPerson(service);
  await follow(reader, 'tables', id);
  await prefer(reader, { includeDescendants: true });
  await describe(actor, 'tables', id, 'x');
  assert.is((await told(reader)).length, 1);
  ok(await service.admin.delete(`/v1/users/${reader.id}?hardDelete=true`));
  const left = async () => {
    const [row] = await service.graph.query(
      'RETURN COUNT { (:Notification {userId: $id}) } + COUNT { (p:NotificationPreferences) WHERE NOT (p)<--() } AS left',
      { id: reader.id },
    );
    return row?.['left'];
  };
  await waitUntil(async () => (await left()) === 0, 'nothing of the person is left');
});

test('a deleted user is not notified', async () => {
  const id = await (await newShop(service)).newTable('absent');
  const reader = await newPerson(service);
  await follow(reader, 'tables', id);
  ok(await service.admin.delete(`/v1/users/${reader.id}`));
  await describe(actor, 'tables', id, 'x');
  await waitForNotifications(service);
  assert.is((await countOf(id))?.['told'], 0);
});

test.run();
