import { encodeProperty } from '../graph/encode-property.ts';
import { withPositions } from '../graph/statement.ts';
import { chunk } from '../model/chunk.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { isDeliveredSubscription } from '../model/schemas/events/subscription.ts';
import { filterComplete, lastKnownPlace } from './event-expiry.ts';
import { type HeldDeliveries, startHeldDelivery } from './held-deliveries.ts';
import { claimDeliveries, createDeliveries, type ListedEvent, listEventsByRecord, readDeliveries } from './queries.ts';
import { seqOfPlace } from './sequence.ts';
import type { Subscription } from './subscription-cache.ts';

/** How a process takes over deliveries: it creates those of new subscriptions and claims free ones. */

const CLAIM_BATCH_SIZE = 1000;
/** The page size and the page limit of the search for the event that enabled a subscription. */
const EVENT_PAGE_SIZE = 100;
const MAX_EVENT_PAGES = 100;
/** An event that has no number after this time will not get one. */
const MAX_NUMBERING_MS = 60_000;

export const shuffle = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);

const isDeliveredAfterEvent = (json: string): boolean => {
  const { entity } = JSON.parse(json) as JsonObject;
  return isObject(entity) && isDeliveredSubscription(entity);
};

/**
 * Finds the position of the event since which the subscription has been enabled without a break; undefined when that
 * event has no number yet.
 */
const findEnabledPlace = async ({ deps }: HeldDeliveries, { id }: Subscription): Promise<string | undefined> => {
  const filter = { ids: [id], whats: null, userNames: null };
  let since: string | undefined;
  for (let page = 0, edge = ''; page < MAX_EVENT_PAGES; page += 1) {
    const found = await deps.graph.read(listEventsByRecord.page, { ...filter, edge, limit: EVENT_PAGE_SIZE });
    const events = filterComplete<ListedEvent>(found);
    for (const { json, place } of events) since = isDeliveredAfterEvent(json) ? (since ?? place) : undefined;
    if (found.length < EVENT_PAGE_SIZE) break;
    edge = lastKnownPlace(found, edge);
  }
  return since;
};

/** Finds the number of the event that enabled the subscription. Delivery begins with the next event. */
const findStartSeq = async (held: HeldDeliveries, subscription: Subscription): Promise<number | undefined> => {
  const { clock, tail } = held.deps;
  const since = await findEnabledPlace(held, subscription);
  if (since !== undefined) return seqOfPlace(since);
  const isLate = clock() - subscription.updatedAt > MAX_NUMBERING_MS;
  return isLate ? (await tail.head()).last : undefined;
};

const createMissingDeliveries = async (held: HeldDeliveries, missing: readonly Subscription[]): Promise<void> => {
  for (const subscription of missing) {
    const seq = await findStartSeq(held, subscription);
    if (seq === undefined) continue;
    const rows = [{ at: 0, subscriptionId: subscription.id, seq: encodeProperty(seq) }];
    await held.deps.graph.write((transaction) => transaction.run(createDeliveries, { rows }));
  }
};

const claim = async (held: HeldDeliveries, wanted: readonly Subscription[]): Promise<void> => {
  const { deps, options, holder } = held;
  const sentMs = performance.now();
  const rows = withPositions(
    wanted.map(({ id }) => ({ subscriptionId: id, holder, forMs: encodeProperty(options.leaseMs) })),
  );
  const claimed = await deps.graph.write((transaction) => transaction.run(claimDeliveries, { rows }));
  for (const { at, node } of claimed) {
    const subscription = wanted[at];
    if (subscription) startHeldDelivery(held, subscription, node, sentMs + options.leaseMs);
  }
};

/** Claims free subscriptions up to this process's share. */
export const claimShare = async (
  held: HeldDeliveries,
  others: readonly Subscription[],
  room: number,
): Promise<void> => {
  const rows = withPositions(others.map(({ id }) => ({ subscriptionId: id })));
  const states = new Map((await held.deps.graph.read(readDeliveries, { rows })).map((row) => [row.at, row]));
  const missing = others.filter((_, at) => !states.has(at));
  await createMissingDeliveries(held, missing);
  const free = others.filter((_, at) => states.get(at)?.isFree ?? true);
  const wanted = shuffle(free).slice(0, room);
  for (const some of chunk(wanted, CLAIM_BATCH_SIZE)) await claim(held, some);
};
