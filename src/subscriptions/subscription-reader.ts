import type { Engine } from '../catalog/engine.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import type { ReadEventContexts } from '../events/match-events.ts';
import { type Subscription, type SubscriptionsById, subscriptionStateKey } from '../events/subscription-cache.ts';
import type { NumberedEvent } from '../events/tail.ts';
import { withPositions } from '../graph/statement.ts';
import { isArray, isObject, type JsonObject, member } from '../model/json.ts';
import type { ContextNeeds } from '../model/language/event-filter.ts';
import type { FlowWish } from '../model/language/flow-wish.ts';
import { singlePartFqn } from '../model/name.ts';
import { deliveryPrincipalsOf } from '../model/schemas/events/delivers-as.ts';
import { destinationsOf } from '../model/schemas/events/destination.ts';
import {
  filtersOfSubscription,
  isDeliveredSubscription,
  resourcesOfSubscription,
} from '../model/schemas/events/subscription.ts';
import { findBotUsers, findMembershipNamesOfOwners } from './queries.ts';

const SUBSCRIPTION_KIND = 'eventsubscription';

/** Finds for each event number the flows of labels, out of those wanted, that the event brought about. */
export type NewFlowReader = (
  events: readonly NumberedEvent[],
  flows: readonly FlowWish[],
) => Promise<ReadonlyMap<number, ReadonlySet<string>>>;

const NO_FLOWS: ReadonlySet<string> = new Set();

const toSubscription = (engine: Engine, record: Snapshot): Subscription => {
  const values = engine.secrets.open(record.values as JsonObject);
  return {
    id: record.id,
    name: record.name,
    stateKey: subscriptionStateKey(record),
    updatedAt: record.updatedAt,
    isActive: isDeliveredSubscription(values),
    retries: values['retries'] as number,
    batchSize: values['batchSize'] as number,
    pollIntervalMs: Number(values['pollInterval']) * 1000,
    resources: resourcesOfSubscription(values),
    filters: filtersOfSubscription(values),
    destinations: destinationsOf(values),
    deliversAs: deliveryPrincipalsOf(values),
  };
};

/** Reads subscriptions of the catalog in the form that deliveries need. */
export const createSubscriptionReader =
  (engine: Engine): SubscriptionsById =>
  async (ids) => {
    const records = await engine.store.records(requireKind(engine.registry, SUBSCRIPTION_KIND), ids, NO_FIELDS);
    return records.map((record) => toSubscription(engine, record));
  };

/** Finds the users of these events that are bots. */
const findBots = async (engine: Engine, events: readonly NumberedEvent[]): Promise<ReadonlySet<string>> => {
  const names = [...new Set(events.map(({ userName }) => userName))];
  const rows = withPositions(names.map((name) => ({ fqn: singlePartFqn(name) })));
  const found = await engine.graph.read(findBotUsers, { rows });
  return new Set(found.map(({ at }) => names[at] ?? ''));
};

const ownerIdsOfEvent = (event: NumberedEvent): readonly string[] => {
  const entity = member(event.value(), 'entity');
  const owners = isObject(entity) ? member(entity, 'owners') : undefined;
  return isArray(owners) ? owners.filter(isObject).map((owner) => String(owner['id'])) : [];
};

const lookUpNames = (name: string) => ({
  name,
  teamFqn: singlePartFqn(name),
  userFqn: singlePartFqn(name.toLowerCase()),
});

/** Finds for each owner id which of the given names the owner has through membership. */
const findMembershipNames = async (
  engine: Engine,
  ids: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (ids.length === 0 || names.length === 0) return new Map();
  const wanted = names.map(lookUpNames);
  const rows = withPositions(ids.map((ownerId) => ({ ownerId, names: wanted })));
  const found = await engine.graph.read(findMembershipNamesOfOwners, { rows });
  return new Map(found.map((row) => [ids[row.at] ?? '', row.names]));
};

/** Reads the data that filters need in addition to the events, for many events at once. */
export const createEventContextReader =
  (engine: Engine, findNewFlows: NewFlowReader): ReadEventContexts =>
  async (events, { needsIsBot, teamOwnerNames, flows }: ContextNeeds) => {
    const owners = teamOwnerNames.length > 0 ? events.map(ownerIdsOfEvent) : [];
    const [bots, names, newFlows] = await Promise.all([
      needsIsBot ? findBots(engine, events) : new Set<string>(),
      findMembershipNames(engine, [...new Set(owners.flat())], teamOwnerNames),
      findNewFlows(events, flows),
    ]);
    return events.map(({ userName, seq }, at) => ({
      isBot: bots.has(userName),
      ownerNamesByTeam: new Set((owners[at] ?? []).flatMap((id) => names.get(id) ?? [])),
      newFlows: newFlows.get(seq) ?? NO_FLOWS,
    }));
  };
