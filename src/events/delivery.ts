import { setTimeout as sleep } from 'node:timers/promises';
import { isMessageDestination } from '../model/schemas/events/destination.ts';
import { attemptDelivery, noteUndecidedEvents, retryDelayMs } from './attempt-delivery.ts';
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
import { findDeliveryTargets } from './delivery-targets.ts';
import { createMatchTest, selectEvents } from './match-events.ts';
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
/** How many events one message covers at most. */
const MAX_MESSAGE_EVENTS = 1000;
const MAX_WAIT_MS = 30_000;
const RETRY_PAUSE_MS = 1000;

/**
 * Caps the wait for a retry at its delay. It can only be longer when the clock was set back; the delay then starts
 * again.
 */
const capRetryTime = (state: DeliveryState, retry: DeliveryRetry): DeliveryRetry => {
  const latest = state.deps.clock() + retryDelayMs(state, retry.attempts, retry.askedMs);
  if (retry.at <= latest) return retry;
  const earlier = { ...retry, at: latest };
  changeProgress(state, { retry: earlier });
  return earlier;
};

/**
 * Waits until the next attempt of a retry may begin. Returns the retry, which a change of the subscription may have
 * moved forward, or undefined when the delivery must not go on with these events.
 */
const waitForAttempt = async (
  state: DeliveryState,
  last: NumberedEvent,
  first: DeliveryRetry,
): Promise<DeliveryRetry | undefined> => {
  const { deps, waiting } = state;
  for (let retry = first; ; ) {
    retry = capRetryTime(state, retry);
    const waitMs = retry.at - deps.clock();
    if (waitMs > 0) await waiting.pause(Math.min(waitMs, MAX_WAIT_MS));
    if (isDeliveryOver(state) || isEventPassed(state, last)) return undefined;
    if (state.progress.retry?.seq === last.seq) retry = state.progress.retry;
    if (retry.at > deps.clock()) continue;
    if (deps.isHeld()) return retry;
    // The lease may be lost, or its renewal is only late.
    await waiting.pause(RETRY_PAUSE_MS);
    return undefined;
  }
};

/** Delivers one event, or some together, however long that takes. Returns whether they are processed. */
const deliverEvents = async (
  state: DeliveryState,
  events: readonly NumberedEvent[],
  last: NumberedEvent,
): Promise<boolean> => {
  const known = state.progress.retry;
  let retry: DeliveryRetry | undefined =
    known?.seq === last.seq ? known : { seq: last.seq, attempts: 0, at: 0, done: [] };
  let delivered = 0;
  state.failedSeqs.clear();
  while (retry) {
    retry = await waitForAttempt(state, last, retry);
    if (!retry) return false;
    // Rights may have changed since the last attempt, so each attempt redacts the events again.
    const targets = await findDeliveryTargets(state, events);
    if (isDeliveryAborted(state) || isEventPassed(state, last)) return false;
    if (targets.length === 0) {
      changeProgress(state, { retry: undefined });
      return true;
    }
    delivered = new Set(targets.flatMap((target) => target.events.map(({ seq }) => seq))).size;
    retry = await attemptDelivery(state, targets, retry);
    if (isDeliveryAborted(state) || isEventPassed(state, last)) return false;
    changeProgress(state, { retry });
  }
  const { failed, succeeded } = state.progress;
  const failedNow = state.failedSeqs.size;
  changeProgress(state, { failed: failed + failedNow, succeeded: succeeded + Math.max(0, delivered - failedNow) });
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
  const test = await createMatchTest(state.matcher, events, state.deps.readEventContexts);
  for (const event of events) {
    if (isEventPassed(state, event)) continue;
    await followOwnSubscription(state, event);
    const verdict = await test(event);
    // The filters changed, so the remaining events must be matched again.
    if (isDeliveryOver(state) || state.subscription !== before) return;
    if (isEventPassed(state, event)) continue;
    if (verdict === 'undecided') noteUndecidedEvents(state, 1);
    if (verdict === 'selected' && !(await deliverEvents(state, [event], event))) return;
    changeProgress(state, { seq: event.seq, retry: undefined });
  }
};

/**
 * Chooses the events that may be delivered together: those up to an event about the subscription itself, which may
 * change what follows, and not more than an attempt before had.
 */
const takeTogether = ({ subscription, progress }: DeliveryState, page: readonly NumberedEvent[]) => {
  const own = page.findIndex(({ entityId }, at) => at > 0 && entityId === subscription.id);
  const before = own < 0 ? page : page.slice(0, own);
  const tried = progress.retry?.seq;
  return tried === undefined ? before : before.filter(({ seq }) => seq <= tried);
};

/**
 * Delivers events together as one message. After a message, the next one waits for the poll interval of the
 * subscription, and tells of everything that happened meanwhile.
 */
const deliverTogether = async (state: DeliveryState, page: readonly NumberedEvent[]): Promise<void> => {
  const { subscription: before, waiting } = state;
  const events = takeTogether(state, page);
  const [[first], last] = [events, events.at(-1)];
  if (!first || !last) return;
  await followOwnSubscription(state, first);
  if (isDeliveryOver(state) || state.subscription !== before) return;
  const test = await createMatchTest(state.matcher, events, state.deps.readEventContexts);
  const { selected: matched, undecided } = await selectEvents(events, test);
  if (isDeliveryOver(state) || state.subscription !== before || isEventPassed(state, last)) return;
  if (matched.length > 0) {
    const waitMs = state.nextMessageMs - performance.now();
    if (waitMs > 0) return waiting.pause(Math.min(waitMs, MAX_WAIT_MS));
    if (!(await deliverEvents(state, matched, last))) return;
    state.nextMessageMs = performance.now() + before.pollIntervalMs;
  }
  noteUndecidedEvents(state, undecided);
  changeProgress(state, { seq: last.seq, retry: undefined });
};

const deliverNextBatch = async (state: DeliveryState): Promise<void> => {
  const { tail } = state.deps;
  const { batchSize, destinations } = state.subscription;
  const isTogether = destinations.some(isMessageDestination);
  const limit = isTogether ? MAX_MESSAGE_EVENTS : Math.max(batchSize, MIN_BATCH_SIZE);
  const events = await tail.after(state.progress.seq, limit);
  if (events.length === 0) await tail.waitAfter(state.progress.seq, MAX_WAIT_MS, state.ending.signal);
  else if (isTogether) await deliverTogether(state, events);
  else await deliverAll(state, events);
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
