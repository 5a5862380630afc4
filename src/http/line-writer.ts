import { write, writeSync } from 'node:fs';

/** Lines on their way to a file descriptor. */
export type LineWriter = {
  readonly write: (line: string) => void;
  /** Writes what is held before it returns. */
  readonly flush: () => void;
};

/** Enough lines for one write to cost next to nothing per line. */
const FLUSH_CHARACTERS = 64 * 1024;
const FLUSH_INTERVAL_MS = 500;
/** When nobody takes the lines they are dropped beyond this, rather than held until memory runs out. */
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
      // A reader that is only slow gets time; one that is gone gets nothing more.
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
 * Gathers lines and writes many at once in the background, since a write per line would cost more than what the line
 * tells about. Whatever is still held is written when the process exits.
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
