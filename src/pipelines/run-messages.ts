import type { JsonObject } from '../model/json.ts';
import { jsonObject, jsonObjects } from '../model/json-parts.ts';
import type { PipelineRun } from './runs.ts';

/** Makes the run of a pipeline from the messages that report it, in whatever order they come. */

/** A dataset of a run: the record that it is, and whether a message about the run created it. */
type RunDataset = {
  readonly namespace: string;
  readonly name: string;
  /** Why the record was taken for it; absent when it was created. */
  readonly by?: string | undefined;
  readonly record: { readonly id: string; readonly type: string; readonly fullyQualifiedName: string };
  readonly role: 'inputs' | 'outputs';
  readonly rowCount?: number | undefined;
  readonly size?: number | undefined;
  readonly isReplaced?: boolean;
  readonly version?: string | undefined;
};

/** What one message says of a run, or of one task of it. */
export type RunMessage = {
  readonly runId: string;
  readonly time: number;
  /** How the run or the task ended; absent when it goes on. */
  readonly ended?: 'Successful' | 'Failed' | undefined;
  readonly task?: string;
  readonly datasets?: readonly RunDataset[];
  readonly parameters?: JsonObject;
  readonly error?: JsonObject | undefined;
};

/** The maximum number of datasets that a run names, of each sort. */
const MAX_RUN_DATASETS = 100;

/** Adds items to a list that holds one item per key; later items win member by member. */
const mergeItems = (
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  keyOf: (item: JsonObject) => string,
): readonly JsonObject[] => {
  const merged = new Map(before.map((item) => [keyOf(item), item]));
  for (const item of after) merged.set(keyOf(item), { ...merged.get(keyOf(item)), ...item });
  return [...merged.values()].slice(0, MAX_RUN_DATASETS);
};

const usageKey = ({ datasetFQN }: JsonObject): string => String(datasetFQN);
const nameKey = ({ namespace, name }: JsonObject): string => JSON.stringify([namespace, name]);

const toUsage = ({ record, role, rowCount, size, isReplaced = false, version }: RunDataset): JsonObject => ({
  datasetFQN: record.fullyQualifiedName,
  ...(rowCount === undefined ? {} : { rowCount: Math.trunc(rowCount) }),
  ...(size === undefined ? {} : { sizeBytes: Math.trunc(size) }),
  ...(role === 'outputs' && isReplaced ? { mode: 'overwrite' } : {}),
  ...(version === undefined ? {} : { version }),
});

const toNamed = ({ namespace, name, by, record }: RunDataset): JsonObject => ({
  namespace,
  name,
  ...(by === undefined ? {} : { by }),
  dataset: record,
});

const withList = (name: string, list: readonly JsonObject[]): JsonObject => (list.length === 0 ? {} : { [name]: list });

/** What an earlier message about the run created stays created, though later ones match it. */
const matchedAndCreated = (before: JsonObject, datasets: readonly RunDataset[]): JsonObject => {
  const created = mergeItems(
    jsonObjects(before['created']),
    datasets.filter(({ by }) => by === undefined).map(toNamed),
    nameKey,
  );
  const made = new Set(created.map(nameKey));
  const matched = mergeItems(
    jsonObjects(before['matched']),
    datasets.filter(({ by }) => by !== undefined).map(toNamed),
    nameKey,
  ).filter((one) => !made.has(nameKey(one)));
  return { ...withList('matched', matched), ...withList('created', created) };
};

const parametersOf = (before: PipelineRun | undefined, { parameters = {}, datasets = [] }: RunMessage): JsonObject => {
  const earlier = jsonObject(before?.['parameters']);
  const { matched: _, created: __, ...others } = earlier;
  return { ...others, ...parameters, ...matchedAndCreated(earlier, datasets) };
};

const timesOf = (before: PipelineRun | undefined, { ended, time }: RunMessage) => {
  const timestamp = Math.min(before?.timestamp ?? time, time);
  const endTime = ended ? time : before?.['endTime'];
  return { timestamp, ...(endTime === undefined ? {} : { endTime }) };
};

/** The maximum number of tasks whose state a run tells. */
const MAX_TASKS = 1000;

/** Adds to a run how one of its tasks goes. */
const mergeTask = (before: PipelineRun | undefined, task: string, { ended, time, runId }: RunMessage): PipelineRun => {
  const tasks = jsonObjects(before?.['taskStatus']);
  const known = tasks.find(({ name }) => name === task);
  const own: JsonObject = {
    ...known,
    name: task,
    executionStatus: ended ?? known?.['executionStatus'] ?? 'Pending',
    startTime: Math.min(typeof known?.['startTime'] === 'number' ? known['startTime'] : time, time),
    ...(ended ? { endTime: time } : {}),
  };
  const others = tasks.filter((one) => one !== known);
  return {
    ...(before ?? { executionStatus: 'Pending', executionId: runId }),
    timestamp: Math.min(before?.timestamp ?? time, time),
    taskStatus: [...others, own].slice(0, MAX_TASKS),
  };
};

/** Adds what a message says to a run. The end of a run stands whatever comes after it. */
export const mergeRunMessage = (before: PipelineRun | undefined, message: RunMessage): PipelineRun => {
  const { runId, datasets = [], ended, error, task } = message;
  if (task !== undefined) return mergeTask(before, task, message);
  const usages = (role: 'inputs' | 'outputs') =>
    mergeItems(jsonObjects(before?.[role]), datasets.filter((one) => one.role === role).map(toUsage), usageKey);
  const parameters = parametersOf(before, message);
  return {
    ...before,
    ...timesOf(before, message),
    executionStatus: ended ?? before?.['executionStatus'] ?? 'Pending',
    executionId: runId,
    ...withList('inputs', usages('inputs')),
    ...withList('outputs', usages('outputs')),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(error === undefined ? {} : { error }),
  };
};
