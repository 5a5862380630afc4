import type { JsonObject } from '../../src/model/json.ts';
import { affectedBy, LAYERS, someOf, waysFrom } from './lineage-graph.ts';
import { answerTo, expectSame, type Layered, tableAt } from './lineage-stand.ts';
import { median, takeTurns } from './measure.ts';
import { type Result, type Stand, target } from './stand.ts';

/** What one answer holds at most; the record that was asked for is one of them. */
const BUDGET = 10_000;

const IMPACT = `
MATCH (column:Column {key: $key})-[:DERIVES*1..10]->(far:Column)
WITH DISTINCT far
MATCH (owner:Entity)-[:HAS_COLUMN]->(far)
WITH owner, collect(far.fullyQualifiedName) AS columns
RETURN collect([owner{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}, columns]) AS affected`;

type Impact = { readonly affected: readonly JsonObject[]; readonly summary: { readonly entities: number } };

type Case = {
  readonly name: string;
  readonly root: number;
  readonly atMostMs: number;
};

const pathOf = (id: string): string => `/v1/lineage/impact?id=${id}&column=column_0`;

const measureCase = async (stand: Stand, layered: Layered, { name, root, atMostMs }: Case) => {
  const { id } = tableAt(layered, root);
  const all = affectedBy(layered.width, root);
  const wanted = Math.min(all, BUDGET);
  const { json, truncated } = await answerTo<Impact>(stand, pathOf(id));
  expectSame(`the impact that is ${name}`, [json.affected.length, json.summary.entities], [wanted, wanted]);
  expectSame('what is said of the cut', truncated !== null, all + 1 > BUDGET);
  const params = [{ key: `${id}:columns:column_0` }];
  const [row] = await stand.raw.run('ask', { text: `${IMPACT.trimEnd()}, count(*) AS count`, params: params[0] ?? {} });
  expectSame('the raw impact', row?.['count'], all);
  const { seconds, rounds } = stand.options;
  const { a, b } = await takeTurns(
    rounds,
    () => stand.raw.run('askMany', { text: IMPACT, params, callers: 1, seconds }),
    () => stand.load.run('getPaths', { ...target(stand), paths: [pathOf(id)], callers: 1, seconds }),
  );
  const [rawMs, p95Ms] = [a, b].map((rates) => median(rates.map((rate) => rate.p95Ms)));
  return { name, affected: wanted, rawMs: rawMs ?? 0, p95Ms: p95Ms ?? 0, atMostMs };
};

/** What a change of one column may break: ten steps deep, narrow and wide. */
export const measureImpact = async (stand: Stand, layered: Layered): Promise<Result> => {
  const [narrow = 1] = someOf(layered.width, 0, 1, 1);
  const [wide = 0] = someOf(layered.width, 0, 1, 0);
  const cases = [
    await measureCase(stand, layered, { name: 'narrow', root: narrow, atMostMs: 200 }),
    await measureCase(stand, layered, { name: 'wide', root: wide, atMostMs: 1000 }),
  ];
  const list = (show: (one: (typeof cases)[number]) => string) => cases.map(show).join(', ');
  return {
    row: 'lineage-impact',
    work: `impact of a column, ${LAYERS - 1} steps deep, ${list(({ affected }) => String(affected))} affected, p95`,
    raw: `${list(({ rawMs }) => rawMs.toFixed(0))} ms`,
    service: `${list(({ p95Ms }) => p95Ms.toFixed(0))} ms`,
    reached: `${list(({ p95Ms, rawMs }) => (p95Ms / rawMs).toFixed(2))} × raw`,
    target: list(({ atMostMs }) => `≤ ${atMostMs} ms`),
    ok: cases.every(({ p95Ms, atMostMs }) => p95Ms <= atMostMs),
    figures: { cases },
  };
};

const SHORTEST = `
MATCH (from:Entity {id: $from}), (to:Entity {id: $to})
MATCH path = SHORTEST ${'$MOST'} (from)-[:FEEDS]->{1,50}(to)
WITH collect(path) AS paths
RETURN [path IN paths | [n IN nodes(path) | n{.id, .entityType, .name, .fullyQualifiedName}]] AS nodes,
  [path IN paths | [edge IN relationships(path) | edge.detailsJson]] AS edges`;

const shortestText = (most: number): string => SHORTEST.replace('$MOST', String(most));

type Paths = { readonly paths: readonly { readonly length: number }[]; readonly truncated: boolean };

const PATHS_MS = { 1: 50, 100: 1000 } as const;

const measurePathsOf = async (
  stand: Stand,
  layered: Layered,
  [start, end, ways]: readonly [number, number, number],
  most: 1 | 100,
) => {
  const [from, to] = [tableAt(layered, start).id, tableAt(layered, end).id];
  const path = `/v1/lineage/paths?from=${from}&to=${to}&maxPaths=${most}`;
  const { json } = await answerTo<Paths>(stand, path);
  // When there are fewer than asked for, longer ones are looked for, until none is left or the bound of steps is reached.
  const saysEnough = json.truncated || ways <= most;
  expectSame(`${most} paths`, [json.paths.length, saysEnough], [Math.min(ways, most), true]);
  expectSame('their length', [...new Set(json.paths.map(({ length }) => length))], [LAYERS - 1]);
  const { seconds, rounds } = stand.options;
  const text = shortestText(most);
  const params = [{ from, to }];
  const { a, b } = await takeTurns(
    rounds,
    () => stand.raw.run('askMany', { text, params, callers: 1, seconds }),
    () => stand.load.run('getPaths', { ...target(stand), paths: [path], callers: 1, seconds }),
  );
  const [rawMs, serviceMs] = [a, b].map((rates) => median(rates.map((rate) => rate.medianMs)));
  return { most, found: Math.min(ways, most), ways, rawMs: rawMs ?? 0, serviceMs: serviceMs ?? 0 };
};

/** How data gets from the top to the bottom: the shortest way, and a hundred between those that have most. */
export const measurePaths = async (stand: Stand, layered: Layered): Promise<Result> => {
  const start = 0;
  const ways = [...waysFrom(layered.width, start)].sort((a, b) => b[1] - a[1]);
  const [end = 0, count = 0] = ways[0] ?? [];
  const cases = [
    await measurePathsOf(stand, layered, [start, end, count], 1),
    await measurePathsOf(stand, layered, [start, end, count], 100),
  ];
  const list = (show: (one: (typeof cases)[number]) => string) => cases.map(show).join(', ');
  return {
    row: 'lineage-paths',
    work: `shortest path, and ${cases[1]?.found} of them, between far tables`,
    raw: `${list(({ rawMs }) => rawMs.toFixed(1))} ms`,
    service: `${list(({ serviceMs }) => serviceMs.toFixed(1))} ms`,
    reached: `${list(({ serviceMs }) => serviceMs.toFixed(0))} ms`,
    target: list(({ most }) => `≤ ${PATHS_MS[most]} ms`),
    ok: cases.every(({ serviceMs, most }) => serviceMs <= PATHS_MS[most]),
    figures: { cases },
  };
};
