import { setTimeout as sleep } from 'node:timers/promises';
import { CatalogError } from '../errors.ts';
import type { Graph } from './client.ts';
import { type BoundStatement, statement } from './statement.ts';

/**
 * Holds back writes during a backup of a store in use. The backup announces itself in the graph, and every process
 * checks before it writes, at most twice a second to keep writes cheap.
 */
export type WriteGate = {
  /** Resolves when writing is allowed. Undefined when it is known to be allowed. */
  waitUntilOpen(): Promise<void> | undefined;
};

/** How long the last check is reused. A backup waits longer than this before it relies on the pause. */
export const GATE_CACHE_MS = 500;

/** How often a waiting process checks whether the pause is over. */
const PAUSE_POLL_MS = 100;

/** A request waits no longer than this, because its client would be gone by then. */
const MAX_GATE_WAIT_MS = 60_000;

/** The purpose of a transaction, which other processes see in the list of transactions. */
export type TransactionMark = 'write' | 'backup' | 'restore';

export const transactionMetadata = (mark: TransactionMark): { readonly tributary: TransactionMark } => ({
  tributary: mark,
});

type NoGateParams = Record<string, never>;

const readPause = statement<NoGateParams, { remainingMs: number }>('graph/read_pause', {
  params: [],
  row: ['remainingMs'],
});
/** Counts the open transactions with a mark, over all connections. Those of a process that died are not included. */
export const countMarkedTransactions = statement<{ mark: TransactionMark }, { running: number | bigint }>(
  'graph/count_marked_transactions',
  {
    params: ['mark'],
    row: ['running'],
  },
);

type ReadStatement = <P extends object, R extends object>(asked: BoundStatement<P, R>, params: P) => Promise<R[]>;

/** Whether the backup still runs. A user who may not list transactions relies on the pause's own expiry. */
const isBackupAlive = async (read: ReadStatement): Promise<boolean> => {
  try {
    const [counted] = await read(countMarkedTransactions, { mark: 'backup' });
    return Number(counted?.running ?? 0) > 0;
  } catch (failure) {
    if (failure instanceof CatalogError) throw failure;
    return true;
  }
};

const isWritingPaused = async (read: ReadStatement): Promise<boolean> => {
  const [pause] = await read(readPause, {});
  return pause !== undefined && pause.remainingMs > 0 && (await isBackupAlive(read));
};

export const createWriteGate = (read: Graph['read']): WriteGate => {
  let freshUntilMs = 0;
  let waiting: Promise<void> | undefined;

  const waitForGate = async (): Promise<void> => {
    const deadline = performance.now() + MAX_GATE_WAIT_MS;
    for (;;) {
      const askedMs = performance.now();
      if (!(await isWritingPaused(read))) {
        freshUntilMs = askedMs + GATE_CACHE_MS;
        return;
      }
      if (askedMs > deadline) {
        throw new CatalogError('unavailable', 'A backup is being made; try again in a moment');
      }
      await sleep(PAUSE_POLL_MS);
    }
  };

  return {
    waitUntilOpen: () => {
      if (performance.now() < freshUntilMs) return undefined;
      waiting ??= waitForGate().finally(() => {
        waiting = undefined;
      });
      return waiting;
    },
  };
};
