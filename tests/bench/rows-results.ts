import { answerTo } from './lineage-stand.ts';
import { median, type Rate, takeTurns } from './measure.ts';
import { type Result, type Stand, target } from './stand.ts';

/** So many tests take part, each on a table of its own, and each has as many results as the others. */
const TESTS = 1000;
const ROWS_AT_ONCE = 5000;
const RESULTS_OF_EACH = ROWS_AT_ONCE / TESTS;
const RESULTS_PER_TABLE = 10;
const CASES = '/v1/dataQuality/testCases';

const START = 1_600_000_000_000;
const MINUTE = 60_000;

type Named = { readonly id: string; readonly fullyQualifiedName: string };
type Listed = { readonly data: readonly Named[] };

/** One test for each of the first tables. */
const makeTests = async (stand: Stand): Promise<readonly Named[]> => {
  const { json } = await answerTo<Listed>(stand, `/v1/tables?limit=${TESTS}`);
  const rows = json.data.map(({ fullyQualifiedName }) => ({
    name: 'rows',
    entityLink: `<#E::table::${fullyQualifiedName}>`,
    testDefinition: 'tableRowCountToEqual',
    parameterValues: [{ name: 'value', value: '1' }],
  }));
  await stand.load.run('putRows', { ...target(stand), path: CASES, rows });
  return (await answerTo<Listed>(stand, `${CASES}?limit=${TESTS}`)).json.data;
};

/** One result in a hundred fails, and the one after it succeeds again. */
const resultAt = (moment: number, test: number) => ({
  timestamp: START + moment * MINUTE,
  testCaseStatus: (moment * 31 + test) % 100 === 0 ? 'Failed' : 'Success',
  result: 'found as many rows as there should be',
  testResultValue: [{ name: 'rowCount', value: String(1000 + moment) }],
});

const batchOf = (tests: readonly Named[], batch: number) =>
  Array.from({ length: RESULTS_OF_EACH }, (_, turn) =>
    tests.map(({ fullyQualifiedName }, test) => ({
      testCaseFQN: fullyQualifiedName,
      ...resultAt(batch * RESULTS_OF_EACH + turn, test),
    })),
  ).flat();

/** What the bare driver writes for a batch of results: the nodes, the edges, and what each test says of the newest. */
const RAW_WRITE = `
UNWIND $rows AS row
MATCH (test:Entity {id: row.id})
CREATE (test)-[:HAS_RESULT]->(:TestResult {key: row.key, caseId: row.id, timestamp: row.timestamp, json: row.json})
WITH test, max(row.timestamp) AS newest
SET test.resultAt = newest, test.revision = test.revision + 1
RETURN count(*) AS tests`;

const RAW_BATCHES = 5;
/** Results of the bare driver lie before those of the service, so that they get into nobody's way. */
const rawRows = (tests: readonly Named[], batch: number) =>
  batchOf(tests, batch).map((row, at) => {
    const { id } = tests[at % tests.length] as Named;
    const timestamp = row.timestamp - 1_000_000 * MINUTE;
    return { id, timestamp, key: `${id}:${timestamp}`, json: JSON.stringify(row) };
  });

const perSecond = (tookMs: readonly number[]): number => (ROWS_AT_ONCE * 1000) / median(tookMs);

const fill = async (stand: Stand, tests: readonly Named[]) => {
  const batches = Math.max(RAW_BATCHES, (stand.options.tables * RESULTS_PER_TABLE) / ROWS_AT_ONCE);
  const every = Math.max(1, Math.floor(batches / RAW_BATCHES));
  const [raw, service]: [number[], number[]] = [[], []];
  for (let batch = 0; batch < batches; batch += 1) {
    if (batch % every === 0)
      raw.push(await stand.raw.run('writeMany', { text: RAW_WRITE, rows: rawRows(tests, batch) }));
    service.push(
      await stand.load.run('putRows', {
        ...target(stand),
        path: `${CASES}/testCaseResults`,
        rows: batchOf(tests, batch),
      }),
    );
    if ((batch + 1) % 20 === 0) stand.say(`kept ${(batch + 1) * ROWS_AT_ONCE} results`);
  }
  return { raw, service };
};

const RAW_WINDOW = `
MATCH (result:TestResult)
USING INDEX SEEK result:TestResult(caseId, timestamp)
WHERE result.caseId = $id AND result.timestamp >= toInteger($start) AND result.timestamp <= toInteger($end)
WITH result ORDER BY result.caseId DESC, result.timestamp DESC
RETURN result.json AS json`;

const WINDOW = 10;
const medianOf = (rates: readonly Rate[]): number => median(rates.map(({ medianMs }) => medianMs));

/** A few results out of the middle of many, one caller. */
const readWindows = async (stand: Stand, tests: readonly Named[]) => {
  const asked = tests.slice(0, 100).map(({ id, fullyQualifiedName }, at) => {
    const start = START + ((at % 20) + 2) * MINUTE;
    return { id, fqn: fullyQualifiedName, start, end: start + (WINDOW - 1) * MINUTE };
  });
  const paths = asked.map(
    ({ fqn, start, end }) => `${CASES}/testCaseResults/${encodeURIComponent(fqn)}?startTs=${start}&endTs=${end}`,
  );
  const params = asked.map(({ id, start, end }) => ({ id, start, end }));
  const { seconds, rounds } = stand.options;
  return takeTurns(
    rounds,
    () => stand.raw.run('askMany', { text: RAW_WINDOW, params, callers: 1, seconds }),
    () => stand.load.run('getPaths', { ...target(stand), paths, callers: 1, seconds }),
  );
};

const AT_LEAST = 5000;

/** Results of tests: many at a time, and a few of one test out of the middle of many. */
export const measureResults = async (stand: Stand): Promise<Result> => {
  const tests = await makeTests(stand);
  const took = await fill(stand, tests);
  const { a, b } = await readWindows(stand, tests);
  const [raw, service] = [perSecond(took.raw), perSecond(took.service)];
  const [rawMs, serviceMs] = [medianOf(a), medianOf(b)];
  const total = took.service.length * ROWS_AT_ONCE;
  return {
    row: 'results',
    work: `keep ${total} results of ${tests.length} tests, ${ROWS_AT_ONCE} at a time; read ${WINDOW} of one`,
    raw: `${raw.toFixed(0)} rows/s; ${rawMs.toFixed(1)} ms`,
    service: `${service.toFixed(0)} rows/s; ${serviceMs.toFixed(1)} ms`,
    reached: `${service.toFixed(0)} rows/s, ${(service / raw).toFixed(2)} × raw; ${(serviceMs / rawMs).toFixed(2)} × raw`,
    target: `≥ ${AT_LEAST} rows/s`,
    ok: service >= AT_LEAST,
    figures: { total, rawPerSecond: raw, servicePerSecond: service, rawMs, serviceMs },
  };
};
