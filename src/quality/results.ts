import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { eventBeside } from '../catalog/plan/beside.ts';
import { eventStep } from '../catalog/plan/change-event.ts';
import { ORDER, stale, step } from '../catalog/plan/step.ts';
import { markStale } from '../catalog/queries.ts';
import { acceptedIds, permit } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { untilAlone } from '../catalog/write/create.ts';
import { CatalogError, notFound, recordNotFound } from '../errors.ts';
import type { Step } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import { fingerprintId } from '../model/checksum.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { lookupFqn } from '../model/kind.ts';
import { piecesOf } from '../model/pieces.ts';
import { either } from '../model/policy-values.ts';
import type { KeptResult, TestResult } from '../model/test-values.ts';
import {
  appendResults,
  countResults,
  deleteResults,
  type LatestRow,
  listKept,
  listResults,
  markSuites,
  putResults,
  readLatest,
  readNewest,
  readResult,
  type Span,
  setLatest,
} from './queries.ts';

/** How a run went, as a request says it. */
export type Run = JsonObject & Pick<TestResult, 'timestamp' | 'testCaseStatus'>;

const TYPE = 'testCase';
const MEMBER = 'testCaseResult';

const keyOf = (id: string, timestamp: number): string => `${id}:${timestamp}`;

/** A result as it is kept: without the name of its test, which may change. One that replaces another is still the same. */
const resultOf = ({ id }: LatestRow, run: Run): KeptResult => {
  const { fqn: _fqn, testCaseFQN: _name, testCase: _testCase, testDefinition: _definition, ...members } = run;
  return {
    ...members,
    id: fingerprintId(keyOf(id, run.timestamp)),
    timestamp: run.timestamp,
    testCaseStatus: run.testCaseStatus,
  };
};

const named = (result: KeptResult, { fullyQualifiedName }: LatestRow): TestResult => ({
  ...result,
  testCaseFQN: fullyQualifiedName,
});

/** What a test says of its latest result, on its own node. */
const latestOf = (result: TestResult | undefined): Record<string, unknown> => ({
  resultAt: encodeProperty(result?.timestamp),
  testCaseStatus: result?.testCaseStatus ?? null,
  testCaseResultJson: result ? JSON.stringify(result) : null,
  incidentId: result?.['incidentId'] ?? null,
});

const withLatest = (record: Snapshot, result: TestResult | undefined): Snapshot => {
  const { testCaseResult: _result, testCaseStatus: _status, ...values } = record.values;
  return {
    ...record,
    values: result ? { ...values, testCaseResult: result, testCaseStatus: result.testCaseStatus } : values,
  };
};

type Sender = { readonly engine: Engine; readonly principal: Principal };

const isTold = (row: LatestRow, result: TestResult | undefined): boolean =>
  (result?.testCaseStatus ?? null) !== row.status;

/** Only another status is told of: the same again tells nobody anything. */
const tellingStep = async (
  { engine, principal }: Sender,
  row: LatestRow,
  result: TestResult | undefined,
): Promise<Step> => {
  const kind = kindNamed(engine.registry, TYPE);
  const record = await engine.store.record(kind, { id: row.id }, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(TYPE, row.fullyQualifiedName);
  const change = result
    ? { fieldsUpdated: [{ name: MEMBER, oldValue: row.status, newValue: JSON.stringify(result) }] as Json }
    : { fieldsDeleted: [{ name: MEMBER, oldValue: row.status }] as Json };
  return eventStep(eventBeside(engine, principal, withLatest(record, result), change));
};

/** The steps by which a test says how it went last, if nobody else has said it meanwhile. */
const latestSteps = async (
  sender: Sender,
  row: LatestRow,
  result: TestResult | undefined,
  isAlone = false,
): Promise<Step[]> => [
  latestStep(row, latestOf(result), isAlone),
  isTold(row, result) ? await tellingStep(sender, row, result) : step(markStale, ORDER.tell, [{ entityId: row.id }]),
  suiteStep(row, result),
];

/** What suites say of their tests changes with what these say. */
const suiteStep = (row: LatestRow, result: TestResult | undefined): Step =>
  step(markSuites, ORDER.tell, isTold(row, result) ? [{ testId: row.id }] : []);

/** Results that all come after what there is need not be looked for, and are written together with what follows from them. */
const appendSteps = async (
  sender: Sender,
  row: LatestRow,
  results: readonly KeptResult[],
  newest: TestResult,
): Promise<Step[]> => {
  const append = {
    id: row.id,
    seenAt: encodeProperty(row.resultAt),
    seenStatus: row.status,
    changes: latestOf(newest),
    results: results.map((result) => [String(result.timestamp), JSON.stringify(result)]),
  };
  const telling = isTold(row, newest) ? [await tellingStep(sender, row, newest)] : [];
  return [step(appendResults, ORDER.lock, [append], stale), ...telling, suiteStep(row, newest)];
};

/** Of whoever must be alone nobody may have come in between at all; others mind only what the test says of itself. */
const latestStep = (row: LatestRow, changes: Record<string, unknown>, isAlone = false): Step => {
  const seen = { seenAt: encodeProperty(row.resultAt), seenStatus: row.status };
  const seenRevision = isAlone ? encodeProperty(row.revision) : null;
  return step(setLatest, ORDER.lock, [{ id: row.id, ...seen, seenRevision, changes }], stale);
};

/** What comes after all that there is has never been kept. */
const isAfter = ({ resultAt: last }: LatestRow, results: readonly KeptResult[]): boolean =>
  results.every(({ timestamp }) => timestamp > (last ?? -1));

/** What is kept as it is sent stays untouched, so that repeating a request tells nobody anything. */
const newAmong = async (
  { engine }: Sender,
  row: LatestRow,
  results: readonly KeptResult[],
): Promise<readonly KeptResult[]> => {
  const keys = results.map(({ timestamp }) => keyOf(row.id, timestamp));
  if (isAfter(row, results)) return results;
  const known = new Map((await engine.graph.read(listKept, { keys })).map(({ key, json }) => [key, json]));
  return results.filter((result) => known.get(keyOf(row.id, result.timestamp)) !== JSON.stringify(result));
};

const keepOnce = async (sender: Sender, row: LatestRow, runs: readonly Run[]): Promise<TestResult[]> => {
  const kept = runs.map((run) => resultOf(row, run));
  // A later row for the same moment is the one that counts.
  const distinct = await newAmong(sender, row, [...new Map(kept.map((result) => [result.timestamp, result])).values()]);
  const answers = kept.map((result) => named(result, row));
  const [first] = distinct;
  if (!first) return answers;
  const newest = distinct.reduce((one, other) => (other.timestamp >= one.timestamp ? other : one), first);
  if (isAfter(row, distinct)) {
    const steps = await appendSteps(sender, row, distinct, named(newest, row));
    await sender.engine.commit({ keys: [row.id], steps });
    return answers;
  }
  const isLatest = newest.timestamp >= (row.resultAt ?? -1);
  const rows = distinct.map((result) => ({
    id: row.id,
    key: keyOf(row.id, result.timestamp),
    timestamp: encodeProperty(result.timestamp),
    json: JSON.stringify(result),
  }));
  const latest = isLatest ? await latestSteps(sender, row, named(newest, row)) : [latestStep(row, {})];
  await sender.engine.commit({ keys: [row.id], steps: [...latest, step(putResults, ORDER.link, rows)] });
  return answers;
};

const AT_ONCE = 1000;

/** Living tests by their names, in their order; undefined where there is none. */
export const findTests = async (engine: Engine, fqns: readonly string[]): Promise<(LatestRow | undefined)[]> => {
  const found: (LatestRow | undefined)[] = new Array(fqns.length).fill(undefined);
  const rows = fqns.map((fqn, at) => ({ fqn, at }));
  for (const some of piecesOf(rows, AT_ONCE)) {
    for (const row of await engine.graph.read(readLatest, { rows: some })) found[row.at] = row;
  }
  return found;
};

/** The name of a test as it is kept. */
export const testName = (engine: Engine, text: string): string => lookupFqn(kindNamed(engine.registry, TYPE), text);

export const findTest = async (engine: Engine, text: string): Promise<LatestRow> => {
  const fqn = testName(engine, text);
  const [row] = await findTests(engine, [fqn]);
  if (!row) throw recordNotFound(TYPE, fqn);
  return row;
};

/** Who may change a test, or run tests, be it those of the table, may say how they went. */
const TO_WRITE: readonly string[] = [either('EditAll', 'EditTests')];

export const permitResults = async (
  engine: Engine,
  principal: Principal,
  { id, tableId }: LatestRow,
): Promise<void> => {
  try {
    await permit(engine, principal, TO_WRITE, { kind: kindNamed(engine.registry, TYPE), id });
  } catch (failure) {
    const isForbidden = failure instanceof CatalogError && failure.code === 'forbidden';
    if (!isForbidden || tableId === null) throw failure;
    const tables = await acceptedIds(engine, principal, ['EditTests'], 'table', [tableId]);
    if (tables.length === 0) throw failure;
  }
};

/** Does something with the latest state of a test until nobody comes in between. */
const persist = <T>(engine: Engine, row: LatestRow, work: (row: LatestRow) => Promise<T>): Promise<T> =>
  untilAlone(async (attempt) => work(attempt === 1 ? row : await findTest(engine, row.fullyQualifiedName)));

/** Keeps how a test went, at one moment or at several. All are kept or none. */
export const keepResults = (sender: Sender, row: LatestRow, runs: readonly Run[]): Promise<TestResult[]> =>
  persist(sender.engine, row, (known) => keepOnce(sender, known, runs));

const noResult = (row: LatestRow, timestamp: number) =>
  notFound(`Failed to find a result of ${row.fullyQualifiedName} for ${timestamp}`);

/** The result of one moment. Throws not_found when there is none. */
export const resultAt = async (engine: Engine, row: LatestRow, timestamp: number): Promise<TestResult> => {
  const [found] = await engine.graph.read(readResult, { key: keyOf(row.id, timestamp) });
  if (!found) throw noResult(row, timestamp);
  return named(JSON.parse(found.json) as KeptResult, row);
};

/** Removes the result of one moment and answers it; if it was the latest, the one before is that from now on. */
export const removeResult = (sender: Sender, row: LatestRow, timestamp: number): Promise<TestResult> =>
  persist(sender.engine, row, async (known) => {
    const { engine } = sender;
    const removed = await resultAt(engine, known, timestamp);
    const [next] =
      known.resultAt === timestamp
        ? await engine.graph.read(readNewest, { id: known.id, beside: timestamp })
        : [undefined];
    const result = next && named(JSON.parse(next.json) as KeptResult, known);
    // Which one is the latest from now on was read before the lock is taken: nothing may have come since, be it older.
    const latest =
      known.resultAt === timestamp ? await latestSteps(sender, known, result, true) : [latestStep(known, {})];
    const key = keyOf(known.id, timestamp);
    const removal = step(deleteResults, ORDER.unlink, [{ key }], () => noResult(known, timestamp));
    await engine.commit({ keys: [known.id], steps: [...latest, removal] });
    return removed;
  });

const PAGE = 1000;

/** A test whose results are read, and from when to when. */
type Reading = { readonly row: LatestRow; readonly span: Span };

const readPage = async ({ graph }: Engine, { row, span }: Reading) => {
  const rows = await graph.read(listResults, { ...span, limit: PAGE });
  return rows.map(({ timestamp, json }) => ({ timestamp, result: named(JSON.parse(json) as KeptResult, row) }));
};

/** The newest results within a span, and whether these are all. */
export const firstResults = async (engine: Engine, reading: Reading) => {
  const rows = await readPage(engine, reading);
  return { results: rows.map(({ result }) => result), isWhole: rows.length < PAGE };
};

/** The results within a span, newest first, page by page. */
export async function* readResults(engine: Engine, { row, span }: Reading): AsyncGenerator<readonly TestResult[]> {
  let { end } = span;
  for (;;) {
    const rows = await readPage(engine, { row, span: { ...span, end } });
    yield rows.map(({ result }) => result);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    end = last.timestamp - 1;
  }
}

export const totalResults = async (engine: Engine, span: Span): Promise<number> =>
  (await engine.graph.read(countResults, span))[0]?.total ?? 0;
