import type { Engine } from '../catalog/engine.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { type ReadSubscriptions, type Subscription, stateOf } from '../events/book.ts';
import type { LookAround } from '../events/matching.ts';
import type { NumberedEvent } from '../events/tail.ts';
import { deliversAsOf } from '../model/delivers-as.ts';
import { destinationsOf } from '../model/destination-values.ts';
import type { Wishes } from '../model/event-filter.ts';
import { isArray, isObject, type JsonObject, member } from '../model/json.ts';
import { singlePartFqn } from '../model/name.ts';
import { filtersOf, isDelivered, resourcesOf } from '../model/subscription-values.ts';
import { readBots, readMemberships } from './queries.ts';

const KIND = 'eventsubscription';

const subscriptionOf = (engine: Engine, record: Snapshot): Subscription => {
  const values = engine.secrets.open(record.values as JsonObject);
  return {
    id: record.id,
    name: record.name,
    state: stateOf(record),
    updatedAt: record.updatedAt,
    isActive: isDelivered(values),
    retries: values['retries'] as number,
    batchSize: values['batchSize'] as number,
    resources: resourcesOf(values),
    filters: filtersOf(values),
    destinations: destinationsOf(values),
    deliversAs: deliversAsOf(values),
  };
};

/** The subscriptions of the catalog, as those who deliver want to know them. */
export const createSubscriptionReader =
  (engine: Engine): ReadSubscriptions =>
  async (ids) => {
    const records = await engine.store.records(kindNamed(engine.registry, KIND), ids, NO_FIELDS);
    return records.map((record) => subscriptionOf(engine, record));
  };

const numbered = <T extends object>(rows: readonly T[]): (T & { at: number })[] =>
  rows.map((row, at) => ({ ...row, at }));

/** Which of the people who did something are bots. */
const findBots = async (engine: Engine, events: readonly NumberedEvent[]): Promise<ReadonlySet<string>> => {
  const names = [...new Set(events.map(({ userName }) => userName))];
  const rows = numbered(names.map((name) => ({ fqn: singlePartFqn(name) })));
  const found = await engine.graph.read(readBots, { rows });
  return new Set(found.map(({ at }) => names[at] ?? ''));
};

const ownerIds = (event: NumberedEvent): readonly string[] => {
  const entity = member(event.value(), 'entity');
  const owners = isObject(entity) ? member(entity, 'owners') : undefined;
  return isArray(owners) ? owners.filter(isObject).map((owner) => String(owner['id'])) : [];
};

const named = (name: string) => ({ name, teamFqn: singlePartFqn(name), userFqn: singlePartFqn(name.toLowerCase()) });

/** By which of the names owners are known through membership, by their ids. */
const findNames = async (
  engine: Engine,
  ids: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (ids.length === 0 || names.length === 0) return new Map();
  const wanted = names.map(named);
  const rows = numbered(ids.map((ownerId) => ({ ownerId, names: wanted })));
  const found = await engine.graph.read(readMemberships, { rows });
  return new Map(found.map((row) => [ids[row.at] ?? '', row.names]));
};

/** Finds out what filters want to know beside events, for many events at once. */
export const createLookAround =
  (engine: Engine): LookAround =>
  async (events, { wantsBot, ownerNames }: Wishes) => {
    const owners = ownerNames.length > 0 ? events.map(ownerIds) : [];
    const [bots, names] = await Promise.all([
      wantsBot ? findBots(engine, events) : new Set<string>(),
      findNames(engine, [...new Set(owners.flat())], ownerNames),
    ]);
    return events.map(({ userName }, at) => ({
      isBot: bots.has(userName),
      ownersByTeam: new Set((owners[at] ?? []).flatMap((id) => names.get(id) ?? [])),
    }));
  };
