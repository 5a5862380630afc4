import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import { statement } from '../graph/statement.ts';
import { countMarkedTransactions, GATE_CACHE_MS } from '../graph/write-gate.ts';
import type { StoreConnection } from './store-connection.ts';

type NoPauseParameters = Record<string, never>;

const beginPause = statement<{ holder: string; forMs: bigint }, { isFree: boolean }>('backup/create_pause', {
  params: ['holder', 'forMs'],
  row: ['isFree'],
});
const endPause = statement<{ holder: string }, NoPauseParameters>('backup/delete_pause', {
  params: ['holder'],
  row: [],
});

/** Longer than any process caches the pause state. */
const PAUSE_NOTICE_MS = GATE_CACHE_MS + 200;

/**
 * The maximum wait for running transactions. TX_TIMEOUT_S may allow longer ones; the state comparison afterwards
 * detects their writes.
 */
const DRAIN_MS = 60_000;
const DRAIN_LOOK_MS = 50;

/** Waits until no write transaction is running. Without permission to list transactions it cannot wait. */
const waitForRunningWrites = async (connection: StoreConnection): Promise<void> => {
  const deadline = performance.now() + DRAIN_MS;
  while (performance.now() < deadline) {
    const [counted] = await connection.all(countMarkedTransactions, { mark: 'write' }).catch(() => []);
    if (counted === undefined || Number(counted.running) === 0) return;
    await sleep(DRAIN_LOOK_MS);
  }
};

/**
 * Runs `work` while no Tributary process writes. It asks the processes to pause, waits for running writes, and lets
 * them continue when the work has ended, this process has died, or `forMs` has passed. Returns how long the writes
 * waited. Other programs are not stopped: compare `state()` before and after.
 */
export const withWritesPaused = async (
  connection: StoreConnection,
  forMs: number,
  work: () => Promise<void>,
): Promise<{ readonly pausedMs: number }> => {
  const holder = randomUUID();
  const endAnnouncement = await connection.announce('backup');
  try {
    const [begun] = await connection.write(beginPause, { holder, forMs: BigInt(Math.ceil(forMs)) });
    if (!begun?.isFree) throw new StartupError('Another backup of this store is under way.');
    const since = performance.now();
    try {
      await sleep(PAUSE_NOTICE_MS);
      await waitForRunningWrites(connection);
      await work();
    } finally {
      await connection.write(endPause, { holder });
    }
    return { pausedMs: performance.now() - since };
  } finally {
    await endAnnouncement();
  }
};
