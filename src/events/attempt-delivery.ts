import { mapConcurrently } from '../graph/map-concurrently.ts';
import type { TraceHeaders } from '../tracing/tracing.ts';
import type { DeliveryRetry, DestinationStatus } from './delivery-progress.ts';
import type { DeliveryResult, FailedDeliveryResult } from './delivery-result.ts';
import { changeProgress, type DeliveryState, isDeliveryAborted } from './delivery-state.ts';
import { calledDestinations } from './delivery-targets.ts';
import type { DeliveryTarget } from './destination-sender.ts';

/** One attempt to deliver events: the calls to their targets, and what the results mean. */

const successStatus = (now: number, before: DestinationStatus | undefined): DestinationStatus => {
  const { nextAttempt: _, ...known } = before ?? { status: 'active', timestamp: now };
  return { ...known, status: 'active', lastSuccessfulAt: now, timestamp: now };
};

const failureStatus = (
  now: number,
  before: DestinationStatus | undefined,
  { statusCode, reason }: FailedDeliveryResult,
  outlook: { readonly status: DestinationStatus['status']; readonly nextAttempt?: number },
): DestinationStatus => ({
  ...(before?.lastSuccessfulAt === undefined ? {} : { lastSuccessfulAt: before.lastSuccessfulAt }),
  ...outlook,
  lastFailedAt: now,
  ...(statusCode === undefined ? {} : { lastFailedStatusCode: statusCode }),
  lastFailedReason: reason,
  timestamp: now,
});

/** Shows at all destinations that some events are not delivered, because it is undecided whether the filters match. */
export const noteUndecidedEvents = (state: DeliveryState, count: number): void => {
  if (count === 0) return;
  const { failed, statuses } = state.progress;
  const now = state.deps.clock();
  const reason = 'An event was not delivered, because the expressions of the filters are too expensive';
  const noted = calledDestinations(state).map(({ id }) => [
    id,
    failureStatus(now, statuses[id], { isOk: false, reason }, { status: 'failed' }),
  ]);
  changeProgress(state, { failed: failed + count, statuses: { ...statuses, ...Object.fromEntries(noted) } });
};

const maxRetries = ({ subscription, deps }: DeliveryState): number =>
  Math.min(subscription.retries, deps.retryMs.length);

/** The delay before the retry after some attempts: what the receiver asked for if that is longer. */
export const retryDelayMs = ({ deps }: DeliveryState, attempts: number, askedMs = 0): number =>
  Math.max(deps.retryMs[attempts - 1] ?? 0, askedMs);

type TargetResult = { readonly target: DeliveryTarget; readonly result: DeliveryResult };
type FailedTarget = { readonly target: DeliveryTarget; readonly result: FailedDeliveryResult };

const isFailed = (one: TargetResult): one is FailedTarget => !one.result.isOk;

const askedDelayMs = (failed: readonly TargetResult[]): number =>
  Math.max(0, ...failed.map(({ result }) => (result.isOk ? 0 : (result.retryAfterMs ?? 0))));

/** Notes the events of one destination that failed for good, each once. */
const addFailures = (
  state: DeliveryState,
  destinationId: string,
  failed: readonly FailedTarget[],
  timestamp: number,
): void => {
  const subscriptionId = state.subscription.id;
  const bySeq = new Map(
    failed.flatMap(({ target, result }) => target.events.map((event) => [event.seq, { event, result }])),
  );
  for (const [seq, { event, result }] of bySeq) {
    const { reason, statusCode } = result;
    const what = { subscriptionId, destinationId, seq, eventId: event.id, timestamp, reason };
    state.failedSeqs.add(seq);
    state.failures.push(statusCode === undefined ? what : { ...what, statusCode });
  }
};

/** Records the results of one destination; returns the keys of the targets that are done with the events. */
const recordResults = (
  state: DeliveryState,
  destinationId: string,
  results: readonly TargetResult[],
  attempts: number,
): readonly string[] => {
  const now = state.deps.clock();
  const before = state.progress.statuses[destinationId];
  const note = (status: DestinationStatus) =>
    changeProgress(state, { statuses: { ...state.progress.statuses, [destinationId]: status } });
  const failed = results.filter(isFailed);
  const [first] = failed;
  if (!first) {
    note(successStatus(now, before));
    return results.map(({ target }) => target.key);
  }
  const retries = maxRetries(state);
  const pending = attempts <= retries ? failed.filter(({ result }) => !result.isFinal) : [];
  const [next] = pending;
  if (next) {
    const nextAttempt = now + retryDelayMs(state, attempts, askedDelayMs(pending));
    note(failureStatus(now, before, next.result, { status: 'awaitingRetry', nextAttempt }));
  } else {
    const isLimitReached = retries > 0 && attempts > retries;
    note(failureStatus(now, before, first.result, { status: isLimitReached ? 'retryLimitReached' : 'failed' }));
  }
  addFailures(
    state,
    destinationId,
    failed.filter((one) => !pending.includes(one)),
    now,
  );
  return results.flatMap((one) => (pending.includes(one as FailedTarget) ? [] : [one.target.key]));
};

const groupByDestination = (results: readonly TargetResult[]): ReadonlyMap<string, TargetResult[]> => {
  const groups = new Map<string, TargetResult[]>();
  for (const one of results) {
    const { id } = one.target.destination;
    groups.set(id, [...(groups.get(id) ?? []), one]);
  }
  return groups;
};

/** A subscription has at most so many calls in progress. */
const MAX_CONCURRENT_CALLS = 10;

const attemptTargets = async (
  state: DeliveryState,
  targets: readonly DeliveryTarget[],
  retry: DeliveryRetry,
): Promise<DeliveryRetry | undefined> => {
  const { sender, clock } = state.deps;
  const destinationChangesBefore = state.destinationChanges;
  const done = new Set(retry.done);
  const open = targets.filter(({ key }) => !done.has(key));
  const results = await mapConcurrently(open, MAX_CONCURRENT_CALLS, async (target) => ({
    target,
    result: await sender.send(target, state.subscription.name, state.aborting.signal),
  }));
  if (isDeliveryAborted(state)) return retry;
  const attempts = retry.attempts + 1;
  const newlyDone = [...groupByDestination(results)].flatMap(([id, ones]) => recordResults(state, id, ones, attempts));
  if (newlyDone.length === open.length) return undefined;
  const askedMs = askedDelayMs(results.filter(({ target }) => !newlyDone.includes(target.key)));
  return {
    seq: retry.seq,
    attempts,
    // The destination changed during the call, so the new address need not wait for the failure of the old one.
    at: state.destinationChanges === destinationChangesBefore ? clock() + retryDelayMs(state, attempts, askedMs) : 0,
    done: [...retry.done, ...newlyDone],
    ...(askedMs > 0 ? { askedMs } : {}),
  };
};

const causesOf = (targets: readonly DeliveryTarget[]): readonly TraceHeaders[] => {
  const causes = targets.flatMap(({ events }) => events.map(({ traceparent = '' }) => traceparent));
  return [...new Set(causes)].filter((traceparent) => traceparent !== '').map((traceparent) => ({ traceparent }));
};

/**
 * Calls the targets that are not done yet; returns what remains to retry, or undefined. Each attempt is a trace of its
 * own, linked to what has caused the events.
 */
export const attemptDelivery = (
  state: DeliveryState,
  targets: readonly DeliveryTarget[],
  retry: DeliveryRetry,
): Promise<DeliveryRetry | undefined> => {
  const { tracing } = state.deps.sender;
  if (!tracing) return attemptTargets(state, targets, retry);
  const attributes = {
    'tributary.subscription.id': state.subscription.id,
    'tributary.delivery.targets': targets.length,
    'tributary.delivery.attempts': retry.attempts + 1,
  };
  return tracing.root({ name: 'deliver events', kind: 'internal', attributes }, causesOf(targets), () =>
    attemptTargets(state, targets, retry),
  );
};
