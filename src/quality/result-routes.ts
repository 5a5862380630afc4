import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { createHintCollector, type HintCollector } from '../catalog/read/hint-collector.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import {
  type BulkFailure,
  type BulkSuccess,
  buildBulkResult,
  isFailed,
  parseBulkRows,
  toBulkFailure,
} from '../catalog/write/bulk.ts';
import { badRequest, CatalogError, notFound } from '../errors.ts';
import { HINT_HEADER } from '../http/hint.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { applyPatch, parsePatch } from '../model/language/patch.ts';
import { TestCaseResult, TestCaseResultInput, TestCaseResultRow } from '../model/schemas/quality/test-case.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { listOf } from '../model/values.ts';
import type { TestStateRow } from './queries.ts';
import {
  countTestResultsWithin,
  findTestState,
  findTestStates,
  permitResults,
  readFirstTestResults,
  readTestResultAt,
  removeTestResult,
  resultNeeds,
  storeTestResults,
  streamTestResults,
  type TestRun,
  testCaseFqn,
} from './results.ts';

const MAX_ROWS = 5000;

const parseRun = (body: Json): TestRun => validate(TestCaseResultInput, dropNulls(body)) as unknown as TestRun;

/** Removes dimension results from the answer of a write: only permitted readers of results may see them. */
const withoutDimensions = ({ dimensionResults: _found, ...result }: JsonObject = {}): JsonObject => result;

/** Called with the tests that have new results, so that pending contracts can be evaluated again. */
export type TestResultListener = (principal: Principal, testIds: readonly string[]) => Promise<void>;

type ResultRoutesContext = { readonly engine: Engine; readonly heard: TestResultListener };

const notifyPendingContracts = async (
  { heard }: ResultRoutesContext,
  { principal }: Call,
  rows: readonly TestStateRow[],
): Promise<void> => {
  const awaited = rows.filter(({ isAwaited }) => isAwaited);
  if (awaited.length > 0) {
    await heard(
      principal,
      awaited.map(({ id }) => id),
    );
  }
};

const put =
  (context: ResultRoutesContext, status: number) =>
  async (call: Call): Promise<Answer> => {
    const { engine } = context;
    const run = parseRun((await readRequiredJson(call)) as Json);
    const row = await findTestState(engine, call.params['fqn'] ?? '');
    await permitResults(engine, call.principal, row);
    const [json] = await storeTestResults({ engine, principal: call.principal }, row, [run]);
    await notifyPendingContracts(context, call, [row]);
    return { status, json: withoutDimensions(json) };
  };

const parseTimestamp = (text: string | null, name: string, fallback: number): number => {
  if (!text) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`[${name} must be a time in milliseconds]`);
  return Number(text);
};

async function* streamPieces(pages: AsyncIterable<readonly JsonObject[]>, total: number): AsyncGenerator<string> {
  let opening = '{"data":[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield `${opening}${page.map((result) => JSON.stringify(result)).join(',')}`;
    opening = ',';
  }
  // Results may have been deleted since they were counted, so the opening may still be unwritten.
  yield `${opening === ',' ? '' : opening}],"paging":{"total":${total}}}`;
}

const list =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const start = parseTimestamp(call.query.get('startTs'), 'startTs', 0);
    const end = parseTimestamp(call.query.get('endTs'), 'endTs', Number.MAX_SAFE_INTEGER);
    const row = await findTestState(engine, call.params['fqn'] ?? '');
    const kind = requireKind(engine.registry, 'testCase');
    await authorizeRecord(engine, call.principal, ['ViewBasic'], { kind, id: row.id });
    const span = { id: row.id, start, end };
    const reading = { row, span };
    const first = await readFirstTestResults(engine, reading);
    // The first page usually holds all results, and then its length is the total.
    if (first.isWhole) return { status: 200, json: { data: first.results, paging: { total: first.results.length } } };
    const total = await countTestResultsWithin(engine, span);
    return { status: 200, stream: streamPieces(streamTestResults(engine, reading), total) };
  };

/** Parses the timestamp in the path. An invalid one is not found. */
const timestampIn = (call: Call): number => {
  const text = call.params['timestamp'] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw notFound(`Failed to find a result for ${text}`);
  return Number(text);
};

const remove =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const row = await findTestState(engine, call.params['fqn'] ?? '');
    await permitResults(engine, call.principal, row);
    return { status: 200, json: await removeTestResult({ engine, principal: call.principal }, row, timestampIn(call)) };
  };

const patch =
  (context: ResultRoutesContext) =>
  async (call: Call): Promise<Answer> => {
    const { engine } = context;
    const wanted = parsePatch(await readRequiredJson(call));
    const row = await findTestState(engine, call.params['fqn'] ?? '');
    await permitResults(engine, call.principal, row);
    const before = await readTestResultAt(engine, row, timestampIn(call));
    const run = parseRun(applyPatch(before, wanted));
    if (run.timestamp !== before.timestamp) throw badRequest("testCaseResult attribute timestamp can't be modified");
    const [json] = await storeTestResults({ engine, principal: call.principal }, row, [run]);
    await notifyPendingContracts(context, call, [row]);
    return { status: 200, json: withoutDimensions(json) };
  };

type BulkRow = { readonly row: Json; readonly fqn: string; readonly run: TestRun };

const parseBulkRow = (engine: Engine, row: Json): BulkRow | BulkFailure => {
  try {
    const { testCaseFQN: fqn } = isObject(row) ? row : {};
    if (typeof fqn !== 'string' || fqn === '') throw badRequest('[testCaseFQN must not be null]');
    return { row, fqn: testCaseFqn(engine, fqn), run: parseRun(row) };
  } catch (failure) {
    return toBulkFailure(row, failure);
  }
};

/** Stores the rows of one test together. They fail together only for faults of the test itself. */
const putTestRows = async (
  engine: Engine,
  call: Call,
  rows: readonly BulkRow[],
  found: Awaited<ReturnType<typeof findTestStates>>[number],
  hints: HintCollector,
): Promise<(BulkSuccess | BulkFailure)[]> => {
  const [first] = rows;
  try {
    const row = found ?? (await findTestState(engine, first?.fqn ?? ''));
    await permitResults(engine, call.principal, row);
    const runs = rows.map(({ run }) => run);
    await storeTestResults({ engine, principal: call.principal }, row, runs);
    return rows.map(() => ({ request: row.fullyQualifiedName, status: 200 }));
  } catch (failure) {
    const isMissing = failure instanceof CatalogError && failure.code === 'not_found';
    if (failure instanceof CatalogError) await hints.add(failure);
    return rows.map(({ row }) => ({ ...toBulkFailure(row, failure), ...(isMissing ? { status: 404 } : {}) }));
  }
};

const putBulk =
  (context: ResultRoutesContext) =>
  async (call: Call): Promise<Answer> => {
    const { engine } = context;
    const rows = parseBulkRows(
      { ...engine, limits: { ...engine.limits, bulkRows: MAX_ROWS } },
      await readRequiredJson(call),
    );
    const read = rows.map((row) => parseBulkRow(engine, row));
    const byTest = new Map<string, BulkRow[]>();
    for (const one of read) {
      if ('run' in one) byTest.set(one.fqn, [...(byTest.get(one.fqn) ?? []), one]);
    }
    const found = await findTestStates(engine, [...byTest.keys()]);
    const hints = createHintCollector(engine, call.principal);
    const outcomes = await Promise.all(
      [...byTest.values()].map((asked, at) => putTestRows(engine, call, asked, found[at], hints)),
    );
    await notifyPendingContracts(
      context,
      call,
      found.filter((row) => row !== undefined),
    );
    const all: (BulkSuccess | BulkFailure)[] = [
      ...outcomes.flat(),
      ...read.filter((one): one is BulkFailure => !('run' in one)),
    ];
    const passed = all.filter((outcome) => !isFailed(outcome));
    return { status: 200, headers: hints.headers(), json: buildBulkResult(passed, all.filter(isFailed), false) };
  };

const JSON_ONLY = ['application/json'] as const;
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/json'] as const;

const timestampParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});

const SPAN_PARAMETERS = [
  timestampParameter('startTs', 'Start of the time range, in milliseconds since 1970'),
  timestampParameter('endTs', 'End of the time range, in milliseconds since 1970'),
] as const;

const JSON_RESULT = { schema: TestCaseResultInput, mediaTypes: JSON_ONLY };

/** What the routes have in common: their paths, and the right to read or to write. */
const resultRouteParts = ({ engine }: ResultRoutesContext) => {
  const { path, title, entityType } = requireKind(engine.registry, 'testCase');
  const root = `/v1/${path}`;
  const also = 'EditTests is accepted too.';
  return {
    root,
    path: `${root}/testCaseResults/{fqn}`,
    /** The path that older clients know. */
    oldPath: `${root}/{fqn}/testCaseResult`,
    writing: { tag: title, access: { operation: 'EditAll', resource: entityType, also, anyOf: resultNeeds } },
    reading: {
      method: 'GET',
      tag: title,
      access: { operation: 'ViewBasic', resource: entityType },
      query: SPAN_PARAMETERS,
      responses: { 200: schema.valueListSchema('TestCaseResultList', TestCaseResult) },
      handle: list(engine),
    },
  } as const;
};

const addAndListRoutes = (context: ResultRoutesContext): Route[] => {
  const { path, oldPath, writing, reading } = resultRouteParts(context);
  const adding = { ...writing, body: JSON_RESULT };
  const list = 'List results of a test case';
  return [
    {
      ...adding,
      method: 'POST',
      path,
      summary: 'Add a test result',
      responses: { 201: TestCaseResult },
      handle: put(context, 201),
    },
    { ...reading, path, summary: `${list}, newest first` },
    {
      ...adding,
      method: 'PUT',
      path: oldPath,
      summary: 'Add a test result, for older clients',
      responses: { 200: TestCaseResult },
      handle: put(context, 200),
    },
    { ...reading, path: oldPath, summary: `${list}, newest first, for older clients` },
  ];
};

const changeRoutes = (context: ResultRoutesContext): Route[] => {
  const { path, writing } = resultRouteParts(context);
  const changing = { ...writing, path: `${path}/{timestamp}`, responses: { 200: TestCaseResult } };
  return [
    { ...changing, method: 'DELETE', summary: 'Delete a test result', handle: remove(context.engine) },
    {
      ...changing,
      method: 'PATCH',
      summary: 'Update a test result',
      body: { schema: schema.patchSchema, mediaTypes: PATCH_TYPES },
      handle: patch(context),
    },
  ];
};

const bulkRoute = (context: ResultRoutesContext): Route => {
  const { root, writing } = resultRouteParts(context);
  return {
    ...writing,
    access: { ...writing.access, anyOf: [] },
    method: 'PUT',
    path: `${root}/testCaseResults/bulk`,
    summary: 'Add test results in bulk',
    body: { schema: listOf(TestCaseResultRow, MAX_ROWS), mediaTypes: JSON_ONLY },
    responses: { 200: schema.bulkResultSchema },
    sends: [HINT_HEADER],
    handle: putBulk(context),
  };
};

/** Routes of test results (data-quality.md 6). */
export const testResultRoutes = (context: ResultRoutesContext): Route[] => [
  ...addAndListRoutes(context),
  ...changeRoutes(context),
  bulkRoute(context),
];
