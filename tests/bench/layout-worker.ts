import { ENGINES, type EngineName, type LaidOut } from './layout-engines.ts';
import { GRAPHS, type GraphName, type LayoutGraph } from './layout-graphs.ts';
import { countBeneath, countCrossings, medianMove, mostLinked } from './layout-quality.ts';

/** Lays one graph out by one engine, in a process that can be ended when it takes too long. */

const [engineName, graphName] = process.argv.slice(2) as [EngineName, GraphName];
const engine = ENGINES[engineName];

/** The graph before its last boxes came, a twentieth of all. */
const beforeGrowth = ({ boxes, links }: LayoutGraph): LayoutGraph => {
  const former = boxes.slice(0, Math.ceil(boxes.length * 0.95));
  const known = new Set(former.map(({ id }) => id));
  return { boxes: former, links: links.filter(({ from, to }) => known.has(from) && known.has(to)) };
};

const timed = async (work: () => Promise<LaidOut>) => {
  const started = performance.now();
  const result = await work();
  return { result, ms: performance.now() - started };
};

const graph = await GRAPHS[graphName]();
// The second time is that of a page that has shown a graph before.
await engine(graph);
const { result, ms } = await timed(() => engine(graph));
const before = await engine(beforeGrowth(graph));
const grown = await engine(graph, before);
process.send?.({
  ms,
  crossings: countCrossings(result.courses),
  beneath: countBeneath(graph, result),
  moved: medianMove(before.places, grown.places, mostLinked(graph)),
});
process.disconnect?.();
