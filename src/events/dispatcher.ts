import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { countHeldLeases, createLease, deleteStaleLeases } from '../graph/lease.ts';
import { createWakeablePause } from '../graph/wakeable-pause.ts';
import { chunk } from '../model/chunk.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { isDeliveredSubscription } from '../model/schemas/events/subscription.ts';
import { type DeliveryDeps, type SubscriptionDelivery, startDelivery } from './delivery.ts';
import { decodeDeliveryProgress, encodeDeliveryProgress, toFailureRow } from './delivery-progress.ts';
import { filterComplete, lastKnownPlace } from './event-expiry.ts';
import {
  claimDeliveries,
  createDeliveries,
  createFailedDeliveries,
  type ListedEvent,
  listEventsByRecord,
  readDeliveries,
  type SaveDeliveryRow,
  saveDeliveries,
} from './queries.ts';
import { seqOfPlace } from './sequence.ts';
import { openSubscriptionCache, type Subscription, type SubscriptionsById } from './subscription-cache.ts';

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

export type DeliveryDispatcherOptions = {
  /** How long a process keeps its subscriptions without a renewal, and how often it renews. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How often the progress of deliveries is saved. */
  readonly flushMs: number;
  /** The delays before the retries after the first, second, … failure. */
  readonly retryMs: readonly number[];
  /** How long `stop` waits for calls in progress. */
  readonly stopWithinMs: number;
};

const DEFAULT_DISPATCHER_OPTIONS: DeliveryDispatcherOptions = Object.freeze({
  leaseMs: 10_000,
  beatMs: 2000,
  flushMs: 200,
  retryMs: [3000, 30_000, 300_000, 3_600_000, 86_400_000],
  stopWithinMs: 5000,
});

export type DeliveryDispatcherDeps = Omit<DeliveryDeps, 'reread' | 'retryMs' | 'isHeld'> & {
  readonly graph: Graph;
  readonly readSubscriptions: SubscriptionsById;
  readonly options?: Partial<DeliveryDispatcherOptions>;
};

/** A delivery that this process holds. */
type HeldDelivery = {
  readonly delivery: SubscriptionDelivery;
  /** The time, by this process's steady clock, until which no other process can have taken the delivery over. */
  heldUntilMs: number;
  /** The change count of the last save. */
  savedChanges: number;
};

/** The name prefix of the leases by which delivering processes are counted. */
const DELIVERER_LEASE_PREFIX = 'deliverer ';

const WRITE_BATCH_SIZE = 1000;
/** The page size and the page limit of the search for the event that enabled a subscription. */
const EVENT_PAGE_SIZE = 100;
const MAX_EVENT_PAGES = 100;
/** An event that has no number after this time will not get one. */
const MAX_NUMBERING_MS = 60_000;

const shuffle = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);

const withIndexes = <T extends object>(rows: readonly T[]): (T & { at: number })[] =>
  rows.map((row, at) => ({ ...row, at }));

const isDeliveredAfterEvent = (json: string): boolean => {
  const { entity } = JSON.parse(json) as JsonObject;
  return isObject(entity) && isDeliveredSubscription(entity);
};

export const createDeliveryDispatcher = (deps: DeliveryDispatcherDeps): DeliveryDispatcher => {
  const { graph, tail, log, clock } = deps;
  const options = { ...DEFAULT_DISPATCHER_OPTIONS, ...deps.options };
  const holder = randomUUID();
  const presence = createLease(graph, `${DELIVERER_LEASE_PREFIX}${holder}`, options.leaseMs);
  const held = new Map<string, HeldDelivery>();
  const readSubscriptionCache = openSubscriptionCache(graph, deps.readSubscriptions);
  const { wake, pause } = createWakeablePause();
  const timers: NodeJS.Timeout[] = [];
  let looping: Promise<void> | undefined;
  let saving: Promise<void> = Promise.resolve();
  let isStopping = false;

  const reread = async (id: string): Promise<Subscription | undefined> => (await deps.readSubscriptions([id]))[0];

  const startHeld = (subscription: Subscription, node: { readonly [name: string]: unknown }, heldUntilMs: number) => {
    const isHeld = () => performance.now() < (held.get(subscription.id)?.heldUntilMs ?? 0);
    const own = { reread, retryMs: options.retryMs, isHeld };
    const delivery = startDelivery({ ...deps, ...own }, subscription, decodeDeliveryProgress(node));
    held.set(subscription.id, { delivery, heldUntilMs, savedChanges: 0 });
  };

  /** Drops a delivery that this process no longer holds. */
  const drop = (id: string): void => {
    const one = held.get(id);
    held.delete(id);
    one?.delivery.abort().catch((failure: unknown) => log.warn('a delivery did not end', {}, failure));
  };

  const toSaveRow = ({ delivery }: HeldDelivery, forMs: number): SaveDeliveryRow => ({
    subscriptionId: delivery.id,
    holder,
    forMs: encodeProperty(forMs),
    reached: encodeProperty(delivery.progress().seq),
    changes: encodeDeliveryProgress(delivery.progress()),
  });

  /** Saves the progress and the failures of deliveries, and drops those whose lease was lost. */
  const saveNow = async (ones: readonly HeldDelivery[], forMs: number): Promise<void> => {
    const sentMs = performance.now();
    const rows = withIndexes(ones.map((one) => toSaveRow(one, forMs)));
    const changes = ones.map(({ delivery }) => delivery.changeCount());
    const failures = ones.map(({ delivery }) => delivery.failures());
    const failedRows = withIndexes(failures.flat().map(toFailureRow));
    const answers = await graph.write(async (transaction) => {
      if (failedRows.length > 0) await transaction.run(createFailedDeliveries, { rows: failedRows });
      return transaction.run(saveDeliveries, { rows });
    });
    const byRow = new Map(answers.map((answer) => [answer.at, answer]));
    for (const [at, one] of ones.entries()) {
      const answer = byRow.get(at);
      if (!answer) {
        drop(one.delivery.id);
        continue;
      }
      one.heldUntilMs = sentMs + forMs;
      one.savedChanges = changes[at] ?? 0;
      one.delivery.markFailuresStored(failures[at]?.length ?? 0);
      if (answer.goTo !== null) one.delivery.goTo(answer.goTo);
    }
  };

  /** Runs one save after another, so that an earlier state never overwrites a later one. */
  const save = (ones: readonly HeldDelivery[], forMs: number): Promise<void> => {
    const next = saving.then(async () => {
      for (const some of chunk(ones, WRITE_BATCH_SIZE)) if (some.length > 0) await saveNow(some, forMs);
    });
    saving = next.catch(() => {});
    return next;
  };

  const flush = async (): Promise<void> => {
    const dirty = [...held.values()].filter(({ delivery, savedChanges }) => delivery.changeCount() !== savedChanges);
    if (dirty.length > 0) await save(dirty, options.leaseMs);
  };

  /** A process that could not renew a lease in time must stop calling receivers. */
  const dropExpired = (): void => {
    for (const [id, one] of held) if (performance.now() > one.heldUntilMs) drop(id);
  };

  const release = async (ones: readonly HeldDelivery[]): Promise<void> => {
    if (ones.length === 0) return;
    const stopping = Promise.all(ones.map(({ delivery }) => delivery.stop()));
    await Promise.race([stopping, sleep(options.stopWithinMs, undefined, { ref: false })]);
    const late = ones.filter(({ delivery }) => held.get(delivery.id)?.delivery === delivery);
    await save(late, 0);
    for (const { delivery } of late) drop(delivery.id);
  };

  /**
   * Finds the position of the event since which the subscription has been enabled without a break; undefined when that
   * event has no number yet.
   */
  const findEnabledPlace = async ({ id }: Subscription): Promise<string | undefined> => {
    const filter = { ids: [id], whats: null, userNames: null };
    let since: string | undefined;
    for (let page = 0, edge = ''; page < MAX_EVENT_PAGES; page += 1) {
      const found = await graph.read(listEventsByRecord.page, { ...filter, edge, limit: EVENT_PAGE_SIZE });
      const events = filterComplete<ListedEvent>(found);
      for (const { json, place } of events) since = isDeliveredAfterEvent(json) ? (since ?? place) : undefined;
      if (found.length < EVENT_PAGE_SIZE) break;
      edge = lastKnownPlace(found, edge);
    }
    return since;
  };

  /** Finds the number of the event that enabled the subscription. Delivery begins with the next event. */
  const findStartSeq = async (subscription: Subscription): Promise<number | undefined> => {
    const since = await findEnabledPlace(subscription);
    if (since !== undefined) return seqOfPlace(since);
    const isLate = clock() - subscription.updatedAt > MAX_NUMBERING_MS;
    return isLate ? (await tail.head()).last : undefined;
  };

  const createMissing = async (missing: readonly Subscription[]): Promise<void> => {
    for (const subscription of missing) {
      const seq = await findStartSeq(subscription);
      if (seq === undefined) continue;
      const rows = [{ at: 0, subscriptionId: subscription.id, seq: encodeProperty(seq) }];
      await graph.write((transaction) => transaction.run(createDeliveries, { rows }));
    }
  };

  const claim = async (wanted: readonly Subscription[]): Promise<void> => {
    const sentMs = performance.now();
    const rows = withIndexes(
      wanted.map(({ id }) => ({ subscriptionId: id, holder, forMs: encodeProperty(options.leaseMs) })),
    );
    const claimed = await graph.write((transaction) => transaction.run(claimDeliveries, { rows }));
    for (const { at, node } of claimed) {
      const subscription = wanted[at];
      if (subscription) startHeld(subscription, node, sentMs + options.leaseMs);
    }
  };

  /** Claims free subscriptions up to this process's share. */
  const takeShare = async (others: readonly Subscription[], room: number): Promise<void> => {
    const rows = withIndexes(others.map(({ id }) => ({ subscriptionId: id })));
    const states = new Map((await graph.read(readDeliveries, { rows })).map((row) => [row.at, row]));
    const missing = others.filter((_, at) => !states.has(at));
    await createMissing(missing);
    const free = others.filter((_, at) => states.get(at)?.isFree ?? true);
    const wanted = shuffle(free).slice(0, room);
    for (const some of chunk(wanted, WRITE_BATCH_SIZE)) await claim(some);
  };

  const followChanges = (active: readonly Subscription[]): void => {
    for (const subscription of active) {
      const delivery = held.get(subscription.id)?.delivery;
      const known = delivery?.subscription();
      // The list may be older than a change that the delivery has already read.
      if (known && known.stateKey !== subscription.stateKey && known.updatedAt <= subscription.updatedAt) {
        delivery?.update(subscription);
      }
    }
  };

  const runRound = async (): Promise<void> => {
    await presence.claim();
    const active = await readSubscriptionCache();
    followChanges(active);
    const ids = new Set(active.map(({ id }) => id));
    await release([...held.values()].filter(({ delivery }) => delivery.isOver() || !ids.has(delivery.id)));
    await save([...held.values()], options.leaseMs);
    if (active.length === 0) return;
    const processes = Math.max(1, await countHeldLeases(graph, DELIVERER_LEASE_PREFIX));
    const share = Math.ceil(active.length / processes);
    const others = active.filter(({ id }) => !held.has(id));
    if (held.size > share) await release(shuffle([...held.values()]).slice(share));
    else if (others.length > 0) await takeShare(others, share - held.size);
  };

  const loop = async (): Promise<void> => {
    while (!isStopping) {
      try {
        await runRound();
      } catch (failure) {
        log.warn('subscriptions could not be looked after', {}, failure);
      }
      await pause(options.beatMs);
    }
  };

  const scheduleEvery = (ms: number, work: () => Promise<void> | void, what: string): void => {
    let isBusy = false;
    const guarded = async () => {
      if (isBusy) return;
      isBusy = true;
      try {
        await work();
      } catch (failure) {
        log.warn(what, {}, failure);
      } finally {
        isBusy = false;
      }
    };
    timers.push(setInterval(() => void guarded(), ms).unref());
  };

  return {
    wake,
    goTo: (id, seq) => held.get(id)?.delivery.goTo(seq),
    start: () => {
      if (looping) return;
      isStopping = false;
      scheduleEvery(options.flushMs, flush, 'the progress of deliveries could not be kept');
      scheduleEvery(options.beatMs / 4, dropExpired, 'deliveries could not be guarded');
      scheduleEvery(
        options.leaseMs * 1000,
        () => deleteStaleLeases(graph, DELIVERER_LEASE_PREFIX),
        'old rights could not be forgotten',
      );
      looping = loop();
    },
    stop: async () => {
      isStopping = true;
      wake();
      await looping;
      looping = undefined;
      await release([...held.values()]).catch((failure: unknown) =>
        log.warn('deliveries were left to their end', {}, failure),
      );
      for (const id of [...held.keys()]) drop(id);
      for (const timer of timers.splice(0)) clearInterval(timer);
      deps.caller.close();
      await presence.release().catch((failure: unknown) => log.warn('a presence was left to its end', {}, failure));
    },
  };
};
