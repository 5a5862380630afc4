import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { withPositions } from '../graph/statement.ts';
import { chunk } from '../model/chunk.ts';
import { type SubscriptionDelivery, startDelivery } from './delivery.ts';
import { decodeDeliveryProgress, encodeDeliveryProgress, toFailureRow } from './delivery-progress.ts';
import type { DeliveryDeps } from './delivery-state.ts';
import { createFailedDeliveries, type SaveDeliveryRow, saveDeliveries } from './queries.ts';
import type { Subscription, SubscriptionsById } from './subscription-cache.ts';

/** The deliveries that this process holds: they are started, saved with their lease, and released. */

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

export type HeldDeliveries = {
  readonly deps: DeliveryDispatcherDeps;
  readonly options: DeliveryDispatcherOptions;
  /** Identifies this process in the leases of its deliveries. */
  readonly holder: string;
  readonly byId: Map<string, HeldDelivery>;
  /** The last save that was begun. */
  saving: Promise<void>;
};

const WRITE_BATCH_SIZE = 1000;

export const createHeldDeliveries = (
  deps: DeliveryDispatcherDeps,
  options: DeliveryDispatcherOptions,
): HeldDeliveries => ({ deps, options, holder: randomUUID(), byId: new Map(), saving: Promise.resolve() });

/** Starts a delivery that this process has claimed. */
export const startHeldDelivery = (
  { deps, options, byId }: HeldDeliveries,
  subscription: Subscription,
  node: { readonly [name: string]: unknown },
  heldUntilMs: number,
): void => {
  const reread = async (id: string): Promise<Subscription | undefined> => (await deps.readSubscriptions([id]))[0];
  const isHeld = () => performance.now() < (byId.get(subscription.id)?.heldUntilMs ?? 0);
  const own = { reread, retryMs: options.retryMs, isHeld };
  const delivery = startDelivery({ ...deps, ...own }, subscription, decodeDeliveryProgress(node));
  byId.set(subscription.id, { delivery, heldUntilMs, savedChanges: 0 });
};

/** Drops a delivery that this process no longer holds. */
export const dropDelivery = ({ deps, byId }: HeldDeliveries, id: string): void => {
  const one = byId.get(id);
  byId.delete(id);
  one?.delivery.abort().catch((failure: unknown) => deps.log.warn('a delivery did not end', {}, failure));
};

/** A process that could not renew a lease in time must stop calling receivers. */
export const dropExpiredDeliveries = (held: HeldDeliveries): void => {
  for (const [id, one] of held.byId) if (performance.now() > one.heldUntilMs) dropDelivery(held, id);
};

const toSaveRow = ({ holder }: HeldDeliveries, { delivery }: HeldDelivery, forMs: number): SaveDeliveryRow => ({
  subscriptionId: delivery.id,
  holder,
  forMs: encodeProperty(forMs),
  reached: encodeProperty(delivery.progress().seq),
  changes: encodeDeliveryProgress(delivery.progress()),
});

/** Saves the progress and the failures of deliveries, and drops those whose lease was lost. */
const saveBatch = async (held: HeldDeliveries, ones: readonly HeldDelivery[], forMs: number): Promise<void> => {
  const sentMs = performance.now();
  const rows = withPositions(ones.map((one) => toSaveRow(held, one, forMs)));
  const changes = ones.map(({ delivery }) => delivery.changeCount());
  const failures = ones.map(({ delivery }) => delivery.failures());
  const failedRows = withPositions(failures.flat().map(toFailureRow));
  const answers = await held.deps.graph.write(async (transaction) => {
    if (failedRows.length > 0) await transaction.run(createFailedDeliveries, { rows: failedRows });
    return transaction.run(saveDeliveries, { rows });
  });
  const byRow = new Map(answers.map((answer) => [answer.at, answer]));
  for (const [at, one] of ones.entries()) {
    const answer = byRow.get(at);
    if (!answer) {
      dropDelivery(held, one.delivery.id);
      continue;
    }
    one.heldUntilMs = sentMs + forMs;
    one.savedChanges = changes[at] ?? 0;
    one.delivery.markFailuresStored(failures[at]?.length ?? 0);
    if (answer.goTo !== null) one.delivery.goTo(answer.goTo);
  }
};

/** Runs one save after another, so that an earlier state never overwrites a later one. */
const saveDeliveriesInTurn = (held: HeldDeliveries, ones: readonly HeldDelivery[], forMs: number): Promise<void> => {
  const next = held.saving.then(async () => {
    for (const some of chunk(ones, WRITE_BATCH_SIZE)) if (some.length > 0) await saveBatch(held, some, forMs);
  });
  held.saving = next.catch(() => {});
  return next;
};

/** Saves all deliveries and renews their leases. */
export const renewDeliveries = (held: HeldDeliveries): Promise<void> =>
  saveDeliveriesInTurn(held, [...held.byId.values()], held.options.leaseMs);

/** Saves the deliveries that have changed since their last save. */
export const flushDeliveries = async (held: HeldDeliveries): Promise<void> => {
  const dirty = [...held.byId.values()].filter(({ delivery, savedChanges }) => delivery.changeCount() !== savedChanges);
  if (dirty.length > 0) await saveDeliveriesInTurn(held, dirty, held.options.leaseMs);
};

/** Ends deliveries, saves how far they came, and leaves them to the other processes. */
export const releaseDeliveries = async (held: HeldDeliveries, ones: readonly HeldDelivery[]): Promise<void> => {
  if (ones.length === 0) return;
  const stopping = Promise.all(ones.map(({ delivery }) => delivery.stop()));
  await Promise.race([stopping, sleep(held.options.stopWithinMs, undefined, { ref: false })]);
  const late = ones.filter(({ delivery }) => held.byId.get(delivery.id)?.delivery === delivery);
  await saveDeliveriesInTurn(held, late, 0);
  for (const { delivery } of late) dropDelivery(held, delivery.id);
};
