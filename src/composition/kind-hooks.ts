import type { KindHooks } from '../catalog/engine.ts';
import { contractHooks, expectedTestHooks } from '../contracts/hooks.ts';
import { testCaseHooks } from '../quality/hooks.ts';

/**
 * All hooks by which modules take part in writes, by kind. A module exports its hooks, and only this table registers
 * them.
 */
export const KIND_HOOKS: ReadonlyMap<string, KindHooks> = new Map<string, KindHooks>([
  ['testCase', { ...testCaseHooks, ...expectedTestHooks }],
  ['dataContract', contractHooks],
]);
