import { randomUUID } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { eventStep } from '../catalog/plan/change-event.ts';
import { createStep, STEP_ORDER, staleStateError } from '../catalog/plan/step.ts';
import { buildUnversionedEvent } from '../catalog/plan/unversioned-event.ts';
import { markRecordsChanged } from '../catalog/queries.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { retryOnConflict } from '../catalog/write/create.ts';
import { notFound, recordNotFound } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import { equalJson, type Json, type JsonObject } from '../model/json.ts';
import type { ContractResult, ExecutionStatus } from '../model/schemas/contracts/contract.ts';
import { createBatchedDeletion } from '../retention/batched-deletion.ts';
import {
  type ContractResultSpan,
  type ContractStateRow,
  countContractResults,
  deleteContractResults,
  deleteContractResultsBefore,
  deleteOrphanedResultBatch,
  findContractResult,
  listContractResults,
  readContractState,
  updateLatestContractResults,
  upsertContractResults,
} from './queries.ts';

/** Stores and removes contract results, one per validation. The contract itself holds a summary of the newest. */

const TYPE = 'dataContract';
const MEMBER = 'latestResult';

/** The caller on whose behalf results are stored or removed. */
export type ContractResultWriter = { readonly engine: Engine; readonly principal: Principal };

/** A result as a request or a validation provides it. */
export type ContractResultInput = JsonObject & {
  readonly timestamp: number;
  readonly contractExecutionStatus: ExecutionStatus;
  readonly id?: string;
};

/** The summary of the newest result that is stored on the contract. */
type LatestResultSummary = JsonObject & { readonly timestamp: number; readonly status: ExecutionStatus };

const PENDING_STATUSES: ReadonlySet<string> = new Set<ExecutionStatus>(['Running', 'Queued']);

/** Whether a validation has not ended yet. */
export const isPendingResult = ({
  contractExecutionStatus,
}: Pick<ContractResult, 'contractExecutionStatus'>): boolean => PENDING_STATUSES.has(contractExecutionStatus);

const resultKey = (series: string, timestamp: number): string => `${series}:${timestamp}`;

const parseLatest = ({ latestJson }: ContractStateRow): LatestResultSummary | undefined =>
  latestJson === null ? undefined : (JSON.parse(latestJson) as LatestResultSummary);

const toLatest = (result: ContractResultInput): LatestResultSummary => ({
  timestamp: result.timestamp,
  status: result.contractExecutionStatus,
  ...(typeof result['result'] === 'string' ? { message: result['result'] } : {}),
  ...(result.id === undefined ? {} : { resultId: result.id }),
});

const parseResult = (json: string): ContractResult => JSON.parse(json) as ContractResult;

const withContractName = (result: ContractResult, { fullyQualifiedName }: ContractStateRow): ContractResult => ({
  ...result,
  dataContractFQN: fullyQualifiedName,
});

/** Reads the state of a live contract. Throws not_found when there is none. */
const findContractState = async (engine: Engine, id: string): Promise<ContractStateRow> => {
  const [row] = await engine.graph.read(readContractState, { id });
  if (!row) throw recordNotFound(TYPE, id);
  return row;
};

const withLatest = (record: Snapshot, latest: JsonObject | undefined): Snapshot => {
  const { [MEMBER]: _former, ...values } = record.values;
  return { ...record, values: latest ? { ...values, [MEMBER]: latest } : values };
};

/**
 * The step that publishes a status change. A repeated status publishes no event, but its search document is rewritten,
 * as contracts are found by the time of their newest result.
 */
const publishStep = async (
  { engine, principal }: ContractResultWriter,
  row: ContractStateRow,
  latest: JsonObject | undefined,
): Promise<WriteStep> => {
  const former = parseLatest(row)?.status ?? null;
  if (former === (latest?.['status'] ?? null))
    return createStep(markRecordsChanged, STEP_ORDER.publish, [{ entityId: row.id, entityType: TYPE }]);
  const kind = requireKind(engine.registry, TYPE);
  const record = await engine.store.record(kind, { id: row.id }, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(TYPE, row.id);
  const change = latest
    ? { fieldsUpdated: [{ name: MEMBER, oldValue: former, newValue: JSON.stringify(latest) }] as Json }
    : { fieldsDeleted: [{ name: MEMBER, oldValue: former }] as Json };
  return eventStep(buildUnversionedEvent(engine, principal, withLatest(record, latest), change));
};

/**
 * Steps that store the summary of the newest result on the contract. They conflict when the contract has changed
 * since it was read.
 */
const latestSteps = async (
  sender: ContractResultWriter,
  row: ContractStateRow,
  latest: JsonObject | undefined,
): Promise<WriteStep[]> => {
  const changes = {
    latestResultJson: latest ? JSON.stringify(latest) : null,
    isWaiting: PENDING_STATUSES.has(String(latest?.['status'])) || null,
  };
  const lock = { id: row.id, seenRevision: encodeProperty(row.revision), changes };
  return [
    createStep(updateLatestContractResults, STEP_ORDER.lock, [lock], staleStateError),
    await publishStep(sender, row, latest),
  ];
};

const ALL_TIME = { start: 0, end: Number.MAX_SAFE_INTEGER } as const;

/** The summary of the newest result other than the one at a timestamp. */
const findLatestExcept = async (
  { graph }: Engine,
  series: string,
  timestamp: number,
): Promise<LatestResultSummary | undefined> => {
  const rows = await graph.read(listContractResults, { id: series, ...ALL_TIME, limit: 2 });
  const row = rows.find((one) => one.timestamp !== timestamp);
  return row && toLatest(parseResult(row.json));
};

const findResultById = async (
  { graph }: Engine,
  series: string,
  resultId: string,
): Promise<ContractResult | undefined> => {
  const [row] = await graph.read(findContractResult, { key: `${series}:${resultId}` });
  return row && parseResult(row.json);
};

const findResultAt = async (
  { graph }: Engine,
  series: string,
  timestamp: number,
): Promise<ContractResult | undefined> => {
  const [row] = await graph.read(listContractResults, { id: series, start: timestamp, end: timestamp, limit: 1 });
  return row && parseResult(row.json);
};

const tryStoreResult = async (
  sender: ContractResultWriter,
  row: ContractStateRow,
  given: ContractResultInput,
): Promise<ContractResult> => {
  const { engine } = sender;
  const { id, series } = row;
  const moved = given.id === undefined ? undefined : await findResultById(engine, series, given.id);
  const former = await findResultAt(engine, series, given.timestamp);
  const resultId = given.id ?? former?.id ?? randomUUID();
  const { dataContractFQN: _name, ...members } = given;
  const result: ContractResult = { ...members, id: resultId };
  // An unchanged result is not written, so that repeating a request publishes nothing.
  if (former && equalJson(former, result)) return withContractName(result, row);
  const latest = parseLatest(row);
  const isMoved = moved !== undefined && moved.timestamp !== given.timestamp;
  const isLatestMoved = isMoved && latest?.timestamp === moved.timestamp;
  const otherLatest = isLatestMoved ? await findLatestExcept(engine, series, moved.timestamp) : latest;
  const newest = given.timestamp >= (otherLatest?.timestamp ?? -1) ? toLatest(result) : otherLatest;
  const put = {
    id,
    series,
    key: resultKey(series, given.timestamp),
    ownKey: `${series}:${resultId}`,
    timestamp: encodeProperty(given.timestamp),
    status: given.contractExecutionStatus,
    json: JSON.stringify(result),
  };
  const removal = isMoved ? [{ key: resultKey(series, moved.timestamp) }] : [];
  await engine.commit({
    keys: [id],
    steps: [
      ...(await latestSteps(sender, row, newest)),
      createStep(deleteContractResults, STEP_ORDER.unlink, removal),
      createStep(upsertContractResults, STEP_ORDER.link, [put]),
    ],
  });
  return withContractName(result, row);
};

/** Runs work with the latest state of a contract and retries it when a concurrent write conflicts. */
const withContractState = <T>(engine: Engine, id: string, work: (row: ContractStateRow) => Promise<T>): Promise<T> =>
  engine.serial(`results ${id}`, () => retryOnConflict(async () => work(await findContractState(engine, id))));

/** Stores a result. A result with the same timestamp is replaced; one with the same ID moves to the new timestamp. */
export const storeContractResult = (
  sender: ContractResultWriter,
  id: string,
  given: ContractResultInput,
): Promise<ContractResult> => withContractState(sender.engine, id, (row) => tryStoreResult(sender, row, given));

/** Changes the newest result, unless `amend` returns undefined for the current one. */
export const amendNewestResult = (
  sender: ContractResultWriter,
  id: string,
  amend: (result: ContractResult) => Promise<ContractResult | undefined>,
): Promise<ContractResult | undefined> =>
  withContractState(sender.engine, id, async (row) => {
    const [newest] = await sender.engine.graph.read(listContractResults, { id: row.series, ...ALL_TIME, limit: 1 });
    const amended = newest && (await amend(parseResult(newest.json)));
    return amended && tryStoreResult(sender, row, amended);
  });

/** Removes the result with a timestamp, if it exists. */
export const removeContractResult = (sender: ContractResultWriter, id: string, timestamp: number): Promise<void> =>
  withContractState(sender.engine, id, async (row) => {
    const { engine } = sender;
    const latest = parseLatest(row);
    const isNewest = latest?.timestamp === timestamp;
    const next = isNewest ? await findLatestExcept(engine, row.series, timestamp) : latest;
    // Removing an older result locks the contract as well, because a concurrent removal may make that result the
    // newest.
    const steps = await latestSteps(sender, row, next);
    const removal = createStep(deleteContractResults, STEP_ORDER.unlink, [{ key: resultKey(row.series, timestamp) }]);
    await engine.commit({ keys: [id], steps: [...steps, removal] });
  });

/** The maximum number of results that one transaction removes. */
const MAX_BATCH = 10_000;

/** Removes a batch of the oldest results before a moment and returns whether more remain. */
const removeBatch = async (sender: ContractResultWriter, row: ContractStateRow, before: number): Promise<boolean> => {
  const { engine } = sender;
  const { id, series } = row;
  const [count] = await engine.graph.read(countContractResults, { id: series, start: 0, end: before - 1 });
  const total = count?.total ?? 0;
  if (total === 0) return false;
  const latest = parseLatest(row);
  const isLatestRemoved = total <= MAX_BATCH && latest !== undefined && latest.timestamp < before;
  const steps = await latestSteps(sender, row, isLatestRemoved ? undefined : latest);
  const removal = createStep(deleteContractResultsBefore, STEP_ORDER.unlink, [
    { id: series, before: encodeProperty(before) },
  ]);
  await engine.commit({ keys: [id], steps: [...steps, removal] });
  return total > MAX_BATCH;
};

/** Removes all results before a moment. */
export const removeContractResultsBefore = async (
  sender: ContractResultWriter,
  id: string,
  before: number,
): Promise<void> => {
  while (await withContractState(sender.engine, id, (row) => removeBatch(sender, row, before)));
};

/** Lists the results within a time span, newest first, with their total number. */
export const listResultsWithin = async (engine: Engine, { id, ...bounds }: ContractResultSpan, limit: number) => {
  const row = await findContractState(engine, id);
  const span = { ...bounds, id: row.series };
  const [rows, [count]] = await Promise.all([
    limit === 0 ? [] : engine.graph.read(listContractResults, { ...span, limit }),
    engine.graph.read(countContractResults, span),
  ]);
  return {
    data: rows.map(({ json }) => withContractName(parseResult(json), row)),
    paging: { total: count?.total ?? 0 },
  };
};

/** Reads the newest result. Throws not_found when there is none. */
export const readNewestResult = async (engine: Engine, id: string): Promise<ContractResult> => {
  const { data } = await listResultsWithin(engine, { id, ...ALL_TIME }, 1);
  const [newest] = data;
  if (!newest) throw notFound(`Failed to find a result of the data contract ${id}`);
  return newest;
};

/** Reads the result with an ID. Throws not_found when there is none. */
export const readResultById = async (engine: Engine, id: string, resultId: string): Promise<ContractResult> => {
  const row = await findContractState(engine, id);
  const found = await findResultById(engine, row.series, resultId);
  if (!found) throw notFound(`Failed to find the result ${resultId} of the data contract ${id}`);
  return withContractName(found, row);
};

/** Deletes results that were unlinked from their contracts when these were soft-deleted. */
export const deleteOrphanedResults = createBatchedDeletion(deleteOrphanedResultBatch);
