import type { AppDeps } from '../../src/app.ts';
import { PATIENCE_MS } from './patience.ts';

/**
 * Limits of time that a service of the tests has unless a test is about them: a busy machine would meet those of the
 * product, and answers would differ.
 */

export const GENEROUS_BOUNDS: NonNullable<AppDeps['bounds']> = {
  sqlTextMs: PATIENCE_MS,
  questionMs: PATIENCE_MS,
  patienceMs: PATIENCE_MS,
  publicBodyMs: PATIENCE_MS,
};

/** The same of those that are settings. */
export const GENEROUS_SETTINGS: Readonly<Record<string, string>> = {
  TX_TIMEOUT_S: String(Math.ceil(PATIENCE_MS / 1000)),
};
