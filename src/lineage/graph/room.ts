import type { Engine } from '../../catalog/engine.ts';
import type { AskBroken } from '../contracts.ts';
import type { Budget } from '../subgraph.ts';
import type { Walker } from '../walk.ts';

/** What the operations on graphs work with. */
export type Room = {
  readonly engine: Engine;
  readonly walker: Walker;
  readonly budget: Budget;
  readonly maxDepth: number;
  readonly broken: AskBroken;
};
