import * as assert from 'node:assert/strict';

/** What was measured while hostile documents were read. */
export type Attempt = {
  /** How many other requests were answered meanwhile. */
  readonly answered: number;
  /** How long anything stood still. */
  readonly stoodMs: number;
};

const MOST_ATTEMPTS = 3;
const MANY_ANSWERED = 20;

/**
 * Fails unless one of a few attempts lets others be answered and holds nothing up for longer. What blocks does so each
 * time; other work on the machine delays one attempt, not all.
 */
export const expectQuietAttempt = async (measure: () => Promise<Attempt>, mostMs: number): Promise<void> => {
  const attempts: Attempt[] = [];
  const isQuiet = ({ answered, stoodMs }: Attempt) => answered > MANY_ANSWERED && stoodMs < mostMs;
  while (attempts.length < MOST_ATTEMPTS && !attempts.some(isQuiet)) attempts.push(await measure());
  assert.ok(attempts.some(isQuiet), JSON.stringify(attempts));
};
