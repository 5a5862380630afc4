import { write, writeSync } from 'node:fs';

/** Lines on their way to a file descriptor. */
export type LineWriter = {
  readonly write: (line: string) => void;
  /** Writes what is held before it returns. */
  readonly flush: () => void;
};

/** Enough lines for one write to cost next to nothing per line. */
const HAND_OVER_CHARACTERS = 64 * 1024;
const HAND_OVER_EVERY_MS = 500;
/** When nobody takes the lines they are dropped beyond this, rather than held until memory runs out. */
const MAX_HELD_CHARACTERS = 16 * 1024 * 1024;
const RETRY_MS = 20;
const MAX_RETRIES = 100;

type Held = { lines: string[]; characters: number; isBusy: boolean; waiting: Buffer | undefined };

const isFull = (failure: unknown): boolean => failure instanceof Error && Reflect.get(failure, 'code') === 'EAGAIN';

const sleep = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

const writeOut = (fd: number, bytes: Buffer): void => {
  let rest = bytes;
  for (let tries = 0; rest.length > 0 && tries < MAX_RETRIES; tries += 1) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
      tries = 0;
    } catch (failure) {
      // A reader that is only slow gets time; one that is gone gets nothing more.
      if (!isFull(failure)) return;
      sleep(RETRY_MS);
    }
  }
};

const takeAll = (held: Held): Buffer => {
  const bytes = Buffer.from(held.lines.join(''));
  held.lines = [];
  held.characters = 0;
  return bytes;
};

const send = (fd: number, held: Held, bytes: Buffer): void => {
  held.isBusy = true;
  write(fd, bytes, (failure, written) => {
    if (isFull(failure)) {
      held.waiting = bytes;
      setTimeout(() => {
        if (held.waiting === bytes) send(fd, held, bytes);
      }, RETRY_MS).unref();
    } else if (failure === null && written < bytes.length) {
      send(fd, held, bytes.subarray(written));
    } else {
      held.isBusy = false;
      if (held.characters >= HAND_OVER_CHARACTERS) send(fd, held, takeAll(held));
    }
  });
  held.waiting = undefined;
};

/**
 * Gathers lines and writes many at once in the background, since a write per line would cost more than what the line
 * tells about. Whatever is still held is written when the process exits.
 */
export const createLineWriter = (fd: number): LineWriter => {
  const held: Held = { lines: [], characters: 0, isBusy: false, waiting: undefined };
  const handOver = () => {
    if (!held.isBusy && held.characters > 0) send(fd, held, takeAll(held));
  };
  const flush = () => {
    if (held.waiting) writeOut(fd, held.waiting);
    held.waiting = undefined;
    writeOut(fd, takeAll(held));
  };
  setInterval(handOver, HAND_OVER_EVERY_MS).unref();
  process.once('exit', flush);
  return Object.freeze({
    flush,
    write: (line: string) => {
      if (held.characters > MAX_HELD_CHARACTERS) return;
      held.lines.push(line);
      held.characters += line.length;
      if (held.characters >= HAND_OVER_CHARACTERS) handOver();
    },
  });
};
