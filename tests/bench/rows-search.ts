import { loadKinds, requireKind } from '../../src/catalog/registry.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { readSearchRequest } from '../../src/search/request/search-request.ts';
import { documentIndexName } from '../../src/search-documents/index/fulltext-index.ts';
import { andQuery, boostQuery, type LuceneQuery } from '../../src/search-documents/index/lucene.ts';
import { kindsQuery, translateFilter } from '../../src/search-documents/index/translate-filter.ts';
import { topicOf } from './dataset.ts';
import { answerTo, expectSame } from './lineage-stand.ts';
import { median, type Rate, takeTurns } from './measure.ts';
import { ANCESTORS } from './raw-read.ts';
import { type Result, type Stand, target } from './stand.ts';

/** Searches of 2,000 hits at the most, each of another form: how many different ones there are, and the words of one. */
const FORMS = {
  word: (at: number) => topicOf(at),
  phrase: (at: number) => `"about ${topicOf(at)} loaded every night"`,
  prefix: (at: number) => `table_${String(at).padStart(3, '0')}*`,
  boolean: (at: number) => `table_${String(at).padStart(4, '0')} AND NOT database_${at % 10}`,
} as const;

type Form = keyof typeof FORMS;

const DIFFERENT = 40;
/** As many schemas have tables of the same names. */
const SCHEMAS = 100;

/** The hits, how many there are, and the records of the first ten with what lies above them. */
const RAW = `
CALL db.index.fulltext.queryNodes($index, $query) YIELD node, score
WITH node, score + 0.3 * log(1 + node.popularity) AS score
ORDER BY score DESC, node.nameSort, node.id
WITH collect({id: node.id, score: score}) AS found
UNWIND found[0..10] AS hit
MATCH (n:Entity {id: hit.id})
RETURN size(found) AS total, hit.score AS score, n{.*} AS node,
  ${ANCESTORS}`;

/** The same, and how many hits are alike in all that is counted. */
const RAW_COUNTED = `
CALL db.index.fulltext.queryNodes($index, $query) YIELD node
WITH node.facetKey AS key, count(*) AS count
WITH collect([key, count]) AS counts
CALL {${RAW}
}
RETURN counts, total, score, node, ancestors`;

type Sought = { readonly index: string; readonly queryOf: (q: string) => LuceneQuery };

/** What the service asks the index for, so that both sides look for the same. */
const seek = async (): Promise<Sought> => {
  const registry = await loadKinds();
  const kinds = [requireKind(registry, 'table')];
  const queryOf = (q: string): LuceneQuery => {
    const asked = readSearchRequest(registry.kinds, { query: new URLSearchParams({ q, index: 'table' }) });
    const now = Date.now();
    const [typed, rest] = [asked.q, asked.filter].map((filter) => translateFilter(filter, kinds, now).possible);
    if (!typed || !rest) throw new Error(`nothing is asked for by ${q}`);
    return andQuery([typed, boostQuery(andQuery([kindsQuery(kinds), rest]), 0)]);
  };
  return { index: documentIndexName(registry.kinds), queryOf };
};

const pathOf = (q: string, more: Readonly<Record<string, string>>): string =>
  `/v1/search/query?${new URLSearchParams({ q, index: 'table', ...more })}`;

type Found = {
  readonly hits: { readonly total: { readonly value: number }; readonly hits: readonly { readonly _id: string }[] };
  readonly aggregations?: JsonObject;
};

/** Both sides must find the same, in the same order. */
const checkHits = async (stand: Stand, { index, queryOf }: Sought, q: string, text: string): Promise<number> => {
  const { json } = await answerTo<Found>(stand, pathOf(q, {}));
  const rows = await stand.raw.run('ask', { text, params: { index, query: queryOf(q) } });
  const ids = rows.map(({ node }) => (node as { readonly id: string }).id);
  const { total, hits } = json.hits;
  expectSame(`what ${q} finds`, [total.value, ...hits.map(({ _id }) => _id)], [rows[0]?.['total'], ...ids]);
  return total.value;
};

type Sides = {
  readonly form: Form;
  readonly hits: number;
  readonly raw: readonly Rate[];
  readonly service: readonly Rate[];
};

type Way = { readonly callers: number; readonly isCounted: boolean };

const measureForm = async (stand: Stand, sought: Sought, form: Form, { callers, isCounted }: Way): Promise<Sides> => {
  const names = stand.options.tables / SCHEMAS / (form === 'prefix' ? 10 : 1);
  const queries = Array.from({ length: DIFFERENT }, (_, at) => FORMS[form](at % names));
  const text = isCounted ? RAW_COUNTED : RAW;
  const hits = await checkHits(stand, sought, queries[1] ?? '', text);
  const { seconds, rounds } = stand.options;
  const params = queries.map((q) => ({ index: sought.index, query: sought.queryOf(q) }));
  const paths = queries.map((q) => pathOf(q, { include_aggregations: String(isCounted) }));
  const { a, b } = await takeTurns(
    rounds,
    () => stand.raw.run('askMany', { text, params, callers, seconds }),
    () => stand.load.run('getPaths', { ...target(stand), paths, callers, seconds }),
  );
  return { form, hits, raw: a, service: b };
};

const medianOf = (rates: readonly Rate[]): number => median(rates.map(({ medianMs }) => medianMs));
const p95Of = (rates: readonly Rate[]): number => median(rates.map(({ p95Ms }) => p95Ms));

type Told = {
  readonly form: Form;
  readonly hits: number;
  readonly rawMs: number;
  readonly serviceMs: number;
  readonly ratio: number;
  readonly p95Ms: number;
};

const tell = ({ form, hits, raw, service }: Sides): Told => {
  const [rawMs, serviceMs] = [medianOf(raw), medianOf(service)];
  return { form, hits, rawMs, serviceMs, ratio: serviceMs / rawMs, p95Ms: p95Of(service) };
};

const measureForms = async (stand: Stand, way: Way): Promise<readonly Told[]> => {
  const sought = await seek();
  const told: Told[] = [];
  for (const form of Object.keys(FORMS) as Form[]) told.push(tell(await measureForm(stand, sought, form, way)));
  return told;
};

const list = (told: readonly Told[], show: (one: Told) => string): string => told.map(show).join(', ');

const CALLERS = 4;
const P95_MS = 100;

/** One word, a phrase, a beginning, and two conditions, without anything being counted. */
export const measureSearch = async (stand: Stand): Promise<Result> => {
  const alone = await measureForms(stand, { callers: 1, isCounted: false });
  const crowd = await measureForms(stand, { callers: CALLERS, isCounted: false });
  const atMost = 1.5;
  return {
    row: 'search',
    work: `search: ${list(alone, ({ form, hits }) => `${form} (${hits} hits)`)}; p95 of ${CALLERS} callers`,
    raw: `${list(alone, ({ rawMs }) => rawMs.toFixed(1))} ms`,
    service: `${list(alone, ({ serviceMs }) => serviceMs.toFixed(1))} ms; p95 ${list(crowd, ({ p95Ms }) => p95Ms.toFixed(0))} ms`,
    reached: `${list(alone, ({ ratio }) => ratio.toFixed(2))} × raw`,
    target: `≤ ${atMost} × raw, p95 < ${P95_MS} ms`,
    ok: alone.every(({ ratio }) => ratio <= atMost) && crowd.every(({ p95Ms }) => p95Ms < P95_MS),
    figures: { alone, crowd },
  };
};

/** The same, and what is found counted by all that it is ever counted by. */
export const measureCounted = async (stand: Stand): Promise<Result> => {
  const told = await measureForms(stand, { callers: 1, isCounted: true });
  const atMost = 3;
  return {
    row: 'search-counted',
    work: 'the same searches with all aggregations',
    raw: `${list(told, ({ rawMs }) => rawMs.toFixed(1))} ms`,
    service: `${list(told, ({ serviceMs }) => serviceMs.toFixed(1))} ms`,
    reached: `${list(told, ({ ratio }) => ratio.toFixed(2))} × raw`,
    target: `≤ ${atMost} × raw`,
    ok: told.every(({ ratio }) => ratio <= atMost),
    figures: { told },
  };
};

/** Words that every table says, and everything. */
const COMMON = ['*', 'rows', 'rows loaded night', 'column'] as const;
const ASKED = 7;
const COMMON_MS = 1000;
/** What everything is counted by may be so old; asking after it shows what counting takes. */
const KEPT_MS = 5100;

export const measureCommon = async (stand: Stand): Promise<Result> => {
  const told: { q: string; hits: number; medianMs: number; worstMs: number }[] = [];
  for (const q of COMMON) {
    const took: number[] = [];
    let hits = 0;
    for (let time = 0; time < ASKED; time += 1) {
      if (q === '*') await new Promise((resolve) => setTimeout(resolve, KEPT_MS));
      const started = performance.now();
      const { json } = await answerTo<Found>(stand, pathOf(q, { track_total_hits: 'true' }));
      // The first of each only warms up.
      if (time > 0) took.push(performance.now() - started);
      hits = json.hits.total.value;
    }
    told.push({ q, hits, medianMs: median(took), worstMs: Math.max(...took) });
  }
  return {
    row: 'search-common',
    work: `search for ${told.map(({ q, hits }) => `«${q}» (${hits} hits)`).join(', ')} with all aggregations, not kept`,
    raw: '',
    service: `${told.map(({ medianMs }) => medianMs.toFixed(0)).join(', ')} ms`,
    reached: `at most ${Math.max(...told.map(({ worstMs }) => worstMs)).toFixed(0)} ms`,
    target: `≤ ${COMMON_MS} ms`,
    ok: told.every(({ worstMs }) => worstMs <= COMMON_MS),
    figures: { told },
  };
};

type Drift = { readonly records: number; readonly missing: number; readonly behind: number; readonly orphaned: number };
type Job = { readonly status: string; readonly progress: number; readonly error?: string };

const DRIFT_SECONDS = 30;

/** Writes the documents of all tables anew; answers how many in a second. */
const reindexRate = async (stand: Stand): Promise<number> => {
  const { address, token } = target(stand);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const started = performance.now();
  const reply = await fetch(`${address}/v1/search/reindex/table`, { method: 'POST', headers, body: '{}' });
  const { jobId } = (await reply.json()) as { readonly jobId: string };
  for (;;) {
    const { json } = await answerTo<Job>(stand, `/v1/jobs/${jobId}`);
    if (json.status === 'COMPLETED') return (json.progress * 1000) / (performance.now() - started);
    if (json.status === 'FAILED') throw new Error(`writing documents anew failed: ${json.error}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};

/** Comparing everything with its documents, and writing all documents anew. */
export const measureUpkeep = async (stand: Stand): Promise<Result> => {
  const perSecond = await reindexRate(stand);
  const started = performance.now();
  const { json } = await answerTo<Drift>(stand, '/v1/search/drift');
  const seconds = (performance.now() - started) / 1000;
  return {
    row: 'search-upkeep',
    work: `compare ${json.records} records with their documents; write those of all tables anew`,
    raw: '',
    service: `${seconds.toFixed(1)} s; ${perSecond.toFixed(0)} documents/s`,
    reached: `${seconds.toFixed(1)} s, ${json.missing + json.behind + json.orphaned} differ`,
    target: `< ${DRIFT_SECONDS} s`,
    ok: seconds < DRIFT_SECONDS,
    figures: { ...json, seconds, documentsPerSecond: perSecond },
  };
};
