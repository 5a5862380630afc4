import { setTimeout as sleep } from 'node:timers/promises';
import { createPause } from '../graph/pause.ts';
import type { Log } from '../http/log.ts';
import { type Destination, isWebhook } from '../model/destination-values.ts';
import { createMatcher, type Matcher } from '../model/event-filter.ts';
import type { Subscription } from './book.ts';
import type { Caller, CallResult } from './call.ts';
import { type DeliveryVisibility, visibleText } from './delivery-visibility.ts';
import { type LookAround, matching } from './matching.ts';
import type { DestinationStatus, Failure, Progress, Retry } from './progress.ts';
import type { NumberedEvent, Tail } from './tail.ts';

export type DeliveryDeps = {
  readonly tail: Tail;
  readonly caller: Caller;
  readonly lookAround: LookAround;
  readonly visibility: DeliveryVisibility;
  /** The subscription as it is now; undefined when it is gone. */
  readonly reread: (id: string) => Promise<Subscription | undefined>;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: () => number;
  /** How long it waits before it tries again, after the first, second, … failure. */
  readonly retryMs: readonly number[];
  /** Whether nobody else can be delivering it yet. */
  readonly isHeld: () => boolean;
};

/** Brings the events that a subscription is about to its destinations, one after the other. */
export type Delivery = {
  readonly id: string;
  /** Whether nothing is delivered any more: stopped, lost, or the subscription has ended. */
  readonly isOver: () => boolean;
  readonly subscription: () => Subscription;
  /** Goes on with the subscription as it is now. */
  update(subscription: Subscription): void;
  /** Goes on after a number, if it is not there yet. */
  goTo(seq: number): void;
  /** Ends it when the calls under way are over. */
  stop(): Promise<void>;
  /** Ends it at once: whatever is under way counts for nothing. */
  lose(): Promise<void>;
  readonly progress: () => Progress;
  /** Steps with every change of the progress. */
  readonly changes: () => number;
  /** What failed for good and was not kept yet. */
  readonly failures: () => readonly Failure[];
  /** Says that this many of the failures are kept. */
  kept(count: number): void;
};

const LEAST_BATCH = 100;
const IDLE_MS = 30_000;
const AGAIN_MS = 1000;
const succeeded = (now: number, before: DestinationStatus | undefined): DestinationStatus => {
  const { nextAttempt: _, ...known } = before ?? { status: 'active', timestamp: now };
  return { ...known, status: 'active', lastSuccessfulAt: now, timestamp: now };
};

type Failed = CallResult & { readonly isOk: false };

const failedOnce = (
  now: number,
  before: DestinationStatus | undefined,
  { statusCode, reason }: Failed,
  outlook: { readonly status: DestinationStatus['status']; readonly nextAttempt?: number },
): DestinationStatus => ({
  ...(before?.lastSuccessfulAt === undefined ? {} : { lastSuccessfulAt: before.lastSuccessfulAt }),
  ...outlook,
  lastFailedAt: now,
  ...(statusCode === undefined ? {} : { lastFailedStatusCode: statusCode }),
  lastFailedReason: reason,
  timestamp: now,
});

/** Begins to deliver where the progress says. */
export const startDelivery = (deps: DeliveryDeps, first: Subscription, from: Progress): Delivery => {
  const { tail, caller, log, clock } = deps;
  const ending = new AbortController();
  const losing = new AbortController();
  const { wake, pause } = createPause();
  let subscription = first;
  let matcher: Matcher = createMatcher(first.resources, first.filters);
  let progress = from;
  let changes = 0;
  let failures: Failure[] = [];
  /** How often something failed for good, and how often destinations changed, as long as this goes on. */
  let failedForGood = 0;
  let moves = 0;

  const isOver = () => ending.signal.aborted;
  const isLost = () => losing.signal.aborted;

  const change = (more: Partial<Progress>): void => {
    progress = { ...progress, ...more };
    changes += 1;
  };

  const update = (next: Subscription): void => {
    const isMoved = JSON.stringify(next.destinations) !== JSON.stringify(subscription.destinations);
    subscription = next;
    matcher = createMatcher(next.resources, next.filters);
    if (isMoved) moves += 1;
    // Somebody put something right, as it seems: that is tried at once.
    if (isMoved && progress.retry) change({ retry: { ...progress.retry, at: 0 } });
    const ids = new Set(next.destinations.map(({ id }) => id));
    change({ statuses: Object.fromEntries(Object.entries(progress.statuses).filter(([id]) => ids.has(id))) });
    wake();
  };

  /** The destinations that are called; what goes into inboxes is put there by those who keep them. */
  const called = (): readonly Destination[] =>
    subscription.destinations.filter((destination) => destination.enabled && isWebhook(destination));

  const retries = (): number => Math.min(subscription.retries, deps.retryMs.length);

  /** Notes how one destination took an event; answers whether it is done with it. */
  const settle = (event: NumberedEvent, { id }: Destination, result: CallResult, attempts: number): boolean => {
    const now = clock();
    const before = progress.statuses[id];
    const note = (status: DestinationStatus) => change({ statuses: { ...progress.statuses, [id]: status } });
    if (result.isOk) {
      note(succeeded(now, before));
      return true;
    }
    if (attempts <= retries()) {
      const nextAttempt = now + (deps.retryMs[attempts - 1] ?? 0);
      note(failedOnce(now, before, result, { status: 'awaitingRetry', nextAttempt }));
      return false;
    }
    note(failedOnce(now, before, result, { status: retries() > 0 ? 'retryLimitReached' : 'failed' }));
    const { seq, id: eventId } = event;
    const { reason, statusCode } = result;
    const what = { subscriptionId: subscription.id, destinationId: id, seq, eventId, timestamp: now, reason };
    failedForGood += 1;
    failures.push(statusCode === undefined ? what : { ...what, statusCode });
    return true;
  };

  /** Tries the destinations that are not done yet; answers what is still to be tried, or nothing. */
  const attempt = async (event: NumberedEvent, json: string, retry: Retry): Promise<Retry | undefined> => {
    const movesBefore = moves;
    const open = called().filter(({ id }) => !retry.done.includes(id));
    const results = await Promise.all(
      open.map(async (destination) => ({
        destination,
        result: await caller.call(destination, json, losing.signal),
      })),
    );
    if (isLost()) return retry;
    const attempts = retry.attempts + 1;
    const done = results.flatMap(({ destination, result }) =>
      settle(event, destination, result, attempts) ? [destination.id] : [],
    );
    if (done.length === open.length) return undefined;
    return {
      seq: event.seq,
      attempts,
      // Where to call was changed while it was called: the new place is not made to wait for the faults of the old.
      at: moves === movesBefore ? clock() + (deps.retryMs[attempts - 1] ?? 0) : 0,
      done: [...retry.done, ...done],
    };
  };

  /** A retry never lies further ahead than its pause, unless the clock was set back: then its pause begins anew. */
  const atTheLatest = (retry: Retry): Retry => {
    const latest = clock() + (deps.retryMs[retry.attempts - 1] ?? 0);
    if (retry.at <= latest) return retry;
    const earlier = { ...retry, at: latest };
    change({ retry: earlier });
    return earlier;
  };

  const isPassed = (event: NumberedEvent): boolean => progress.seq >= event.seq;

  /** Delivers one event, however long that takes. Answers whether it is dealt with. */
  const deliver = async (event: NumberedEvent): Promise<boolean> => {
    const failedBefore = failedForGood;
    const known = progress.retry;
    let retry: Retry | undefined = known?.seq === event.seq ? known : { seq: event.seq, attempts: 0, at: 0, done: [] };
    while (retry) {
      retry = atTheLatest(retry);
      const waitMs = retry.at - clock();
      if (waitMs > 0) await pause(Math.min(waitMs, IDLE_MS));
      if (isOver() || isPassed(event)) return false;
      // Whoever changed the subscription meanwhile may have wished for it sooner.
      if (progress.retry?.seq === event.seq) retry = progress.retry;
      if (retry.at > clock()) continue;
      if (!deps.isHeld()) {
        // It is about to be dropped, unless the word that it is still there is only late.
        await pause(AGAIN_MS);
        return false;
      }
      // Rights may have changed since the last attempt: what is hidden by now is left out.
      const json = await visibleText(event, await deps.visibility(subscription));
      if (isLost() || isPassed(event)) return false;
      if (json === undefined) {
        change({ retry: undefined });
        return true;
      }
      retry = await attempt(event, json, retry);
      if (isLost() || isPassed(event)) return false;
      change({ retry });
    }
    const isFailed = failedForGood > failedBefore;
    change(isFailed ? { failed: progress.failed + 1 } : { succeeded: progress.succeeded + 1 });
    return true;
  };

  /** An event of the subscription itself may say that it ends, or goes on otherwise. */
  const heed = async (event: NumberedEvent): Promise<void> => {
    if (event.entityId !== subscription.id) return;
    const now = await deps.reread(subscription.id);
    if (!now?.isActive) ending.abort();
    else if (now.state !== subscription.state) update(now);
  };

  const deliverAll = async (events: readonly NumberedEvent[]): Promise<void> => {
    const before = subscription;
    const isMatching = await matching(matcher, events, deps.lookAround);
    for (const event of events) {
      if (isPassed(event)) continue;
      await heed(event);
      // With other filters the rest is looked at anew.
      if (isOver() || subscription !== before) return;
      if (isMatching(event) && !(await deliver(event))) return;
      change({ seq: event.seq, retry: undefined });
    }
  };

  const turn = async (): Promise<void> => {
    const events = await tail.after(progress.seq, Math.max(subscription.batchSize, LEAST_BATCH));
    if (events.length > 0) await deliverAll(events);
    else await tail.waitAfter(progress.seq, IDLE_MS, ending.signal);
  };

  const run = async (): Promise<void> => {
    while (!isOver()) {
      try {
        await turn();
      } catch (failure) {
        log.warn('events could not be delivered', { subscription: subscription.name }, failure);
        await sleep(AGAIN_MS, undefined, { signal: ending.signal, ref: false }).catch(() => {});
      }
    }
  };

  const running = run();

  return {
    id: first.id,
    isOver,
    subscription: () => subscription,
    update,
    goTo: (seq) => {
      if (seq <= progress.seq) return;
      change({ seq, retry: undefined });
      wake();
    },
    stop: async () => {
      ending.abort();
      wake();
      await running;
    },
    lose: async () => {
      losing.abort();
      ending.abort();
      wake();
      await running;
    },
    progress: () => progress,
    changes: () => changes,
    failures: () => [...failures],
    kept: (count) => {
      failures = failures.slice(count);
    },
  };
};
