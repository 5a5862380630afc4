import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../model/time.ts';
import type { Graph } from './client.ts';
import { encodeProperty } from './encode-property.ts';
import { statement } from './statement.ts';

/** Leases: rights that one process at a time holds for a limited time. */

type LeaseRow = { readonly at: number; readonly name: string; readonly holder: string };
type ClaimLeaseRow = LeaseRow & { readonly forMs: unknown; readonly rivalMs: unknown };

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
  /** Whether no other process can hold it yet, by this process's own monotonic clock. */
  isHeld(): boolean;
  /** Whether another process has tried to claim it lately. */
  hasRival(): boolean;
  /** Releases the lease at once. */
  release(): Promise<void>;
};

/** How long a process that failed to claim the lease counts as a rival. */
const RIVAL_MEMORY_MS = 60_000;

export const createLease = (graph: Graph, name: string, forMs: number): Lease => {
  const row = { at: 0, name, holder: randomUUID() };
  const rows = [{ ...row, forMs: encodeProperty(forMs), rivalMs: encodeProperty(RIVAL_MEMORY_MS) }];
  let heldUntilMs = 0;
  let isContested = false;
  return {
    claim: async () => {
      const sentMs = performance.now();
      const [answer] = await graph.write((transaction) => transaction.run(claimLeases, { rows }));
      heldUntilMs = answer?.isHeld ? sentMs + forMs : 0;
      isContested = answer?.hasRival ?? false;
      return heldUntilMs > 0;
    },
    isHeld: () => performance.now() < heldUntilMs,
    hasRival: () => isContested,
    release: async () => {
      heldUntilMs = 0;
      await graph.write((transaction) => transaction.run(releaseLeases, { rows: [row] }));
    },
  };
};

/** Holds a lease by renewing it regularly. In between, this process's own clock decides whether it is held. */
export const createLeaseHold = (lease: Lease, everyMs: number) => {
  let beatAtMs = 0;
  return {
    /** Makes the next call of `keep` claim the lease. */
    begin: () => {
      beatAtMs = 0;
    },
    /** Answers whether this process holds the lease now, and renews it when that is due. */
    keep: async (): Promise<boolean> => {
      if (performance.now() < beatAtMs) return lease.isHeld();
      beatAtMs = performance.now() + everyMs;
      return lease.claim();
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
