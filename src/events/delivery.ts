import { setTimeout as sleep } from 'node:timers/promises';
import { attemptDelivery, retryDelayMs } from './attempt-delivery.ts';
import type { DeliveryProgress, DeliveryRetry, FailedDelivery } from './delivery-progress.ts';
import {
  changeProgress,
  createDeliveryState,
  type DeliveryDeps,
  type DeliveryState,
  isDeliveryAborted,
  isDeliveryOver,
  isEventPassed,
  replaceSubscription,
} from './delivery-state.ts';
import { redactEventText } from './delivery-visibility.ts';
import { createMatchTest } from './match-events.ts';
import type { Subscription } from './subscription-cache.ts';
import type { NumberedEvent } from './tail.ts';

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

/**
 * Caps the wait for a retry at its delay. It can only be longer when the clock was set back; the delay then starts
 * again.
 */
const capRetryTime = (state: DeliveryState, retry: DeliveryRetry): DeliveryRetry => {
  const latest = state.deps.clock() + retryDelayMs(state, retry.attempts);
  if (retry.at <= latest) return retry;
  const earlier = { ...retry, at: latest };
  changeProgress(state, { retry: earlier });
  return earlier;
};

/** Delivers one event, however long that takes. Returns whether the event is processed. */
const deliverEvent = async (state: DeliveryState, event: NumberedEvent): Promise<boolean> => {
  const { deps, waiting } = state;
  const failedBefore = state.failedForGood;
  const known = state.progress.retry;
  let retry: DeliveryRetry | undefined =
    known?.seq === event.seq ? known : { seq: event.seq, attempts: 0, at: 0, done: [] };
  while (retry) {
    retry = capRetryTime(state, retry);
    const waitMs = retry.at - deps.clock();
    if (waitMs > 0) await waiting.pause(Math.min(waitMs, MAX_WAIT_MS));
    if (isDeliveryOver(state) || isEventPassed(state, event)) return false;
    // A change of the subscription may have moved the retry forward.
    if (state.progress.retry?.seq === event.seq) retry = state.progress.retry;
    if (retry.at > deps.clock()) continue;
    if (!deps.isHeld()) {
      // The lease may be lost, or its renewal is only late.
      await waiting.pause(RETRY_PAUSE_MS);
      return false;
    }
    // Rights may have changed since the last attempt, so each attempt redacts the event again.
    const json = await redactEventText(event, await deps.visibility(state.subscription));
    if (isDeliveryAborted(state) || isEventPassed(state, event)) return false;
    if (json === undefined) {
      changeProgress(state, { retry: undefined });
      return true;
    }
    retry = await attemptDelivery(state, event, json, retry);
    if (isDeliveryAborted(state) || isEventPassed(state, event)) return false;
    changeProgress(state, { retry });
  }
  const { failed, succeeded } = state.progress;
  changeProgress(state, state.failedForGood > failedBefore ? { failed: failed + 1 } : { succeeded: succeeded + 1 });
  return true;
};

/** Rereads the subscription after an event about it, which may have changed or ended it. */
const followOwnSubscription = async (state: DeliveryState, event: NumberedEvent): Promise<void> => {
  if (event.entityId !== state.subscription.id) return;
  const now = await state.deps.reread(state.subscription.id);
  if (!now?.isActive) state.ending.abort();
  else if (now.stateKey !== state.subscription.stateKey) replaceSubscription(state, now);
};

const deliverAll = async (state: DeliveryState, events: readonly NumberedEvent[]): Promise<void> => {
  const before = state.subscription;
  const isMatching = await createMatchTest(state.matcher, events, state.deps.readEventContexts);
  for (const event of events) {
    if (isEventPassed(state, event)) continue;
    await followOwnSubscription(state, event);
    // The filters changed, so the remaining events must be matched again.
    if (isDeliveryOver(state) || state.subscription !== before) return;
    if (isMatching(event) && !(await deliverEvent(state, event))) return;
    changeProgress(state, { seq: event.seq, retry: undefined });
  }
};

const deliverNextBatch = async (state: DeliveryState): Promise<void> => {
  const { tail } = state.deps;
  const events = await tail.after(state.progress.seq, Math.max(state.subscription.batchSize, MIN_BATCH_SIZE));
  if (events.length > 0) await deliverAll(state, events);
  else await tail.waitAfter(state.progress.seq, MAX_WAIT_MS, state.ending.signal);
};

const runDelivery = async (state: DeliveryState): Promise<void> => {
  while (!isDeliveryOver(state)) {
    try {
      await deliverNextBatch(state);
    } catch (failure) {
      state.deps.log.warn('events could not be delivered', { subscription: state.subscription.name }, failure);
      await sleep(RETRY_PAUSE_MS, undefined, { signal: state.ending.signal, ref: false }).catch(() => {});
    }
  }
};

/** Starts to deliver from the given progress. */
export const startDelivery = (
  deps: DeliveryDeps,
  first: Subscription,
  from: DeliveryProgress,
): SubscriptionDelivery => {
  const state = createDeliveryState(deps, first, from);
  const running = runDelivery(state);
  return {
    id: first.id,
    isOver: () => isDeliveryOver(state),
    subscription: () => state.subscription,
    update: (next) => replaceSubscription(state, next),
    goTo: (seq) => {
      if (seq <= state.progress.seq) return;
      changeProgress(state, { seq, retry: undefined });
      state.waiting.wake();
    },
    stop: async () => {
      state.ending.abort();
      state.waiting.wake();
      await running;
    },
    abort: async () => {
      state.aborting.abort();
      state.ending.abort();
      state.waiting.wake();
      await running;
    },
    progress: () => state.progress,
    changeCount: () => state.changeCount,
    failures: () => [...state.failures],
    markFailuresStored: (count) => {
      state.failures = state.failures.slice(count);
    },
  };
};
