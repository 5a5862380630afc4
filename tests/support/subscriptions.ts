import type { JsonObject } from '../../src/model/json.ts';
import { ok } from './expect.ts';
import { waitFor } from './patience.ts';
import type { Received } from './receiver.ts';
import { openServiceAt, placeOfRun, type Service, uniqueName } from './service.ts';
import { waitForSequencing } from './wait-for-events.ts';

/** Helpers for tests of subscriptions and deliveries. */

/** Short delays that make deliveries fast in tests. */
export const FAST_DELIVERY = {
  leaseMs: 3000,
  beatMs: 100,
  flushMs: 20,
  retryMs: [60, 120, 200, 3000, 30_000],
  stopWithinMs: 2000,
} as const;

/** A process of its own on the database of this run that may call receivers on this machine. */
export const openDeliveringService = (dispatcher: Partial<typeof FAST_DELIVERY> | object = {}): Promise<Service> =>
  openServiceAt(
    { ...placeOfRun(), env: { WEBHOOK_ALLOW_PRIVATE: 'true' } },
    { events: { dispatcher: { ...FAST_DELIVERY, ...dispatcher }, tail: { pollMs: 20 } } },
  );

export const SUBSCRIPTIONS_PATH = '/v1/events/subscriptions';

export const webhookTo = (endpoint: string, config: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  category: 'External',
  type: 'Webhook',
  config: { endpoint, ...config },
  ...more,
});

/** Only what happens below one name; every suite looks at its own. */
export const filterBelow = (fqn: string): JsonObject => ({
  filters: [{ name: 'filterByFqn', arguments: [{ name: 'fqnList', input: [fqn] }] }],
});

/** A subscription as it is answered. */
export type CreatedSubscription = {
  readonly id: string;
  readonly name: string;
  readonly destinations: readonly { id: string }[];
};

export const createSubscription = async (
  service: Service,
  destinations: readonly JsonObject[],
  more: JsonObject,
): Promise<CreatedSubscription> => {
  const body = { name: uniqueName('hook'), alertType: 'Notification', destinations, ...more };
  return ok(await service.admin.post(SUBSCRIPTIONS_PATH, body), 201);
};

/** Those of other suites tell people too, and are shared out between processes. */
export const deleteSubscriptions = async ({ graph }: Service): Promise<void> => {
  await graph.query('MATCH (n:EventSubscription) DETACH DELETE n');
};

/** A domain whose changes make events, and below which others can be made. */
export const createDomain = async (service: Service, name = uniqueName('told')): Promise<string> =>
  ok(await service.admin.post('/v1/domains', { name, description: 'Told of.', domainType: 'Aggregate' }), 201).id;

export const updateDescription = async (service: Service, id: string, description: string): Promise<void> => {
  ok(await service.admin.patch(`/v1/domains/${id}`, [{ op: 'replace', path: '/description', value: description }]));
};

/** What was told, by the description that the record got. */
export const deliveredDescriptions = (calls: readonly Received[]): string[] =>
  calls.map(({ event }) => event.entity.description as string);

/** A destination that mails people: of the asset, of the subscription, or at addresses. */
export const mailTo = (category: string, ...receivers: string[]): JsonObject => ({
  category,
  type: 'Email',
  config: { receivers },
});

/** A domain, and the subscription that mails its changes once a second at most. */
export type MailedDomain = { readonly id: string; readonly subscriptionId: string; readonly name: string };

export const mailChanges = async (service: Service, ...destinations: readonly JsonObject[]): Promise<MailedDomain> => {
  const below = uniqueName('mailed');
  const id = await createDomain(service, below);
  const { id: subscriptionId, name } = await createSubscription(service, destinations, {
    input: filterBelow(below),
    pollInterval: 1,
  });
  return { id, subscriptionId, name };
};

/** Waits until a subscription is through with everything that has happened. */
export const waitForDelivery = async (service: Service, subscriptionId: string): Promise<void> => {
  const last = await waitForSequencing(service);
  const diagnose = async () => ok(await service.admin.get(`${SUBSCRIPTIONS_PATH}/id/${subscriptionId}/diagnosticInfo`));
  await waitFor(diagnose, ({ currentOffset }) => currentOffset >= last, `the subscription has come to ${last}`);
};
