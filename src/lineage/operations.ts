import type { Principal } from '../access/principal.ts';
import type { Operations } from '../jobs/work.ts';
import { exportOperation } from './map/export.ts';
import type { LineageDeps } from './routes.ts';
import { createWalker } from './walk.ts';

/** What is done with lineage after a request was answered. */
export const lineageOperations = (
  { engine, limits }: LineageDeps,
  renew: (actor: Principal) => Promise<Principal>,
): Operations => ({
  EXPORT: exportOperation(
    {
      engine,
      walker: createWalker(engine.graph),
      budget: { nodes: limits.lineageNodes, edges: limits.lineageEdges },
    },
    renew,
  ),
});
