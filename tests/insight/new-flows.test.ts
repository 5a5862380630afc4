import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { column, edgeBody, feed, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { closeServiceAt, openService, type Service, uniqueName } from '../support/service.ts';
import {
  createSubscription,
  deleteSubscriptions,
  openDeliveringService,
  SUBSCRIPTIONS_PATH,
  waitForDelivery,
  webhookTo,
} from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { labelled, makeClassification, mapColumns } from './label-fixture.ts';

/** Shows that a subscription tells of ways of labels that were not there, and of nothing else. */

const test = suite('insight: new flows of labels');

let shared: Service;
let service: Service;
let receiver: Receiver;
let world: World;
let dashboards: string;

test.before(async () => {
  shared = await openService();
  await shared.app.dispatcher.stop();
  receiver = await openReceiver();
  service = await openDeliveringService();
  world = await openWorld(service);
  const made = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Tableau' });
  dashboards = made.fullyQualifiedName;
});

test.after(async () => {
  await closeServiceAt(service);
  await receiver.down();
  await deleteSubscriptions(shared);
  shared.app.dispatcher.start();
});

const dashboard = (): Promise<Made> => world.make('dashboards', { name: uniqueName('board'), service: dashboards });

const show = async (from: Made, board: Made): Promise<void> => {
  const { edge } = edgeBody(from, board);
  ok(await world.admin.put('/v1/lineage', { edge: { ...edge, toEntity: { id: board.id, type: 'dashboard' } } }));
};

const onNewFlow = (tag: string, ...types: readonly string[]): JsonObject => ({
  filters: [
    {
      name: 'onNewFlow',
      arguments: [{ name: 'tag', input: [tag] }, ...(types.length > 0 ? [{ name: 'types', input: types }] : [])],
    },
  ],
});

/** A subscription, and what it has told since it was last asked. */
const listen = async (tag: string, ...types: readonly string[]) => {
  const path = `/${uniqueName('flow')}`;
  const { id } = await createSubscription(service, [webhookTo(`${receiver.address}${path}`)], {
    input: onNewFlow(tag, ...types),
  });
  let heard = 0;
  return async (): Promise<readonly (readonly [eventType: string, entityId: string])[]> => {
    await waitForDelivery(service, id);
    const calls = receiver.at(path).slice(heard);
    heard += calls.length;
    return calls.map(({ event }) => [event.eventType, event.entityId]);
  };
};

test('an edge or a mapping that opens a way is told, and one that opens none is not', async () => {
  const secret = `${await makeClassification(world)}.Secret`;
  const told = await listen(secret);
  const raw = await world.table('raw', [labelled('mail', secret), column('day'), column('other')]);
  const mart = await world.table('mart', [column('mail'), column('day')]);
  const [board, second] = [await dashboard(), await dashboard()];
  await mapColumns(world.admin, raw, mart, [['day', 'day']]);
  await show(mart, board);
  assert.equal(await told(), [], 'the labelled column does not come that far');
  await mapColumns(world.admin, raw, mart, [
    ['day', 'day'],
    ['mail', 'mail'],
  ]);
  assert.equal(await told(), [['entityLineageUpdated', raw.id]]);
  await mapColumns(world.admin, raw, mart, [
    ['day', 'day'],
    ['mail', 'mail'],
    ['other', 'day'],
  ]);
  assert.equal(await told(), [], 'the way of the label was there before');
  await show(mart, second);
  assert.equal(await told(), [['entityLineageAdded', mart.id]]);
  const end = await world.table('end', [column('mail')]);
  await mapColumns(world.admin, mart, end, [['mail', 'mail']]);
  assert.equal(await told(), [], 'tables are no targets');
});

test('a label at the beginning of a way, and an asset on it that comes back, are told', async () => {
  const classification = await makeClassification(world);
  const secret = `${classification}.Secret`;
  const told = await listen(classification, 'table');
  const raw = await world.table('raw', [column('mail'), column('day')]);
  const mart = await world.table('mart', [column('mail')]);
  await mapColumns(world.admin, raw, mart, [['mail', 'mail']]);
  const label = (at: number) => [
    { op: 'add', path: `/columns/${at}/tags/-`, value: { tagFQN: secret, source: 'Classification' } },
  ];
  ok(await world.admin.patch(`/v1/tables/${raw.id}`, label(1)));
  assert.equal(await told(), [], 'nothing is made from that column');
  ok(await world.admin.patch(`/v1/tables/${raw.id}`, label(0)));
  assert.equal(await told(), [['entityUpdated', raw.id]]);
  ok(await world.admin.patch(`/v1/tables/${raw.id}`, [{ op: 'add', path: '/description', value: `About ${secret}` }]));
  ok(await world.admin.delete(`/v1/tables/${mart.id}`));
  assert.equal(await told(), []);
  ok(await world.admin.put('/v1/tables/restore', { id: mart.id }));
  assert.equal(await told(), [['entityRestored', mart.id]]);
});

test('a way over an edge without columns is told, and an edge before its beginning is not', async () => {
  const secret = `${await makeClassification(world)}.Secret`;
  const told = await listen(secret, 'table');
  const [raw, bare] = [await world.table('raw', [labelled('mail', secret)]), await world.table('bare')];
  ok(await feed(world.admin, raw, bare));
  assert.equal(await told(), [['entityLineageAdded', raw.id]]);
  const unlabelled = await world.table('unlabelled');
  ok(await feed(world.admin, unlabelled, raw));
  assert.equal(await told(), []);
});

test('a filter without tags, or with unknown types, is refused', async () => {
  const post = (input: JsonObject) =>
    world.admin.post(SUBSCRIPTIONS_PATH, {
      name: uniqueName('hook'),
      alertType: 'Notification',
      destinations: [webhookTo(`${receiver.address}/never`)],
      input,
    });
  expectRefused(await post({ filters: [{ name: 'onNewFlow' }] }), 400);
  expectRefused(await post(onNewFlow('PII', 'palace')), 400);
  const rules = ok(await post(onNewFlow('PII.Sensitive', 'dashboard')), 201).filteringRules.rules;
  assert.equal(
    rules.map(({ condition }: { condition: string }) => condition),
    ["onNewFlow({'PII.Sensitive'}, {'dashboard'})"],
  );
});

test.run();
