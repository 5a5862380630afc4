import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { storageView } from '../catalog/read/stored-snapshot.ts';
import { listRunsByKey } from './queries.ts';
import { mergeRunMessage, type RunMessage } from './run-messages.ts';
import { type PipelineRun, renderRuns, runKeyOf, storeRuns } from './runs.ts';

/** Stores runs of pipelines whose messages come one by one and have nothing in common but the id of the run. */

/** Adds a message to the run of its id; messages about one run take turns. Returns whether anything changed. */
export const storeRunById = (
  engine: Engine,
  principal: Principal,
  pipeline: Snapshot,
  message: RunMessage,
): Promise<boolean> => {
  const key = runKeyOf(pipeline, message.runId);
  return engine.serial(`run ${key}`, async () => {
    const [stored] = await engine.graph.read(listRunsByKey, { keys: [key] });
    const run = mergeRunMessage(stored && (JSON.parse(stored.json) as PipelineRun), message);
    return storeRuns(engine, principal, pipeline, {
      member: 'pipelineStatus',
      runs: [{ key, run }],
      render: async (one) => (await renderRuns(engine, [one], storageView(engine, NO_FIELDS)))[0] ?? one,
    });
  });
};
