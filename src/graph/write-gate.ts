import { setTimeout as sleep } from 'node:timers/promises';
import { CatalogError } from '../errors.ts';
import type { Graph } from './client.ts';
import { type BoundStatement, statement } from './statement.ts';

/**
 * A backup of a store in use needs a moment in which nothing is written. It says so in the graph, and every process asks
 * before it writes: at most twice a second, so that writing costs nothing more. While a backup is under way, writes wait.
 */
export type WriteGate = {
  /** Resolves when writing is allowed; undefined when it is known to be. */
  waitUntilOpen(): Promise<void> | undefined;
};

/** What is known about the pause is reused for this long. A backup waits for longer than that before it relies on it. */
export const GATE_CACHE_MS = 500;

/** How often a process that waits asks whether the pause is over. */
const PAUSE_POLL_MS = 100;

/** A request does not wait longer than this; nobody would be there any more to hear the answer. */
const MAX_GATE_WAIT_MS = 60_000;

/** What a transaction is for, as the list of transactions shows it: by this, others know that it is there. */
export type TransactionMark = 'write' | 'backup' | 'restore';

export const transactionMetadata = (mark: TransactionMark): { readonly tributary: TransactionMark } => ({
  tributary: mark,
});

type NoGateParams = Record<string, never>;

const readPause = statement<NoGateParams, { remainingMs: number }>('backup/read_pause', {
  params: [],
  row: ['remainingMs'],
});
/** Counts the open transactions with a mark, over any connection: one that died is not among them. */
export const countMarkedTransactions = statement<{ mark: TransactionMark }, { running: number | bigint }>(
  'backup/count_marked',
  {
    params: ['mark'],
    row: ['running'],
  },
);

type ReadStatement = <P extends object, R extends object>(asked: BoundStatement<P, R>, params: P) => Promise<R[]>;

/** Where the list of transactions is not shown to this user, the pause ends by itself. */
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
