import { write, writeSync } from 'node:fs';

/** Writes lines to a file descriptor. */
export type LineWriter = {
  readonly write: (line: string) => void;
  /** Writes all buffered lines before it returns. */
  readonly flush: () => void;
};

/** Large enough that a write costs next to nothing per line. */
const FLUSH_CHARACTERS = 64 * 1024;
const FLUSH_INTERVAL_MS = 500;
/** When the descriptor accepts no more output, lines beyond this limit are dropped to save memory. */
const MAX_HELD_CHARACTERS = 16 * 1024 * 1024;
const RETRY_MS = 20;
const MAX_RETRIES = 100;

type LineBuffer = { lines: string[]; characters: number; isBusy: boolean; waiting: Buffer | undefined };

const isPipeFull = (failure: unknown): boolean => failure instanceof Error && Reflect.get(failure, 'code') === 'EAGAIN';

const sleepSync = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

const writeNow = (fd: number, bytes: Buffer): void => {
  let rest = bytes;
  for (let tries = 0; rest.length > 0 && tries < MAX_RETRIES; tries += 1) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
      tries = 0;
    } catch (failure) {
      // A slow reader gets more time. A closed pipe gets nothing more.
      if (!isPipeFull(failure)) return;
      sleepSync(RETRY_MS);
    }
  }
};

const takeBufferedLines = (held: LineBuffer): Buffer => {
  const bytes = Buffer.from(held.lines.join(''));
  held.lines = [];
  held.characters = 0;
  return bytes;
};

const writeInBackground = (fd: number, held: LineBuffer, bytes: Buffer): void => {
  held.isBusy = true;
  write(fd, bytes, (failure, written) => {
    if (isPipeFull(failure)) {
      held.waiting = bytes;
      setTimeout(() => {
        if (held.waiting === bytes) writeInBackground(fd, held, bytes);
      }, RETRY_MS).unref();
    } else if (failure === null && written < bytes.length) {
      writeInBackground(fd, held, bytes.subarray(written));
    } else {
      held.isBusy = false;
      if (held.characters >= FLUSH_CHARACTERS) writeInBackground(fd, held, takeBufferedLines(held));
    }
  });
  held.waiting = undefined;
};

/**
 * Buffers lines and writes many at once in the background, because a write per line would cost more than the work it
 * reports. Remaining lines are written when the process exits.
 */
export const createLineWriter = (fd: number): LineWriter => {
  const held: LineBuffer = { lines: [], characters: 0, isBusy: false, waiting: undefined };
  const flushInBackground = () => {
    if (!held.isBusy && held.characters > 0) writeInBackground(fd, held, takeBufferedLines(held));
  };
  const flush = () => {
    if (held.waiting) writeNow(fd, held.waiting);
    held.waiting = undefined;
    writeNow(fd, takeBufferedLines(held));
  };
  setInterval(flushInBackground, FLUSH_INTERVAL_MS).unref();
  process.once('exit', flush);
  return Object.freeze({
    flush,
    write: (line: string) => {
      if (held.characters > MAX_HELD_CHARACTERS) return;
      held.lines.push(line);
      held.characters += line.length;
      if (held.characters >= FLUSH_CHARACTERS) flushInBackground();
    },
  });
};
