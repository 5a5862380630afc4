import type { Engine } from '../../../catalog/engine.ts';
import type { FindBrokenClauses } from '../record-contracts.ts';
import type { LineageBudget } from '../walk-edges.ts';
import type { LineageWalker } from '../walker.ts';

/** The dependencies of the graph operations. */
export type GraphRoom = {
  readonly engine: Engine;
  readonly walker: LineageWalker;
  readonly budget: LineageBudget;
  readonly maxDepth: number;
  readonly findBrokenClauses: FindBrokenClauses;
};
