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

/** The member of each kind of pipeline that shows its runs. */
export type RunMember = 'pipelineStatus' | 'pipelineStatuses';

/** The key of a run: a pipeline has one per moment, an ingestion pipeline one per id of a run. */
export const runKeyOf = (pipeline: Snapshot, run: number | string): string => `${pipeline.id}:${run}`;

const refuseUnknownTasks = (pipeline: Snapshot, run: PipelineRun) => {
  const known = new Set((pipeline.columns['tasks'] ?? []).map((task) => task.values['name']));
  for (const task of (run['taskStatus'] ?? []) as readonly JsonObject[]) {
    if (!known.has(task['name'] as Json)) throw badRequest(`Invalid task name ${String(task['name'])}`);
  }
};

/** Renders runs for a response. The user who started a run is omitted when their record is gone. */
export const renderRuns = (engine: Engine, runs: readonly JsonObject[], view: View): Promise<JsonObject[]> =>
  renderAllMentions(engine.store.referenceById, PipelineStatus, runs, mentionStyle(view));

type RunChange = {
  readonly member: RunMember;
  readonly steps: readonly WriteStep[];
  readonly value: Json;
  readonly adds: boolean;
};

/** Commits a change of runs. The pipeline's version does not change; a change event reports the runs. */
const commitRunChange = (
  engine: Engine,
  principal: Principal,
  pipeline: Snapshot,
  change: RunChange,
): Promise<void> => {
  const text = JSON.stringify(change.value);
  const fieldChange = change.adds
    ? { fieldsUpdated: [{ name: change.member, newValue: text }] }
    : { fieldsDeleted: [{ name: change.member, oldValue: text }] };
  const event = buildUnversionedEvent(engine, principal, pipeline, fieldChange);
  return engine.commit(planUnversionedWrite(pipeline, change.steps, event));
};

/** A run with the key that it is stored by. */
export type KeyedRun = { readonly key: string; readonly run: PipelineRun };

type RunsToStore = {
  readonly member: RunMember;
  readonly runs: readonly KeyedRun[];
  /** Renders the newest run for the change event. */
  readonly render: (run: PipelineRun) => Promise<JsonObject> | JsonObject;
  /** What is done after the runs are stored, in the same transaction. */
  readonly further?: readonly WriteStep[];
};

/**
 * Stores runs, all or none. Returns whether anything changed: runs equal to the stored ones are not written, so that a
 * repeated request produces no change event.
 */
export const storeRuns = async (
  engine: Engine,
  principal: Principal,
  pipeline: Snapshot,
  { member, runs, render, further = [] }: RunsToStore,
): Promise<boolean> => {
  // When several runs have the same key, the last one wins.
  const last = new Map(runs.map(({ key, run }) => [key, { run, json: JSON.stringify(run) }]));
  const present = await engine.graph.read(listRunsByKey, { keys: [...last.keys()] });
  for (const { key, json } of present) {
    if (last.get(key)?.json === json) last.delete(key);
  }
  const changed = [...last.values()].map(({ run }) => run);
  const [first] = changed;
  if (first === undefined) return false;
  const newest = changed.reduce((a, b) => (b.timestamp >= a.timestamp ? b : a), first);
  const rows = [...last].map(([key, { run, json }]) => ({
    id: pipeline.id,
    key,
    timestamp: encodeProperty(run.timestamp),
    json,
    bytes: encodeProperty(Buffer.byteLength(json)),
  }));
  const steps = [createStep(updateRuns, STEP_ORDER.link, rows), ...further];
  await commitRunChange(engine, principal, pipeline, { member, steps, value: await render(newest), adds: true });
  return true;
};

/** Stores runs of a pipeline. Each may name only tasks of the pipeline. */
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
  return storeRuns(engine, principal, pipeline, {
    member: 'pipelineStatus',
    runs: resolved.map((run) => ({ key: runKeyOf(pipeline, run.timestamp), run })),
    render: async (run) => (await renderRuns(engine, [run], storageView(engine, NO_FIELDS)))[0] ?? run,
  });
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
    member: 'pipelineStatus',
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
