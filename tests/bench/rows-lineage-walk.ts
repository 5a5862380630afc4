import type { JsonObject } from '../../src/model/json.ts';
import { LAYERS, MIDDLE, type Reach, reach, someOf } from './lineage-graph.ts';
import { answerTo, expectSame, type Layered, tableAt } from './lineage-stand.ts';
import { median, type Rate, takeTurns } from './measure.ts';
import { peakDuring, residentMb } from './processes.ts';
import { restart } from './rows-start.ts';
import { type Result, type Stand, target } from './stand.ts';

const side = (arrow: (near: string, edge: string, far: string) => string, depth: number, name: string): string => `
CALL (root) {
  MATCH ${arrow('(root)', `[:FEEDS*0..${depth - 1}]`, '(near:Entity)')}
  WITH DISTINCT near
  MATCH ${arrow('(near)', '[edge:FEEDS]', '(far:Entity)')}
  RETURN collect([startNode(edge).id, endNode(edge).id, edge.pipelineId, edge.detailsJson]) AS ${name},
    collect(DISTINCT far) AS ${name}Reached
}`;

/** The lineage around one record, as somebody writes it who knows the database well. */
const walkText = (depth: number): string => `
MATCH (root:Entity {id: $id})
${side((near, edge, far) => `${near}<-${edge}-${far}`, depth, 'up')}
${side((near, edge, far) => `${near}-${edge}->${far}`, depth, 'down')}
RETURN up, down, [n IN [root] + upReached + downReached |
  n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted}] AS nodes`;

const pathOf = (id: string, depth: number): string =>
  `/v1/lineage/table/${id}?upstreamDepth=${depth}&downstreamDepth=${depth}`;

type Lineage = Readonly<Record<'nodes' | 'upstreamEdges' | 'downstreamEdges', readonly JsonObject[]>>;

/** Both sides must answer what is there. */
const checkWalk = async (stand: Stand, { width, ...layered }: Layered, root: number, depth: number): Promise<Reach> => {
  const { id } = tableAt({ width, ...layered }, root);
  const up = reach(width, 'upstream', root, depth);
  const down = reach(width, 'downstream', root, depth);
  const wanted = [up.nodes + down.nodes, up.edges, down.edges];
  const { json } = await answerTo<Lineage>(stand, pathOf(id, depth));
  const found = [json.nodes, json.upstreamEdges, json.downstreamEdges].map(({ length }) => length);
  expectSame(`a walk of depth ${depth}`, found, wanted);
  const [row] = await stand.raw.run('ask', { text: walkText(depth), params: { id } });
  const lists = [row?.['nodes'], row?.['up'], row?.['down']] as (readonly unknown[])[];
  const [nodes = 0, ...edges] = lists.map(({ length }) => length);
  expectSame(`the raw walk of depth ${depth}`, [nodes - 1, ...edges], wanted);
  return { nodes: up.nodes + down.nodes, edges: up.edges + down.edges };
};

const ROOTS = 40;

type Walk = { readonly depth: number; readonly callers: number; readonly size: Reach };
type Turns = { readonly raw: readonly Rate[]; readonly service: readonly Rate[] };

const measureTurns = async (stand: Stand, layered: Layered, depth: number, callers: number): Promise<Walk & Turns> => {
  const roots = someOf(layered.width, MIDDLE, ROOTS, 0);
  const size = await checkWalk(stand, layered, roots[1] ?? 0, depth);
  const ids = roots.map((root) => tableAt(layered, root).id);
  const { seconds, rounds } = stand.options;
  const params = ids.map((id) => ({ id }));
  const paths = ids.map((id) => pathOf(id, depth));
  const { a, b } = await takeTurns(
    rounds,
    () => stand.raw.run('askMany', { text: walkText(depth), params, callers, seconds }),
    () => stand.load.run('getPaths', { ...target(stand), paths, callers, seconds }),
  );
  return { depth, callers, size, raw: a, service: b };
};

const DEPTHS = [1, 3, 10];
const AT_MOST = 1.5;

const msOf = (rates: readonly Rate[]): number => median(rates.map(({ medianMs }) => medianMs));
const perSecondOf = (rates: readonly Rate[]): number => median(rates.map(({ perSecond }) => perSecond));

/** The lineage around tables in the middle, both ways, by one caller. */
export const measureWalk = async (stand: Stand, layered: Layered): Promise<Result> => {
  const walks: (Walk & Turns)[] = [];
  for (const depth of DEPTHS) walks.push(await measureTurns(stand, layered, depth, 1));
  const told = walks.map(({ depth, size, raw, service }) => {
    const [rawMs, serviceMs] = [msOf(raw), msOf(service)];
    return { depth, ...size, rawMs, serviceMs, ratio: serviceMs / rawMs };
  });
  const list = (show: (one: (typeof told)[number]) => string) => told.map(show).join(', ');
  return {
    row: 'lineage-walk',
    work: `lineage at depth ${DEPTHS.join(', ')} both ways (${list(({ nodes }) => String(nodes))} nodes)`,
    raw: `${list(({ rawMs }) => rawMs.toFixed(1))} ms`,
    service: `${list(({ serviceMs }) => serviceMs.toFixed(1))} ms`,
    reached: `${list(({ ratio }) => ratio.toFixed(2))} × raw`,
    target: `≤ ${AT_MOST} × raw`,
    ok: told.every(({ ratio }) => ratio <= AT_MOST),
    figures: { walks: told },
  };
};

const CALLERS = 16;
const PER_SECOND = 100;

/** Many callers at once, each for all there is around a table. */
export const measureParallel = async (stand: Stand, layered: Layered): Promise<Result> => {
  const { size, raw, service } = await measureTurns(stand, layered, 10, CALLERS);
  const [rawRate, rate] = [perSecondOf(raw), perSecondOf(service)];
  return {
    row: 'lineage-parallel',
    work: `lineage at depth 10 (${size.nodes} nodes), ${CALLERS} callers`,
    raw: `${rawRate.toFixed(0)}/s`,
    service: `${rate.toFixed(0)}/s (p95 ${median(service.map(({ p95Ms }) => p95Ms)).toFixed(0)} ms)`,
    reached: `${rate.toFixed(0)}/s, ${(rate / rawRate).toFixed(2)} × raw`,
    target: `≥ ${PER_SECOND}/s`,
    ok: rate >= PER_SECOND,
    figures: { ...size, callers: CALLERS, rawPerSecond: rawRate, servicePerSecond: rate },
  };
};

/** What one answer holds at most. */
const BUDGET = 10_000;
const GROWTH_MB = 150;
const STREAMS = 5;

type Graph = {
  readonly nodes: readonly JsonObject[];
  readonly truncated: boolean;
  readonly frontier: readonly string[];
};

/** All that a table at the top feeds, again and again, and what memory that takes. */
export const measureFullGraph = async (stand: Stand, layered: Layered): Promise<Result> => {
  const root = 0;
  const all = reach(layered.width, 'downstream', root, LAYERS - 1);
  const isCut = all.nodes + 1 > BUDGET;
  const { id } = tableAt(layered, root);
  const path = `/v1/lineage/graph?id=${id}&upstreamDepth=0&downstreamDepth=${LAYERS - 1}&columns=true`;
  await restart(stand);
  const { json, truncated } = await answerTo<Graph>(stand, path);
  expectSame('a full downstream', json.nodes.length, Math.min(BUDGET, all.nodes + 1));
  expectSame(
    'what is said of the cut',
    [json.truncated, truncated !== null, json.frontier.length > 0],
    [isCut, isCut, isCut],
  );
  const { pid } = stand.service;
  const before = await residentMb(pid);
  const streams: { seconds: number; firstByteMs: number; megabytes: number }[] = [];
  const { peakMb } = await peakDuring(pid, async () => {
    for (let round = 0; round < STREAMS; round += 1) {
      streams.push(await stand.load.run('stream', { ...target(stand), path }));
    }
  });
  const seconds = median(streams.map((stream) => stream.seconds));
  const growthMb = peakMb - before;
  return {
    row: 'lineage-stream',
    work: `graph of ${all.nodes} nodes downstream, ${streams[0]?.megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s`,
    raw: '',
    service: `${before.toFixed(0)} → ${peakMb.toFixed(0)} MB`,
    reached: `+${growthMb.toFixed(0)} MB${isCut ? `, says it was cut (${truncated})` : ''}`,
    target: `< ${GROWTH_MB} MB${isCut ? ', says so' : ''}`,
    ok: growthMb < GROWTH_MB,
    figures: { ...all, isCut, truncated, before, peakMb, growthMb, streams },
  };
};
