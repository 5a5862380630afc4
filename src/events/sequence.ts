import { sortKeyOf } from '../model/cursor.ts';

/** An event that waits for its number. */
export type Unsequenced = {
  readonly id: string;
  readonly entityId: string;
  /** Which of its record's states it tells of: later events of one record have greater ones. */
  readonly revision: number;
  readonly timestamp: number;
};

/** An event with its number, and its place among all in the order of time. */
export type Sequenced = { readonly id: string; readonly seq: number; readonly place: string };

const byTime = (a: Unsequenced, b: Unsequenced): number =>
  a.timestamp - b.timestamp || a.revision - b.revision || (a.id < b.id ? -1 : 1);

const byRevision = (a: Unsequenced, b: Unsequenced): number => a.revision - b.revision || byTime(a, b);

/**
 * Events in the order in which they are numbered: by time, and those of one record by its states whatever their clocks
 * said. The events of a record share out the places that time has given them.
 */
const inOrder = (events: readonly Unsequenced[]): Unsequenced[] => {
  const queues = new Map<string, Unsequenced[]>();
  for (const event of [...events].sort(byRevision)) {
    const queue = queues.get(event.entityId);
    if (queue) queue.push(event);
    else queues.set(event.entityId, [event]);
  }
  const taken = new Map<string, number>();
  return [...events].sort(byTime).map((slot) => {
    const index = taken.get(slot.entityId) ?? 0;
    taken.set(slot.entityId, index + 1);
    return queues.get(slot.entityId)?.[index] ?? slot;
  });
};

/** The digits of the greatest whole number there is. */
const DIGITS = 16;

/** Where a moment begins in the order of time: before every event of it. */
export const placeOfTime = (timestamp: number): string => String(timestamp).padStart(DIGITS, '0');

/** The place of an event in the order of time; events of one moment lie in the order of their numbers. */
export const placeOf = (timestamp: number, seq: number): string =>
  sortKeyOf(placeOfTime(timestamp), String(seq).padStart(DIGITS, '0'));

/** The number of the event at a place. */
export const seqAt = (place: string): number => Number(place.slice(DIGITS + 1));

/** Gives events the numbers after `last`. */
export const number = (events: readonly Unsequenced[], last: number): Sequenced[] =>
  inOrder(events).map(({ id, timestamp }, index) => {
    const seq = last + index + 1;
    return { id, seq, place: placeOf(timestamp, seq) };
  });
