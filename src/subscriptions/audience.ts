import type { Book, Subscription } from '../events/book.ts';
import type { DeliveryVisibility } from '../events/delivery-visibility.ts';
import { type LookAround, matching } from '../events/matching.ts';
import { onlySeen } from '../events/seen.ts';
import type { NumberedEvent } from '../events/tail.ts';
import { type Circle, NOBODY } from '../model/circle.ts';
import type { Destination } from '../model/destination-values.ts';
import { createMatcher, type Matcher } from '../model/event-filter.ts';

const inboxesOf = ({ destinations }: Subscription): readonly Destination[] =>
  destinations.filter(({ enabled, type }) => enabled && type === 'ActivityFeed');

const widened = (circle: Circle, { category, config }: Destination): Circle => {
  if (category === 'Followers') return { ...circle, ties: [...new Set([...circle.ties, 'follower' as const])] };
  if (category === 'Owners') return { ...circle, ties: [...new Set([...circle.ties, 'owner' as const])] };
  if (category === 'Admins') return { ...circle, admins: true };
  const names = (config?.receivers ?? []).map((name) => name.toLowerCase());
  return { ...circle, names: [...new Set([...circle.names, ...names])] };
};

/** Reading filters costs more than asking them, and a subscription stays the same object until it changes. */
const matchers = new WeakMap<Subscription, Matcher>();

const matcherOf = (subscription: Subscription): Matcher => {
  const known = matchers.get(subscription) ?? createMatcher(subscription.resources, subscription.filters);
  matchers.set(subscription, known);
  return known;
};

/** Tells of events, by number, whom subscriptions with inboxes as destinations want to be told of what they may deliver. */
export const createAudience =
  (readBook: Book, lookAround: LookAround, visibility: DeliveryVisibility) =>
  async (events: readonly NumberedEvent[]): Promise<ReadonlyMap<number, Circle>> => {
    const circles = new Map<number, Circle>();
    for (const subscription of await readBook()) {
      const inboxes = inboxesOf(subscription);
      if (inboxes.length === 0) continue;
      const isMatching = await matching(matcherOf(subscription), events, lookAround);
      const matched = events.filter(isMatching);
      if (matched.length === 0) continue;
      const { sight } = await visibility(subscription);
      for (const event of await onlySeen(matched, sight)) {
        circles.set(event.seq, inboxes.reduce(widened, circles.get(event.seq) ?? NOBODY));
      }
    }
    return circles;
  };
