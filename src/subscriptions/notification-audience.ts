import type { DeliveryVisibilityOf } from '../events/delivery-visibility.ts';
import { filterVisible } from '../events/event-visibility.ts';
import { createMatchTest, type ReadEventContexts, selectEvents } from '../events/match-events.ts';
import type { Subscription, SubscriptionCache } from '../events/subscription-cache.ts';
import type { NumberedEvent } from '../events/tail.ts';
import { createEventMatcher, type EventMatcher } from '../model/language/event-filter.ts';
import type { Destination } from '../model/schemas/events/destination.ts';
import { EMPTY_AUDIENCE, type NotificationAudience } from '../model/schemas/events/notification-audience.ts';

const inboxDestinations = ({ destinations }: Subscription): readonly Destination[] =>
  destinations.filter(({ enabled, type }) => enabled && type === 'ActivityFeed');

const addDestination = (audience: NotificationAudience, { category, config }: Destination): NotificationAudience => {
  if (category === 'Followers')
    return { ...audience, relations: [...new Set([...audience.relations, 'follower' as const])] };
  if (category === 'Owners') return { ...audience, relations: [...new Set([...audience.relations, 'owner' as const])] };
  if (category === 'Admins') return { ...audience, includesAdmins: true };
  const names = (config?.receivers ?? []).map((name) => name.toLowerCase());
  return { ...audience, userNames: [...new Set([...audience.userNames, ...names])] };
};

/** Parsing filters costs more than matching them, and a subscription keeps its object until it changes. */
const matcherCache = new WeakMap<Subscription, EventMatcher>();

const cachedMatcher = (subscription: Subscription): EventMatcher => {
  const known = matcherCache.get(subscription) ?? createEventMatcher(subscription.resources, subscription.filters);
  matcherCache.set(subscription, known);
  return known;
};

/**
 * Finds for each event number the audience that subscriptions with inbox destinations select, if they may deliver the
 * event.
 */
export const createSubscriptionAudiences =
  (readSubscriptionCache: SubscriptionCache, readEventContexts: ReadEventContexts, visibility: DeliveryVisibilityOf) =>
  async (events: readonly NumberedEvent[]): Promise<ReadonlyMap<number, NotificationAudience>> => {
    const audiences = new Map<number, NotificationAudience>();
    for (const subscription of await readSubscriptionCache()) {
      const inboxes = inboxDestinations(subscription);
      if (inboxes.length === 0) continue;
      const test = await createMatchTest(cachedMatcher(subscription), events, readEventContexts);
      const { selected: matched } = await selectEvents(events, test);
      if (matched.length === 0) continue;
      const { records } = await visibility(subscription);
      for (const event of await filterVisible(matched, records)) {
        audiences.set(event.seq, inboxes.reduce(addDestination, audiences.get(event.seq) ?? EMPTY_AUDIENCE));
      }
    }
    return audiences;
  };
