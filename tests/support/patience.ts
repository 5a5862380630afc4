import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what must come. A deadline only ends a hang, so all waits have the same one and it measures nothing. */

/** How long a test waits at most. TEST_PATIENCE multiplies it for a machine that needs longer. */
export const PATIENCE_MS = 120_000 * Number(process.env['TEST_PATIENCE'] || 1);

const PAUSE_MS = 20;
const MOST_CHARACTERS = 1000;

type Read<T> = () => Promise<T> | T;

type WaitOptions = {
  /** The pause between two reads. Expensive reads want a longer one. */
  readonly pauseMs?: number;
  /** Only for what takes longer than `PATIENCE_MS` by itself; each use says why. */
  readonly patienceMs?: number;
};

type WaitFor = {
  <T, U extends T>(read: Read<T>, is: (value: T) => value is U, what: string, options?: WaitOptions): Promise<U>;
  <T>(read: Read<T>, is: (value: T) => boolean, what: string, options?: WaitOptions): Promise<T>;
};

/** Errors have members that JSON leaves out. */
const describe = (seen: unknown): string => {
  const text = seen instanceof Error ? String(seen) : (JSON.stringify(seen) ?? String(seen));
  return text.slice(0, MOST_CHARACTERS);
};

const poll = async <T>(
  read: Read<T>,
  is: (value: T) => boolean,
  what: string,
  seen: (value: T) => unknown,
  { pauseMs = PAUSE_MS, patienceMs = PATIENCE_MS }: WaitOptions = {},
): Promise<T> => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (is(value)) return value;
    if (performance.now() > deadline)
      throw new Error(`waited ${patienceMs / 1000} s until ${what}; last seen: ${describe(await seen(value))}`);
    await sleep(pauseMs);
  }
};

/** Reads until the value is the expected one and answers it. Fails with the last value. */
export const waitFor: WaitFor = <T>(
  read: Read<T>,
  is: (value: T) => boolean,
  what: string,
  options?: WaitOptions,
): Promise<T> => poll(read, is, what, (value) => value, options);

/** Waits until something is true. Fails with what `seen` answers at the end. */
export const waitUntil = async (
  is: Read<boolean>,
  what: string,
  seen: Read<unknown> = () => false,
  options?: WaitOptions,
): Promise<void> => {
  await poll(is, (isSo) => isSo, what, seen, options);
};

/** A moment between two writes: what came before is older by a millisecond at least, and what comes next is younger. */
export const moment = async (): Promise<number> => {
  const before = Date.now();
  const between = await waitFor(Date.now, (now) => now > before, 'the clock goes on', { pauseMs: 1 });
  await waitUntil(() => Date.now() > between, 'the clock goes on', Date.now, { pauseMs: 1 });
  return between;
};
