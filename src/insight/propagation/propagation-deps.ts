import type { Engine } from '../../catalog/engine.ts';
import type { LineageBudget } from '../../lineage/read/walk-edges.ts';
import type { TrustRules } from '../columns/mapping-trust.ts';

/** What the parts of this room need, and the rules that they share. */

export type PropagationDeps = {
  readonly engine: Engine;
  readonly budget: LineageBudget;
  /** The number of mappings that a request may follow at most. */
  readonly maxDepth: number;
  /** The names of functions behind which a label does not hold. */
  readonly blockers: readonly string[];
};

const DEFAULT_DEPTH = 20;

/** The number of mappings that labels follow unless a request says otherwise. */
export const defaultDepth = (most: number): number => Math.min(DEFAULT_DEPTH, most);

export const createTrustRules = (blockers: readonly string[], now: number): TrustRules => ({
  blockers: new Set(blockers.map((name) => name.toLowerCase())),
  now,
});
