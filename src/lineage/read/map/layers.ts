import type { EdgeTuple } from '../../queries.ts';
import type { LineageDirection } from '../subgraph.ts';
import type { MapPage } from './map-request.ts';

/** An edge as it leaves a record, and where it leads. An edge that runs through a record leaves that one too. */
export type OutgoingEdge = { readonly edge: EdgeTuple; readonly far: string };

/** What can be walked in one direction: the edges that leave each record. */
export type OutgoingEdges = ReadonlyMap<string, readonly OutgoingEdge[]>;

/** What was reached from a record: how far away it is, and by which edges. */
export type ReachedLayers = {
  /** The records by their distance, nearest first; the first one is where the walk began. */
  readonly depths: ReadonlyMap<string, number>;
  readonly edges: readonly EdgeTuple[];
  /** Whether a layer goes on behind the part of it that is wanted. */
  readonly hasMore?: boolean;
};

/** Edges by the records they leave; those that run through the first record leave it as well. */
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
 * Walks from a record, nearest first. Of each layer only a part may be wanted, and only some records may be let in; what
 * is left out is not walked through.
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

/** The records on the shortest ways from where a walk began to some of those it reached, these included. */
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

/** What was reached without some of it: the edges that stay are those between records that stay. */
export const restrictReach = (reach: ReachedLayers, isKept: (id: string) => boolean): ReachedLayers => ({
  depths: new Map([...reach.depths].filter(([id]) => isKept(id))),
  edges: reach.edges.filter(([from, to]) => isKept(from) && isKept(to)),
});

/** A part of each layer of what was reached, which begins with the record it was reached from. */
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

/** A part of everything that was reached, nearest first, beside the record it was reached from. */
export const pageNodes = ({ depths }: ReachedLayers, page: MapPage): ReadonlySet<string> => {
  const [root = '', ...others] = depths.keys();
  return new Set([root, ...takePage(others, page)]);
};
