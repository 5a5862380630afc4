import type { AppDeps } from '../../src/app.ts';
import { PATIENCE_MS } from './patience.ts';

/**
 * What a service of the tests has unless a test is about it: limits of time that a busy machine does not meet, because
 * answers would differ, and hashes of passwords as cheap as any that are read.
 */

export const GENEROUS_BOUNDS: NonNullable<AppDeps['bounds']> = {
  sqlTextMs: PATIENCE_MS,
  questionMs: PATIENCE_MS,
  patienceMs: PATIENCE_MS,
  publicBodyMs: PATIENCE_MS,
  passwordCost: { log2N: 10, r: 8, p: 1 },
};

/** The same of those that are settings. */
export const GENEROUS_SETTINGS: Readonly<Record<string, string>> = {
  TX_TIMEOUT_S: String(Math.ceil(PATIENCE_MS / 1000)),
};
