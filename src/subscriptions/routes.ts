import { randomUUID } from 'node:crypto';
import type { Engine } from '../catalog/engine.ts';
import { idAddress, nameAddress, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { type Address, addressKey } from '../catalog/read/store.ts';
import { requireKind } from '../catalog/registry.ts';
import { recordNotFound } from '../errors.ts';
import { type DestinationStatus, renderFailedDelivery } from '../events/delivery-progress.ts';
import { type DeliveryVisibilityOf, intersectVisibilities } from '../events/delivery-visibility.ts';
import {
  type DeliveryTarget,
  type DestinationSender,
  type SentEvent,
  toTargets,
} from '../events/destination-sender.ts';
import type { DeliveryDispatcher } from '../events/dispatcher.ts';
import type { EventVisibility, EventVisibilityOf } from '../events/event-visibility.ts';
import {
  countFailedDeliveries,
  listFailedDeliveries,
  moveDeliveryTo,
  readDeliveryProgress,
} from '../events/failed-deliveries.ts';
import type { EventTail } from '../events/tail.ts';
import { mapConcurrently } from '../graph/map-concurrently.ts';
import { AFTER_PARAMETER, integerParameter, limitParameter } from '../http/query-parameters.ts';
import { createRateLimit, type RateLimit } from '../http/rate-limit.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { decodeCursor, encodeCursor } from '../model/cursor.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { listRecordTypes } from '../model/kind/record-type.ts';
import { EVENT_FILTER_NAMES } from '../model/language/event-filter.ts';
import { ChangeEventSchema } from '../model/schemas/events/change-event.ts';
import { deliveryPrincipalsOf } from '../model/schemas/events/delivers-as.ts';
import {
  checkDestinations,
  type Destination,
  Destinations,
  destinationsOf,
  endpointsOfSubscription,
  isCalledDestination,
  isMailedToPeople,
  SubscriptionStatus,
  showDestinations,
} from '../model/schemas/events/destination.ts';
import { normaliseDestinations } from '../model/schemas/events/destination-redaction.ts';
import { ALERT_TYPES, canHaveFilters, isDeliveredSubscription } from '../model/schemas/events/subscription.ts';
import { maskSecrets } from '../model/secret-masking.ts';
import { isUuid } from '../model/uuid.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { Flag, Integer, listOf, must, shape, Text, Timestamp, Uuid } from '../model/values.ts';

export type SubscriptionRoutesDeps = {
  readonly engine: Engine;
  readonly tail: EventTail;
  readonly sender: DestinationSender;
  readonly dispatcher: Pick<DeliveryDispatcher, 'goTo'>;
  readonly visibilityOf: EventVisibilityOf;
  readonly deliveryVisibilityOf: DeliveryVisibilityOf;
};

const SUBSCRIPTION_RESOURCE = 'eventsubscription';
const BASE = '/v1/events/subscriptions';
const TAG = 'Event subscriptions';

const SubscriptionResourceList = shape('SubscriptionResourceList', {
  data: must(
    listOf(shape('SubscriptionResourceDescriptor', { name: must(Text), supportedFilters: must(listOf(Text)) })),
  ),
  paging: must(shape('SubscriptionResourcePaging', { total: must(Integer) })),
});
const SubscriptionDiagnostics = shape('EventSubscriptionDiagnosticInfo', {
  latestOffset: must(Integer),
  currentOffset: must(Integer),
  startingOffset: must(Integer),
  hasProcessedAllEvents: must(Flag),
  successfulEventsCount: must(Integer),
  failedEventsCount: must(Integer),
  totalUnprocessedEventsCount: must(Integer),
});
const SubscriptionOffset = shape('EventSubscriptionOffset', {
  startingOffset: must(Integer),
  currentOffset: must(Integer),
  timestamp: must(Timestamp),
});
const TestRequest = shape('TestEventSubscriptionRequest', { destinations: must(Destinations) });
const FailedEventList = shape('FailedEventList', {
  data: must(
    listOf(
      shape('FailedEvent', {
        failingSubscriptionId: must(Uuid),
        changeEvent: ChangeEventSchema,
        reason: must(Text),
        retriesLeft: must(Integer),
        timestamp: must(Timestamp),
      }),
    ),
  ),
  paging: must(shape('FailedEventPaging', { after: Text, total: must(Integer) })),
});

/** Finds the subscription of the path, if the caller may run this operation on it. */
const findSubscription = async (engine: Engine, call: Call, address: Address, operation: string): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, SUBSCRIPTION_RESOURCE);
  const isKnown = 'fqn' in address || isUuid(address.id);
  const record = isKnown ? await engine.store.record(kind, address, NO_FIELDS) : undefined;
  if (!record) throw recordNotFound(SUBSCRIPTION_RESOURCE, addressKey(address));
  await authorizeRecord(engine, call.principal, [operation], record);
  return record;
};

const supportedResources = () =>
  ['all', ...listRecordTypes()].map((name) => ({ name, supportedFilters: EVENT_FILTER_NAMES }));

const answerResources = (alertType: string): Answer => {
  const data = canHaveFilters(alertType) ? supportedResources() : [];
  return { status: 200, json: { data, paging: { total: data.length } } };
};

/** Answers the status of one destination as it is stored. */
const answerDestinationStatus = async ({ engine }: SubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const record = await findSubscription(engine, call, idAddress(call), 'ViewBasic');
  const id = (call.params['destinationId'] ?? '').toLowerCase();
  const shown = showDestinations(record.values['destinations'] ?? [], record) as readonly JsonObject[];
  const destination = shown.find((one) => one['id'] === id);
  if (!destination) throw recordNotFound('destination', id);
  return { status: 200, json: destination['statusDetails'] };
};

/** The visibility of a subscription's deliveries: what both the subscription and the caller may see now. */
const visibilityForCaller = async (
  { visibilityOf, deliveryVisibilityOf }: SubscriptionRoutesDeps,
  call: Call,
  { values }: Snapshot,
): Promise<EventVisibility> =>
  intersectVisibilities([
    visibilityOf(call.principal),
    await deliveryVisibilityOf({ deliversAs: deliveryPrincipalsOf(values) }),
  ]);

const answerDiagnostics = async (deps: SubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const { engine, tail } = deps;
  const record = await findSubscription(engine, call, idAddress(call), 'ViewBasic');
  const { id } = record;
  const visibility = await visibilityForCaller(deps, call, record);
  const [head, progress] = await Promise.all([tail.head(), readDeliveryProgress(engine.graph, id)]);
  // Right after it was enabled, no process has taken the subscription yet, and everything is still to be handled.
  const start = isDeliveredSubscription(record.values) ? Math.max(0, head.first - 1) : head.last;
  const { seq = start, startSeq = start, succeeded = 0, failed = 0 } = progress ?? {};
  return {
    status: 200,
    json: {
      latestOffset: head.last,
      currentOffset: seq,
      startingOffset: startSeq,
      hasProcessedAllEvents: seq >= head.last,
      successfulEventsCount: succeeded,
      failedEventsCount:
        visibility.records === 'everything' ? failed : await countFailedDeliveries(engine.graph, id, visibility),
      totalUnprocessedEventsCount: Math.max(0, head.last - seq),
    },
  };
};

const syncOffset = async ({ engine, tail, dispatcher }: SubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const kind = requireKind(engine.registry, SUBSCRIPTION_RESOURCE);
  const { id } = await findSubscription(engine, call, nameAddress(kind, call.params['fqn'] ?? ''), 'EditAll');
  const { last } = await tail.head();
  await moveDeliveryTo(engine.graph, id, last);
  dispatcher.goTo(id, last);
  return { status: 200, json: { startingOffset: last, currentOffset: last, timestamp: engine.clock() } };
};

const TEST_SUBSCRIPTION_NAME = 'test';
const MAX_CONCURRENT_TESTS = 10;

/** An event for tests that mentions no real record. */
const sampleEvent = (call: Call, now: number): JsonObject => {
  const id = randomUUID();
  return {
    id: randomUUID(),
    eventType: 'entityUpdated',
    entityType: SUBSCRIPTION_RESOURCE,
    entityId: id,
    entityFullyQualifiedName: 'test',
    domains: [],
    previousVersion: 0.1,
    currentVersion: 0.2,
    userName: call.principal.name,
    timestamp: now,
    entity: { id, name: 'test', fullyQualifiedName: 'test', description: 'A test of this destination.' },
  };
};

/** Chooses where a test goes: the test of mail to people goes to the caller alone. */
const targetsOfTest = (destination: Destination, call: Call, sent: SentEvent): readonly DeliveryTarget[] => {
  if (!isCalledDestination(destination)) return [];
  if (!isMailedToPeople(destination)) return toTargets(destination, [sent]);
  return [{ key: destination.id, destination, events: [sent], emailTo: call.principal.email }];
};

const testDestination = async (
  { engine, sender }: SubscriptionRoutesDeps,
  call: Call,
  destination: Destination,
  event: JsonObject,
) => {
  const sent = { seq: 0, id: String(event['id']), entityId: String(event['entityId']), json: JSON.stringify(event) };
  const targets = targetsOfTest(destination, call, sent);
  const results = await mapConcurrently(targets, MAX_CONCURRENT_TESTS, (target) =>
    sender.send(target, TEST_SUBSCRIPTION_NAME, new AbortController().signal),
  );
  const result = results.find(({ isOk }) => !isOk) ?? ({ isOk: true } as const);
  const timestamp = engine.clock();
  const outcome: DestinationStatus = result.isOk
    ? { status: 'active', lastSuccessfulAt: timestamp, timestamp }
    : {
        status: 'failed',
        lastFailedAt: timestamp,
        ...(result.statusCode === undefined ? {} : { lastFailedStatusCode: result.statusCode }),
        lastFailedReason: result.reason,
        timestamp,
      };
  return [destination.id, outcome as unknown as Json] as const;
};

/** How many destinations one person may have called for a test. */
const TEST_RATE = { most: 60, spanMs: 60_000, what: 'tests of destinations' } as const;

/** Calls destinations, stored or not, and answers the results. */
const testDestinations = async (deps: SubscriptionRoutesDeps, rate: RateLimit, call: Call): Promise<Answer> => {
  const { engine } = deps;
  const body = dropNulls((await readRequiredJson(call)) as Json);
  const given = validate(TestRequest, body) as JsonObject;
  engine.authorize(call.principal, ['EditAll'], { resource: SUBSCRIPTION_RESOURCE });
  const values: JsonObject = { destinations: normaliseDestinations(given['destinations'] ?? [], undefined) };
  checkDestinations(values);
  for (const address of endpointsOfSubscription(values)) await engine.checkCallable(address);
  rate.take(call.principal.name, destinationsOf(values).length);
  const event = sampleEvent(call, engine.clock());
  const statuses = await Promise.all(
    destinationsOf(values).map((destination) => testDestination(deps, call, destination, event)),
  );
  const computed = { statuses: Object.fromEntries(statuses) };
  const shown = showDestinations(maskSecrets(values['destinations'] ?? []), { values, computed });
  return { status: 200, json: shown };
};

const MAX_FAILED_EVENTS = 1000;
const DEFAULT_FAILED_EVENTS = 15;

const answerFailedEvents = async (deps: SubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const { engine } = deps;
  const limit = integerParameter(call.query, 'limit', DEFAULT_FAILED_EVENTS, 1, MAX_FAILED_EVENTS);
  const cursor = call.query.get('after');
  const after = cursor ? decodeCursor(cursor) : undefined;
  const record = await findSubscription(engine, call, idAddress(call), 'ViewBasic');
  const visibility = await visibilityForCaller(deps, call, record);
  const { rows, next, total } = await listFailedDeliveries(engine.graph, record.id, { after, limit, eyes: visibility });
  const paging = { ...(next === undefined ? {} : { after: encodeCursor(next) }), total };
  return { status: 200, json: { data: rows.map(renderFailedDelivery), paging } };
};

const VIEW_ROUTE = { tag: TAG, access: { operation: 'ViewBasic', resource: SUBSCRIPTION_RESOURCE } } as const;
const EDIT_ROUTE = { tag: TAG, access: { operation: 'EditAll', resource: SUBSCRIPTION_RESOURCE } } as const;

/** The routes for subscriptions beyond create, read, update and delete. */
export const subscriptionRoutes = (
  deps: SubscriptionRoutesDeps,
  testRate = createRateLimit({ ...TEST_RATE, clock: deps.engine.clock }),
): Route[] => [
  ...ALERT_TYPES.map(
    (alertType): Route => ({
      ...VIEW_ROUTE,
      method: 'GET',
      path: `${BASE}/${alertType}/resources`,
      summary: `List the resources and filters of ${alertType} alerts`,
      responses: { 200: SubscriptionResourceList },
      handle: async (call) => {
        deps.engine.authorize(call.principal, ['ViewBasic'], { resource: SUBSCRIPTION_RESOURCE });
        return answerResources(alertType);
      },
    }),
  ),
  {
    ...VIEW_ROUTE,
    method: 'GET',
    path: `${BASE}/{id}/status/{destinationId}`,
    summary: 'Get the delivery status of a destination',
    responses: { 200: SubscriptionStatus },
    handle: (call) => answerDestinationStatus(deps, call),
  },
  {
    ...VIEW_ROUTE,
    method: 'GET',
    path: `${BASE}/id/{id}/diagnosticInfo`,
    summary: 'Get the position of a subscription in the event log',
    responses: { 200: SubscriptionDiagnostics },
    handle: (call) => answerDiagnostics(deps, call),
  },
  {
    ...VIEW_ROUTE,
    method: 'GET',
    path: `${BASE}/id/{id}/failedEvents`,
    summary: 'List events that could not be delivered to a subscription, newest first',
    query: [limitParameter('failed events', 1, MAX_FAILED_EVENTS, DEFAULT_FAILED_EVENTS), AFTER_PARAMETER],
    responses: { 200: FailedEventList },
    handle: (call) => answerFailedEvents(deps, call),
  },
  {
    ...EDIT_ROUTE,
    method: 'PUT',
    path: `${BASE}/name/{fqn}/syncOffset`,
    summary: 'Advance a subscription to the latest event, skipping undelivered ones',
    responses: { 200: SubscriptionOffset },
    handle: (call) => syncOffset(deps, call),
  },
  {
    ...EDIT_ROUTE,
    method: 'POST',
    path: `${BASE}/testDestination`,
    summary: 'Send a test event to destinations',
    body: { schema: TestRequest, mediaTypes: ['application/json'] },
    responses: { 200: Destinations },
    fails: [429],
    handle: (call) => testDestinations(deps, testRate, call),
  },
];
