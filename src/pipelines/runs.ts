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

/** How one run of a pipeline went, as a request says it. */
export type PipelineRun = JsonObject & { readonly timestamp: number };

const MEMBER = 'pipelineStatus';

const runKeyOf = (pipeline: Snapshot, timestamp: number): string => `${pipeline.id}:${timestamp}`;

const refuseUnknownTasks = (pipeline: Snapshot, run: PipelineRun) => {
  const known = new Set((pipeline.columns['tasks'] ?? []).map((task) => task.values['name']));
  for (const task of (run['taskStatus'] ?? []) as readonly JsonObject[]) {
    if (!known.has(task['name'] as Json)) throw badRequest(`Invalid task name ${String(task['name'])}`);
  }
};

/** Runs as they are answered. Who ran one is left out when that record is gone. */
export const renderRuns = (engine: Engine, runs: readonly JsonObject[], view: View): Promise<JsonObject[]> =>
  renderAllMentions(engine.store.referenceById, PipelineStatus, runs, mentionStyle(view));

type RunChange = { readonly steps: readonly WriteStep[]; readonly value: Json; readonly adds: boolean };

/** Runs hang beside a pipeline: its version stays, and an event tells of them. */
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
 * Keeps how runs went. Each names tasks of the pipeline only; all are kept or none. Answers whether anything is new:
 * runs that are kept as they are sent stay untouched, so that repeating a request tells nobody anything.
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
  // A later row for the same moment is the one that counts.
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

/** Removes the run of one moment. Throws not_found when there is none. */
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

/** The runs within a span as they are kept, newest first, page by page. */
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
