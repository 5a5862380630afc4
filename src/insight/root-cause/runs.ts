import type { Engine } from '../../catalog/engine.ts';
import type { ChangeWindow } from '../changes/edge-changes.ts';
import { RUN_WEIGHTS } from './evidence.ts';
import { listRunsBefore, type RunsRow } from './queries.ts';
import type { Evidence } from './rank-suspects.ts';

/** Finds the runs of pipelines that failed, and those that did not come although one was due. */

/** How many pipelines are looked at, and how many runs of each, the newest first. */
const MAX_PIPELINES = 500;
const MAX_RUNS = 500;

/** A pause counts when it is so many times longer than any between the runs before it. */
const LATE_FACTOR = 1.5;

/** Fewer pauses say nothing of how often a pipeline runs. */
const MIN_PAUSES = 2;

const HOUR_MS = 3_600_000;

type StoredRun = {
  readonly executionStatus?: string;
  readonly taskStatus?: readonly { readonly name: string; readonly executionStatus: string }[];
};

const failedRun = (at: number, json: string): Evidence[] => {
  const { executionStatus, taskStatus = [] } = JSON.parse(json) as StoredRun;
  if (executionStatus !== 'Failed') return [];
  const tasks = taskStatus.filter((task) => task.executionStatus === 'Failed').map(({ name }) => name);
  const text = tasks.length === 0 ? 'Run failed' : `Run failed at ${tasks.join(', ')}`;
  return [{ at, kind: 'run', text, weight: RUN_WEIGHTS.failed }];
};

const showHours = (ms: number): string => `${Math.round((ms / HOUR_MS) * 10) / 10} h`;

/** Lists the pauses that are too long for the rhythm of a pipeline, each at the moment when the next run was due. */
const listMissingRuns = (moments: readonly number[], until: number): readonly Evidence[] => {
  const oldestFirst = [...moments].sort((one, other) => one - other);
  const missing: Evidence[] = [];
  let [longest, pauses] = [0, 0];
  for (const [position, at] of oldestFirst.entries()) {
    const pause = (oldestFirst[position + 1] ?? until) - at;
    if (pauses >= MIN_PAUSES && pause > longest * LATE_FACTOR) {
      const text = `No run came, although none was ever later than ${showHours(longest)}`;
      missing.push({ at: at + longest, kind: 'run', text, weight: RUN_WEIGHTS.missing });
    }
    longest = Math.max(longest, pause);
    pauses += 1;
  }
  return missing;
};

const describeRuns = ({ runs }: RunsRow, { from, to }: ChangeWindow): readonly Evidence[] => {
  const moments = runs.map(([at]) => at);
  const missing = listMissingRuns(moments, to).filter(({ at }) => at >= from && at <= to);
  return [...runs.flatMap(([at, json]) => (json === null ? [] : failedRun(at, json))), ...missing];
};

export type RunEvidence = {
  readonly byPipeline: ReadonlyMap<string, readonly Evidence[]>;
  readonly cut: 'pipelines' | 'runs' | undefined;
};

/** Whether there may be runs within the window before those that were read. */
const isCutOff = ({ runs }: RunsRow, { from }: ChangeWindow): boolean =>
  runs.length === MAX_RUNS && (runs.at(-1)?.[0] ?? 0) > from;

/** Reads the evidence about some pipelines, by their IDs. */
export const readRunEvidence = async (
  { graph }: Engine,
  pipelineIds: readonly string[],
  window: ChangeWindow,
): Promise<RunEvidence> => {
  const ids = pipelineIds.slice(0, MAX_PIPELINES);
  const rows = ids.length === 0 ? [] : await graph.read(listRunsBefore, { ids, ...window, limit: MAX_RUNS });
  const cutRuns = rows.some((row) => isCutOff(row, window)) ? 'runs' : undefined;
  return {
    byPipeline: new Map(rows.map((row) => [row.id, describeRuns(row, window)])),
    cut: ids.length < pipelineIds.length ? 'pipelines' : cutRuns,
  };
};
