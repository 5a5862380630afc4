import type { DeliversAs } from '../model/delivers-as.ts';
import { type Eyes, onlySeen, retold } from './seen.ts';
import type { NumberedEvent } from './tail.ts';

/** What those as whom a subscription delivers may see now, all of them together. */
export type DeliveryVisibility = (subscription: { readonly deliversAs: readonly DeliversAs[] }) => Promise<Eyes>;

/** Sees no record at all: somebody as whom is delivered is not there any more. */
export const SEES_NOTHING: Eyes = Object.freeze({
  sight: async (records: readonly unknown[]) => records.map(() => false),
  retell: async () => [],
  redact: async () => [],
});

/** What several principals may all see. */
export const intersectVisibility = (all: readonly Eyes[]): Eyes => {
  const [first, ...others] = all;
  if (first === undefined) return SEES_NOTHING;
  if (others.length === 0) return first;
  const limited = all.filter(({ sight }) => sight !== 'everything');
  if (limited.length === 0) return first;
  return {
    sight: async (records) => {
      const verdicts = await Promise.all(
        limited.map(({ sight }) => (sight === 'everything' ? records.map(() => true) : sight(records))),
      );
      return records.map((_, at) => verdicts.every((verdict) => verdict[at] === true));
    },
    retell: async (events) => {
      let texts: readonly string[] = events.map(({ json }) => json);
      for (const { retell } of limited) {
        texts = await retell(events.map((event, at) => ({ ...event, json: texts[at] ?? event.json })));
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

/** The text of an event as these principals may see it; undefined when they may not see it at all. */
export const visibleText = async (event: NumberedEvent, visibility: Eyes): Promise<string | undefined> => {
  const seen = await onlySeen([event], visibility.sight);
  const [told] = await retold(seen, visibility);
  return told?.json;
};
