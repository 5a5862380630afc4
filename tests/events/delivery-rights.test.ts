import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { type CreatedRecord, createSamples, type Samples } from '../support/samples.ts';
import { type Client, closeServiceAt, openService, type Service, uniqueName } from '../support/service.ts';
import {
  type CreatedSubscription,
  createDomain,
  deleteSubscriptions,
  deliveredDescriptions,
  openDeliveringService,
  SUBSCRIPTIONS_PATH,
  updateDescription,
  webhookTo,
} from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { waitForNotifications, waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that a subscription delivers only what its owners and its editor may see. */

const test = suite('events: delivery rights');

let service: Service;
let shared: Service;
let receiver: Receiver;
let rights: RightsFactory;
let samples: Samples;

test.before(async () => {
  shared = await openService();
  await shared.app.dispatcher.stop();
  receiver = await openReceiver();
  service = await openDeliveringService();
  rights = createRightsFactory(service);
  samples = createSamples(service);
});

test.after(async () => {
  // While the service is open: policies of teams that are left would concern everybody in later suites.
  await rights.clear();
  await closeServiceAt(service);
  await receiver.down();
  await deleteSubscriptions(shared);
  shared.app.dispatcher.start();
});

/** Sees only the records of these types that are their own. */
const limited = (...resources: string[]): RuleOptions => ({
  effect: 'deny',
  operations: ['All'],
  resources,
  condition: '!isOwner()',
});

const MAKES_HOOKS: RuleOptions = { operations: ['Create', 'EditAll'], resources: ['eventsubscription'] };

const owning = (path: string, id: string, ...owners: readonly { readonly id: string }[]) =>
  service.admin.patch(`${path}/${id}`, [
    { op: 'add', path: '/owners', value: owners.map((owner) => ({ id: owner.id, type: 'user' })) },
  ]);

/** Two domains, of which the second is hidden from a person who sees only their own. */
const twoDomains = async (person: { readonly id: string }) => {
  const name = uniqueName('rights');
  const [seen, hidden] = [await createDomain(service, `${name}_seen`), await createDomain(service, `${name}_hidden`)];
  ok(await owning('/v1/domains', seen, person));
  await waitForSequencing(service);
  const input = {
    filters: [{ name: 'filterByFqn', arguments: [{ name: 'fqnList', input: [`${name}_seen`, `${name}_hidden`] }] }],
  };
  return { name, seen, hidden, input };
};

const subscribeAs = async (client: Client, path: string, more: JsonObject): Promise<CreatedSubscription> =>
  ok(
    await client.post(SUBSCRIPTIONS_PATH, {
      name: uniqueName('hook'),
      alertType: 'Notification',
      destinations: [webhookTo(`${receiver.address}${path}`)],
      ...more,
    }),
    201,
  );

const passed = async (subscription: CreatedSubscription): Promise<void> => {
  const last = await waitForSequencing(service);
  await waitUntil(async () => {
    const [row] = await service.graph.query('MATCH (d:Delivery {subscriptionId: $id}) RETURN d.seq AS seq', {
      id: subscription.id,
    });
    return row !== undefined && (row['seq'] as number) >= last;
  }, 'the subscription has come that far');
};

/** Changes both domains, and answers what has arrived by when the subscription is through with that. */
const arrived = async (
  { seen, hidden }: { readonly seen: string; readonly hidden: string },
  subscription: CreatedSubscription,
  path: string,
  text: string,
): Promise<string[]> => {
  const before = receiver.at(path).length;
  await updateDescription(service, hidden, `${text} hidden`);
  await updateDescription(service, seen, `${text} seen`);
  await passed(subscription);
  // Changes of owners are events too, of the description as it was.
  return deliveredDescriptions(receiver.at(path).slice(before)).filter((one) => one.startsWith(`${text} `));
};

const pathOf = (): string => `/${uniqueName('to')}`;

test('events hidden from the creator of a subscription are not delivered, and administrators receive everything', async () => {
  const ana = await rights.person([MAKES_HOOKS, limited('domain')]);
  const both = await twoDomains(ana);
  const [mine, all] = [pathOf(), pathOf()];
  const own = await subscribeAs(ana, mine, { input: both.input });
  const admins = await subscribeAs(service.admin, all, { input: both.input });
  assert.equal(await arrived(both, own, mine, 'one'), ['one seen']);
  await passed(admins);
  assert.equal(deliveredDescriptions(receiver.at(all)), ['one hidden', 'one seen']);
  assert.not.match(JSON.stringify(receiver.at(mine)), new RegExp(`${both.hidden}|${both.name}_hidden`));
});

test('a transferred subscription delivers with the rights of its new owner, at once', async () => {
  const ana = await rights.person([limited('domain')]);
  const both = await twoDomains(ana);
  const path = pathOf();
  const hook = await subscribeAs(service.admin, path, { input: both.input, owners: [{ id: ana.id, type: 'user' }] });
  assert.equal(await arrived(both, hook, path, 'one'), ['one seen']);
  ok(await owning('/v1/domains', both.hidden, ana));
  assert.equal(await arrived(both, hook, path, 'two'), ['two hidden', 'two seen']);
  ok(await owning('/v1/domains', both.hidden));
  ok(await owning('/v1/domains', both.seen));
  assert.equal(await arrived(both, hook, path, 'three'), []);
  ok(await owning('/v1/domains', both.seen, ana));
  ok(await service.admin.delete(`/v1/users/${ana.id}`));
  assert.equal(await arrived(both, hook, path, 'four'), []);
  ok(await service.admin.delete(`/v1/users/${ana.id}?hardDelete=true`));
  assert.equal(await arrived(both, hook, path, 'five'), [], 'nobody else takes the place of an owner who is gone');
});

test('a subscription with several owners or a team delivers only what all of them may see', async () => {
  const [ana, ben] = [await rights.person([limited('domain')]), await rights.person([limited('domain')])];
  const both = await twoDomains(ana);
  const path = pathOf();
  const owners = [ana, ben].map(({ id }) => ({ id, type: 'user' }));
  const hook = await subscribeAs(service.admin, path, { input: both.input, owners });
  assert.equal(await arrived(both, hook, path, 'one'), []);
  ok(await owning('/v1/domains', both.seen, ana, ben));
  assert.equal(await arrived(both, hook, path, 'two'), ['two seen']);
  const policy = await rights.policy(limited('domain'));
  const team = await rights.team({ policies: [policy.id] });
  const ofTeam = pathOf();
  const teamHook = await subscribeAs(service.admin, ofTeam, {
    input: both.input,
    owners: [{ id: team.id, type: 'team' }],
  });
  ok(
    await service.admin.patch(`/v1/domains/${both.seen}`, [
      { op: 'add', path: '/owners', value: [{ id: team.id, type: 'team' }] },
    ]),
  );
  assert.equal(await arrived(both, teamHook, ofTeam, 'three'), ['three seen']);
});

test('an editor who redirects the subscription of an administrator receives only what the editor may see', async () => {
  const eve = await rights.person([MAKES_HOOKS, limited('domain')]);
  const both = await twoDomains(eve);
  const [path, taken] = [pathOf(), pathOf()];
  const hook = await subscribeAs(service.admin, path, { input: both.input });
  assert.equal(await arrived(both, hook, path, 'one'), ['one hidden', 'one seen']);
  const describer = await rights.person([
    { operations: ['EditDescription'], resources: ['eventsubscription'] },
    limited('domain'),
  ]);
  ok(await describer.patch(`${SUBSCRIPTIONS_PATH}/${hook.id}`, [{ op: 'add', path: '/description', value: 'mine' }]));
  assert.equal(await arrived(both, hook, path, 'two'), ['two hidden', 'two seen'], 'describing it takes nothing away');
  const endpoint = `${receiver.address}${taken}`;
  const moved = { op: 'replace', path: '/destinations/0/config/endpoint', value: endpoint };
  ok(await eve.patch(`${SUBSCRIPTIONS_PATH}/${hook.id}`, [moved]));
  await passed(hook);
  assert.equal(await arrived(both, hook, taken, 'three'), ['three seen']);
});

test('lineage events omit edges to hidden assets and hidden pipelines', async () => {
  const ana = await rights.person([MAKES_HOOKS, limited('table')]);
  const make = async (name: string): Promise<CreatedRecord> => samples.create('table', { name: uniqueName(name) });
  const [from, hidden, seen] = [await make('from'), await make('hidden'), await make('seen')];
  for (const { id } of [from, seen]) ok(await owning('/v1/tables', id, ana));
  await waitForSequencing(service);
  const path = pathOf();
  const input = {
    filters: [{ name: 'filterByEntityId', arguments: [{ name: 'entityIdList', input: [from.id] }] }],
  };
  const hook = await subscribeAs(ana, path, { input, resources: ['table'] });
  const edgeTo = ({ id }: CreatedRecord) => ({
    edge: { fromEntity: { id: from.id, type: 'table' }, toEntity: { id, type: 'table' } },
  });
  ok(await service.admin.put('/v1/lineage/bulk', [edgeTo(hidden), edgeTo(seen)]));
  ok(await service.admin.put('/v1/lineage', edgeTo(await make('hiddentoo'))));
  await passed(hook);
  const calls = receiver.at(path);
  assert.is(calls.length, 1, JSON.stringify(calls.map(({ event }) => event)));
  assert.match(JSON.stringify(calls), new RegExp(seen.id));
  assert.not.match(JSON.stringify(calls), new RegExp(`${hidden.id}|${hidden.name}|hiddentoo`));
});

test('a retried event that becomes hidden is not sent, and failures are shown like events', async () => {
  const ana = await rights.person([MAKES_HOOKS, limited('domain')]);
  const both = await twoDomains(ana);
  const [path, all] = [pathOf(), pathOf()];
  receiver.react(({ path: at }) => (at.startsWith(path) || at.startsWith(all) ? 500 : 200));
  const own = await subscribeAs(ana, path, { input: both.input, retries: 5 });
  await updateDescription(service, both.seen, 'waiting');
  await waitUntil(() => receiver.at(path).length >= 3, 'it was tried');
  ok(await owning('/v1/domains', both.seen));
  await waitUntil(async () => {
    const { failedEventsCount, hasProcessedAllEvents } = ok(
      await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${own.id}/diagnosticInfo`),
    );
    return hasProcessedAllEvents === true && failedEventsCount === 0;
  }, 'it is left out');
  ok(await owning('/v1/domains', both.seen, ana));
  const admins = await subscribeAs(service.admin, all, { input: both.input, retries: 0 });
  await updateDescription(service, both.hidden, 'fails hidden');
  await updateDescription(service, both.seen, 'fails seen');
  const failures = async (client: Client) => ok(await client.get(`${SUBSCRIPTIONS_PATH}/id/${admins.id}/failedEvents`));
  await waitUntil(async () => (await failures(service.admin)).paging.total >= 2, 'both failed');
  const texts = async (client: Client): Promise<string[]> =>
    (await failures(client)).data.map(
      ({ changeEvent }: { changeEvent: { entity: JsonObject } }) => changeEvent.entity['description'],
    );
  assert.equal(await texts(service.admin), ['fails seen', 'fails hidden']);
  assert.equal(await texts(ana), ['fails seen']);
  assert.is((await failures(ana)).paging.total, 1);
  assert.is(ok(await ana.get(`${SUBSCRIPTIONS_PATH}/id/${admins.id}/diagnosticInfo`)).failedEventsCount, 1);
  const paged = ok(await ana.get(`${SUBSCRIPTIONS_PATH}/id/${admins.id}/failedEvents?limit=1`));
  assert.equal([paged.data.length, paged.paging.after], [1, undefined]);
  receiver.react(() => 200);
});

test('a subscription to inboxes reveals nothing hidden from its owner', async () => {
  const ana = await rights.person([MAKES_HOOKS, limited('domain')]);
  const bob: Person = await rights.person();
  const both = await twoDomains(ana);
  const inbox = { category: 'Users', type: 'ActivityFeed', config: { receivers: [bob.name] } };
  await subscribeAs(ana, '/', { input: both.input, destinations: [inbox] });
  await updateDescription(service, both.hidden, 'hidden');
  await updateDescription(service, both.seen, 'seen');
  await waitForNotifications(service);
  const { data } = ok(await bob.get('/v1/notifications?limit=100'));
  const names = data.map(({ entityRef }: { entityRef: { name: string } }) => entityRef.name);
  assert.equal([...new Set(names)], [`${both.name}_seen`]);
});

test('subscriptions from before rights deliver with the rights of their owners and last editor', async () => {
  const ana = await rights.person([MAKES_HOOKS, limited('domain')]);
  const both = await twoDomains(ana);
  const [path, all] = [pathOf(), pathOf()];
  const own = await subscribeAs(ana, path, { input: both.input });
  const admins = await subscribeAs(service.admin, all, { input: both.input });
  // Schema steps run before any delivery: nothing may read the subscriptions in between and keep what it read.
  for (const one of [own, admins]) await passed(one);
  const { readFileSync } = await import('node:fs');
  const step = readFileSync(
    new URL('../../cypher/schema/100_subscription_delivers_as.cypher', import.meta.url),
    'utf8',
  );
  const read = async (): Promise<unknown> =>
    service.graph.query(
      'MATCH (n:EventSubscription) WHERE n.id IN $ids RETURN n.id AS id, n.deliversAs AS told ORDER BY id',
      {
        ids: [own.id, admins.id],
      },
    );
  const before = await read();
  await service.graph.query('MATCH (n:EventSubscription) WHERE n.id IN $ids REMOVE n.deliversAs', {
    ids: [own.id, admins.id],
  });
  await service.graph.query(step);
  await service.graph.query(step);
  assert.equal(await read(), before);
  assert.equal(await arrived(both, own, path, 'one'), ['one seen']);
});

test.run();
