import type { DeliveryPrincipal } from '../model/schemas/events/delivers-as.ts';
import { type EventVisibility, filterVisible, redactEventsFor } from './event-visibility.ts';
import type { NumberedEvent } from './tail.ts';

/** Reads what all principals that a subscription delivers as may see now. */
export type DeliveryVisibilityOf = (subscription: {
  readonly deliversAs: readonly DeliveryPrincipal[];
}) => Promise<EventVisibility>;

/** The visibility of nothing, for a subscription whose delivery principal no longer exists. */
export const NO_VISIBILITY: EventVisibility = Object.freeze({
  records: async (records: readonly unknown[]) => records.map(() => false),
  filterLineage: async () => [],
  redact: async () => [],
});

/** Combines visibilities: only what all of them see is visible. */
export const intersectVisibilities = (all: readonly EventVisibility[]): EventVisibility => {
  const [first, ...others] = all;
  if (first === undefined) return NO_VISIBILITY;
  if (others.length === 0) return first;
  const limited = all.filter(({ records }) => records !== 'everything');
  if (limited.length === 0) return first;
  return {
    records: async (records) => {
      const verdicts = await Promise.all(
        limited.map(({ records: visibility }) =>
          visibility === 'everything' ? records.map(() => true) : visibility(records),
        ),
      );
      return records.map((_, at) => verdicts.every((verdict) => verdict[at] === true));
    },
    filterLineage: async (events) => {
      let texts: readonly string[] = events.map(({ json }) => json);
      for (const { filterLineage } of limited) {
        texts = await filterLineage(events.map((event, at) => ({ ...event, json: texts[at] ?? event.json })));
      }
      return texts;
    },
    redact: async (events) => {
      let left = events;
      for (const { redact } of limited) left = await redact(left);
      return left;
    },
  };
};

/** Keeps the events that these principals may see, with their texts as they may see them. */
export const redactVisibleEvents = async (
  events: readonly NumberedEvent[],
  visibility: EventVisibility,
): Promise<readonly NumberedEvent[]> => redactEventsFor(await filterVisible(events, visibility.records), visibility);
