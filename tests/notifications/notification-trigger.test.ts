import * as assert from 'uvu/assert';
import type { NumberedEvent } from '../../src/events/tail.ts';
import type { JsonObject } from '../../src/model/json.ts';
import {
  actorsOf,
  buildNotificationContent,
  isNotableEvent,
  notificationIdOf,
} from '../../src/notifications/notification-trigger.ts';
import { suite } from '../support/suite.ts';

/** Shows that change events trigger notifications for the right reasons. */

const test = suite('notifications: triggers');

const ID = '5f0c1b52-9a53-4c0e-8b0f-0d5a2c1f9b11';
const RECORD = '8a1f5c0e-2f3b-4f43-9a44-0e9f8d7c6b5a';

const eventOf = (eventType: string, more: JsonObject = {}): NumberedEvent => {
  const value = {
    id: ID,
    eventType,
    entityFullyQualifiedName: 'shop.pg.public.orders',
    entity: { name: 'orders' },
    ...more,
  };
  return {
    seq: 42,
    id: ID,
    eventType,
    entityType: 'table',
    entityId: RECORD,
    userName: 'ana',
    timestamp: 1_763_719_200_000,
    json: JSON.stringify(value),
    ends: [],
    traceparent: '',
    value: () => value,
  };
};

const changed = (...names: string[]) => ({ changeDescription: { fieldsAdded: names.map((name) => ({ name })) } });

test('changes, deletions, restorations and lineage trigger notifications', () => {
  for (const type of ['SoftDeleted', 'Deleted', 'Restored', 'LineageAdded', 'LineageUpdated', 'LineageDeleted'])
    assert.is(isNotableEvent(eventOf(`entity${type}`)), true, type);
  for (const type of ['entityCreated', 'entityNoChange', 'userLogin', 'threadCreated'])
    assert.is(isNotableEvent(eventOf(type)), false, type);
  assert.is(isNotableEvent(eventOf('entityUpdated', changed('description'))), true);
});

test('follows and votes trigger no notification', () => {
  assert.is(isNotableEvent(eventOf('entityUpdated', changed('followers'))), false);
  assert.is(isNotableEvent(eventOf('entityUpdated', changed('votes'))), false);
  assert.is(isNotableEvent(eventOf('entityUpdated', changed('followers', 'tags'))), true);
});

test('a notification names its author and the impersonating bot', () => {
  assert.equal(actorsOf(eventOf('entityUpdated')), ['ana']);
  assert.equal(actorsOf(eventOf('entityUpdated', { impersonatedBy: 'loader' })), ['ana', 'loader']);
});

test('a notification has the content of its change event', () => {
  assert.equal(buildNotificationContent(eventOf('entityUpdated', changed('tags'))), {
    changeEventId: ID,
    seq: 42,
    place: '0001763719200000\u00010000000000000042',
    timestamp: 1_763_719_200_000,
    eventType: 'entityUpdated',
    entityType: 'table',
    entityId: RECORD,
    entityName: 'orders',
    entityFqn: 'shop.pg.public.orders',
    entityDeleted: false,
    actor: 'ana',
    summary: 'tags added',
    ends: [],
  });
  assert.is(buildNotificationContent(eventOf('entitySoftDeleted')).entityDeleted, true);
});

test('the id is derived from the event and the user', () => {
  const id = notificationIdOf(ID, RECORD);
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.is(notificationIdOf(ID, RECORD), id);
  assert.is.not(notificationIdOf(RECORD, ID), id);
  // The example of RFC 9562, whose namespace is the one for domain names.
  const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  assert.is(notificationIdOf(DNS, 'www.example.com'), '2ed6657d-e927-568b-95e1-2665a8aea6a2');
});

test.run();
