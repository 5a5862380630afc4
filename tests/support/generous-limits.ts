import type { AppDeps } from '../../src/app.ts';
import { PATIENCE_MS } from './patience.ts';

/**
 * What a service of the tests has unless a test is about it: limits that neither a busy machine nor the files before meet,
 * because answers would differ, and hashes of passwords as cheap as any that are read.
 */

export const GENEROUS_BOUNDS: NonNullable<AppDeps['bounds']> = {
  // All files of a run act on one service within a minute: no test is to miss an entry because of those before it.
  audit: { throttle: { total: 100_000, keys: 10_000 } },
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
