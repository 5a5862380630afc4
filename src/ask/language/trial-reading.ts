import type { Expression } from './syntax.ts';

/** Reads forms that can only be told apart by reading them: on trial, and each part of them once. */

/** How far a query is read, which trials set back. */
export type ReadingProgress = { at: number; operators: number };

type TrialDeps = {
  readonly progress: ReadingProgress;
  /** Whether reading has come to an end for good, so that nothing else is tried. */
  readonly isOver: () => boolean;
  readonly countOperators: (count: number) => void;
};

/** What an expression came to: how far it went and how many operators it has, or why it was refused. */
type Reading =
  | { readonly value: Expression; readonly end: number; readonly operators: number }
  | { readonly failure: unknown };

export type TrialReading = {
  /** Reads on trial: answers undefined, and goes back, where that is refused. */
  attempt<T>(read: () => T): T | undefined;
  /**
   * Reads an expression and remembers it by its place. What was read on trial is not read again when the trial has failed:
   * each level of such forms would double the work.
   */
  readOnce(read: () => Expression): Expression;
};

export const openTrialReading = ({ progress, isOver, countOperators }: TrialDeps): TrialReading => {
  const readings = new Map<number, Reading>();
  const readAnew = (read: () => Expression): Reading => {
    const before = progress.operators;
    try {
      return { value: read(), end: progress.at, operators: progress.operators - before };
    } catch (failure) {
      return { failure };
    }
  };
  return {
    attempt: (read) => {
      const before = { ...progress };
      try {
        return read();
      } catch (failure) {
        if (isOver()) throw failure;
        Object.assign(progress, before);
        return undefined;
      }
    },
    readOnce: (read) => {
      const start = progress.at;
      const known = readings.get(start);
      const reading = known ?? readAnew(read);
      if (!known) readings.set(start, reading);
      if ('failure' in reading) throw reading.failure;
      progress.at = reading.end;
      if (known) countOperators(reading.operators);
      return reading.value;
    },
  };
};
