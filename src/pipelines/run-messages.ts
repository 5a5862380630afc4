import { isArray, isObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { FacetRun } from './facet-room.ts';
import type { Statistics } from './profile.ts';

/** Makes the run of a pipeline from the events that report it, in whatever order they come. */

/** A dataset of a run: the record that it is, and whether an event of the run created it. */
export type RunDataset = {
  readonly namespace: string;
  readonly name: string;
  /** Why the record was taken for it; absent when it was created. */
  readonly by?: string | undefined;
  readonly record: { readonly id: string; readonly type: string; readonly fullyQualifiedName: string };
  readonly role: 'inputs' | 'outputs';
  readonly statistics?: Statistics | undefined;
  readonly isReplaced?: boolean;
  readonly version?: string | undefined;
};

/** What one event says of a run. */
export type RunMessage = {
  readonly eventType: string;
  readonly time: number;
  readonly runId: string;
  readonly datasets: readonly RunDataset[];
  readonly parameters: JsonObject;
  readonly error: JsonObject | undefined;
};

/** The maximum number of datasets that a run names, of each sort. */
const MAX_RUN_DATASETS = 100;

const STATUSES: Readonly<Record<string, string>> = { COMPLETE: 'Successful', FAIL: 'Failed', ABORT: 'Failed' };

const itemsOf = (value: Json | undefined): readonly JsonObject[] =>
  value !== undefined && isArray(value) ? value.filter(isObject) : [];

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

const toUsage = ({ record, role, statistics, isReplaced = false, version }: RunDataset): JsonObject => ({
  datasetFQN: record.fullyQualifiedName,
  ...(statistics?.rowCount === undefined ? {} : { rowCount: Math.trunc(statistics.rowCount) }),
  ...(statistics?.size === undefined ? {} : { sizeBytes: Math.trunc(statistics.size) }),
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

/** What an earlier event of the run created stays created, though later ones match it. */
const matchedAndCreated = (before: JsonObject, datasets: readonly RunDataset[]): JsonObject => {
  const created = mergeItems(
    itemsOf(before['created']),
    datasets.filter(({ by }) => by === undefined).map(toNamed),
    nameKey,
  );
  const made = new Set(created.map(nameKey));
  const matched = mergeItems(
    itemsOf(before['matched']),
    datasets.filter(({ by }) => by !== undefined).map(toNamed),
    nameKey,
  ).filter((one) => !made.has(nameKey(one)));
  return { ...withList('matched', matched), ...withList('created', created) };
};

const parametersOf = (before: FacetRun | undefined, { parameters, datasets }: RunMessage): JsonObject => {
  const earlier = before?.['parameters'];
  const { matched, created, ...others } = isObject(earlier ?? null) ? (earlier as JsonObject) : ({} as JsonObject);
  return {
    ...others,
    ...parameters,
    ...matchedAndCreated({ ...(matched ? { matched } : {}), ...(created ? { created } : {}) }, datasets),
  };
};

const timesOf = (before: FacetRun | undefined, { eventType, time }: RunMessage) => {
  const timestamp = Math.min(before?.timestamp ?? time, time);
  const isEnd = STATUSES[eventType] !== undefined;
  const endTime = isEnd ? time : before?.['endTime'];
  return { timestamp, ...(endTime === undefined ? {} : { endTime }) };
};

/** Adds what an event says to a run. The end of a run stands whatever comes after it. */
export const mergeRun = (before: FacetRun | undefined, message: RunMessage): FacetRun => {
  const { eventType, runId, datasets, error } = message;
  const status = STATUSES[eventType] ?? before?.['executionStatus'] ?? 'Pending';
  const usages = (role: 'inputs' | 'outputs') =>
    mergeItems(itemsOf(before?.[role]), datasets.filter((one) => one.role === role).map(toUsage), usageKey);
  const parameters = parametersOf(before, message);
  return {
    ...before,
    ...timesOf(before, message),
    executionStatus: status,
    executionId: runId,
    ...withList('inputs', usages('inputs')),
    ...withList('outputs', usages('outputs')),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(error === undefined ? {} : { error }),
  };
};

/** The maximum number of tasks whose state a run tells. */
const MAX_TASKS = 1000;

/** Adds to a run how one of its tasks goes. */
export const mergeTaskRun = (
  before: FacetRun | undefined,
  task: string,
  { eventType, time, runId }: Pick<RunMessage, 'eventType' | 'time' | 'runId'>,
): FacetRun => {
  const tasks = itemsOf(before?.['taskStatus']);
  const known = tasks.find(({ name }) => name === task);
  const startTime = Math.min(typeof known?.['startTime'] === 'number' ? known['startTime'] : time, time);
  const isEnd = STATUSES[eventType] !== undefined;
  const own: JsonObject = {
    ...known,
    name: task,
    executionStatus: STATUSES[eventType] ?? known?.['executionStatus'] ?? 'Pending',
    startTime,
    ...(isEnd ? { endTime: time } : {}),
  };
  const others = tasks.filter((one) => one !== known);
  return {
    ...(before ?? { executionStatus: 'Pending', executionId: runId }),
    timestamp: Math.min(before?.timestamp ?? time, time),
    taskStatus: [...others, own].slice(0, MAX_TASKS),
  };
};
