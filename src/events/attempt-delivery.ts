import { type Destination, isWebhook } from '../model/schemas/events/destination.ts';
import type { DeliveryRetry, DestinationStatus } from './delivery-progress.ts';
import { changeProgress, type DeliveryState, isDeliveryAborted } from './delivery-state.ts';
import type { NumberedEvent } from './tail.ts';
import type { WebhookResult } from './webhook-caller.ts';

/** One attempt to deliver an event: the calls to its destinations, and what their results mean. */

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

/** The webhook destinations. The notification writer serves the inboxes. */
const calledDestinations = ({ subscription }: DeliveryState): readonly Destination[] =>
  subscription.destinations.filter((destination) => destination.enabled && isWebhook(destination));

const maxRetries = ({ subscription, deps }: DeliveryState): number =>
  Math.min(subscription.retries, deps.retryMs.length);

/** The delay before the retry after some attempts. */
export const retryDelayMs = ({ deps }: DeliveryState, attempts: number): number => deps.retryMs[attempts - 1] ?? 0;

const addFailure = (
  state: DeliveryState,
  event: NumberedEvent,
  destinationId: string,
  { reason, statusCode }: FailedWebhookResult,
  timestamp: number,
): void => {
  const { seq, id: eventId } = event;
  const what = { subscriptionId: state.subscription.id, destinationId, seq, eventId, timestamp, reason };
  state.failedForGood += 1;
  state.failures.push(statusCode === undefined ? what : { ...what, statusCode });
};

/** Records the result of one destination; returns whether the destination is done with the event. */
const recordResult = (
  state: DeliveryState,
  event: NumberedEvent,
  { id }: Destination,
  result: WebhookResult,
  attempts: number,
): boolean => {
  const now = state.deps.clock();
  const before = state.progress.statuses[id];
  const note = (status: DestinationStatus) =>
    changeProgress(state, { statuses: { ...state.progress.statuses, [id]: status } });
  if (result.isOk) {
    note(successStatus(now, before));
    return true;
  }
  const retries = maxRetries(state);
  if (attempts <= retries) {
    const nextAttempt = now + retryDelayMs(state, attempts);
    note(failureStatus(now, before, result, { status: 'awaitingRetry', nextAttempt }));
    return false;
  }
  note(failureStatus(now, before, result, { status: retries > 0 ? 'retryLimitReached' : 'failed' }));
  addFailure(state, event, id, result, now);
  return true;
};

/** Calls the destinations that are not done yet; returns what remains to retry, or undefined. */
export const attemptDelivery = async (
  state: DeliveryState,
  event: NumberedEvent,
  json: string,
  retry: DeliveryRetry,
): Promise<DeliveryRetry | undefined> => {
  const { caller, clock } = state.deps;
  const destinationChangesBefore = state.destinationChanges;
  const open = calledDestinations(state).filter(({ id }) => !retry.done.includes(id));
  const results = await Promise.all(
    open.map(async (destination) => ({
      destination,
      result: await caller.call(destination, json, state.aborting.signal),
    })),
  );
  if (isDeliveryAborted(state)) return retry;
  const attempts = retry.attempts + 1;
  const done = results.flatMap(({ destination, result }) =>
    recordResult(state, event, destination, result, attempts) ? [destination.id] : [],
  );
  if (done.length === open.length) return undefined;
  return {
    seq: event.seq,
    attempts,
    // The destination changed during the call, so the new address need not wait for the failure of the old one.
    at: state.destinationChanges === destinationChangesBefore ? clock() + retryDelayMs(state, attempts) : 0,
    done: [...retry.done, ...done],
  };
};
