import { setTimeout as sleep } from 'node:timers/promises';
import type { Listener } from '../access/listener.ts';
import type { Principal } from '../access/principal.ts';
import { badRequest } from '../errors.ts';
import type { EventSource, ServerEvent } from '../http/event-stream.ts';
import { type EventFilter, matcherOf } from './filter-query.ts';
import type { Head } from './queries.ts';
import { type EyesOf, onlySeen, retold } from './seen.ts';
import type { Tail } from './tail.ts';

type Stretch = { readonly events: readonly ServerEvent[]; readonly upTo: number; readonly isMore: boolean };

/** What can be listened to: news in the order of the numbers of events. */
export type Channel = {
  /** The last number that has been told of, and the first of those that still can be. */
  head(): Promise<Head>;
  /** Some of what there is for somebody after a number, up to which number that is all, and whether there is more. */
  after(seq: number, principal: Principal): Promise<Stretch>;
  /** Waits until there may be news after a number, or so long, or until the signal; answers whether there may be. */
  wait(seq: number, principal: Principal, ms: number, signal: AbortSignal): Promise<boolean>;
};

/** Where somebody begins to listen, and whether they have missed something that cannot be told any more. */
export type Start = { readonly seq: number; readonly isReset: boolean };

/** The number that a listener says it has heard of last; undefined when it begins anew. */
export const parseLastId = (header: string | undefined, parameter: string | null): number | undefined => {
  const text = header?.trim() || parameter;
  if (!text) return undefined;
  const seq = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(seq)) throw badRequest('[lastEventId must be a whole number]');
  return seq;
};

/** Whoever has heard of a number that is not known, or of one so old that what followed is gone, begins anew. */
export const startAfter = async (channel: Channel, lastId: number | undefined): Promise<Start> => {
  const { last, first } = await channel.head();
  if (lastId === undefined) return { seq: last, isReset: false };
  const isKnown = lastId >= first - 1 && lastId <= last;
  return { seq: isKnown ? lastId : last, isReset: !isKnown };
};

/** How often it is asked whether somebody may still listen, when there is nothing to tell. */
const LOOK_EVERY_MS = 5000;

/** How long it is waited when news was announced and is not to be found yet. */
const PAUSE_MS = 100;

const resetAt = (seq: number): ServerEvent => ({
  event: 'reset',
  id: String(seq),
  data: { reason: 'What happened in between is not kept any more' },
});

const closeFor = (reason: string): ServerEvent => ({ event: 'close', data: { reason } });

const EXPIRED = closeFor('The token has expired');
const WITHDRAWN = closeFor('The token is not accepted any more');

/** Tells somebody of everything in a channel, each thing once and in order, for as long as they may listen. */
export const listen = (channel: Channel, start: Start, listener: Listener, clock: () => number): EventSource =>
  async function* (signal) {
    const leftMs = () => (listener.expiresAt ?? Number.POSITIVE_INFINITY) - clock();
    let at = start.seq;
    let mayBeMore = true;
    let isAnnounced = false;
    if (start.isReset) yield resetAt(at);
    while (!signal.aborted) {
      const principal = await listener.now();
      if (leftMs() <= 0) return yield EXPIRED;
      if (!principal) return yield WITHDRAWN;
      if (!mayBeMore) {
        isAnnounced = await channel.wait(at, principal, Math.min(LOOK_EVERY_MS, leftMs()), signal);
        mayBeMore = isAnnounced;
        continue;
      }
      const { events, upTo, isMore } = await channel.after(at, principal);
      for (const event of events) {
        // Whoever takes long to listen may have lost the right to meanwhile.
        if (leftMs() <= 0) return yield EXPIRED;
        yield event;
      }
      if (isAnnounced && upTo === at) await sleep(PAUSE_MS, undefined, { ref: false });
      at = upTo;
      mayBeMore = isMore;
    }
  };

/** What is read for one listener at once. */
const AT_ONCE = 100;

/** Everything that happens, as far as a filter lets it through and the listener may see it. */
export const eventChannel = (tail: Tail, filter: EventFilter, eyesOf: EyesOf): Channel => {
  const matches = matcherOf(filter);
  return {
    head: tail.head,
    after: async (seq, principal) => {
      const rows = await tail.after(seq, AT_ONCE);
      const eyes = eyesOf(principal);
      const seen = await retold(await onlySeen(rows.filter(matches), eyes.sight), eyes);
      const events = seen.map(({ eventType, seq: number, json }) => ({ event: eventType, id: String(number), json }));
      return { events, upTo: rows.at(-1)?.seq ?? seq, isMore: rows.length === AT_ONCE };
    },
    wait: (seq, _principal, ms, signal) => tail.waitAfter(seq, ms, signal),
  };
};
