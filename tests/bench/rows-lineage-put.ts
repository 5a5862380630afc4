import { eventOf, freshEnds, type Table } from './lineage-dataset.ts';
import { MIDDLE } from './lineage-graph.ts';
import { expectSame, type Layered, learnFeeds, spareTables } from './lineage-stand.ts';
import { median, p95 } from './measure.ts';
import type { EdgeEnds } from './raw-lineage.ts';
import { measureRate } from './rows-rate.ts';
import { type Result, type Stand, target } from './stand.ts';

const PAIRS = 3;

/** The tables of the middle layer, which no edge joins with each other. */
const middle = ({ width, tables }: Layered): readonly Table[] => tables.slice(MIDDLE * width, (MIDDLE + 1) * width);

const COUNTS = `
RETURN COUNT { ()-[:FEEDS]->() } AS edges, COUNT { ()-[:DERIVES]->() } AS pairs, COUNT { (:Assertion) } AS assertions,
  COUNT { (:ChangeEvent) } AS events`;

/** A ratio means nothing when one side writes less, so an edge of each is counted first. */
const checkSameEdges = async (stand: Stand, spare: readonly Table[]): Promise<void> => {
  const grown = async (work: () => Promise<unknown>): Promise<readonly number[]> => {
    const [before = {}] = await stand.raw.run('ask', { text: COUNTS, params: {} });
    await work();
    const [after = {}] = await stand.raw.run('ask', { text: COUNTS, params: {} });
    return Object.keys(before).map((name) => Number(after[name]) - Number(before[name]));
  };
  const [one, other, third] = spare.slice(10);
  if (!one || !other || !third) throw new Error('there are no spare tables');
  const byService = await grown(() => stand.load.run('feedEach', { ...target(stand), ends: [[one, other]] }));
  const byRaw = await grown(() => stand.raw.run('feedEach', { ends: [[one.id, third.id]] }));
  expectSame('what the raw writer writes for an edge', byRaw, byService);
};

/** Teaches the raw writer edges of three pairs. */
const learn = async (stand: Stand): Promise<readonly Table[]> => {
  const spare = await spareTables(stand);
  const [from, to] = spare;
  if (!from || !to) throw new Error('there are no spare tables');
  await learnFeeds(stand, [from, to], PAIRS);
  await checkSameEdges(stand, spare);
  return spare.slice(20);
};

const PUT_AIMS = { 16: 700, 64: 1500 } as const;

/** One edge after the other by many callers. */
export const measureFeed = async (stand: Stand, layered: Layered, callers: 16 | 64): Promise<Result> => {
  await learn(stand);
  const tables = middle(layered);
  const ids = tables.map(({ id }) => id);
  return measureRate(stand, {
    row: `lineage-put-${callers}`,
    work: `PUT lineage with ${PAIRS} pairs of columns, ${callers} callers`,
    callers,
    atLeast: { perSecond: PUT_AIMS[callers] },
    raw: (seconds) => stand.raw.run('feed', { ids, callers, seconds }),
    service: (seconds) => stand.load.run('feed', { ...target(stand), tables, callers, seconds }),
  });
};

const NEIGHBOURS = 10_000;
const LOADED_AT_ONCE = 1000;
const CALLS = 100;
const HUB_WARM_UP = 30;
const HUB_AT_MOST = 3;

/** A table that half of its neighbours feed and that feeds the other half. */
const makeHub = async (stand: Stand, hub: Table, tables: readonly Table[]): Promise<void> => {
  const ends = Array.from({ length: NEIGHBOURS }, (_, at): EdgeEnds => {
    const { id } = tables[at % tables.length] as Table;
    return at % 2 === 0 ? [id, hub.id] : [hub.id, id];
  });
  for (let start = 0; start < ends.length; start += LOADED_AT_ONCE) {
    const some = ends.slice(start, start + LOADED_AT_ONCE);
    await stand.raw.run('loadFeeds', { ends: some, column: 'column_0' });
  }
};

type Ends = readonly (readonly [Table, Table])[];

/** One edge after the other at a table with very many neighbours, beside one with none to begin with. */
export const measureHub = async (stand: Stand, layered: Layered): Promise<Result> => {
  const [hub, plain, ...others] = await learn(stand);
  if (!hub || !plain) throw new Error('there are no spare tables');
  if (layered.tables.length < NEIGHBOURS * 0.9) stand.say('the hub has fewer neighbours: there are too few tables');
  await makeHub(stand, hub, layered.tables);
  const into = (table: Table, from: number): Ends => others.slice(from, from + CALLS).map((other) => [other, table]);
  const outOf = (table: Table, from: number): Ends => others.slice(from, from + CALLS).map((other) => [table, other]);
  const put = (ends: Ends) => stand.load.run('feedEach', { ...target(stand), ends });
  await put(others.slice(900 - 2 * HUB_WARM_UP).map((other, at) => (at % 2 === 0 ? [other, hub] : [hub, other])));
  const raw = async (ends: Ends) =>
    p95(await stand.raw.run('feedEach', { ends: ends.map(([from, to]): EdgeEnds => [from.id, to.id]) }));
  const figures = {
    ordinaryInto: p95(await put(into(plain, 0))),
    hubInto: p95(await put(into(hub, 0))),
    ordinaryOutOf: p95(await put(outOf(plain, CALLS))),
    hubOutOf: p95(await put(outOf(hub, CALLS))),
    rawOrdinaryInto: await raw(into(plain, 2 * CALLS)),
    rawHubInto: await raw(into(hub, 2 * CALLS)),
    rawOrdinaryOutOf: await raw(outOf(plain, 3 * CALLS)),
    rawHubOutOf: await raw(outOf(hub, 3 * CALLS)),
  };
  const ratios = [figures.hubInto / figures.ordinaryInto, figures.hubOutOf / figures.ordinaryOutOf];
  const ms = (values: readonly number[]) => `${values.map((value) => value.toFixed(1)).join(' and ')} ms`;
  return {
    row: 'lineage-hub',
    work: `PUT lineage into and out of a hub of ${NEIGHBOURS} neighbours, p95`,
    raw: ms([figures.rawHubInto, figures.rawHubOutOf]),
    service: `${ms([figures.hubInto, figures.hubOutOf])} beside ${ms([figures.ordinaryInto, figures.ordinaryOutOf])}`,
    reached: `${ratios.map((ratio) => ratio.toFixed(2)).join(' and ')} × ordinary`,
    target: `≤ ${HUB_AT_MOST} × ordinary`,
    ok: ratios.every((ratio) => ratio <= HUB_AT_MOST),
    figures,
  };
};

const EVENTS = 1000;
const BATCHES = 6;
const WARM_UP = 2;
const EVENTS_AT_LEAST = 800;

/** Events of OpenLineage in batches, beside as many edges by one raw statement. */
export const measureOpenLineage = async (stand: Stand, layered: Layered): Promise<Result> => {
  await learn(stand);
  const { tables, width } = layered;
  // Against the direction in which the graph was made, so that every event tells of an edge that is new.
  const known = [...tables.slice(8 * width, 9 * width), ...tables.slice(2 * width, 3 * width)];
  const raw: number[] = [];
  const service: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const turns = Array.from({ length: EVENTS }, (_, at) => batch * EVENTS + at);
    const rows = turns.map((turn) => eventOf(...freshEnds(known, turn), turn));
    const path = '/v1/lineage/openlineage/batch';
    service.push((EVENTS * 1000) / (await stand.load.run('postRows', { ...target(stand), path, rows })));
    const ends = turns.map((turn): EdgeEnds => {
      const [from, to] = freshEnds(known, turn + BATCHES * EVENTS);
      return [from.id, to.id];
    });
    raw.push((EVENTS * 1000) / (await stand.raw.run('writeFeeds', { ends })));
  }
  const [rawRate, rate] = [median(raw.slice(WARM_UP)), median(service.slice(WARM_UP))];
  return {
    row: 'lineage-openlineage',
    work: `events of OpenLineage, ${EVENTS} in a batch, with ${PAIRS} pairs of columns`,
    raw: `${rawRate.toFixed(0)} edges/s`,
    service: `${rate.toFixed(0)} events/s`,
    reached: `${rate.toFixed(0)}/s, ${(rate / rawRate).toFixed(2)} × raw`,
    target: `≥ ${EVENTS_AT_LEAST}/s`,
    ok: rate >= EVENTS_AT_LEAST,
    figures: { rawPerSecond: raw, servicePerSecond: service },
  };
};
