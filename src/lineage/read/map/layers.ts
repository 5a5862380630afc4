import type { EdgeTuple } from '../../queries.ts';
import type { LineageDirection } from '../subgraph.ts';
import type { MapPage } from './map-request.ts';

/**
 * An edge seen from the record it leaves, with the record at its far end. An edge through a pipeline leaves the
 * pipeline as well.
 */
export type OutgoingEdge = { readonly edge: EdgeTuple; readonly far: string };

/** The edges that leave each record in one direction. */
export type OutgoingEdges = ReadonlyMap<string, readonly OutgoingEdge[]>;

/** The records reached from a root with their distances, and the edges used. */
export type ReachedLayers = {
  /** Distances by record ID, nearest first; the root comes first. */
  readonly depths: ReadonlyMap<string, number>;
  readonly edges: readonly EdgeTuple[];
  /** Whether a layer has more records after the requested page. */
  readonly hasMore?: boolean;
};

/** Groups edges by the record they leave; edges that run through the root leave the root as well. */
export const groupOutgoingEdges = (
  direction: LineageDirection,
  root: string,
  edges: readonly EdgeTuple[],
  carried: readonly EdgeTuple[],
): OutgoingEdges => {
  const paths = new Map<string, OutgoingEdge[]>();
  const seen = new Set<string>();
  const add = (near: string, far: string, edge: EdgeTuple) => {
    const key = `${near} ${edge[0]} ${edge[1]}`;
    if (seen.has(key)) return;
    seen.add(key);
    const some = paths.get(near);
    if (some) some.push({ edge, far });
    else paths.set(near, [{ edge, far }]);
  };
  const isDown = direction === 'downstream';
  for (const edge of edges) {
    if (isDown) add(edge[0], edge[1], edge);
    else add(edge[1], edge[0], edge);
  }
  for (const edge of carried) add(root, isDown ? edge[1] : edge[0], edge);
  return paths;
};

export type LayerWalk = {
  readonly root: string;
  readonly depth: number;
  readonly nameOf: (id: string) => string;
};

const takePage = <T>(list: readonly T[], { from, size }: MapPage): readonly T[] => list.slice(from, from + size);

const exceedsPage = ({ length }: readonly unknown[], { from, size }: MapPage): boolean => length > from + size;

const byName = (ids: Iterable<string>, nameOf: (id: string) => string): readonly string[] => {
  const keyed = [...ids].map((id) => ({ id, name: nameOf(id) }));
  return keyed.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ id }) => id);
};

const WHOLE: MapPage = { from: 0, size: Number.POSITIVE_INFINITY };

/**
 * Walks breadth-first from a root. It takes only one page of each layer and only allowed records, and does not continue
 * through the others.
 */
export const walkLayers = (
  paths: OutgoingEdges,
  { root, depth, nameOf }: LayerWalk,
  page: MapPage = WHOLE,
  isAllowed: (id: string) => boolean = () => true,
): ReachedLayers => {
  const depths = new Map([[root, 0]]);
  const passed = new Set([root]);
  const edges = new Map<EdgeTuple, true>();
  let frontier: readonly string[] = [root];
  let hasMore = false;
  for (let step = 1; step <= depth && frontier.length > 0; step += 1) {
    const out = frontier.flatMap((near) => paths.get(near) ?? []).filter(({ far }) => isAllowed(far));
    const fresh = new Set(out.flatMap(({ far }) => (passed.has(far) ? [] : [far])));
    for (const id of fresh) passed.add(id);
    const layer = byName(fresh, nameOf);
    hasMore ||= exceedsPage(layer, page);
    frontier = takePage(layer, page);
    for (const id of frontier) depths.set(id, step);
    for (const { edge, far } of out) if (depths.has(far)) edges.set(edge, true);
  }
  return { depths, edges: [...edges.keys()], hasMore };
};

/** Returns the records on the shortest paths from the root to some reached records, including these. */
export const findNodesOnPaths = (
  paths: OutgoingEdges,
  { depths }: ReachedLayers,
  ends: ReadonlySet<string>,
): ReadonlySet<string> => {
  const kept = new Set(ends);
  for (const [id, depth] of [...depths].reverse()) {
    const leads = ({ far }: OutgoingEdge): boolean => kept.has(far) && depths.get(far) === depth + 1;
    if (!kept.has(id) && paths.get(id)?.some(leads)) kept.add(id);
  }
  return kept;
};

/** Keeps some of the reached records and the edges between them. */
export const restrictReach = (reach: ReachedLayers, isKept: (id: string) => boolean): ReachedLayers => ({
  depths: new Map([...reach.depths].filter(([id]) => isKept(id))),
  edges: reach.edges.filter(([from, to]) => isKept(from) && isKept(to)),
});

/** Takes one page of each layer; the root always stays. */
export const pageLayers = (reach: ReachedLayers, page: MapPage): ReachedLayers => {
  const layers = new Map<number, string[]>();
  for (const [id, depth] of reach.depths) {
    const layer = layers.get(depth);
    if (layer) layer.push(id);
    else layers.set(depth, [id]);
  }
  const kept = new Set([...layers].flatMap(([depth, ids]) => (depth === 0 ? ids : takePage(ids, page))));
  const hasMore = [...layers].some(([depth, ids]) => depth > 0 && exceedsPage(ids, page));
  return { ...restrictReach(reach, (id) => kept.has(id)), hasMore };
};

/** Takes one page of all reached records, nearest first, in addition to the root. */
export const pageNodes = ({ depths }: ReachedLayers, page: MapPage): ReadonlySet<string> => {
  const [root = '', ...others] = depths.keys();
  return new Set([root, ...takePage(others, page)]);
};
