import { setTimeout as sleep } from 'node:timers/promises';
import { createWakeablePause } from '../graph/wakeable-pause.ts';
import type { Log } from '../http/log.ts';
import { createEventMatcher, type EventMatcher } from '../model/language/event-filter.ts';
import { type Destination, isWebhook } from '../model/schemas/events/destination.ts';
import type { DeliveryProgress, DeliveryRetry, DestinationStatus, FailedDelivery } from './delivery-progress.ts';
import { type DeliveryVisibilityOf, redactEventText } from './delivery-visibility.ts';
import { createMatchTest, type ReadEventContexts } from './match-events.ts';
import type { Subscription } from './subscription-cache.ts';
import type { EventTail, NumberedEvent } from './tail.ts';
import type { WebhookCaller, WebhookResult } from './webhook-caller.ts';

export type DeliveryDeps = {
  readonly tail: EventTail;
  readonly caller: WebhookCaller;
  readonly readEventContexts: ReadEventContexts;
  readonly visibility: DeliveryVisibilityOf;
  /** Reads the current subscription; undefined when it was removed. */
  readonly reread: (id: string) => Promise<Subscription | undefined>;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: () => number;
  /** The delays before the retries after the first, second, … failure. */
  readonly retryMs: readonly number[];
  /** Whether no other process can be delivering to the subscription yet. */
  readonly isHeld: () => boolean;
};

/** Delivers the matching events to the destinations of one subscription, one event after another. */
export type SubscriptionDelivery = {
  readonly id: string;
  /** Whether the delivery has ended: it was stopped, its lease was lost, or the subscription has ended. */
  readonly isOver: () => boolean;
  readonly subscription: () => Subscription;
  /** Continues with the current subscription. */
  update(subscription: Subscription): void;
  /** Continues after this event number unless the delivery is already past it. */
  goTo(seq: number): void;
  /** Ends the delivery after the calls in progress. */
  stop(): Promise<void>;
  /** Ends the delivery at once and ignores the calls in progress. */
  abort(): Promise<void>;
  readonly progress: () => DeliveryProgress;
  /** Grows with every change of the progress. */
  readonly changeCount: () => number;
  /** The deliveries that failed for good and are not stored yet. */
  readonly failures: () => readonly FailedDelivery[];
  /** Marks the first `count` failures as stored. */
  markFailuresStored(count: number): void;
};

const MIN_BATCH_SIZE = 100;
const MAX_WAIT_MS = 30_000;
const RETRY_PAUSE_MS = 1000;
const successStatus = (now: number, before: DestinationStatus | undefined): DestinationStatus => {
  const { nextAttempt: _, ...known } = before ?? { status: 'active', timestamp: now };
  return { ...known, status: 'active', lastSuccessfulAt: now, timestamp: now };
};

type FailedWebhookResult = WebhookResult & { readonly isOk: false };

const failureStatus = (
  now: number,
  before: DestinationStatus | undefined,
  { statusCode, reason }: FailedWebhookResult,
  outlook: { readonly status: DestinationStatus['status']; readonly nextAttempt?: number },
): DestinationStatus => ({
  ...(before?.lastSuccessfulAt === undefined ? {} : { lastSuccessfulAt: before.lastSuccessfulAt }),
  ...outlook,
  lastFailedAt: now,
  ...(statusCode === undefined ? {} : { lastFailedStatusCode: statusCode }),
  lastFailedReason: reason,
  timestamp: now,
});

/** Starts to deliver from the given progress. */
export const startDelivery = (
  deps: DeliveryDeps,
  first: Subscription,
  from: DeliveryProgress,
): SubscriptionDelivery => {
  const { tail, caller, log, clock } = deps;
  const ending = new AbortController();
  const aborting = new AbortController();
  const { wake, pause } = createWakeablePause();
  let subscription = first;
  let matcher: EventMatcher = createEventMatcher(first.resources, first.filters);
  let progress = from;
  let changes = 0;
  let failures: FailedDelivery[] = [];
  /** How many deliveries failed for good and how often the destinations changed, since the start. */
  let failedForGood = 0;
  let destinationChanges = 0;

  const isOver = () => ending.signal.aborted;
  const isAborted = () => aborting.signal.aborted;

  const change = (more: Partial<DeliveryProgress>): void => {
    progress = { ...progress, ...more };
    changes += 1;
  };

  const update = (next: Subscription): void => {
    const haveDestinationsChanged = JSON.stringify(next.destinations) !== JSON.stringify(subscription.destinations);
    subscription = next;
    matcher = createEventMatcher(next.resources, next.filters);
    if (haveDestinationsChanged) destinationChanges += 1;
    // The changed destinations may have fixed the failure, so the retry runs at once.
    if (haveDestinationsChanged && progress.retry) change({ retry: { ...progress.retry, at: 0 } });
    const ids = new Set(next.destinations.map(({ id }) => id));
    change({ statuses: Object.fromEntries(Object.entries(progress.statuses).filter(([id]) => ids.has(id))) });
    wake();
  };

  /** The webhook destinations. The notification writer serves the inboxes. */
  const calledDestinations = (): readonly Destination[] =>
    subscription.destinations.filter((destination) => destination.enabled && isWebhook(destination));

  const retries = (): number => Math.min(subscription.retries, deps.retryMs.length);

  /** Records the result of one destination; returns whether the destination is done with the event. */
  const recordResult = (
    event: NumberedEvent,
    { id }: Destination,
    result: WebhookResult,
    attempts: number,
  ): boolean => {
    const now = clock();
    const before = progress.statuses[id];
    const note = (status: DestinationStatus) => change({ statuses: { ...progress.statuses, [id]: status } });
    if (result.isOk) {
      note(successStatus(now, before));
      return true;
    }
    if (attempts <= retries()) {
      const nextAttempt = now + (deps.retryMs[attempts - 1] ?? 0);
      note(failureStatus(now, before, result, { status: 'awaitingRetry', nextAttempt }));
      return false;
    }
    note(failureStatus(now, before, result, { status: retries() > 0 ? 'retryLimitReached' : 'failed' }));
    const { seq, id: eventId } = event;
    const { reason, statusCode } = result;
    const what = { subscriptionId: subscription.id, destinationId: id, seq, eventId, timestamp: now, reason };
    failedForGood += 1;
    failures.push(statusCode === undefined ? what : { ...what, statusCode });
    return true;
  };

  /** Calls the destinations that are not done yet; returns what remains to retry, or undefined. */
  const attempt = async (
    event: NumberedEvent,
    json: string,
    retry: DeliveryRetry,
  ): Promise<DeliveryRetry | undefined> => {
    const destinationChangesBefore = destinationChanges;
    const open = calledDestinations().filter(({ id }) => !retry.done.includes(id));
    const results = await Promise.all(
      open.map(async (destination) => ({
        destination,
        result: await caller.call(destination, json, aborting.signal),
      })),
    );
    if (isAborted()) return retry;
    const attempts = retry.attempts + 1;
    const done = results.flatMap(({ destination, result }) =>
      recordResult(event, destination, result, attempts) ? [destination.id] : [],
    );
    if (done.length === open.length) return undefined;
    return {
      seq: event.seq,
      attempts,
      // The destination changed during the call, so the new address need not wait for the failure of the old one.
      at: destinationChanges === destinationChangesBefore ? clock() + (deps.retryMs[attempts - 1] ?? 0) : 0,
      done: [...retry.done, ...done],
    };
  };

  /**
   * Caps the wait for a retry at its delay. It can only be longer when the clock was set back; the delay then starts
   * again.
   */
  const capRetryTime = (retry: DeliveryRetry): DeliveryRetry => {
    const latest = clock() + (deps.retryMs[retry.attempts - 1] ?? 0);
    if (retry.at <= latest) return retry;
    const earlier = { ...retry, at: latest };
    change({ retry: earlier });
    return earlier;
  };

  const isPassed = (event: NumberedEvent): boolean => progress.seq >= event.seq;

  /** Delivers one event, however long that takes. Returns whether the event is processed. */
  const deliver = async (event: NumberedEvent): Promise<boolean> => {
    const failedBefore = failedForGood;
    const known = progress.retry;
    let retry: DeliveryRetry | undefined =
      known?.seq === event.seq ? known : { seq: event.seq, attempts: 0, at: 0, done: [] };
    while (retry) {
      retry = capRetryTime(retry);
      const waitMs = retry.at - clock();
      if (waitMs > 0) await pause(Math.min(waitMs, MAX_WAIT_MS));
      if (isOver() || isPassed(event)) return false;
      // A change of the subscription may have moved the retry forward.
      if (progress.retry?.seq === event.seq) retry = progress.retry;
      if (retry.at > clock()) continue;
      if (!deps.isHeld()) {
        // The lease may be lost, or its renewal is only late.
        await pause(RETRY_PAUSE_MS);
        return false;
      }
      // Rights may have changed since the last attempt, so each attempt redacts the event again.
      const json = await redactEventText(event, await deps.visibility(subscription));
      if (isAborted() || isPassed(event)) return false;
      if (json === undefined) {
        change({ retry: undefined });
        return true;
      }
      retry = await attempt(event, json, retry);
      if (isAborted() || isPassed(event)) return false;
      change({ retry });
    }
    const isFailed = failedForGood > failedBefore;
    change(isFailed ? { failed: progress.failed + 1 } : { succeeded: progress.succeeded + 1 });
    return true;
  };

  /** Rereads the subscription after an event about it, which may have changed or ended it. */
  const followOwnSubscription = async (event: NumberedEvent): Promise<void> => {
    if (event.entityId !== subscription.id) return;
    const now = await deps.reread(subscription.id);
    if (!now?.isActive) ending.abort();
    else if (now.stateKey !== subscription.stateKey) update(now);
  };

  const deliverAll = async (events: readonly NumberedEvent[]): Promise<void> => {
    const before = subscription;
    const isMatching = await createMatchTest(matcher, events, deps.readEventContexts);
    for (const event of events) {
      if (isPassed(event)) continue;
      await followOwnSubscription(event);
      // The filters changed, so the remaining events must be matched again.
      if (isOver() || subscription !== before) return;
      if (isMatching(event) && !(await deliver(event))) return;
      change({ seq: event.seq, retry: undefined });
    }
  };

  const deliverNextBatch = async (): Promise<void> => {
    const events = await tail.after(progress.seq, Math.max(subscription.batchSize, MIN_BATCH_SIZE));
    if (events.length > 0) await deliverAll(events);
    else await tail.waitAfter(progress.seq, MAX_WAIT_MS, ending.signal);
  };

  const run = async (): Promise<void> => {
    while (!isOver()) {
      try {
        await deliverNextBatch();
      } catch (failure) {
        log.warn('events could not be delivered', { subscription: subscription.name }, failure);
        await sleep(RETRY_PAUSE_MS, undefined, { signal: ending.signal, ref: false }).catch(() => {});
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
    abort: async () => {
      aborting.abort();
      ending.abort();
      wake();
      await running;
    },
    progress: () => progress,
    changeCount: () => changes,
    failures: () => [...failures],
    markFailuresStored: (count) => {
      failures = failures.slice(count);
    },
  };
};
