import { randomUUID } from 'node:crypto';
import { type Clock, DAY_MS, monotonicNow } from '../model/time.ts';
import type { Graph } from './client.ts';
import { encodeProperty } from './encode-property.ts';
import { statement } from './statement.ts';

/** Leases: rights that one process at a time holds for a limited time. */

type LeaseRow = { readonly at: number; readonly name: string; readonly holder: string };
type ClaimLeaseRow = LeaseRow & { readonly forMs: unknown; readonly rivalMs: unknown; readonly renewsOnly: boolean };

const claimLeases = statement<
  { rows: readonly ClaimLeaseRow[] },
  { readonly at: number; readonly isHeld: boolean; readonly hasRival: boolean }
>('graph/claim_leases', { params: ['rows'], row: ['at', 'isHeld', 'hasRival'] });
const releaseLeases = statement<{ rows: readonly LeaseRow[] }, { readonly at: number }>(
  'graph/update_released_leases',
  {
    params: ['rows'],
    row: ['at'],
  },
);

/**
 * A right that one process on the store holds at a time. It lasts until its time is over by the clock of the database,
 * so the holder renews it well before. Call `isHeld` before each action that must not come too late.
 */
export type Lease = {
  /** Claims the lease if no other process holds it, or renews it. Answers whether this process holds it now. */
  claim(): Promise<boolean>;
  /**
   * Answers whether this process holds the lease now, and claims or renews it when that was last done `everyMs` ago. In
   * between, this process's own clock decides. As long as it is asked, the renewal of another lease may renew it as well.
   */
  keep(everyMs: number): Promise<boolean>;
  /** Whether no other process can hold it yet, by this process's own monotonic clock. */
  isHeld(): boolean;
  /** Whether another process has tried to claim it lately. */
  hasRival(): boolean;
  /** Releases the lease at once. */
  release(): Promise<void>;
};

/** How long a process that failed to claim the lease counts as a rival. */
const RIVAL_MEMORY_MS = 60_000;

/** A lease as this process knows it; times are those of its monotonic clock. */
type LeaseState = {
  readonly clock: Clock;
  readonly name: string;
  readonly holder: string;
  readonly forMs: number;
  heldUntilMs: number;
  isContested: boolean;
  /** When the last claim or renewal was sent. An answer to an earlier one says nothing any more. */
  askedAtMs: number;
  /** When its holder last asked whether it is held. */
  keptAtMs: number;
};

/**
 * The leases that this process keeps. Each transaction makes kept answers be compared with the database once, so leases
 * are renewed together.
 */
const keptLeases = new WeakMap<Graph, Set<LeaseState>>();

const keptLeasesOf = (graph: Graph): Set<LeaseState> => {
  const known = keptLeases.get(graph);
  if (known) return known;
  const kept = new Set<LeaseState>();
  keptLeases.set(graph, kept);
  return kept;
};

const isHeldNow = ({ clock, heldUntilMs }: LeaseState): boolean => clock() < heldUntilMs;

/**
 * Whether a held lease has used so much of its time that the next transaction should renew it. A holder that has not
 * asked for it for as long as it lasts may hang, and then another process takes over.
 */
const isDueSoon = ({ askedAtMs, keptAtMs, forMs }: LeaseState, nowMs: number): boolean =>
  nowMs - askedAtMs > forMs / 6 && nowMs - keptAtMs < forMs;

const buildRows = (states: readonly LeaseState[], claimed: LeaseState): ClaimLeaseRow[] =>
  states.map((state, at) => ({
    at,
    name: state.name,
    holder: state.holder,
    forMs: encodeProperty(state.forMs),
    rivalMs: encodeProperty(RIVAL_MEMORY_MS),
    renewsOnly: state !== claimed,
  }));

/** Claims or renews a lease, and renews the others of this process that are due soon. */
const claimWithOthers = async (graph: Graph, claimed: LeaseState): Promise<boolean> => {
  const sentMs = claimed.clock();
  const others = [...keptLeasesOf(graph)].filter(
    (other) => other !== claimed && isHeldNow(other) && isDueSoon(other, sentMs),
  );
  // All processes lock leases in the same order.
  const asked = [claimed, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const state of asked) state.askedAtMs = sentMs;
  const answers = await graph.writeAlone(claimLeases, { rows: buildRows(asked, claimed) });
  let isHeld = false;
  for (const answer of answers) {
    const state = asked[answer.at];
    if (state === claimed) isHeld = answer.isHeld;
    if (state?.askedAtMs !== sentMs) continue;
    state.heldUntilMs = answer.isHeld ? sentMs + state.forMs : 0;
    state.isContested = answer.hasRival;
  }
  return isHeld;
};

export const createLease = (graph: Graph, name: string, forMs: number, clock: Clock = monotonicNow): Lease => {
  const state: LeaseState = {
    clock,
    name,
    holder: randomUUID(),
    forMs,
    heldUntilMs: 0,
    isContested: false,
    askedAtMs: Number.NEGATIVE_INFINITY,
    keptAtMs: Number.NEGATIVE_INFINITY,
  };
  return {
    claim: () => claimWithOthers(graph, state),
    keep: async (everyMs) => {
      keptLeasesOf(graph).add(state);
      state.keptAtMs = clock();
      return state.keptAtMs < state.askedAtMs + everyMs ? isHeldNow(state) : claimWithOthers(graph, state);
    },
    isHeld: () => isHeldNow(state),
    hasRival: () => state.isContested,
    release: async () => {
      keptLeasesOf(graph).delete(state);
      state.heldUntilMs = 0;
      state.askedAtMs = Number.NEGATIVE_INFINITY;
      const rows = [{ at: 0, name, holder: state.holder }];
      await graph.writeAlone(releaseLeases, { rows });
    },
  };
};

/** Whether this process may do work now that only one process does, at most once in `everyMs`. */
export const claimTurn = (graph: Graph, name: string, everyMs: number): Promise<boolean> =>
  createLease(graph, name, everyMs).claim();

const countLeases = statement<{ prefix: string }, { held: number }>('graph/count_leases', {
  params: ['prefix'],
  row: ['held'],
});
const deleteLeases = statement<{ prefix: string; ageMs: number; limit: number }, { removed: number }>(
  'graph/delete_stale_leases',
  { params: ['prefix', 'ageMs', 'limit'], row: ['removed'] },
);

/** Counts the leases held now whose names begin with the prefix. */
export const countHeldLeases = async (graph: Graph, prefix: string): Promise<number> =>
  (await graph.read(countLeases, { prefix }))[0]?.held ?? 0;

/** Deletes leases that nobody has held for a day, a limited number at a time. */
export const deleteStaleLeases = async (graph: Graph, prefix: string): Promise<void> => {
  const stale = { prefix, ageMs: DAY_MS, limit: 1000 };
  await graph.write((transaction) => transaction.run(deleteLeases, stale));
};
