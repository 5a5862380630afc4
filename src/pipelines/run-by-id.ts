import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { storageView } from '../catalog/read/stored-snapshot.ts';
import { listRunsByKey } from './queries.ts';
import { type PipelineRun, renderRuns, runKeyOf, storeRuns } from './runs.ts';

/** Stores runs of pipelines whose messages come one by one and have nothing in common but the id of the run. */

type RunById = {
  readonly runId: string;
  /** Makes the run from what is stored of it. */
  readonly merge: (before: PipelineRun | undefined) => PipelineRun;
};

/** Stores a run by its id; messages about one run take turns. Returns whether anything changed. */
export const storeRunById = (
  engine: Engine,
  principal: Principal,
  pipeline: Snapshot,
  { runId, merge }: RunById,
): Promise<boolean> => {
  const key = runKeyOf(pipeline, runId);
  return engine.serial(`run ${key}`, async () => {
    const [stored] = await engine.graph.read(listRunsByKey, { keys: [key] });
    const run = merge(stored && (JSON.parse(stored.json) as PipelineRun));
    return storeRuns(engine, principal, pipeline, {
      member: 'pipelineStatus',
      runs: [{ key, run }],
      render: async (one) => (await renderRuns(engine, [one], storageView(engine, NO_FIELDS)))[0] ?? one,
    });
  });
};
