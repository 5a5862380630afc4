import type { Graph } from '../../graph/client.ts';
import { isLivingStep, readNextColumns, readNextStepsWithoutColumns } from '../../lineage/read/graph/next-steps.ts';
import { groupBy } from '../../model/group-by.ts';
import { type LineageNetwork, neighboursOf } from '../graph/network.ts';
import { numberOfAsset, type UpstreamAsset, type UpstreamBounds, type UpstreamWalk } from './upstream.ts';

/**
 * Walks upstream from one column of an asset. An edge with column mappings is followed only where they lead to a column on
 * the way; an edge without any may lead to all, and behind it all edges count.
 */

/** The number of column mappings and of edges without them that one level may have. */
const MAX_STEPS = 10_000;

/** Where a level of the walk begins: columns with the assets that own them, and assets of which all counts. */
type Level = { readonly columns: ReadonlyMap<string, string>; readonly wholes: ReadonlySet<string> };

/** A step to an asset upstream, through one of its columns or not. */
type UpstreamStep = { readonly id: string; readonly next: string; readonly column?: string };

type FoundSteps = { readonly steps: readonly UpstreamStep[]; readonly isCut: boolean };

const findColumnSteps = async (graph: Graph, { columns }: Level): Promise<FoundSteps> => {
  if (columns.size === 0) return { steps: [], isCut: false };
  const [mapped, unmapped] = await Promise.all([
    readNextColumns(graph, 'upstream', [...columns.keys()], MAX_STEPS),
    readNextStepsWithoutColumns(graph, 'upstream', [...new Set(columns.values())], MAX_STEPS),
  ]);
  const steps = mapped.filter(isLivingStep).flatMap(({ to, far, node }): UpstreamStep[] => {
    const next = columns.get(to);
    return next === undefined ? [] : [{ id: node.id, next, column: far }];
  });
  return {
    steps: [...steps, ...unmapped.map(({ from, to }) => ({ id: from, next: to }))],
    isCut: mapped.length >= MAX_STEPS || unmapped.length >= MAX_STEPS,
  };
};

const findWholeSteps = (network: LineageNetwork, { wholes }: Level): readonly UpstreamStep[] =>
  [...wholes].flatMap((next) => {
    const node = numberOfAsset(network, next);
    if (node === -1) return [];
    return [...neighboursOf(network.upstream, node)].flatMap((source): UpstreamStep[] => {
      const asset = network.assets[source];
      return asset ? [{ id: asset.id, next }] : [];
    });
  });

export const walkColumnUpstream = async (
  graph: Graph,
  network: LineageNetwork,
  { id: subjectId, column }: { readonly id: string; readonly column: string },
  bounds: UpstreamBounds,
): Promise<UpstreamWalk> => {
  const nameOf = (id: string): string => network.assets[numberOfAsset(network, id)]?.fullyQualifiedName ?? '';
  const byName = (one: string, other: string): number => (nameOf(one) < nameOf(other) ? -1 : 1);
  const assets = new Map<string, UpstreamAsset>([[subjectId, { id: subjectId, depth: 0, next: undefined }]]);
  const seenColumns = new Set([column]);
  const wholes = new Set<string>();
  let level: Level = { columns: new Map([[column, subjectId]]), wholes };
  for (let depth = 1; level.columns.size + level.wholes.size > 0; depth += 1) {
    const { steps, isCut } = await findColumnSteps(graph, level);
    if (isCut) return { assets, cut: 'columns' };
    // What the caller may not see is not in the network.
    const seen = [...steps, ...findWholeSteps(network, level)].filter(({ id }) => numberOfAsset(network, id) !== -1);
    const fresh = seen.filter(({ id, column: far }) =>
      far === undefined ? !wholes.has(id) : !wholes.has(id) && !seenColumns.has(far),
    );
    if (fresh.length > 0 && depth > bounds.depth) return { assets, cut: 'depth' };
    const byAsset = groupBy(fresh, ({ id }) => id);
    for (const id of [...byAsset.keys()].sort(byName)) {
      if (assets.has(id)) continue;
      if (assets.size >= bounds.assets) return { assets, cut: 'upstream' };
      const [next] = (byAsset.get(id) ?? []).map((step) => step.next).sort(byName);
      assets.set(id, { id, depth, next });
    }
    for (const { id, column: far } of fresh) far === undefined ? wholes.add(id) : seenColumns.add(far);
    level = {
      columns: new Map(fresh.flatMap(({ id, column: far }) => (far === undefined ? [] : [[far, id] as const]))),
      wholes: new Set(fresh.flatMap(({ id, column: far }) => (far === undefined ? [id] : []))),
    };
  }
  return { assets, cut: undefined };
};
