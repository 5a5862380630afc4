import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { requiredJson } from '../catalog/read/answer.ts';
import { permit } from '../catalog/read/facts.ts';
import { kindNamed } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { bulkResult, type Failed, isFailed, type Passed, rowFailure, rowsIn } from '../catalog/write/bulk.ts';
import { badRequest, CatalogError, notFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { applyPatch, parsePatch } from '../model/patch.ts';
import { TestCaseResult, TestCaseResultInput } from '../model/test-values.ts';
import { check, dropNulls } from '../model/validate.ts';
import { listOf, openShape, Text } from '../model/values.ts';
import type { LatestRow } from './queries.ts';
import {
  findTest,
  findTests,
  firstResults,
  keepResults,
  permitResults,
  type Run,
  readResults,
  removeResult,
  resultAt,
  testName,
  totalResults,
} from './results.ts';

const MOST_ROWS = 5000;

const runIn = (body: Json): Run => check(TestCaseResultInput, dropNulls(body)) as unknown as Run;

/** The answer of a write: what a test found by its dimensions is for those who read results. */
const written = ({ dimensionResults: _found, ...result }: JsonObject = {}): JsonObject => result;

/** Who waits for the results of tests is told when there are any. */
export type Heard = (principal: Principal, testIds: readonly string[]) => Promise<void>;

type Desk = { readonly engine: Engine; readonly heard: Heard };

const tell = async ({ heard }: Desk, { principal }: Call, rows: readonly LatestRow[]): Promise<void> => {
  const awaited = rows.filter(({ isAwaited }) => isAwaited);
  if (awaited.length > 0) {
    await heard(
      principal,
      awaited.map(({ id }) => id),
    );
  }
};

const put =
  (desk: Desk, status: number) =>
  async (call: Call): Promise<Answer> => {
    const { engine } = desk;
    const run = runIn((await requiredJson(call)) as Json);
    const row = await findTest(engine, call.params['fqn'] ?? '');
    await permitResults(engine, call.principal, row);
    const [json] = await keepResults({ engine, principal: call.principal }, row, [run]);
    await tell(desk, call, [row]);
    return { status, json: written(json) };
  };

const momentOf = (text: string | null, name: string, fallback: number): number => {
  if (!text) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`[${name} must be a time in milliseconds]`);
  return Number(text);
};

async function* pieces(pages: AsyncIterable<readonly JsonObject[]>, total: number): AsyncGenerator<string> {
  let opening = '{"data":[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield `${opening}${page.map((result) => JSON.stringify(result)).join(',')}`;
    opening = ',';
  }
  // What was there a moment ago may be gone.
  yield `${opening === ',' ? '' : opening}],"paging":{"total":${total}}}`;
}

const list =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const start = momentOf(call.query.get('startTs'), 'startTs', 0);
    const end = momentOf(call.query.get('endTs'), 'endTs', Number.MAX_SAFE_INTEGER);
    const row = await findTest(engine, call.params['fqn'] ?? '');
    const kind = kindNamed(engine.registry, 'testCase');
    await permit(engine, call.principal, ['ViewBasic'], { kind, id: row.id });
    const span = { id: row.id, start, end };
    const reading = { row, span };
    const first = await firstResults(engine, reading);
    // The first page is mostly all there is, and then it says itself how many there are.
    if (first.isWhole) return { status: 200, json: { data: first.results, paging: { total: first.results.length } } };
    const total = await totalResults(engine, span);
    return { status: 200, stream: pieces(readResults(engine, reading), total) };
  };

/** The moment in the path; what is no moment has no result. */
const momentIn = (call: Call): number => {
  const text = call.params['timestamp'] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw notFound(`Failed to find a result for ${text}`);
  return Number(text);
};

const remove =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const row = await findTest(engine, call.params['fqn'] ?? '');
    await permitResults(engine, call.principal, row);
    return { status: 200, json: await removeResult({ engine, principal: call.principal }, row, momentIn(call)) };
  };

const patch =
  (desk: Desk) =>
  async (call: Call): Promise<Answer> => {
    const { engine } = desk;
    const wanted = parsePatch(await requiredJson(call));
    const row = await findTest(engine, call.params['fqn'] ?? '');
    await permitResults(engine, call.principal, row);
    const before = await resultAt(engine, row, momentIn(call));
    const run = runIn(applyPatch(before, wanted));
    if (run.timestamp !== before.timestamp) throw badRequest("testCaseResult attribute timestamp can't be modified");
    const [json] = await keepResults({ engine, principal: call.principal }, row, [run]);
    await tell(desk, call, [row]);
    return { status: 200, json: written(json) };
  };

type Asked = { readonly row: Json; readonly fqn: string; readonly run: Run };

const readRow = (engine: Engine, row: Json): Asked | Failed => {
  try {
    const { testCaseFQN: fqn } = isObject(row) ? row : {};
    if (typeof fqn !== 'string' || fqn === '') throw badRequest('[testCaseFQN must not be null]');
    return { row, fqn: testName(engine, fqn), run: runIn(row) };
  } catch (failure) {
    return rowFailure(row, failure);
  }
};

/** Rows of one test go together; they fail together only for what concerns the test. */
const putTest = async (
  engine: Engine,
  call: Call,
  asked: readonly Asked[],
  found: Awaited<ReturnType<typeof findTests>>[number],
): Promise<(Passed | Failed)[]> => {
  const [first] = asked;
  try {
    const row = found ?? (await findTest(engine, first?.fqn ?? ''));
    await permitResults(engine, call.principal, row);
    const runs = asked.map(({ run }) => run);
    await keepResults({ engine, principal: call.principal }, row, runs);
    return asked.map(() => ({ request: row.fullyQualifiedName, status: 200 }));
  } catch (failure) {
    const isMissing = failure instanceof CatalogError && failure.code === 'not_found';
    return asked.map(({ row }) => ({ ...rowFailure(row, failure), ...(isMissing ? { status: 404 } : {}) }));
  }
};

const putBulk =
  (desk: Desk) =>
  async (call: Call): Promise<Answer> => {
    const { engine } = desk;
    const rows = rowsIn({ ...engine, limits: { ...engine.limits, bulkRows: MOST_ROWS } }, await requiredJson(call));
    const read = rows.map((row) => readRow(engine, row));
    const byTest = new Map<string, Asked[]>();
    for (const one of read) {
      if ('run' in one) byTest.set(one.fqn, [...(byTest.get(one.fqn) ?? []), one]);
    }
    const found = await findTests(engine, [...byTest.keys()]);
    const outcomes = await Promise.all(
      [...byTest.values()].map((asked, at) => putTest(engine, call, asked, found[at])),
    );
    await tell(
      desk,
      call,
      found.filter((row) => row !== undefined),
    );
    const all: (Passed | Failed)[] = [...outcomes.flat(), ...read.filter((one): one is Failed => !('run' in one))];
    const passed = all.filter((outcome) => !isFailed(outcome));
    return { status: 200, json: bulkResult(passed, all.filter(isFailed), false) };
  };

const JSON_ONLY = ['application/json'] as const;
const PATCHES = ['application/json-patch+json', 'application/merge-patch+json', 'application/json'] as const;

const time = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});

const span = [
  time('startTs', 'The beginning of the time looked at'),
  time('endTs', 'The end of the time looked at'),
] as const;

/** How tests went (data-quality.md 6). */
export const resultRoutes = (desk: Desk): Route[] => {
  const { engine } = desk;
  const kind = kindNamed(engine.registry, 'testCase');
  const root = `/v1/${kind.path}`;
  const path = `${root}/testCaseResults/{fqn}`;
  const older = `${root}/{fqn}/testCaseResult`;
  const also = 'EditTests serves too.';
  const writing = { tag: kind.title, access: { operation: 'EditAll', resource: kind.entityType, also } } as const;
  const reading = {
    method: 'GET',
    tag: kind.title,
    access: { operation: 'ViewBasic', resource: kind.entityType },
    query: span,
    responses: { 200: listOf(TestCaseResult) },
    handle: list(engine),
  } as const;
  const body = { schema: TestCaseResultInput, mediaTypes: JSON_ONLY };
  const one = { responses: { 200: TestCaseResult } };
  return [
    {
      ...writing,
      method: 'POST',
      path,
      summary: 'Keep how a test went',
      body,
      responses: { 201: TestCaseResult },
      handle: put(desk, 201),
    },
    { ...reading, path, summary: 'List how a test went, the newest first' },
    { ...writing, ...one, method: 'PUT', path: older, summary: 'Keep how a test went', body, handle: put(desk, 200) },
    { ...reading, path: older, summary: 'List how a test went, the newest first' },
    {
      ...writing,
      ...one,
      method: 'DELETE',
      path: `${path}/{timestamp}`,
      summary: 'Forget how a test went',
      handle: remove(engine),
    },
    {
      ...writing,
      ...one,
      method: 'PATCH',
      path: `${path}/{timestamp}`,
      summary: 'Change what is kept of how a test went',
      body: { schema: schema.patch, mediaTypes: PATCHES },
      handle: patch(desk),
    },
    {
      ...writing,
      method: 'PUT',
      path: `${root}/testCaseResults/bulk`,
      summary: 'Keep how many tests went',
      body: { schema: listOf(openShape('TestCaseResultRow', { testCaseFQN: Text }), MOST_ROWS), mediaTypes: JSON_ONLY },
      responses: { 200: schema.bulkResult },
      handle: putBulk(desk),
    },
  ];
};
