import { sortKeyOf } from '../model/cursor.ts';

/** An event that waits for its number. */
export type UnnumberedEvent = {
  readonly id: string;
  readonly entityId: string;
  /** Which of its record's states it tells of: later events of one record have greater ones. */
  readonly revision: number;
  readonly timestamp: number;
};

/** An event with its number, and its place among all in the order of time. */
export type EventNumber = { readonly id: string; readonly seq: number; readonly place: string };

const compareByTime = (a: UnnumberedEvent, b: UnnumberedEvent): number =>
  a.timestamp - b.timestamp || a.revision - b.revision || (a.id < b.id ? -1 : 1);

const compareByRevision = (a: UnnumberedEvent, b: UnnumberedEvent): number =>
  a.revision - b.revision || compareByTime(a, b);

/**
 * Events in the order in which they are numbered: by time, and those of one record by its states whatever their clocks
 * said. The events of a record share out the places that time has given them.
 */
const sortForNumbering = (events: readonly UnnumberedEvent[]): UnnumberedEvent[] => {
  const queues = new Map<string, UnnumberedEvent[]>();
  for (const event of [...events].sort(compareByRevision)) {
    const queue = queues.get(event.entityId);
    if (queue) queue.push(event);
    else queues.set(event.entityId, [event]);
  }
  const taken = new Map<string, number>();
  return [...events].sort(compareByTime).map((slot) => {
    const index = taken.get(slot.entityId) ?? 0;
    taken.set(slot.entityId, index + 1);
    return queues.get(slot.entityId)?.[index] ?? slot;
  });
};

/** The digits of the greatest whole number there is. */
const PLACE_DIGITS = 16;

/** Where a moment begins in the order of time: before every event of it. */
export const timePlace = (timestamp: number): string => String(timestamp).padStart(PLACE_DIGITS, '0');

/** The place of an event in the order of time; events of one moment lie in the order of their numbers. */
export const eventPlace = (timestamp: number, seq: number): string =>
  sortKeyOf(timePlace(timestamp), String(seq).padStart(PLACE_DIGITS, '0'));

/** The number of the event at a place. */
export const seqOfPlace = (place: string): number => Number(place.slice(PLACE_DIGITS + 1));

/** Gives events the numbers after `last`. */
export const assignNumbers = (events: readonly UnnumberedEvent[], last: number): EventNumber[] =>
  sortForNumbering(events).map(({ id, timestamp }, index) => {
    const seq = last + index + 1;
    return { id, seq, place: eventPlace(timestamp, seq) };
  });
