import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { openService, type Service } from '../support/service.ts';
import { createSubscription, deleteSubscriptions, filterBelow, SUBSCRIPTIONS_PATH } from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { describe, follow, inboxOf, inShort, newActor, newPerson, newShop, type Person } from './fixture.ts';

/**
 * Shows that subscriptions notify the users and teams that they name, besides followers and owners (events.md 4.1 and
 * 5).
 */

const test = suite('notifications: audience of subscriptions');

let service: Service;
let actor: Person;

test.before(async () => {
  service = await openService();
  actor = await newActor(service);
});

test.after(() => deleteSubscriptions(service));

const told = async (client: Person, name: string) =>
  inShort(await inboxOf(service, client)).filter((line) => line.includes(` ${name}:`));

const inbox = (category: string, more: JsonObject = {}): JsonObject => ({ category, type: 'ActivityFeed', ...more });

/** A subscription to what happens below a shop. */
const about = (shop: { readonly name: string }, ...destinations: JsonObject[]) =>
  createSubscription(service, destinations, { input: filterBelow(shop.name) });

const own = async (id: string, owner: Person) =>
  ok(await service.admin.patch(`/v1/tables/${id}`, { owners: [{ id: owner.id, type: 'user' }] }));

test('named users are notified without following, also of creations', async () => {
  const [shop, other] = [await newShop(service), await newShop(service)];
  const [named, bystander] = [await newPerson(service), await newPerson(service)];
  await about(shop, inbox('Users', { config: { receivers: [named.name, actor.name] } }));
  const id = await shop.newTable('wanted');
  await describe(actor, 'tables', id, 'one');
  await describe(actor, 'tables', await other.newTable('wanted'), 'elsewhere');
  assert.equal(await told(named, 'wanted'), [
    'subscription entityUpdated wanted: description added',
    'subscription entityCreated wanted: created',
  ]);
  assert.equal(await told(bystander, 'wanted'), []);
  assert.equal(await told(actor, 'wanted'), ['subscription entityCreated wanted: created'], 'never of its own doing');
});

test('preferences by event type and reason do not affect subscriptions, and disabling all notifications does', async () => {
  const shop = await newShop(service);
  const [picky, silent] = [await newPerson(service), await newPerson(service)];
  await about(shop, inbox('Users', { config: { receivers: [picky.name, silent.name] } }));
  ok(await picky.put('/v1/notifications/preferences', { reasons: [], eventTypes: ['entityDeleted'] }));
  ok(await silent.put('/v1/notifications/preferences', { enabled: false }));
  await describe(actor, 'tables', await shop.newTable('picked'), 'one');
  assert.is((await told(picky, 'picked')).length, 2);
  assert.equal(await told(silent, 'picked'), []);
});

test('followers and owners are notified once, with their reason', async () => {
  const shop = await newShop(service);
  const [follower, owner, both] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  await about(shop, inbox('Followers'), inbox('Owners'), inbox('Users', { config: { receivers: [both.name] } }));
  const id = await shop.newTable('tied');
  await own(id, owner);
  await follow(follower, 'tables', id);
  await follow(both, 'tables', id);
  await describe(actor, 'tables', id, 'one');
  const line = (reason: string) => `${reason} entityUpdated tied: description added`;
  assert.is((await told(follower, 'tied'))[0], line('follower'));
  assert.is((await told(owner, 'tied'))[0], line('owner'));
  assert.equal(
    (await told(both, 'tied')).filter((text) => text.endsWith('description added')),
    [line('follower')],
  );
});

test('administrators are notified with that reason', async () => {
  const shop = await newShop(service);
  const chief = await newActor(service);
  await about(shop, inbox('Admins'));
  await describe(actor, 'tables', await shop.newTable('chiefly'), 'one');
  assert.is((await told(chief, 'chiefly')).length, 2);
});

test('a disabled or deleted subscription notifies nobody', async () => {
  const shop = await newShop(service);
  const [named, off, later] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  const to = ({ name }: Person, more: JsonObject = {}) => inbox('Users', { ...more, config: { receivers: [name] } });
  const made = await about(shop, to(named), to(off, { enabled: false }));
  const id = await shop.newTable('switched');
  assert.is((await told(named, 'switched')).length, 1);
  assert.equal(await told(off, 'switched'), []);
  ok(await service.admin.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, { enabled: false }));
  await describe(actor, 'tables', id, 'one');
  assert.is((await told(named, 'switched')).length, 1);
  ok(await service.admin.delete(`${SUBSCRIPTIONS_PATH}/${made.id}?hardDelete=true`));
  await about(shop, to(later));
  await describe(actor, 'tables', id, 'two');
  assert.is((await told(named, 'switched')).length, 1);
  assert.is((await told(later, 'switched')).length, 1);
});

test.run();
