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

/** Longer than any process relies on what it knew about the pause. */
const PAUSE_NOTICE_MS = GATE_CACHE_MS + 200;

/** A transaction may take as long as TX_TIMEOUT_S allows; one that is still running then is found out afterwards. */
const DRAIN_MS = 60_000;
const DRAIN_LOOK_MS = 50;

/** Waits until no write transaction is running. Where the list of transactions is not shown, nothing can be waited for. */
const waitForRunningWrites = async (connection: StoreConnection): Promise<void> => {
  const deadline = performance.now() + DRAIN_MS;
  while (performance.now() < deadline) {
    const [counted] = await connection.all(countMarkedTransactions, { mark: 'write' }).catch(() => []);
    if (counted === undefined || Number(counted.running) === 0) return;
    await sleep(DRAIN_LOOK_MS);
  }
};

/**
 * Does `work` while no process of Tributary writes: they are asked to wait, what they have begun is waited for, and they go
 * on when the work has ended, this process has died, or `forMs` is over. Answers how long they waited. Whoever writes all
 * the same is not kept from it: compare `state()` before and after.
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
