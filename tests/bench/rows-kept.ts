import { setTimeout as sleep } from 'node:timers/promises';
import type { BareJobs } from './bare-worker.ts';
import { topicOf } from './dataset.ts';
import { MIDDLE, someOf } from './lineage-graph.ts';
import { answerTo, type Layered, tableAt } from './lineage-stand.ts';
import { median, type Rate, takeTurns } from './measure.ts';
import type { RowName } from './options.ts';
import { type Result, type Stand, target } from './stand.ts';
import { startWorker } from './worker.ts';

/** Reads that are repeated, beside a Hono route that answers the same bytes from memory. */

type KeptRow = {
  readonly row: RowName;
  readonly work: string;
  readonly callers: number;
  readonly paths: readonly string[];
  /** The aim: answers a second, or the median wait of one caller. */
  readonly aim: { readonly perSecond: number } | { readonly medianMs: number };
};

const rateOf = (rates: readonly Rate[]): number => median(rates.map(({ perSecond }) => perSecond));
const msOf = (rates: readonly Rate[], share: 'medianMs' | 'p95Ms'): number => median(rates.map((rate) => rate[share]));

const textOf = (rates: readonly Rate[]): string =>
  `${rateOf(rates).toFixed(0)}/s (${msOf(rates, 'medianMs').toFixed(2)} ms, p95 ${msOf(rates, 'p95Ms').toFixed(1)})`;

const measureKept = async (stand: Stand, { row, work, callers, paths, aim }: KeptRow): Promise<Result> => {
  const bare = startWorker<BareJobs>(new URL('bare-worker.ts', import.meta.url));
  try {
    const body = JSON.stringify((await answerTo(stand, paths[0] ?? '/')).json);
    const address = await bare.run('answer', { body });
    const { seconds, rounds } = stand.options;
    const { a, b } = await takeTurns(
      rounds,
      () => stand.load.run('getPaths', { address, token: 'none', paths: ['/'], callers, seconds }),
      () => stand.load.run('getPaths', { ...target(stand), paths, callers, seconds }),
    );
    const ratio = rateOf(b) / rateOf(a);
    const isRate = 'perSecond' in aim;
    return {
      row,
      work: `${work}, ${(body.length / 1000).toFixed(1)} KB, ${callers} caller${callers === 1 ? '' : 's'}`,
      raw: textOf(a),
      service: textOf(b),
      reached: `${ratio.toFixed(2)} × static`,
      target: isRate ? `≥ ${aim.perSecond}/s` : `≤ ${aim.medianMs} ms`,
      ok: isRate ? rateOf(b) >= aim.perSecond : msOf(b, 'medianMs') <= aim.medianMs,
      figures: { callers, bytes: body.length, ratio, static: a, service: b },
    };
  } finally {
    await bare.close();
  }
};

/** As many tables as are read again and again. */
const HOT = 1000;

const tablePaths = async (stand: Stand): Promise<readonly string[]> => {
  const text =
    'MATCH (n:LiveTable) WHERE n.name STARTS WITH "table_" RETURN n.id AS id ORDER BY id LIMIT toInteger($most)';
  const rows = await stand.raw.run('ask', { text, params: { most: HOT } });
  return rows.map(({ id }) => `/v1/tables/${id}`);
};

export const measureKeptGet = async (stand: Stand, callers: 1 | 64): Promise<Result> =>
  measureKept(stand, {
    row: `kept-get-${callers}`,
    work: `GET by id, one of ${HOT} tables`,
    callers,
    paths: await tablePaths(stand),
    aim: callers === 1 ? { medianMs: 0.7 } : { perSecond: 12_000 },
  });

export const measureKeptList = (stand: Stand): Promise<Result> =>
  measureKept(stand, {
    row: 'kept-list',
    work: 'a page of 100 tables with their columns',
    callers: 16,
    paths: ['/v1/tables?limit=100&fields=columns'],
    aim: { perSecond: 600 },
  });

/** Different words, of which each is in as many tables as there are schemas. */
const WORDS = 40;

export const measureKeptSearch = (stand: Stand): Promise<Result> =>
  measureKept(stand, {
    row: 'kept-search',
    work: 'search for a word, ten hits',
    callers: 16,
    paths: Array.from({ length: WORDS }, (_, at) => `/v1/search/query?q=${topicOf(at)}&index=table&from=0&size=10`),
    aim: { perSecond: stand.options.tables > 5000 ? 600 : 1200 },
  });

const ROOTS = 40;
const LINEAGE_AIMS = { 1: 4000, 3: 1500, 10: 250 } as const;

/** Maps and graphs are large, and there is room for so many of them beside what else is kept. */
const MAPS = 8;

/** An answer is kept once its documents are, and each of them once it was the same for so long. */
const ROUNDS_UNTIL_KEPT = 4;
const CONFIRMED_MS = 600;

type KeptWhole = Pick<KeptRow, 'row' | 'work' | 'aim'> & {
  readonly pathOf: (root: ReturnType<typeof tableAt>) => string;
};

const measureKeptWhole = async (
  stand: Stand,
  layered: Layered,
  { row, work, aim, pathOf }: KeptWhole,
): Promise<Result> => {
  const paths = someOf(layered.width, MIDDLE, MAPS, 0).map((root) => pathOf(tableAt(layered, root)));
  for (let round = 0; round < ROUNDS_UNTIL_KEPT; round += 1) {
    for (const path of paths) await answerTo(stand, path);
    await sleep(CONFIRMED_MS);
  }
  return measureKept(stand, { row, work: `${work} at depth 10 both ways`, callers: 1, paths, aim });
};

const BOTH_WAYS = 'upstreamDepth=10&downstreamDepth=10';

export const measureKeptMap = (stand: Stand, layered: Layered): Promise<Result> =>
  measureKeptWhole(stand, layered, {
    row: 'kept-map',
    work: 'map of lineage',
    aim: { medianMs: 40 },
    pathOf: ({ fqn }) => `/v1/lineage/getLineage?type=table&${BOTH_WAYS}&fqn=${encodeURIComponent(fqn)}`,
  });

/** The members of edges are those that the explorer asks for. */
export const measureKeptGraph = (stand: Stand, layered: Layered): Promise<Result> =>
  measureKeptWhole(stand, layered, {
    row: 'kept-graph',
    work: 'graph of lineage',
    aim: { medianMs: 20 },
    pathOf: ({ id }) =>
      `/v1/lineage/graph?id=${id}&${BOTH_WAYS}&edgeFields=source,sourceName,pipeline,createdAt,updatedAt`,
  });

export const measureKeptLineage = (stand: Stand, layered: Layered, depth: 1 | 3 | 10): Promise<Result> => {
  const roots = someOf(layered.width, MIDDLE, ROOTS, 0).map((root) => tableAt(layered, root).id);
  return measureKept(stand, {
    row: `kept-lineage-${depth}`,
    work: `lineage at depth ${depth} both ways`,
    callers: 16,
    paths: roots.map((id) => `/v1/lineage/table/${id}?upstreamDepth=${depth}&downstreamDepth=${depth}`),
    aim: { perSecond: LINEAGE_AIMS[depth] },
  });
};
