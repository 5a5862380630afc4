import { readFileSync } from 'node:fs';

/** Measures how long this thread's event loop is blocked. */
export type LoopProbe = {
  /** The longest block since the last call, in milliseconds of processor time. */
  longest(): number;
  stop(): void;
};

const TICK_MS = 1;

/**
 * The processor time that the main thread has used, in milliseconds. Unlike the time on the clock it does not grow while
 * another process has the processor, so a busy neighbour cannot make a stretch look longer. Only Linux tells it by thread.
 */
const threadMs = (): number => {
  if (process.platform !== 'linux') return performance.now();
  return Number(readFileSync(`/proc/${process.pid}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6;
};

/**
 * A timer fires at least once in every turn of the loop that is longer than itself. What the thread has used between two
 * firings is therefore at most one long turn and some short ones.
 */
export const probeLoop = (): LoopProbe => {
  let longest = 0;
  let last = threadMs();
  const timer = setInterval(() => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, TICK_MS);
  return {
    longest: () => {
      const found = longest;
      longest = 0;
      return found;
    },
    stop: () => clearInterval(timer),
  };
};
