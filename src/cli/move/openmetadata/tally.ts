import type { Refusal } from '../../attempt.ts';

/** Counts what an import has brought, and what it has not. */

export type MoveTally = {
  /** How many records were written, by what they are. */
  readonly written: Map<string, number>;
  /** What does not come, and how often. */
  readonly leftOut: Map<string, number>;
  readonly refusals: Refusal[];
};

export const createTally = (): MoveTally => ({ written: new Map(), leftOut: new Map(), refusals: [] });

export const addTo = (counts: Map<string, number>, what: string, count = 1): void => {
  if (count > 0) counts.set(what, (counts.get(what) ?? 0) + count);
};
