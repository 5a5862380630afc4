import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { columnKeysAt, isColumnKey } from '../../lineage/column-mappings.ts';
import type { EdgeState } from '../../lineage/edge.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import { columnPairsOf, mergeAssertions } from '../../lineage/merge-assertions.ts';
import type { EdgeTuple } from '../../lineage/queries.ts';
import { findLineageColumns } from '../../lineage/read/graph/queries.ts';
import type { LineageDirection } from '../../lineage/read/walk-edges.ts';
import { groupBy } from '../../model/group-by.ts';
import { columnSections } from '../../model/kind/column-sections.ts';
import { trySplitFqn } from '../../model/name.ts';
import { recordIdOf } from '../columns/column-graph.ts';
import { type Overlay, type OverlayEdge, pairKeyOf, toTuple } from './overlay.ts';

/** Finds the edges and mappings of an overlay by their ends, as reads of lineage ask for them. */

/** A pair of columns of an edge of the overlay. */
export type OverlayPair = {
  readonly edgeId: string;
  readonly from: string;
  readonly to: string;
  /** The columns' names: full ones, or those of records that represent columns. */
  readonly fromName: string;
  readonly toName: string;
  readonly fromNode: RefNode;
  readonly toNode: RefNode;
};

/** An edge that there would be. */
export type PresentEdge = { readonly edge: OverlayEdge; readonly tuple: EdgeTuple; readonly hasColumns: boolean };

export type OverlayIndex = {
  /** The number of stored edges and column pairs that the overlay replaces: reads ask for so many rows more. */
  readonly replaced: number;
  readonly edges: readonly PresentEdge[];
  readonly pairs: readonly OverlayPair[];
  /** Whether what is stored of the edge between two records does not count. */
  isTouched(from: string, to: string): boolean;
  isTouchedEdge(edgeId: string): boolean;
  /** Whether what is stored of a pair of columns does not count; the record named is that of the far column. */
  isTouchedPair(direction: LineageDirection, near: string, farOwner: string): boolean;
  edgesAt(direction: LineageDirection, near: string): readonly PresentEdge[];
  pairsAt(direction: LineageDirection, near: string): readonly OverlayPair[];
  pairsOfEdge(edgeId: string): readonly OverlayPair[];
  /** The name of a record that represents a column, where the overlay joins it. */
  partName(key: string): string | undefined;
  /** The edges, stored and future, that touch a record. */
  edgesOf(id: string): readonly OverlayEdge[];
  readonly byEdgeId: ReadonlyMap<string, OverlayEdge>;
};

const NONE: readonly never[] = [];

/** So many assets are looked up at once. */
const LOOKUPS_AT_ONCE = 16;

const nameKey = (end: Endpoint, name: string): string => `${end.id} ${name}`;

/** Whether the name of a column alone tells its key. */
const hasPlainKeys = ({ kind }: Endpoint): boolean =>
  kind.lineageParts === undefined && columnSections(kind).length < 2;

const namesIn = (state: EdgeState | undefined, side: 'from' | 'to'): readonly string[] => {
  const merged = state && mergeAssertions(state.assertions);
  return [...columnPairsOf(merged?.mappings ?? []).values()].map((pair) => pair[side]);
};

/** Looks up the keys of columns whose names do not tell them, such as those of charts. */
const readUnclearKeys = async (
  { graph }: Engine,
  edges: readonly OverlayEdge[],
): Promise<ReadonlyMap<string, string>> => {
  const wanted = new Map<string, { readonly end: Endpoint; readonly names: Set<string> }>();
  for (const edge of edges) {
    for (const side of ['from', 'to'] as const) {
      const end = edge[side];
      if (hasPlainKeys(end)) continue;
      const { names } = wanted.get(end.id) ?? { names: new Set<string>() };
      for (const state of [edge.before, edge.after]) for (const name of namesIn(state, side)) names.add(name);
      wanted.set(end.id, { end, names });
    }
  }
  const found = new Map<string, string>();
  await mapConcurrently([...wanted.values()], LOOKUPS_AT_ONCE, async ({ end, names }) => {
    const paths = [...names].map((name) => ({ name, path: trySplitFqn(name) ?? [name] }));
    const parts = end.kind.lineageParts ? paths.flatMap(({ path }) => (path.length === 1 ? path : [])) : [];
    const keys = paths.flatMap(({ path }) => columnKeysAt(end, path));
    const rows = await graph.read(findLineageColumns, { id: end.id, keys, names: parts });
    const known = new Set(rows.map(({ key }) => key));
    const byPart = new Map(rows.flatMap(({ key, name }) => (isColumnKey(key) ? [] : [[name, key] as const])));
    for (const { name, path } of paths) {
      const key = columnKeysAt(end, path).find((one) => known.has(one)) ?? byPart.get(path[0] ?? '');
      if (key !== undefined) found.set(nameKey(end, name), key);
    }
  });
  return found;
};

type KeyOf = (end: Endpoint, name: string) => string | undefined;

const fullName = ({ fullyQualifiedName }: Endpoint, key: string, name: string): string =>
  isColumnKey(key) ? `${fullyQualifiedName}.${name}` : (trySplitFqn(name)?.[0] ?? name);

const listPairs = ({ id, from, to }: OverlayEdge, state: EdgeState | undefined, keyOf: KeyOf): OverlayPair[] => {
  const merged = state && mergeAssertions(state.assertions);
  return [...columnPairsOf(merged?.mappings ?? []).values()].flatMap((pair): OverlayPair[] => {
    const [fromKey, toKey] = [keyOf(from, pair.from), keyOf(to, pair.to)];
    if (fromKey === undefined || toKey === undefined) return [];
    return [
      {
        edgeId: id,
        from: fromKey,
        to: toKey,
        fromName: fullName(from, fromKey, pair.from),
        toName: fullName(to, toKey, pair.to),
        fromNode: from.node,
        toNode: to.node,
      },
    ];
  });
};

/** A record that represents a column belongs to any asset that shows it, so the stored pairs themselves are compared. */
const createPairTest = (
  stored: readonly OverlayPair[],
  isTouched: OverlayIndex['isTouched'],
): OverlayIndex['isTouchedPair'] => {
  const parts = new Set(
    stored.flatMap(({ from, to, fromNode, toNode }) => [`${from} ${toNode.id} down`, `${to} ${fromNode.id} up`]),
  );
  return (direction, near, farOwner) => {
    const isDown = direction === 'downstream';
    if (!isColumnKey(near)) return parts.has(`${near} ${farOwner} ${isDown ? 'down' : 'up'}`);
    return isDown ? isTouched(recordIdOf(near), farOwner) : isTouched(farOwner, recordIdOf(near));
  };
};

const toPresentEdge = (edge: OverlayEdge): readonly PresentEdge[] => {
  const tuple = toTuple(edge);
  return tuple ? [{ edge, tuple, hasColumns: !tuple[3].includes('"mappings":[]') }] : NONE;
};

/** Indexes an overlay whose changes are complete. */
export const indexOverlay = async (overlay: Overlay): Promise<OverlayIndex> => {
  const all = [...overlay.edges.values()];
  const unclear = await readUnclearKeys(overlay.stored, all);
  const keyOf: KeyOf = (end, name) =>
    hasPlainKeys(end) ? columnKeysAt(end, trySplitFqn(name) ?? [name])[0] : unclear.get(nameKey(end, name));
  const edges = all.flatMap(toPresentEdge);
  const pairs = edges.flatMap(({ edge }) => listPairs(edge, edge.after, keyOf));
  const stored = all.flatMap((edge) => listPairs(edge, edge.before, keyOf));
  const leaving = {
    downstream: groupBy(edges, ({ tuple }) => tuple[0]),
    upstream: groupBy(edges, ({ tuple }) => tuple[1]),
  };
  const near = { downstream: groupBy(pairs, ({ from }) => from), upstream: groupBy(pairs, ({ to }) => to) };
  const ofEdge = groupBy(pairs, ({ edgeId }) => edgeId);
  const touching = groupBy(
    all.flatMap((edge) => [edge.from.id, edge.to.id].map((id) => ({ id, edge }))),
    ({ id }) => id,
  );
  const byEdgeId = new Map(all.map((edge) => [edge.id, edge]));
  const isTouched: OverlayIndex['isTouched'] = (from, to) => overlay.edges.has(pairKeyOf(from, to));
  return {
    replaced: all.length + stored.length,
    edges,
    pairs,
    isTouched,
    isTouchedEdge: (edgeId) => byEdgeId.has(edgeId),
    isTouchedPair: createPairTest(stored, isTouched),
    edgesAt: (direction, id) => leaving[direction].get(id) ?? NONE,
    pairsAt: (direction, key) => near[direction].get(key) ?? NONE,
    pairsOfEdge: (edgeId) => ofEdge.get(edgeId) ?? NONE,
    partName: (key) => {
      const [pair] = near.downstream.get(key) ?? near.upstream.get(key) ?? NONE;
      return pair && (pair.from === key ? pair.fromName : pair.toName);
    },
    edgesOf: (id) => (touching.get(id) ?? NONE).map(({ edge }) => edge),
    byEdgeId,
  };
};
