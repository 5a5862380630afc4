import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../model/time.ts';
import type { Graph } from './client.ts';
import { encodeProperty } from './encode-property.ts';
import { statement } from './statement.ts';

type LeaseRow = { readonly at: number; readonly name: string; readonly holder: string };
type ClaimLeaseRow = LeaseRow & { readonly forMs: unknown; readonly rivalMs: unknown };

const claimLeases = statement<
  { rows: readonly ClaimLeaseRow[] },
  { readonly at: number; readonly isHeld: boolean; readonly hasRival: boolean }
>('graph/claim_leases', { params: ['rows'], row: ['at', 'isHeld', 'hasRival'] });
const releaseLeases = statement<{ rows: readonly LeaseRow[] }, { readonly at: number }>('graph/release_leases', {
  params: ['rows'],
  row: ['at'],
});

/**
 * What one process of all on the store may do at a time. It belongs to whoever claimed it until its time is over, by the
 * clock of the database, so a holder claims it again well before. Whoever must not act too late asks `isHeld` each time.
 */
export type Lease = {
  /** Takes the right if nobody else has it, or keeps it for longer; answers whether this process has it now. */
  claim(): Promise<boolean>;
  /** Whether nobody else can have it yet, by this process's own steady clock. */
  isHeld(): boolean;
  /** Whether another process asked for it lately. */
  hasRival(): boolean;
  /** Lets others have it at once. */
  release(): Promise<void>;
};

/** How long somebody who asked in vain counts as being there. */
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

/** Keeps a right by claiming it again every so often; in between it is known by this process's own clock. */
export const createLeaseHold = (lease: Lease, everyMs: number) => {
  let beatAtMs = 0;
  return {
    /** Makes the next look a claim. */
    begin: () => {
      beatAtMs = 0;
    },
    /** Whether this process has the right now. */
    keep: async (): Promise<boolean> => {
      if (performance.now() < beatAtMs) return lease.isHeld();
      beatAtMs = performance.now() + everyMs;
      return lease.claim();
    },
  };
};

/** Whether it is this process's turn to do what one process of all does at most once in `everyMs`. */
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

/** How many rights of a family, by the beginning of their names, somebody has now. */
export const countHeldLeases = async (graph: Graph, prefix: string): Promise<number> =>
  (await graph.read(countLeases, { prefix }))[0]?.held ?? 0;

/** What nobody has had for a day is forgotten, a bounded number at a time. */
export const deleteStaleLeases = async (graph: Graph, prefix: string): Promise<void> => {
  const stale = { prefix, ageMs: DAY_MS, limit: 1000 };
  await graph.write((transaction) => transaction.run(deleteLeases, stale));
};
