import { groupBy } from '../../../model/group-by.ts';
import type { EdgeTuple } from '../../queries.ts';
import { farEndOf, nearEndOf, walkBreadthFirst } from '../breadth-first.ts';
import { edgePairKey, type LineageDirection } from '../walk-edges.ts';
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
  const [nearOf, farOf] = [nearEndOf(direction), farEndOf(direction)];
  const leaving = (near: string, edge: EdgeTuple) => ({ near, far: farOf(edge), edge });
  const all = [...edges.map((edge) => leaving(nearOf(edge), edge)), ...carried.map((edge) => leaving(root, edge))];
  const distinct = new Map<string, (typeof all)[number]>();
  for (const one of all) {
    const key = `${one.near} ${edgePairKey(one.edge)}`;
    if (!distinct.has(key)) distinct.set(key, one);
  }
  return groupBy(distinct.values(), ({ near }) => near);
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

/** Walks from a root. It takes only one page of each layer and only allowed records, and leaves out the others. */
export const walkLayers = (
  paths: OutgoingEdges,
  { root, depth, nameOf }: LayerWalk,
  page: MapPage = WHOLE,
  isAllowed?: (id: string) => boolean,
): ReachedLayers => {
  const depths = new Map([[root, 0]]);
  const edges = new Set<EdgeTuple>();
  let hasMore = false;
  const select = (reached: readonly string[]) => {
    hasMore ||= exceedsPage(reached, page);
    return takePage(byName(reached, nameOf), page);
  };
  const farOf = ({ far }: OutgoingEdge) => far;
  const rules = { starts: [root], depth, farOf, select, ...(isAllowed ? { canReach: isAllowed } : {}) };
  for (const step of walkBreadthFirst(paths, rules)) {
    for (const id of step.reached) depths.set(id, step.depth);
    for (const { edge, far } of step.edges) if (depths.has(far)) edges.add(edge);
  }
  return { depths, edges: [...edges], hasMore };
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
  const [root = '', ...others] = reach.depths.keys();
  const layers = [...groupBy(others, (id) => String(reach.depths.get(id))).values()];
  const kept = new Set([root, ...layers.flatMap((ids) => takePage(ids, page))]);
  const hasMore = layers.some((ids) => exceedsPage(ids, page));
  return { ...restrictReach(reach, (id) => kept.has(id)), hasMore };
};

/** Takes one page of all reached records, nearest first, in addition to the root. */
export const pageNodes = ({ depths }: ReachedLayers, page: MapPage): ReadonlySet<string> => {
  const [root = '', ...others] = depths.keys();
  return new Set([root, ...takePage(others, page)]);
};
