import type { JsonObject } from '../../src/model/json.ts';
import { sortKeyRange, timestampPrefix } from '../../src/profiler/sort-key.ts';
import { SPARE_SCHEMA } from './dataset.ts';
import { median, type Rate, takeTurns } from './measure.ts';
import { ANCESTORS } from './raw-read.ts';
import { type Result, type Stand, target } from './stand.ts';

/** Profiles are told of this many columns at once, each of so many moments. */
const COLUMNS = 100;
const MOMENTS = 10;
const ROWS = COLUMNS * MOMENTS;

const FIRST = 1_700_000_000_000;
const STEP = 3_600_000;

const columnNames = Array.from({ length: COLUMNS }, (_, at) => `measure_${String(at).padStart(3, '0')}`);

const momentAt = (index: number): number => FIRST + index * STEP;

const measured = (timestamp: number) => ({
  timestamp,
  valuesCount: 1000,
  nullCount: 3,
  nullProportion: 0.003,
  distinctCount: 800,
  distinctProportion: 0.8,
  min: 1,
  max: 99_999,
  mean: 4567.8,
  stddev: 12.5,
  histogram: { boundaries: ['1 to 100', '100 to 1000', '1000 to 99999'], frequencies: [10, 200, 790] },
});

const reportOf = (request: number): JsonObject => {
  const moments = Array.from({ length: MOMENTS }, (_, at) => momentAt(request * MOMENTS + at));
  return {
    tableProfile: { timestamp: moments[0] ?? FIRST, rowCount: 1000, columnCount: COLUMNS },
    columnProfile: moments.flatMap((timestamp) => columnNames.map((name) => ({ name, ...measured(timestamp) }))),
  };
};

type Table = { readonly id: string; readonly fqn: string };

const makeTable = async (stand: Stand, name: string): Promise<Table> => {
  const columns = columnNames.map((column) => ({ name: column, dataType: 'INT' }));
  const body = { name, databaseSchema: SPARE_SCHEMA, columns };
  const made = JSON.parse(await stand.load.run('putOne', { ...target(stand), path: '/v1/tables', body })) as JsonObject;
  return { id: String(made['id']), fqn: String(made['fullyQualifiedName']) };
};

/** The same rows by one statement, on columns of a table of their own. */
const WRITE = `
UNWIND $rows AS row
MATCH (c:Column {key: row.id + ':columns:' + row.name})
SET c.profileSeries = coalesce(c.profileSeries, row.name + ' raw')
MERGE (p:Profile {place: row.moment + c.profileSeries})
SET p:ColumnProfile, p.series = c.profileSeries, p.tableId = row.id, p.timestamp = toInteger(row.timestamp), p.json = row.json
MERGE (c)-[:HAS_PROFILE]->(p)`;

const rawRows = (id: string, request: number) =>
  Array.from({ length: MOMENTS }, (_, at) => momentAt(request * MOMENTS + at)).flatMap((timestamp) => {
    const json = JSON.stringify(measured(timestamp));
    return columnNames.map((name) => ({ id, name, timestamp, moment: timestampPrefix('column', timestamp), json }));
  });

const RAW_TURNS = 20;
const AT_ONCE = 10;

const perSecond = (tookMs: readonly number[]): number => (ROWS * 1000) / median(tookMs);

/** Tells everything there is to be told; the raw writer has its turn every so often. */
const load = async (stand: Stand, { id }: Table) => {
  const other = await makeTable(stand, 'measured_raw');
  const requests = Math.max(1, Math.ceil(stand.options.profiles / ROWS));
  const every = Math.max(1, Math.floor(requests / AT_ONCE / RAW_TURNS));
  const [service, raw]: [number[], number[]] = [[], []];
  for (let begin = 0; begin < requests; begin += AT_ONCE) {
    const bodies = Array.from({ length: Math.min(AT_ONCE, requests - begin) }, (_, at) => reportOf(begin + at));
    const path = `/v1/tables/${id}/tableProfile`;
    service.push(...(await stand.load.run('putEach', { ...target(stand), path, bodies })));
    if ((begin / AT_ONCE) % every === 0) {
      raw.push(await stand.raw.run('writeMany', { text: WRITE, rows: rawRows(other.id, raw.length) }));
    }
    if ((begin / AT_ONCE) % 10 === 9) stand.say(`told ${(begin + AT_ONCE) * ROWS} profiles`);
  }
  return { service: perSecond(service), raw: perSecond(raw), last: momentAt(requests * MOMENTS) };
};

const RECORD = `
MATCH (n:Entity {id: $id})
RETURN n{.*} AS node, ${ANCESTORS}, `;

const LATEST = `${RECORD} COLLECT {
    MATCH (n)-[:HAS_COLUMN*1..100]->(c:Column)
    WHERE c.profileSeries IS NOT NULL
    CALL (c) {
      MATCH (p:Profile)
      USING INDEX SEEK p:Profile(series, place)
      WHERE p.series = c.profileSeries AND p.place > ''
      WITH p ORDER BY p.series, p.place LIMIT 1
      RETURN p.json AS json
    }
    RETURN [c.key, json]
  } AS rows`;

const PAGE = `${RECORD} COLLECT {
    MATCH (p:ColumnProfile)
    USING INDEX SEEK p:ColumnProfile(tableId, place)
    WHERE p.tableId = n.id AND p.place >= $from AND p.place < $to
    WITH p ORDER BY p.tableId, p.place LIMIT 100
    MATCH (c:Column)-[:HAS_PROFILE]->(p)
    RETURN [c.key, p.json]
  } AS rows,
  reduce(sum = 0, one IN COLLECT {
    MATCH (n)-[:HAS_COLUMN*1..100]->(c:Column)
    RETURN COUNT { (c)-[:HAS_PROFILE]->() }
  } | sum + one) AS total`;

const ONE = `${RECORD} COLLECT {
    MATCH (c:Column {key: $key})
    MATCH (p:Profile)
    USING INDEX SEEK p:Profile(series, place)
    WHERE p.series = c.profileSeries AND p.place >= $from AND p.place < $to
    WITH p ORDER BY p.series, p.place LIMIT 100
    RETURN p.json
  } AS rows, COUNT {
    MATCH (c:Column {key: $key})
    MATCH (p:Profile)
    USING INDEX SEEK p:Profile(series, place)
    WHERE p.series = c.profileSeries AND p.place >= $from AND p.place < $to
  } AS total`;

type Read = {
  readonly name: string;
  readonly text: string;
  readonly params: Record<string, unknown>;
  readonly path: string;
};

const readsOf = ({ id, fqn }: Table, last: number): readonly Read[] => {
  const [start, end] = [last - 60 * STEP, last - 10 * STEP];
  const middle = FIRST + Math.floor((last - FIRST) / 2 / STEP) * STEP;
  const deep = Buffer.from(JSON.stringify({ timestamp: middle, name: 'm' })).toString('base64url');
  const column = columnNames[50] ?? '';
  const one = encodeURIComponent(`${fqn}.${column}`);
  const page = `/v1/tables/${id}/columnProfile?limit=100`;
  const now = Date.now();
  return [
    { name: 'latest', text: LATEST, params: { id }, path: `/v1/tables/${id}?fields=profile` },
    { name: 'first page', text: PAGE, params: { id, ...sortKeyRange('column', 0, now) }, path: page },
    {
      name: 'deep page',
      text: PAGE,
      params: { id, ...sortKeyRange('column', 0, middle) },
      path: `${page}&after=${deep}`,
    },
    {
      name: 'window of a column',
      text: ONE,
      params: { id, key: `${id}:columns:${column}`, ...sortKeyRange('column', start, end) },
      path: `/v1/tables/${one}/columnProfile?startTs=${start}&endTs=${end}`,
    },
  ];
};

const msOf = (rates: readonly Rate[]): number => median(rates.map(({ medianMs }) => medianMs));

const measureRead = async (stand: Stand, { name, text, params, path }: Read) => {
  const { seconds, rounds } = stand.options;
  const { a, b } = await takeTurns(
    rounds,
    () => stand.raw.run('askMany', { text, params: [params], callers: 1, seconds }),
    () => stand.load.run('getPaths', { ...target(stand), paths: [path], callers: 1, seconds }),
  );
  const [rawMs, serviceMs] = [msOf(a), msOf(b)];
  return { name, rawMs, serviceMs, ratio: serviceMs / rawMs };
};

const AT_MOST_MS = 20;
const DEEPER_AT_MOST = 1.5;
const AT_LEAST = 5000;

/** Telling what was measured of columns, and reading the newest, pages and a window of it. */
export const measureProfiles = async (stand: Stand): Promise<Result> => {
  const table = await makeTable(stand, 'measured_table');
  const rate = await load(stand, table);
  const reads: Awaited<ReturnType<typeof measureRead>>[] = [];
  for (const read of readsOf(table, rate.last)) reads.push(await measureRead(stand, read));
  const [, first, deep] = reads;
  const deeper = (deep?.serviceMs ?? Number.NaN) / (first?.serviceMs ?? Number.NaN);
  const each = (pick: (read: (typeof reads)[number]) => number, digits = 1) =>
    reads.map((read) => pick(read).toFixed(digits)).join(' / ');
  return {
    row: 'profiles',
    work: `${stand.options.profiles} column profiles: told by ${ROWS}; latest / page / deep page / window`,
    raw: `${rate.raw.toFixed(0)} rows/s; ${each(({ rawMs }) => rawMs)} ms`,
    service: `${rate.service.toFixed(0)} rows/s; ${each(({ serviceMs }) => serviceMs)} ms`,
    reached: `${rate.service.toFixed(0)} rows/s; ${each(({ ratio }) => ratio, 2)} × raw; deep ${deeper.toFixed(2)} × first`,
    target: `≥ ${AT_LEAST} rows/s; ≤ ${AT_MOST_MS} ms; ≤ ${DEEPER_AT_MOST} × first`,
    ok: rate.service >= AT_LEAST && deeper <= DEEPER_AT_MOST && reads.every(({ serviceMs }) => serviceMs <= AT_MOST_MS),
    figures: { rawPerSecond: rate.raw, servicePerSecond: rate.service, deeper, reads },
  };
};
