import { randomUUID } from 'node:crypto';
import type { Engine } from '../catalog/engine.ts';
import { idAddress, nameAddress, requiredJson } from '../catalog/read/answer.ts';
import { permit } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { type Address, keyOf } from '../catalog/read/store.ts';
import { kindNamed } from '../catalog/registry.ts';
import { recordNotFound } from '../errors.ts';
import type { Caller } from '../events/call.ts';
import { countFailures, listFailures, readProgress, sendTo } from '../events/deliveries.ts';
import { type DeliveryVisibility, intersectVisibility } from '../events/delivery-visibility.ts';
import type { Dispatcher } from '../events/dispatcher.ts';
import { type DestinationStatus, renderFailure } from '../events/progress.ts';
import type { Eyes, EyesOf } from '../events/seen.ts';
import type { Tail } from '../events/tail.ts';
import { AFTER, limitParameter, wholeNumber } from '../http/query.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { decodeCursor, encodeCursor } from '../model/cursor.ts';
import { deliversAsOf } from '../model/delivers-as.ts';
import { settleDestinations } from '../model/destination-secrets.ts';
import {
  checkDestinations,
  type Destination,
  Destinations,
  destinationsOf,
  endpointsOf,
  isWebhook,
  SubscriptionStatus,
  showDestinations,
} from '../model/destination-values.ts';
import { FILTER_NAMES } from '../model/event-filter.ts';
import { ChangeEvent } from '../model/event-values.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { RECORD_TYPES } from '../model/record-type.ts';
import { maskSecrets } from '../model/secret-texts.ts';
import { ALERT_TYPES, mayFilter } from '../model/subscription-values.ts';
import { isUuid } from '../model/uuid.ts';
import { check, dropNulls } from '../model/validate.ts';
import { Flag, Integer, listOf, must, shape, Text, Timestamp, Uuid } from '../model/values.ts';

export type SubscriptionRoutesDeps = {
  readonly engine: Engine;
  readonly tail: Tail;
  readonly caller: Caller;
  readonly dispatcher: Pick<Dispatcher, 'goTo'>;
  readonly eyesOf: EyesOf;
  readonly visibility: DeliveryVisibility;
};

const RESOURCE = 'eventsubscription';
const BASE = '/v1/events/subscriptions';
const TAG = 'Event subscriptions';

const Resources = shape('SubscriptionResourceList', {
  data: must(
    listOf(shape('SubscriptionResourceDescriptor', { name: must(Text), supportedFilters: must(listOf(Text)) })),
  ),
  paging: must(shape('SubscriptionResourcePaging', { total: must(Integer) })),
});
const Diagnosis = shape('EventSubscriptionDiagnosticInfo', {
  latestOffset: must(Integer),
  currentOffset: must(Integer),
  startingOffset: must(Integer),
  hasProcessedAllEvents: must(Flag),
  successfulEventsCount: must(Integer),
  failedEventsCount: must(Integer),
  totalUnprocessedEventsCount: must(Integer),
});
const Offset = shape('EventSubscriptionOffset', {
  startingOffset: must(Integer),
  currentOffset: must(Integer),
  timestamp: must(Timestamp),
});
const TestRequest = shape('TestEventSubscriptionRequest', { destinations: must(Destinations) });
const FailedEvents = shape('FailedEventList', {
  data: must(
    listOf(
      shape('FailedEvent', {
        failingSubscriptionId: must(Uuid),
        changeEvent: ChangeEvent,
        reason: must(Text),
        retriesLeft: must(Integer),
        timestamp: must(Timestamp),
      }),
    ),
  ),
  paging: must(shape('FailedEventPaging', { after: Text, total: must(Integer) })),
});

/** The subscription a path names, if the caller may do that with it. */
const find = async (engine: Engine, call: Call, address: Address, operation: string): Promise<Snapshot> => {
  const kind = kindNamed(engine.registry, RESOURCE);
  const isKnown = 'fqn' in address || isUuid(address.id);
  const record = isKnown ? await engine.store.record(kind, address, NO_FIELDS) : undefined;
  if (!record) throw recordNotFound(RESOURCE, keyOf(address));
  await permit(engine, call.principal, [operation], record);
  return record;
};

const SUPPORTED = ['all', ...RECORD_TYPES].map((name) => ({ name, supportedFilters: FILTER_NAMES }));

const resources = (alertType: string): Answer => {
  const data = mayFilter(alertType) ? SUPPORTED : [];
  return { status: 200, json: { data, paging: { total: data.length } } };
};

/** How calls of one destination went, as the record shows it. */
const status = async ({ engine }: SubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const record = await find(engine, call, idAddress(call), 'ViewBasic');
  const id = (call.params['destinationId'] ?? '').toLowerCase();
  const shown = showDestinations(record.values['destinations'] ?? [], record) as readonly JsonObject[];
  const destination = shown.find((one) => one['id'] === id);
  if (!destination) throw recordNotFound('destination', id);
  return { status: 200, json: destination['statusDetails'] };
};

/** What of a subscription's deliveries a caller may see: what it may deliver now, as far as the caller may see that. */
const eyesFor = async (
  { eyesOf, visibility }: SubscriptionRoutesDeps,
  call: Call,
  { values }: Snapshot,
): Promise<Eyes> =>
  intersectVisibility([eyesOf(call.principal), await visibility({ deliversAs: deliversAsOf(values) })]);

const diagnose = async (deps: SubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const { engine, tail } = deps;
  const record = await find(engine, call, idAddress(call), 'ViewBasic');
  const { id } = record;
  const eyes = await eyesFor(deps, call, record);
  const [head, progress] = await Promise.all([tail.head(), readProgress(engine.graph, id)]);
  const { seq = head.last, startSeq = head.last, succeeded = 0, failed = 0 } = progress ?? {};
  return {
    status: 200,
    json: {
      latestOffset: head.last,
      currentOffset: seq,
      startingOffset: startSeq,
      hasProcessedAllEvents: seq >= head.last,
      successfulEventsCount: succeeded,
      failedEventsCount: eyes.sight === 'everything' ? failed : await countFailures(engine.graph, id, eyes),
      totalUnprocessedEventsCount: Math.max(0, head.last - seq),
    },
  };
};

const syncOffset = async ({ engine, tail, dispatcher }: SubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const kind = kindNamed(engine.registry, RESOURCE);
  const { id } = await find(engine, call, nameAddress(kind, call.params['fqn'] ?? ''), 'EditAll');
  const { last } = await tail.head();
  await sendTo(engine.graph, id, last);
  dispatcher.goTo(id, last);
  return { status: 200, json: { startingOffset: last, currentOffset: last, timestamp: engine.clock() } };
};

/** An event that tells of nothing but itself. */
const sampleEvent = (call: Call, now: number): JsonObject => {
  const id = randomUUID();
  return {
    id: randomUUID(),
    eventType: 'entityUpdated',
    entityType: RESOURCE,
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

const tested = async ({ engine, caller }: SubscriptionRoutesDeps, destination: Destination, json: string) => {
  const result = isWebhook(destination)
    ? await caller.call(destination, json, new AbortController().signal)
    : ({ isOk: true, statusCode: 200 } as const);
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

/** Calls destinations that need not be stored, and answers how that went. */
const testDestinations = async (deps: SubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const { engine } = deps;
  const body = dropNulls((await requiredJson(call)) as Json);
  const given = check(TestRequest, body) as JsonObject;
  engine.authorize(call.principal, ['EditAll'], { resource: RESOURCE });
  const values: JsonObject = { destinations: settleDestinations(given['destinations'] ?? [], undefined) };
  checkDestinations(values);
  for (const address of endpointsOf(values)) await engine.mayCall(address);
  const json = JSON.stringify(sampleEvent(call, engine.clock()));
  const statuses = await Promise.all(destinationsOf(values).map((destination) => tested(deps, destination, json)));
  const beside = { statuses: Object.fromEntries(statuses) };
  const shown = showDestinations(maskSecrets(values['destinations'] ?? []), { values, beside });
  return { status: 200, json: shown };
};

const MAX_FAILED = 1000;
const DEFAULT_FAILED = 15;

const failedEvents = async (deps: SubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const { engine } = deps;
  const limit = wholeNumber(call.query, 'limit', DEFAULT_FAILED, 1, MAX_FAILED);
  const cursor = call.query.get('after');
  const after = cursor ? decodeCursor(cursor) : undefined;
  const record = await find(engine, call, idAddress(call), 'ViewBasic');
  const eyes = await eyesFor(deps, call, record);
  const { rows, next, total } = await listFailures(engine.graph, record.id, { after, limit, eyes });
  const paging = { ...(next === undefined ? {} : { after: encodeCursor(next) }), total };
  return { status: 200, json: { data: rows.map(renderFailure), paging } };
};

const viewing = { tag: TAG, access: { operation: 'ViewBasic', resource: RESOURCE } } as const;
const editing = { tag: TAG, access: { operation: 'EditAll', resource: RESOURCE } } as const;

/** What can be done with subscriptions beside keeping them. */
export const subscriptionRoutes = (deps: SubscriptionRoutesDeps): Route[] => [
  ...ALERT_TYPES.map(
    (alertType): Route => ({
      ...viewing,
      method: 'GET',
      path: `${BASE}/${alertType}/resources`,
      summary: `List what alerts of the type ${alertType} can be about, and their filters`,
      responses: { 200: Resources },
      handle: async (call) => {
        deps.engine.authorize(call.principal, ['ViewBasic'], { resource: RESOURCE });
        return resources(alertType);
      },
    }),
  ),
  {
    ...viewing,
    method: 'GET',
    path: `${BASE}/{id}/status/{destinationId}`,
    summary: 'Read how calls of one destination went',
    responses: { 200: SubscriptionStatus },
    handle: (call) => status(deps, call),
  },
  {
    ...viewing,
    method: 'GET',
    path: `${BASE}/id/{id}/diagnosticInfo`,
    summary: 'Read how far a subscription has come',
    responses: { 200: Diagnosis },
    handle: (call) => diagnose(deps, call),
  },
  {
    ...viewing,
    method: 'GET',
    path: `${BASE}/id/{id}/failedEvents`,
    summary: 'List what could not be delivered to a subscription, newest first',
    query: [limitParameter('failed events', 1, MAX_FAILED, DEFAULT_FAILED), AFTER],
    responses: { 200: FailedEvents },
    handle: (call) => failedEvents(deps, call),
  },
  {
    ...editing,
    method: 'PUT',
    path: `${BASE}/name/{fqn}/syncOffset`,
    summary: 'Let a subscription go on from now, whatever it has missed',
    responses: { 200: Offset },
    handle: (call) => syncOffset(deps, call),
  },
  {
    ...editing,
    method: 'POST',
    path: `${BASE}/testDestination`,
    summary: 'Send a test event to destinations',
    body: { schema: TestRequest, mediaTypes: ['application/json'] },
    responses: { 200: Destinations },
    handle: (call) => testDestinations(deps, call),
  },
];
