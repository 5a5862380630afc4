import { setTimeout as sleep } from 'node:timers/promises';
import { listeningTimeLeft, readListener, type StreamListener } from '../access/listener.ts';
import type { Principal } from '../access/principal.ts';
import { badRequest } from '../errors.ts';
import { closeEvent, type ServerEvent, type ServerEventSource } from '../http/event-stream.ts';
import { type EventVisibilityOf, filterVisible, redactEventsFor } from './event-visibility.ts';
import { createListFilterTest, type EventListFilter } from './filter-query.ts';
import type { EventHead } from './queries.ts';
import type { EventTail } from './tail.ts';

type ChannelPage = { readonly events: readonly ServerEvent[]; readonly upTo: number; readonly isMore: boolean };

/** A source of events for a stream, in the order of their numbers. */
export type StreamChannel = {
  /** The last number that was published, and the first that can still be read. */
  head(): Promise<EventHead>;
  /**
   * Reads some events for a principal after a number, the number up to which these are complete, and whether there is
   * more.
   */
  after(seq: number, principal: Principal): Promise<ChannelPage>;
  /**
   * Waits until there may be events after a number, until the timeout, or until the signal; returns whether there may
   * be any.
   */
  wait(seq: number, principal: Principal, ms: number, signal: AbortSignal): Promise<boolean>;
};

/** Where a stream starts, and whether the listener has missed events that are no longer stored. */
export type StreamStart = { readonly seq: number; readonly isReset: boolean };

/** The last number that the listener has received; undefined when it starts fresh. */
export const parseLastEventId = (header: string | undefined, parameter: string | null): number | undefined => {
  const text = header?.trim() || parameter;
  if (!text) return undefined;
  const seq = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(seq)) throw badRequest('[lastEventId must be a whole number]');
  return seq;
};

/** A listener with an unknown number, or with one so old that later events are gone, starts at the newest event. */
export const findStreamStart = async (channel: StreamChannel, lastId: number | undefined): Promise<StreamStart> => {
  const { last, first } = await channel.head();
  if (lastId === undefined) return { seq: last, isReset: false };
  const isKnown = lastId >= first - 1 && lastId <= last;
  return { seq: isKnown ? lastId : last, isReset: !isKnown };
};

/** How often an idle stream checks that its listener is still authorized. */
const AUTHORIZATION_CHECK_MS = 5000;

/** The delay before the next read when events were announced but are not visible yet. */
const PAUSE_MS = 100;

const resetEvent = (seq: number): ServerEvent => ({
  event: 'reset',
  id: String(seq),
  data: { reason: 'What happened in between is not kept any more' },
});

/** Streams a channel to a listener, each event once and in order, while the listener is authorized. */
export const streamChannel = (
  channel: StreamChannel,
  start: StreamStart,
  listener: StreamListener,
  clock: () => number,
): ServerEventSource =>
  async function* (signal) {
    const leftMs = () => listeningTimeLeft(listener, clock);
    let seq = start.seq;
    let mayBeMore = true;
    let isAnnounced = false;
    if (start.isReset) yield resetEvent(seq);
    while (!signal.aborted) {
      const state = await readListener(listener, clock);
      if ('reason' in state) return yield closeEvent(state.reason);
      const { principal } = state;
      if (!mayBeMore) {
        isAnnounced = await channel.wait(seq, principal, Math.min(AUTHORIZATION_CHECK_MS, leftMs()), signal);
        mayBeMore = isAnnounced;
        continue;
      }
      const { events, upTo, isMore } = await channel.after(seq, principal);
      for (const event of events) {
        // A slow listener may have lost its authorization in the meantime.
        if (leftMs() <= 0) break;
        yield event;
      }
      if (isAnnounced && upTo === seq) await sleep(PAUSE_MS, undefined, { ref: false });
      seq = upTo;
      mayBeMore = isMore;
    }
  };

/** How many events are read for one listener at once. */
const CHANNEL_PAGE_SIZE = 100;

/** A channel of all events that match a filter and that the listener may see. */
export const createEventChannel = (
  tail: EventTail,
  filter: EventListFilter,
  visibilityOf: EventVisibilityOf,
): StreamChannel => {
  const matches = createListFilterTest(filter);
  return {
    head: tail.head,
    after: async (seq, principal) => {
      const rows = await tail.after(seq, CHANNEL_PAGE_SIZE);
      const visibility = visibilityOf(principal);
      const seen = await redactEventsFor(await filterVisible(rows.filter(matches), visibility.records), visibility);
      const events = seen.map(({ eventType, seq: number, json }) => ({ event: eventType, id: String(number), json }));
      return { events, upTo: rows.at(-1)?.seq ?? seq, isMore: rows.length === CHANNEL_PAGE_SIZE };
    },
    wait: (seq, _principal, ms, signal) => tail.waitAfter(seq, ms, signal),
  };
};
