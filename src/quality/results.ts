import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { eventStep } from '../catalog/plan/change-event.ts';
import { createStep, STEP_ORDER, staleStateError } from '../catalog/plan/step.ts';
import { buildUnversionedEvent } from '../catalog/plan/unversioned-event.ts';
import { markDocumentsStale } from '../catalog/queries.ts';
import { authorizeRecord, filterPermittedIds, VIEW_OPERATIONS } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { retryOnConflict } from '../catalog/write/create.ts';
import { CatalogError, notFound, recordNotFound } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import { deterministicUuid } from '../model/checksum.ts';
import { chunk } from '../model/chunk.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { resolveFqnText } from '../model/kind/kind.ts';
import { type AccessNeed, anyOfOperations } from '../model/schemas/access/policy.ts';
import type { StoredTestResult, TestResult } from '../model/schemas/quality/test-case.ts';
import {
  appendTestResults,
  countTestResults,
  deleteTestResults,
  listStoredTestResults,
  listTestResults,
  markSuitesStale,
  readNewestTestResult,
  readTestResult,
  readTestStates,
  type TestResultSpan,
  type TestStateRow,
  updateLatestTestResults,
  upsertTestResults,
} from './queries.ts';

/** A test run as a request provides it. */
export type TestRun = JsonObject & Pick<TestResult, 'timestamp' | 'testCaseStatus'>;

const TYPE = 'testCase';
const MEMBER = 'testCaseResult';

const resultKey = (id: string, timestamp: number): string => `${id}:${timestamp}`;

/**
 * Builds the stored form of a result, without the test's name, which may change. A replacement keeps the result's ID.
 */
const toStoredResult = ({ id }: TestStateRow, run: TestRun): StoredTestResult => {
  const { fqn: _fqn, testCaseFQN: _name, testCase: _testCase, testDefinition: _definition, ...members } = run;
  return {
    ...members,
    id: deterministicUuid(resultKey(id, run.timestamp)),
    timestamp: run.timestamp,
    testCaseStatus: run.testCaseStatus,
  };
};

const withTestName = (result: StoredTestResult, { fullyQualifiedName }: TestStateRow): TestResult => ({
  ...result,
  testCaseFQN: fullyQualifiedName,
});

/** The properties on the test's node that describe its latest result. */
const latestProperties = (result: TestResult | undefined): Record<string, unknown> => ({
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

type TestResultWriter = { readonly engine: Engine; readonly principal: Principal };

const isStatusChanged = (row: TestStateRow, result: TestResult | undefined): boolean =>
  (result?.testCaseStatus ?? null) !== row.status;

/** A step that publishes a status change. A repeated status publishes no event. */
const statusEventStep = async (
  { engine, principal }: TestResultWriter,
  row: TestStateRow,
  result: TestResult | undefined,
): Promise<WriteStep> => {
  const kind = requireKind(engine.registry, TYPE);
  const record = await engine.store.record(kind, { id: row.id }, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(TYPE, row.fullyQualifiedName);
  const change = result
    ? { fieldsUpdated: [{ name: MEMBER, oldValue: row.status, newValue: JSON.stringify(result) }] as Json }
    : { fieldsDeleted: [{ name: MEMBER, oldValue: row.status }] as Json };
  return eventStep(buildUnversionedEvent(engine, principal, withLatest(record, result), change));
};

/** Steps that store the latest result on the test's node. They conflict when it has changed since it was read. */
const latestSteps = async (
  sender: TestResultWriter,
  row: TestStateRow,
  result: TestResult | undefined,
  isAlone = false,
): Promise<WriteStep[]> => [
  latestResultStep(row, latestProperties(result), isAlone),
  isStatusChanged(row, result)
    ? await statusEventStep(sender, row, result)
    : createStep(markDocumentsStale, STEP_ORDER.publish, [{ entityId: row.id }]),
  markSuitesStep(row, result),
];

/** Marks the suites of the test stale when its status changes, because their documents count results. */
const markSuitesStep = (row: TestStateRow, result: TestResult | undefined): WriteStep =>
  createStep(markSuitesStale, STEP_ORDER.publish, isStatusChanged(row, result) ? [{ testId: row.id }] : []);

/**
 * Steps for results that are all newer than the stored ones: these need no look-up and are written in one statement.
 */
const appendSteps = async (
  sender: TestResultWriter,
  row: TestStateRow,
  results: readonly StoredTestResult[],
  newest: TestResult,
): Promise<WriteStep[]> => {
  const append = {
    id: row.id,
    seenAt: encodeProperty(row.resultAt),
    seenStatus: row.status,
    changes: latestProperties(newest),
    results: results.map((result) => [String(result.timestamp), result.testCaseStatus, JSON.stringify(result)]),
  };
  const statusEvents = isStatusChanged(row, newest) ? [await statusEventStep(sender, row, newest)] : [];
  return [
    createStep(appendTestResults, STEP_ORDER.lock, [append], staleStateError),
    ...statusEvents,
    markSuitesStep(row, newest),
  ];
};

/**
 * Stores the latest result. With `isAlone` any concurrent write conflicts; otherwise only a change of the latest
 * result does.
 */
const latestResultStep = (row: TestStateRow, changes: Record<string, unknown>, isAlone = false): WriteStep => {
  const seen = { seenAt: encodeProperty(row.resultAt), seenStatus: row.status };
  const seenRevision = isAlone ? encodeProperty(row.revision) : null;
  return createStep(
    updateLatestTestResults,
    STEP_ORDER.lock,
    [{ id: row.id, ...seen, seenRevision, changes }],
    staleStateError,
  );
};

/** Whether all results are newer than the latest, so that none of them can be stored already. */
const isAfterLatest = ({ resultAt: last }: TestStateRow, results: readonly StoredTestResult[]): boolean =>
  results.every(({ timestamp }) => timestamp > (last ?? -1));

/** Selects the results that differ from the stored ones, so that repeating a request publishes nothing. */
const selectNewResults = async (
  { engine }: TestResultWriter,
  row: TestStateRow,
  results: readonly StoredTestResult[],
): Promise<readonly StoredTestResult[]> => {
  const keys = results.map(({ timestamp }) => resultKey(row.id, timestamp));
  if (isAfterLatest(row, results)) return results;
  const known = new Map((await engine.graph.read(listStoredTestResults, { keys })).map(({ key, json }) => [key, json]));
  return results.filter((result) => known.get(resultKey(row.id, result.timestamp)) !== JSON.stringify(result));
};

const tryStoreResults = async (
  sender: TestResultWriter,
  row: TestStateRow,
  runs: readonly TestRun[],
): Promise<TestResult[]> => {
  const stored = runs.map((run) => toStoredResult(row, run));
  // The last row with a timestamp wins.
  const distinct = await selectNewResults(sender, row, [
    ...new Map(stored.map((result) => [result.timestamp, result])).values(),
  ]);
  const answers = stored.map((result) => withTestName(result, row));
  const [first] = distinct;
  if (!first) return answers;
  const newest = distinct.reduce((one, other) => (other.timestamp >= one.timestamp ? other : one), first);
  if (isAfterLatest(row, distinct)) {
    const steps = await appendSteps(sender, row, distinct, withTestName(newest, row));
    await sender.engine.commit({ keys: [row.id], steps });
    return answers;
  }
  const isLatest = newest.timestamp >= (row.resultAt ?? -1);
  const rows = distinct.map((result) => ({
    id: row.id,
    key: resultKey(row.id, result.timestamp),
    timestamp: encodeProperty(result.timestamp),
    status: result.testCaseStatus,
    json: JSON.stringify(result),
  }));
  const latest = isLatest ? await latestSteps(sender, row, withTestName(newest, row)) : [latestResultStep(row, {})];
  await sender.engine.commit({
    keys: [row.id],
    steps: [...latest, createStep(upsertTestResults, STEP_ORDER.link, rows)],
  });
  return answers;
};

const TESTS_PER_READ = 1000;

/** Finds live tests by name, in the order of the names; undefined for names without a test. */
export const findTestStates = async (
  engine: Engine,
  fqns: readonly string[],
): Promise<(TestStateRow | undefined)[]> => {
  const found: (TestStateRow | undefined)[] = new Array(fqns.length).fill(undefined);
  const rows = fqns.map((fqn, at) => ({ fqn, at }));
  for (const some of chunk(rows, TESTS_PER_READ)) {
    for (const row of await engine.graph.read(readTestStates, { rows: some })) found[row.at] = row;
  }
  return found;
};

/** The normalized fully qualified name of a test. */
export const testCaseFqn = (engine: Engine, text: string): string =>
  resolveFqnText(requireKind(engine.registry, TYPE), text);

export const findTestState = async (engine: Engine, text: string): Promise<TestStateRow> => {
  const fqn = testCaseFqn(engine, text);
  const [row] = await findTestStates(engine, [fqn]);
  if (!row) throw recordNotFound(TYPE, fqn);
  return row;
};

/** Permission to edit all, or to edit tests, of the test or of its table is enough to write results. */
const WRITE_OPERATIONS: readonly string[] = [anyOfOperations('EditAll', 'EditTests')];

/** The rights of which a caller needs one to store results of any test, or what belongs to them. */
export const resultNeeds: readonly AccessNeed[] = [
  ...WRITE_OPERATIONS.map((operation) => ({ operation, resource: TYPE })),
  { operation: 'EditTests', resource: 'table' },
];

export const permitResults = async (
  engine: Engine,
  principal: Principal,
  { id, tableId }: TestStateRow,
): Promise<void> => {
  const test = { kind: requireKind(engine.registry, TYPE), id };
  // A rule about the table reaches the results of its tests, but not of those that are hidden.
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, test);
  try {
    await authorizeRecord(engine, principal, WRITE_OPERATIONS, test);
  } catch (failure) {
    const isForbidden = failure instanceof CatalogError && failure.code === 'forbidden';
    if (!isForbidden || tableId === null) throw failure;
    const tables = await filterPermittedIds(engine, principal, ['EditTests'], 'table', [tableId]);
    if (tables.length === 0) throw failure;
  }
};

/** Runs work with the latest state of a test and retries it when a concurrent write conflicts. */
const withTestState = <T>(engine: Engine, row: TestStateRow, work: (row: TestStateRow) => Promise<T>): Promise<T> =>
  retryOnConflict(async (attempt) => work(attempt === 1 ? row : await findTestState(engine, row.fullyQualifiedName)));

/** Stores one or more results of a test, all or none. */
export const storeTestResults = (
  sender: TestResultWriter,
  row: TestStateRow,
  runs: readonly TestRun[],
): Promise<TestResult[]> => withTestState(sender.engine, row, (known) => tryStoreResults(sender, known, runs));

const noResult = (row: TestStateRow, timestamp: number) =>
  notFound(`Failed to find a result of ${row.fullyQualifiedName} for ${timestamp}`);

/** Reads the result with a timestamp. Throws not_found when there is none. */
export const readTestResultAt = async (engine: Engine, row: TestStateRow, timestamp: number): Promise<TestResult> => {
  const [found] = await engine.graph.read(readTestResult, { key: resultKey(row.id, timestamp) });
  if (!found) throw noResult(row, timestamp);
  return withTestName(JSON.parse(found.json) as StoredTestResult, row);
};

/** Removes the result with a timestamp and returns it. If it was the latest, the one before becomes the latest. */
export const removeTestResult = (sender: TestResultWriter, row: TestStateRow, timestamp: number): Promise<TestResult> =>
  withTestState(sender.engine, row, async (known) => {
    const { engine } = sender;
    const removed = await readTestResultAt(engine, known, timestamp);
    const [next] =
      known.resultAt === timestamp
        ? await engine.graph.read(readNewestTestResult, { id: known.id, beside: timestamp })
        : [undefined];
    const result = next && withTestName(JSON.parse(next.json) as StoredTestResult, known);
    // The new latest result was read before the lock is taken, so any write in between must conflict, even of an
    // older result.
    const latest =
      known.resultAt === timestamp ? await latestSteps(sender, known, result, true) : [latestResultStep(known, {})];
    const key = resultKey(known.id, timestamp);
    const removal = createStep(deleteTestResults, STEP_ORDER.unlink, [{ key }], () => noResult(known, timestamp));
    await engine.commit({ keys: [known.id], steps: [...latest, removal] });
    return removed;
  });

const PAGE_SIZE = 1000;

/** A test and the time span of the results to read. */
type ResultPageRequest = { readonly row: TestStateRow; readonly span: TestResultSpan };

const readResultPage = async ({ graph }: Engine, { row, span }: ResultPageRequest) => {
  const rows = await graph.read(listTestResults, { ...span, limit: PAGE_SIZE });
  return rows.map(({ timestamp, json }) => ({
    timestamp,
    result: withTestName(JSON.parse(json) as StoredTestResult, row),
  }));
};

/** Reads the newest results within a time span, and whether these are all. */
export const readFirstTestResults = async (engine: Engine, reading: ResultPageRequest) => {
  const rows = await readResultPage(engine, reading);
  return { results: rows.map(({ result }) => result), isWhole: rows.length < PAGE_SIZE };
};

/** Streams the results within a time span page by page, newest first. */
export async function* streamTestResults(
  engine: Engine,
  { row, span }: ResultPageRequest,
): AsyncGenerator<readonly TestResult[]> {
  let { end } = span;
  for (;;) {
    const rows = await readResultPage(engine, { row, span: { ...span, end } });
    yield rows.map(({ result }) => result);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_SIZE) return;
    end = last.timestamp - 1;
  }
}

export const countTestResultsWithin = async (engine: Engine, span: TestResultSpan): Promise<number> =>
  (await engine.graph.read(countTestResults, span))[0]?.total ?? 0;
