import { randomUUID } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { eventBeside } from '../catalog/plan/beside.ts';
import { eventStep } from '../catalog/plan/change-event.ts';
import { ORDER, stale, step } from '../catalog/plan/step.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { untilAlone } from '../catalog/write/create.ts';
import { notFound, recordNotFound } from '../errors.ts';
import type { Step } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import type { ContractResult, ExecutionStatus } from '../model/contract-values.ts';
import { equalJson, type Json, type JsonObject } from '../model/json.ts';
import {
  countResults,
  deleteBefore,
  deleteResults,
  findResult,
  listResults,
  putResults,
  readStanding,
  type Span,
  type StandingRow,
  setLatest,
} from './queries.ts';

/** How contracts were judged, judgement by judgement. The newest is the one that the contract itself tells of. */

const TYPE = 'dataContract';
const MEMBER = 'latestResult';

/** Who keeps or removes results. */
export type Sender = { readonly engine: Engine; readonly principal: Principal };

/** A result as a request or a judgement says it. */
export type GivenResult = JsonObject & {
  readonly timestamp: number;
  readonly contractExecutionStatus: ExecutionStatus;
  readonly id?: string;
};

/** What a contract says of its newest result. */
type Latest = JsonObject & { readonly timestamp: number; readonly status: ExecutionStatus };

const WAITING: ReadonlySet<string> = new Set<ExecutionStatus>(['Running', 'Queued']);

/** Whether a judgement is not at its end yet. */
export const isWaiting = ({ contractExecutionStatus }: Pick<ContractResult, 'contractExecutionStatus'>): boolean =>
  WAITING.has(contractExecutionStatus);

const keyOf = (series: string, timestamp: number): string => `${series}:${timestamp}`;

const latestIn = ({ latestJson }: StandingRow): Latest | undefined =>
  latestJson === null ? undefined : (JSON.parse(latestJson) as Latest);

const latestOf = (result: GivenResult): Latest => ({
  timestamp: result.timestamp,
  status: result.contractExecutionStatus,
  ...(typeof result['result'] === 'string' ? { message: result['result'] } : {}),
  ...(result.id === undefined ? {} : { resultId: result.id }),
});

const read = (json: string): ContractResult => JSON.parse(json) as ContractResult;

const named = (result: ContractResult, { fullyQualifiedName }: StandingRow): ContractResult => ({
  ...result,
  dataContractFQN: fullyQualifiedName,
});

/** A living contract as far as its results are concerned. */
const findStanding = async (engine: Engine, id: string): Promise<StandingRow> => {
  const [row] = await engine.graph.read(readStanding, { id });
  if (!row) throw recordNotFound(TYPE, id);
  return row;
};

const withLatest = (record: Snapshot, latest: JsonObject | undefined): Snapshot => {
  const { [MEMBER]: _former, ...values } = record.values;
  return { ...record, values: latest ? { ...values, [MEMBER]: latest } : values };
};

/** Only another status is told of: the same again tells nobody anything. */
const tellingSteps = async (
  { engine, principal }: Sender,
  row: StandingRow,
  latest: JsonObject | undefined,
): Promise<Step[]> => {
  const former = latestIn(row)?.status ?? null;
  if (former === (latest?.['status'] ?? null)) return [];
  const kind = kindNamed(engine.registry, TYPE);
  const record = await engine.store.record(kind, { id: row.id }, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(TYPE, row.id);
  const change = latest
    ? { fieldsUpdated: [{ name: MEMBER, oldValue: former, newValue: JSON.stringify(latest) }] as Json }
    : { fieldsDeleted: [{ name: MEMBER, oldValue: former }] as Json };
  return [eventStep(eventBeside(engine, principal, withLatest(record, latest), change))];
};

/** The contract says from now on how it was judged last, unless it was changed since it was looked at. */
const latestSteps = async (sender: Sender, row: StandingRow, latest: JsonObject | undefined): Promise<Step[]> => {
  const changes = {
    latestResultJson: latest ? JSON.stringify(latest) : null,
    isWaiting: WAITING.has(String(latest?.['status'])) || null,
  };
  const lock = { id: row.id, seenRevision: encodeProperty(row.revision), changes };
  return [step(setLatest, ORDER.lock, [lock], stale), ...(await tellingSteps(sender, row, latest))];
};

const ALL = { start: 0, end: Number.MAX_SAFE_INTEGER } as const;

/** What a contract says when its newest result is the newest but the one of a moment. */
const latestBeside = async ({ graph }: Engine, series: string, timestamp: number): Promise<Latest | undefined> => {
  const rows = await graph.read(listResults, { id: series, ...ALL, limit: 2 });
  const row = rows.find((one) => one.timestamp !== timestamp);
  return row && latestOf(read(row.json));
};

const resultById = async ({ graph }: Engine, series: string, resultId: string): Promise<ContractResult | undefined> => {
  const [row] = await graph.read(findResult, { key: `${series}:${resultId}` });
  return row && read(row.json);
};

const resultAt = async ({ graph }: Engine, series: string, timestamp: number): Promise<ContractResult | undefined> => {
  const [row] = await graph.read(listResults, { id: series, start: timestamp, end: timestamp, limit: 1 });
  return row && read(row.json);
};

const keepOnce = async (sender: Sender, row: StandingRow, given: GivenResult): Promise<ContractResult> => {
  const { engine } = sender;
  const { id, series } = row;
  const moved = given.id === undefined ? undefined : await resultById(engine, series, given.id);
  const former = await resultAt(engine, series, given.timestamp);
  const resultId = given.id ?? former?.id ?? randomUUID();
  const { dataContractFQN: _name, ...members } = given;
  const result: ContractResult = { ...members, id: resultId };
  // What is kept as it is sent stays untouched, so that repeating a request tells nobody anything.
  if (former && equalJson(former, result)) return named(result, row);
  const latest = latestIn(row);
  const isMoved = moved !== undefined && moved.timestamp !== given.timestamp;
  const isUprooted = isMoved && latest?.timestamp === moved.timestamp;
  const rival = isUprooted ? await latestBeside(engine, series, moved.timestamp) : latest;
  const newest = given.timestamp >= (rival?.timestamp ?? -1) ? latestOf(result) : rival;
  const put = {
    id,
    series,
    key: keyOf(series, given.timestamp),
    ownKey: `${series}:${resultId}`,
    timestamp: encodeProperty(given.timestamp),
    json: JSON.stringify(result),
  };
  const removal = isMoved ? [{ key: keyOf(series, moved.timestamp) }] : [];
  await engine.commit({
    keys: [id],
    steps: [
      ...(await latestSteps(sender, row, newest)),
      step(deleteResults, ORDER.unlink, removal),
      step(putResults, ORDER.link, [put]),
    ],
  });
  return named(result, row);
};

/** Does something with the latest state of a contract until nobody comes in between. */
const inTurn = <T>(engine: Engine, id: string, work: (row: StandingRow) => Promise<T>): Promise<T> =>
  engine.serial(`results ${id}`, () => untilAlone(async () => work(await findStanding(engine, id))));

/** Keeps how a contract was judged. A result of the same moment is replaced; one of the same id moves to its moment. */
export const keepResult = (sender: Sender, id: string, given: GivenResult): Promise<ContractResult> =>
  inTurn(sender.engine, id, (row) => keepOnce(sender, row, given));

/** Changes the newest result, if the change still applies to what it is by then. */
export const amendNewest = (
  sender: Sender,
  id: string,
  amend: (result: ContractResult) => Promise<ContractResult | undefined>,
): Promise<ContractResult | undefined> =>
  inTurn(sender.engine, id, async (row) => {
    const [newest] = await sender.engine.graph.read(listResults, { id: row.series, ...ALL, limit: 1 });
    const amended = newest && (await amend(read(newest.json)));
    return amended && keepOnce(sender, row, amended);
  });

/** Removes the result of one moment, if there is one. */
export const removeResult = (sender: Sender, id: string, timestamp: number): Promise<void> =>
  inTurn(sender.engine, id, async (row) => {
    const { engine } = sender;
    const latest = latestIn(row);
    const isNewest = latest?.timestamp === timestamp;
    const next = isNewest ? await latestBeside(engine, row.series, timestamp) : latest;
    // Also who removes an older one holds the contract: it may be the next newest for somebody else.
    const steps = await latestSteps(sender, row, next);
    const removal = step(deleteResults, ORDER.unlink, [{ key: keyOf(row.series, timestamp) }]);
    await engine.commit({ keys: [id], steps: [...steps, removal] });
  });

/** As many results as one transaction removes. */
const BATCH = 10_000;

/** Removes the oldest results before a moment; answers whether there are more of them. */
const removeSome = async (sender: Sender, row: StandingRow, before: number): Promise<boolean> => {
  const { engine } = sender;
  const { id, series } = row;
  const [count] = await engine.graph.read(countResults, { id: series, start: 0, end: before - 1 });
  const total = count?.total ?? 0;
  if (total === 0) return false;
  const latest = latestIn(row);
  const goes = total <= BATCH && latest !== undefined && latest.timestamp < before;
  const steps = await latestSteps(sender, row, goes ? undefined : latest);
  const removal = step(deleteBefore, ORDER.unlink, [{ id: series, before: encodeProperty(before) }]);
  await engine.commit({ keys: [id], steps: [...steps, removal] });
  return total > BATCH;
};

/** Removes all results before a moment. */
export const removeBefore = async (sender: Sender, id: string, before: number): Promise<void> => {
  while (await inTurn(sender.engine, id, (row) => removeSome(sender, row, before)));
};

/** The results within a span, newest first, and how many there are in all. */
export const resultsWithin = async (engine: Engine, { id, ...bounds }: Span, limit: number) => {
  const row = await findStanding(engine, id);
  const span = { ...bounds, id: row.series };
  const [rows, [count]] = await Promise.all([
    limit === 0 ? [] : engine.graph.read(listResults, { ...span, limit }),
    engine.graph.read(countResults, span),
  ]);
  return { data: rows.map(({ json }) => named(read(json), row)), paging: { total: count?.total ?? 0 } };
};

/** The newest result. Throws not_found when there is none. */
export const newestResult = async (engine: Engine, id: string): Promise<ContractResult> => {
  const { data } = await resultsWithin(engine, { id, ...ALL }, 1);
  const [newest] = data;
  if (!newest) throw notFound(`Failed to find a result of the data contract ${id}`);
  return newest;
};

/** The result with an id. Throws not_found when there is none. */
export const resultWithId = async (engine: Engine, id: string, resultId: string): Promise<ContractResult> => {
  const row = await findStanding(engine, id);
  const found = await resultById(engine, row.series, resultId);
  if (!found) throw notFound(`Failed to find the result ${resultId} of the data contract ${id}`);
  return named(found, row);
};
