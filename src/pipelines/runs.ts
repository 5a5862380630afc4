import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { planUnversionedWrite } from '../catalog/plan/record.ts';
import { createStep, STEP_ORDER } from '../catalog/plan/step.ts';
import { buildUnversionedEvent } from '../catalog/plan/unversioned-event.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { renderAllMentions } from '../catalog/read/mentions.ts';
import { mentionStyle, type View } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { storageView } from '../catalog/read/stored-snapshot.ts';
import { resolveLinkedValue } from '../catalog/resolve/links.ts';
import { badRequest, notFound } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { PipelineStatus } from '../model/schemas/pipelines/pipeline-status.ts';
import { countRuns, deleteRuns, listRuns, listRunsByKey, type RunSpan, updateRuns } from './queries.ts';

/** One run of a pipeline, as sent in a request. */
export type PipelineRun = JsonObject & { readonly timestamp: number };

const MEMBER = 'pipelineStatus';

const runKeyOf = (pipeline: Snapshot, timestamp: number): string => `${pipeline.id}:${timestamp}`;

const refuseUnknownTasks = (pipeline: Snapshot, run: PipelineRun) => {
  const known = new Set((pipeline.columns['tasks'] ?? []).map((task) => task.values['name']));
  for (const task of (run['taskStatus'] ?? []) as readonly JsonObject[]) {
    if (!known.has(task['name'] as Json)) throw badRequest(`Invalid task name ${String(task['name'])}`);
  }
};

/** Renders runs for a response. The user who started a run is omitted when their record is gone. */
export const renderRuns = (engine: Engine, runs: readonly JsonObject[], view: View): Promise<JsonObject[]> =>
  renderAllMentions(engine.store.referenceById, PipelineStatus, runs, mentionStyle(view));

type RunChange = { readonly steps: readonly WriteStep[]; readonly value: Json; readonly adds: boolean };

/** Commits a change of runs. The pipeline's version does not change; a change event reports the runs. */
const commitRunChange = (
  engine: Engine,
  principal: Principal,
  pipeline: Snapshot,
  change: RunChange,
): Promise<void> => {
  const text = JSON.stringify(change.value);
  const fieldChange = change.adds
    ? { fieldsUpdated: [{ name: MEMBER, newValue: text }] }
    : { fieldsDeleted: [{ name: MEMBER, oldValue: text }] };
  const event = buildUnversionedEvent(engine, principal, pipeline, fieldChange);
  return engine.commit(planUnversionedWrite(pipeline, change.steps, event));
};

/**
 * Stores runs, all or none. Each may name only tasks of the pipeline. Returns whether anything changed: runs equal to
 * the stored ones are not written, so that a repeated request produces no change event.
 */
export const upsertRuns = async (
  engine: Engine,
  principal: Principal,
  pipeline: Snapshot,
  runs: readonly PipelineRun[],
): Promise<boolean> => {
  for (const run of runs) refuseUnknownTasks(pipeline, run);
  const actor = { principal, now: engine.clock() };
  const resolved = await Promise.all(
    runs.map(async (run) => (await resolveLinkedValue(engine, PipelineStatus, run, actor)) as PipelineRun),
  );
  const rows = resolved.map((run) => ({
    id: pipeline.id,
    key: runKeyOf(pipeline, run.timestamp),
    timestamp: encodeProperty(run.timestamp),
    json: JSON.stringify(run),
  }));
  // When several rows have the same timestamp, the last one wins.
  const last = new Map(rows.map((row) => [row.key, row]));
  const present = await engine.graph.read(listRunsByKey, { keys: [...last.keys()] });
  for (const { key, json } of present) {
    if (last.get(key)?.json === json) last.delete(key);
  }
  if (last.size === 0) return false;
  const changed = resolved.filter((run) => last.has(runKeyOf(pipeline, run.timestamp)));
  const newest = changed.reduce((a, b) => (b.timestamp >= a.timestamp ? b : a));
  await commitRunChange(engine, principal, pipeline, {
    steps: [createStep(updateRuns, STEP_ORDER.link, [...last.values()])],
    value: (await renderRuns(engine, [newest], storageView(engine, NO_FIELDS)))[0] ?? newest,
    adds: true,
  });
  return true;
};

/** Deletes the run with the given timestamp. Throws not_found when there is none. */
export const deleteRun = async (
  engine: Engine,
  principal: Principal,
  pipeline: Snapshot,
  timestamp: number,
): Promise<void> => {
  const key = runKeyOf(pipeline, timestamp);
  const missing = () => notFound(`Failed to find a pipeline status of ${pipeline.name} for ${timestamp}`);
  await commitRunChange(engine, principal, pipeline, {
    steps: [createStep(deleteRuns, STEP_ORDER.unlink, [{ key }], missing)],
    value: { timestamp },
    adds: false,
  });
};

const PAGE = 1000;

/** Reads the stored runs within a time range, newest first, page by page. */
export async function* readPipelineRuns(
  engine: Engine,
  span: RunSpan,
  limit: number,
): AsyncGenerator<readonly JsonObject[]> {
  let { end } = span;
  for (let left = limit; left > 0; ) {
    const rows = await engine.graph.read(listRuns, { ...span, end, limit: Math.min(left, PAGE) });
    yield rows.map(({ json }) => JSON.parse(json) as JsonObject);
    const last = rows.at(-1);
    if (!last || rows.length < Math.min(left, PAGE)) return;
    left -= rows.length;
    end = last.timestamp - 1;
  }
}

export const countPipelineRuns = async (engine: Engine, span: RunSpan): Promise<number> =>
  (await engine.graph.read(countRuns, span))[0]?.total ?? 0;
