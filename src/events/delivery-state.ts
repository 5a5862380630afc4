import { createWakeablePause } from '../graph/wakeable-pause.ts';
import type { Log } from '../http/log.ts';
import { createEventMatcher, type EventMatcher } from '../model/language/event-filter.ts';
import type { DeliveryProgress, FailedDelivery } from './delivery-progress.ts';
import type { FindMailRecipients } from './delivery-targets.ts';
import type { DeliveryVisibilityOf } from './delivery-visibility.ts';
import type { DestinationSender } from './destination-sender.ts';
import type { ReadEventContexts } from './match-events.ts';
import type { Subscription } from './subscription-cache.ts';
import type { EventTail, NumberedEvent } from './tail.ts';

export type DeliveryDeps = {
  readonly tail: EventTail;
  readonly sender: DestinationSender;
  readonly readEventContexts: ReadEventContexts;
  readonly visibility: DeliveryVisibilityOf;
  readonly mailRecipients: FindMailRecipients;
  /** Reads the current subscription; undefined when it was removed. */
  readonly reread: (id: string) => Promise<Subscription | undefined>;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: () => number;
  /** The delays before the retries after the first, second, … failure. */
  readonly retryMs: readonly number[];
  /** Whether no other process can be delivering to the subscription yet. */
  readonly isHeld: () => boolean;
};

/** A running delivery to one subscription: its current subscription and how far it has come. */
export type DeliveryState = {
  readonly deps: DeliveryDeps;
  /** Ends the delivery after the calls in progress, or together with them. */
  readonly ending: AbortController;
  readonly aborting: AbortController;
  /** The wait for a retry. */
  readonly waiting: ReturnType<typeof createWakeablePause>;
  subscription: Subscription;
  matcher: EventMatcher;
  progress: DeliveryProgress;
  /** Grows with every change of the progress. */
  changeCount: number;
  /** The deliveries that failed for good and are not stored yet. */
  failures: FailedDelivery[];
  /** The numbers of the events in delivery that failed for good. */
  readonly failedSeqs: Set<number>;
  /** How often the destinations changed since the start. */
  destinationChanges: number;
  /** The time, by this process's steady clock, before which no further message is sent. */
  nextMessageMs: number;
};

export const createDeliveryState = (
  deps: DeliveryDeps,
  subscription: Subscription,
  progress: DeliveryProgress,
): DeliveryState => ({
  deps,
  ending: new AbortController(),
  aborting: new AbortController(),
  waiting: createWakeablePause(),
  subscription,
  matcher: createEventMatcher(subscription.resources, subscription.filters),
  progress,
  changeCount: 0,
  failures: [],
  failedSeqs: new Set(),
  destinationChanges: 0,
  nextMessageMs: 0,
});

export const isDeliveryOver = ({ ending }: DeliveryState): boolean => ending.signal.aborted;

export const isDeliveryAborted = ({ aborting }: DeliveryState): boolean => aborting.signal.aborted;

export const isEventPassed = ({ progress }: DeliveryState, { seq }: NumberedEvent): boolean => progress.seq >= seq;

export const changeProgress = (state: DeliveryState, more: Partial<DeliveryProgress>): void => {
  state.progress = { ...state.progress, ...more };
  state.changeCount += 1;
};

/** Continues with the changed subscription. */
export const replaceSubscription = (state: DeliveryState, next: Subscription): void => {
  const { subscription: before, progress } = state;
  const haveDestinationsChanged = JSON.stringify(next.destinations) !== JSON.stringify(before.destinations);
  state.subscription = next;
  state.matcher = createEventMatcher(next.resources, next.filters);
  if (haveDestinationsChanged) state.destinationChanges += 1;
  // The changed destinations may have fixed the failure, so the retry runs at once.
  if (haveDestinationsChanged && progress.retry) changeProgress(state, { retry: { ...progress.retry, at: 0 } });
  const ids = new Set(next.destinations.map(({ id }) => id));
  changeProgress(state, {
    statuses: Object.fromEntries(Object.entries(progress.statuses).filter(([id]) => ids.has(id))),
  });
  state.waiting.wake();
};
