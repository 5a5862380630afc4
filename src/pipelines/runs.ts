import type { Principal } from '../access/principal.ts';
import { settleValue } from '../catalog/desire/links.ts';
import type { Engine } from '../catalog/engine.ts';
import { eventBeside } from '../catalog/plan/beside.ts';
import { planWithin } from '../catalog/plan/record.ts';
import { ORDER, step } from '../catalog/plan/step.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { plainView } from '../catalog/read/kept.ts';
import { showAll } from '../catalog/read/mentions.ts';
import { mentionStyle, type View } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { badRequest, notFound } from '../errors.ts';
import type { Step } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { PipelineStatus } from '../model/pipeline-values.ts';
import { countRuns, deleteRuns, listKept, listRuns, putRuns, type Span } from './queries.ts';

/** How one run of a pipeline went, as a request says it. */
export type Run = JsonObject & { readonly timestamp: number };

const MEMBER = 'pipelineStatus';

const keyOf = (pipeline: Snapshot, timestamp: number): string => `${pipeline.id}:${timestamp}`;

const refuseUnknownTasks = (pipeline: Snapshot, run: Run) => {
  const known = new Set((pipeline.columns['tasks'] ?? []).map((task) => task.values['name']));
  for (const task of (run['taskStatus'] ?? []) as readonly JsonObject[]) {
    if (!known.has(task['name'] as Json)) throw badRequest(`Invalid task name ${String(task['name'])}`);
  }
};

/** Runs as they are answered. Who ran one is left out when that record is gone. */
export const showRuns = (engine: Engine, runs: readonly JsonObject[], view: View): Promise<JsonObject[]> =>
  showAll(engine.store.referenceById, PipelineStatus, runs, mentionStyle(view));

type Change = { readonly steps: readonly Step[]; readonly told: Json; readonly adds: boolean };

/** Runs hang beside a pipeline: its version stays, and an event tells of them. */
const commitBeside = (engine: Engine, principal: Principal, pipeline: Snapshot, change: Change): Promise<void> => {
  const text = JSON.stringify(change.told);
  const told = change.adds
    ? { fieldsUpdated: [{ name: MEMBER, newValue: text }] }
    : { fieldsDeleted: [{ name: MEMBER, oldValue: text }] };
  const event = eventBeside(engine, principal, pipeline, told);
  return engine.commit(planWithin(pipeline, change.steps, event));
};

/**
 * Keeps how runs went. Each names tasks of the pipeline only; all are kept or none. Answers whether anything is new:
 * runs that are kept as they are sent stay untouched, so that repeating a request tells nobody anything.
 */
export const keepRuns = async (
  engine: Engine,
  principal: Principal,
  pipeline: Snapshot,
  runs: readonly Run[],
): Promise<boolean> => {
  for (const run of runs) refuseUnknownTasks(pipeline, run);
  const actor = { principal, now: engine.clock() };
  const kept = await Promise.all(
    runs.map(async (run) => (await settleValue(engine, PipelineStatus, run, actor)) as Run),
  );
  const rows = kept.map((run) => ({
    id: pipeline.id,
    key: keyOf(pipeline, run.timestamp),
    timestamp: encodeProperty(run.timestamp),
    json: JSON.stringify(run),
  }));
  // A later row for the same moment is the one that counts.
  const last = new Map(rows.map((row) => [row.key, row]));
  const present = await engine.graph.read(listKept, { keys: [...last.keys()] });
  for (const { key, json } of present) {
    if (last.get(key)?.json === json) last.delete(key);
  }
  if (last.size === 0) return false;
  const changed = kept.filter((run) => last.has(keyOf(pipeline, run.timestamp)));
  const newest = changed.reduce((a, b) => (b.timestamp >= a.timestamp ? b : a));
  await commitBeside(engine, principal, pipeline, {
    steps: [step(putRuns, ORDER.link, [...last.values()])],
    told: (await showRuns(engine, [newest], plainView(engine, NO_FIELDS)))[0] ?? newest,
    adds: true,
  });
  return true;
};

/** Removes the run of one moment. Throws not_found when there is none. */
export const removeRun = async (
  engine: Engine,
  principal: Principal,
  pipeline: Snapshot,
  timestamp: number,
): Promise<void> => {
  const key = keyOf(pipeline, timestamp);
  const missing = () => notFound(`Failed to find a pipeline status of ${pipeline.name} for ${timestamp}`);
  await commitBeside(engine, principal, pipeline, {
    steps: [step(deleteRuns, ORDER.unlink, [{ key }], missing)],
    told: { timestamp },
    adds: false,
  });
};

const PAGE = 1000;

/** The runs within a span as they are kept, newest first, page by page. */
export async function* readRuns(engine: Engine, span: Span, limit: number): AsyncGenerator<readonly JsonObject[]> {
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

export const totalRuns = async (engine: Engine, span: Span): Promise<number> =>
  (await engine.graph.read(countRuns, span))[0]?.total ?? 0;
