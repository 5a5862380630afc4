import type { Principal } from '../access/principal.ts';
import type { Operation } from '../jobs/work.ts';
import { exportOperation } from './map/export.ts';
import type { LineageDeps } from './routes.ts';
import { createWalker } from './walk.ts';

/** Exports lineage after the request was answered. */
export const lineageExport = (
  { engine, limits }: LineageDeps,
  renew: (actor: Principal) => Promise<Principal>,
): Operation =>
  exportOperation(
    {
      engine,
      walker: createWalker(engine.graph),
      budget: { nodes: limits.lineageNodes, edges: limits.lineageEdges },
    },
    renew,
  );
