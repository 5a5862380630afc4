import type { Principal } from '../access/principal.ts';
import type { JobOperation } from '../jobs/job-operation.ts';
import type { LineageDeps } from './handlers.ts';
import { mapExportOperation } from './read/map/export.ts';
import { createLineageWalker } from './read/walker.ts';

/** Creates the job operation that exports lineage asynchronously, after the request was answered. */
export const lineageExportOperation = (
  { engine, limits }: Pick<LineageDeps, 'engine' | 'limits'>,
  renew: (actor: Principal) => Promise<Principal>,
): JobOperation =>
  mapExportOperation(
    {
      engine,
      walker: createLineageWalker(engine.graph),
      budget: { nodes: limits.lineageNodes, edges: limits.lineageEdges },
    },
    renew,
  );
