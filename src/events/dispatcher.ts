import { countHeldLeases, createLease, deleteStaleLeases, type Lease } from '../graph/lease.ts';
import { createWakeablePause } from '../graph/wakeable-pause.ts';
import { claimShare, shuffle } from './claim-deliveries.ts';
import {
  createHeldDeliveries,
  type DeliveryDispatcherDeps,
  type DeliveryDispatcherOptions,
  dropDelivery,
  dropExpiredDeliveries,
  flushDeliveries,
  type HeldDeliveries,
  releaseDeliveries,
  renewDeliveries,
} from './held-deliveries.ts';
import { openSubscriptionCache, type Subscription, type SubscriptionCache } from './subscription-cache.ts';

/** Delivers events to subscriptions, which it shares with the other processes on the database. */
export type DeliveryDispatcher = {
  start(): void;
  stop(): Promise<void>;
  /** Signals that a subscription was written. */
  wake(): void;
  /**
   * Makes the delivery to a subscription continue after an event number. A delivery of another process learns of it on
   * its next save.
   */
  goTo(id: string, seq: number): void;
};

const DEFAULT_DISPATCHER_OPTIONS: DeliveryDispatcherOptions = Object.freeze({
  leaseMs: 10_000,
  beatMs: 2000,
  flushMs: 200,
  retryMs: [3000, 30_000, 300_000, 3_600_000, 86_400_000],
  stopWithinMs: 5000,
});

/** The name prefix of the leases by which delivering processes are counted. */
const DELIVERER_LEASE_PREFIX = 'deliverer ';

type DispatcherState = {
  readonly held: HeldDeliveries;
  /** The lease by which the other processes count this one. */
  readonly presence: Lease;
  readonly readSubscriptionCache: SubscriptionCache;
  /** The pause between two rounds. */
  readonly idle: ReturnType<typeof createWakeablePause>;
  readonly timers: NodeJS.Timeout[];
  looping: Promise<void> | undefined;
  isStopping: boolean;
};

const followChanges = ({ byId }: HeldDeliveries, active: readonly Subscription[]): void => {
  for (const subscription of active) {
    const delivery = byId.get(subscription.id)?.delivery;
    const known = delivery?.subscription();
    // The list may be older than a change that the delivery has already read.
    if (known && known.stateKey !== subscription.stateKey && known.updatedAt <= subscription.updatedAt) {
      delivery?.update(subscription);
    }
  }
};

/** Holds as many deliveries as this process's share, by releasing some or claiming more. */
const balanceShare = async (held: HeldDeliveries, active: readonly Subscription[]): Promise<void> => {
  const processes = Math.max(1, await countHeldLeases(held.deps.graph, DELIVERER_LEASE_PREFIX));
  const share = Math.ceil(active.length / processes);
  const others = active.filter(({ id }) => !held.byId.has(id));
  if (held.byId.size > share) await releaseDeliveries(held, shuffle([...held.byId.values()]).slice(share));
  else if (others.length > 0) await claimShare(held, others, share - held.byId.size);
};

const runRound = async ({ held, presence, readSubscriptionCache }: DispatcherState): Promise<void> => {
  await presence.keep(held.options.beatMs);
  const active = await readSubscriptionCache();
  followChanges(held, active);
  const ids = new Set(active.map(({ id }) => id));
  const ended = [...held.byId.values()].filter(({ delivery }) => delivery.isOver() || !ids.has(delivery.id));
  await releaseDeliveries(held, ended);
  await renewDeliveries(held);
  if (active.length > 0) await balanceShare(held, active);
};

const runRounds = async (state: DispatcherState): Promise<void> => {
  const { log } = state.held.deps;
  while (!state.isStopping) {
    try {
      await runRound(state);
    } catch (failure) {
      log.warn('subscriptions could not be served', {}, failure);
    }
    await state.idle.pause(state.held.options.beatMs);
  }
};

const scheduleEvery = (
  { held, timers }: DispatcherState,
  ms: number,
  work: () => Promise<void> | void,
  failureText: string,
): void => {
  let isBusy = false;
  const guarded = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      await work();
    } catch (failure) {
      held.deps.log.warn(failureText, {}, failure);
    } finally {
      isBusy = false;
    }
  };
  timers.push(setInterval(() => void guarded(), ms).unref());
};

const startDispatching = (state: DispatcherState): void => {
  if (state.looping) return;
  state.isStopping = false;
  const { held } = state;
  const { graph } = held.deps;
  const { flushMs, beatMs, leaseMs } = held.options;
  scheduleEvery(state, flushMs, () => flushDeliveries(held), 'the progress of deliveries could not be kept');
  scheduleEvery(state, beatMs / 4, () => dropExpiredDeliveries(held), 'deliveries could not be guarded');
  scheduleEvery(
    state,
    leaseMs * 1000,
    () => deleteStaleLeases(graph, DELIVERER_LEASE_PREFIX),
    'old rights could not be forgotten',
  );
  state.looping = runRounds(state);
};

const stopDispatching = async (state: DispatcherState): Promise<void> => {
  const { held, presence, timers } = state;
  const { log, sender } = held.deps;
  state.isStopping = true;
  state.idle.wake();
  await state.looping;
  state.looping = undefined;
  await releaseDeliveries(held, [...held.byId.values()]).catch((failure: unknown) =>
    log.warn('deliveries were left to their leases', {}, failure),
  );
  for (const id of [...held.byId.keys()]) dropDelivery(held, id);
  for (const timer of timers.splice(0)) clearInterval(timer);
  sender.close();
  await presence.release().catch((failure: unknown) => log.warn('a presence was left to its lease', {}, failure));
};

/**
 * Creates the dispatcher of a process. `held-deliveries.ts` keeps the deliveries of this process, `claim-deliveries.ts`
 * takes over more of them, and `delivery.ts` runs each.
 */
export const createDeliveryDispatcher = (deps: DeliveryDispatcherDeps): DeliveryDispatcher => {
  const { graph } = deps;
  const held = createHeldDeliveries(deps, { ...DEFAULT_DISPATCHER_OPTIONS, ...deps.options });
  const state: DispatcherState = {
    held,
    presence: createLease(graph, `${DELIVERER_LEASE_PREFIX}${held.holder}`, held.options.leaseMs),
    readSubscriptionCache: openSubscriptionCache(graph, deps.readSubscriptions),
    idle: createWakeablePause(),
    timers: [],
    looping: undefined,
    isStopping: false,
  };
  return {
    wake: state.idle.wake,
    goTo: (id, seq) => held.byId.get(id)?.delivery.goTo(seq),
    start: () => startDispatching(state),
    stop: () => stopDispatching(state),
  };
};
