import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { KeptLineage } from '../kept-lineage.ts';
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

/** Opens the importance of the assets that a principal may see: between 0 and 1, by ID; 0 for any other. */
export type OpenScores = (principal: Principal) => Promise<(id: string) => number>;

/** The dependencies of graphs that tell how important their assets are. */
export type ScoredGraphRoom = GraphRoom & { readonly openScores: OpenScores };

/** The dependencies of graphs that are kept. */
export type KeptGraphRoom = ScoredGraphRoom & { readonly kept: KeptLineage };
