import { sortKeyOf } from '../model/cursor.ts';

/** An event that has no number yet. */
export type UnnumberedEvent = {
  readonly id: string;
  readonly entityId: string;
  /** The revision of the record that the event describes; later events of one record have greater ones. */
  readonly revision: number;
  readonly timestamp: number;
};

/** An event with its number and its position in time order. */
export type EventNumber = { readonly id: string; readonly seq: number; readonly place: string };

const compareByTime = (a: UnnumberedEvent, b: UnnumberedEvent): number =>
  a.timestamp - b.timestamp || a.revision - b.revision || (a.id < b.id ? -1 : 1);

const compareByRevision = (a: UnnumberedEvent, b: UnnumberedEvent): number =>
  a.revision - b.revision || compareByTime(a, b);

/**
 * Sorts events for numbering: by time, but the events of one record by revision, whatever their clocks said. The events
 * of a record keep the set of positions that their times have given them.
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

/** The number of digits of the greatest safe integer. */
const PLACE_DIGITS = 16;

/** The position in time order before every event of this moment. */
export const timePlace = (timestamp: number): string => String(timestamp).padStart(PLACE_DIGITS, '0');

/** The position of an event in time order; events of one moment follow the order of their numbers. */
export const eventPlace = (timestamp: number, seq: number): string =>
  sortKeyOf(timePlace(timestamp), String(seq).padStart(PLACE_DIGITS, '0'));

/** The number of the event at a position. */
export const seqOfPlace = (place: string): number => Number(place.slice(PLACE_DIGITS + 1));

/** Assigns the numbers after `last` to events. */
export const assignNumbers = (events: readonly UnnumberedEvent[], last: number): EventNumber[] =>
  sortForNumbering(events).map(({ id, timestamp }, index) => {
    const seq = last + index + 1;
    return { id, seq, place: eventPlace(timestamp, seq) };
  });
