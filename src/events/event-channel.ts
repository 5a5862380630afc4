import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamListener } from '../access/listener.ts';
import type { Principal } from '../access/principal.ts';
import { badRequest } from '../errors.ts';
import type { ServerEvent, ServerEventSource } from '../http/event-stream.ts';
import { type EventVisibilityOf, filterVisible, redactEventsFor } from './event-visibility.ts';
import { createListFilterTest, type EventListFilter } from './filter-query.ts';
import type { EventHead } from './queries.ts';
import type { EventTail } from './tail.ts';

type ChannelPage = { readonly events: readonly ServerEvent[]; readonly upTo: number; readonly isMore: boolean };

/** What can be listened to: news in the order of the numbers of events. */
export type StreamChannel = {
  /** The last number that has been told of, and the first of those that still can be. */
  head(): Promise<EventHead>;
  /** Some of what there is for somebody after a number, up to which number that is all, and whether there is more. */
  after(seq: number, principal: Principal): Promise<ChannelPage>;
  /** Waits until there may be news after a number, or so long, or until the signal; answers whether there may be. */
  wait(seq: number, principal: Principal, ms: number, signal: AbortSignal): Promise<boolean>;
};

/** Where somebody begins to listen, and whether they have missed something that cannot be told any more. */
export type StreamStart = { readonly seq: number; readonly isReset: boolean };

/** The number that a listener says it has heard of last; undefined when it begins anew. */
export const parseLastEventId = (header: string | undefined, parameter: string | null): number | undefined => {
  const text = header?.trim() || parameter;
  if (!text) return undefined;
  const seq = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(seq)) throw badRequest('[lastEventId must be a whole number]');
  return seq;
};

/** Whoever has heard of a number that is not known, or of one so old that what followed is gone, begins anew. */
export const findStreamStart = async (channel: StreamChannel, lastId: number | undefined): Promise<StreamStart> => {
  const { last, first } = await channel.head();
  if (lastId === undefined) return { seq: last, isReset: false };
  const isKnown = lastId >= first - 1 && lastId <= last;
  return { seq: isKnown ? lastId : last, isReset: !isKnown };
};

/** How often it is asked whether somebody may still listen, when there is nothing to tell. */
const AUTHORIZATION_CHECK_MS = 5000;

/** How long it is waited when news was announced and is not to be found yet. */
const PAUSE_MS = 100;

const resetEvent = (seq: number): ServerEvent => ({
  event: 'reset',
  id: String(seq),
  data: { reason: 'What happened in between is not kept any more' },
});

const closeEvent = (reason: string): ServerEvent => ({ event: 'close', data: { reason } });

const TOKEN_EXPIRED = closeEvent('The token has expired');
const TOKEN_REVOKED = closeEvent('The token is not accepted any more');

/** Tells somebody of everything in a channel, each thing once and in order, for as long as they may listen. */
export const streamChannel = (
  channel: StreamChannel,
  start: StreamStart,
  listener: StreamListener,
  clock: () => number,
): ServerEventSource =>
  async function* (signal) {
    const leftMs = () => (listener.expiresAt ?? Number.POSITIVE_INFINITY) - clock();
    let seq = start.seq;
    let mayBeMore = true;
    let isAnnounced = false;
    if (start.isReset) yield resetEvent(seq);
    while (!signal.aborted) {
      const principal = await listener.currentPrincipal();
      if (leftMs() <= 0) return yield TOKEN_EXPIRED;
      if (!principal) return yield TOKEN_REVOKED;
      if (!mayBeMore) {
        isAnnounced = await channel.wait(seq, principal, Math.min(AUTHORIZATION_CHECK_MS, leftMs()), signal);
        mayBeMore = isAnnounced;
        continue;
      }
      const { events, upTo, isMore } = await channel.after(seq, principal);
      for (const event of events) {
        // Whoever takes long to listen may have lost the right to meanwhile.
        if (leftMs() <= 0) return yield TOKEN_EXPIRED;
        yield event;
      }
      if (isAnnounced && upTo === seq) await sleep(PAUSE_MS, undefined, { ref: false });
      seq = upTo;
      mayBeMore = isMore;
    }
  };

/** What is read for one listener at once. */
const CHANNEL_PAGE_SIZE = 100;

/** Everything that happens, as far as a filter lets it through and the listener may see it. */
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
