import type { RefNode } from '../../../catalog/queries.ts';
import { readDocuments } from '../../../catalog/read/documents.ts';
import { documentCounts } from '../../../catalog/read/kept-documents.ts';
import { createRedactor } from '../../../catalog/read/redaction.ts';
import { type JsonObject, type MutableJsonObject, setMember } from '../../../model/json.ts';
import type { EdgeTuple } from '../../queries.ts';
import type { LineageReader } from '../read-subgraph.ts';
import type { LineageBudget, TruncatedWalks } from '../walk-edges.ts';
import type { CountedNode, MapChecks } from './map-checks.ts';
import type { MapLayers } from './map-layers.ts';
import { countVisibleNeighbours } from './neighbour-counts.ts';
import { type PipelineById, type PipelineRecords, readPipelineRecords } from './pipeline-records.ts';
import { assignNodeKeys, createFieldPicker, renderMapEdge } from './render-map-edge.ts';
import type { ImpliedPairs, MapCaller, VisibleLineage } from './visible-lineage.ts';

/** The records of a map with their distances, and its edges by the direction in which they were found. */
export type LineageMap = {
  readonly nodes: ReadonlyMap<string, RefNode>;
  /** The distance of each record, nearest first. */
  readonly places: ReadonlyMap<string, number>;
  readonly upstream: readonly EdgeTuple[];
  readonly downstream: readonly EdgeTuple[];
  readonly implied: ImpliedPairs;
  readonly truncated: TruncatedWalks['truncated'];
};

const pairKeyOf = ([from, to]: EdgeTuple): string => `${from} ${to}`;

/** Both ends of an edge have a distance, whichever end the walk reached. */
const measureDistances = (
  { root }: VisibleLineage,
  { upstream, downstream }: MapLayers,
): ReadonlyMap<string, number> => {
  const places = new Map<string, number>([[root.id, 0]]);
  for (const { depths } of [upstream, downstream]) {
    for (const [id, depth] of depths) places.set(id, Math.min(depth, places.get(id) ?? depth));
  }
  for (const edge of [...upstream.edges, ...downstream.edges]) {
    for (const id of [edge[0], edge[1]]) if (!places.has(id)) places.set(id, 1);
  }
  return new Map([...places].sort(([, a], [, b]) => a - b));
};

/** Combines the reached layers into one map that fits the budget: the nearest records, and each edge once. */
export const buildMap = (ground: VisibleLineage, reaches: MapLayers, budget: LineageBudget): LineageMap => {
  const all = measureDistances(ground, reaches);
  const places = new Map([...all].slice(0, budget.nodes));
  const isIn = (edge: EdgeTuple) => places.has(edge[0]) && places.has(edge[1]);
  const up = new Map(reaches.upstream.edges.filter(isIn).map((edge) => [pairKeyOf(edge), edge]));
  const down = new Map(
    reaches.downstream.edges.flatMap((edge) =>
      isIn(edge) && !up.has(pairKeyOf(edge)) ? [[pairKeyOf(edge), edge]] : [],
    ),
  );
  const upstream = [...up.values()].slice(0, budget.edges);
  const downstream = [...down.values()].slice(0, budget.edges - upstream.length);
  const isCut = upstream.length + downstream.length < up.size + down.size;
  const truncated = ground.truncated ?? (places.size < all.size ? 'nodes' : isCut ? 'edges' : undefined);
  return { nodes: ground.nodes, places, upstream, downstream, implied: ground.implied, truncated };
};

/** Explorers ask for the same map again and again; its documents take up to an eighth of those that are kept. */
const KEPT_AT_ONCE = 1000;

/** Options for rendering a map. */
export type MapRendering = {
  readonly includeDeleted: boolean;
  readonly fields: Parameters<typeof createFieldPicker>[0];
};

/** A map as JSON, and what tells later whether it is still right. */
export type RenderedMap = {
  readonly json: JsonObject;
  readonly checks: MapChecks;
  /** The records besides the nodes whose data the map contains; undefined if more than these and the checks change it. */
  readonly mentioned: ReadonlySet<string> | undefined;
};

type RenderEdges = (edges: readonly EdgeTuple[]) => JsonObject;

const createEdgesRenderer =
  (nodes: LineageMap['nodes'], keys: ReadonlyMap<string, string>, carrierOf: PipelineById): RenderEdges =>
  (edges) => {
    const out: MutableJsonObject = {};
    const keyOf = ({ id }: { readonly id: string }): string => keys.get(id) ?? '';
    for (const edge of edges) {
      const [from, to] = [nodes.get(edge[0]), nodes.get(edge[1])];
      if (!from || !to || !keys.has(from.id) || !keys.has(to.id)) continue;
      setMember(out, ...renderMapEdge(edge, from, to, keyOf, carrierOf));
    }
    return out;
  };

/** More documents than these are not read again only to find that nothing has changed. */
const MOST_CHECKED = 100;

/** Tells what a map depends on: revisions of records, and the rest that has to be read again. */
const findWhatChanges = (
  { keptDocuments }: Pick<LineageReader['engine'], 'keptDocuments'>,
  { hrefBase }: MapCaller,
  { documents, ...checks }: Omit<MapChecks, 'hrefBase'>,
  { mentioned: carried }: PipelineRecords,
): Omit<RenderedMap, 'json'> => {
  const mentioned = new Set(carried);
  const others = new Map<string, JsonObject>();
  for (const [id, document] of documents) {
    const found = keptDocuments.findMentioned(id, hrefBase);
    if (found) for (const one of found) mentioned.add(one);
    else others.set(id, document);
  }
  const isKeepable = carried !== undefined && others.size <= MOST_CHECKED;
  return { checks: { ...checks, documents: others, hrefBase }, mentioned: isKeepable ? mentioned : undefined };
};

/** Renders a map with documents and edges as the search index stores them. */
export const renderMap = async (
  { engine }: LineageReader,
  caller: MapCaller,
  { nodes, places, upstream, downstream, implied }: LineageMap,
  { includeDeleted, fields }: MapRendering,
): Promise<RenderedMap> => {
  const ids = [...places.keys()];
  const carriers = [...upstream, ...downstream].map(([, , pipelineId]) => pipelineId);
  const [documents, neighbours, pipelines] = await Promise.all([
    readDocuments(engine, ids, {
      hrefBase: caller.hrefBase,
      redact: createRedactor(engine, caller.principal),
      keptAtOnce: KEPT_AT_ONCE,
    }),
    countVisibleNeighbours(engine, caller, ids, includeDeleted, implied),
    readPipelineRecords(engine, caller, carriers),
  ]);
  const pick = createFieldPicker(fields);
  const shown: MutableJsonObject = {};
  // The root comes first so that it gets its full name as key even when other records share that name.
  const keys = assignNodeKeys(ids.flatMap((id) => (documents.has(id) ? (nodes.get(id) ?? []) : [])));
  for (const [id, nodeDepth] of places) {
    const [document, key, near] = [documents.get(id), keys.get(id), neighbours.get(id)];
    if (!document || key === undefined) continue;
    const paging = {
      entityUpstreamCount: near?.upstream ?? 0,
      entityDownstreamCount: near?.downstream ?? 0,
    };
    setMember(shown, key, { entity: pick(document), paging, nodeDepth });
  }
  const edgesOf = createEdgesRenderer(nodes, keys, pipelines.carrierOf);
  const counted = ids.flatMap((id): CountedNode[] => {
    const [node, document] = [nodes.get(id), documents.get(id)];
    const kind = node && engine.registry.byType.get(node.entityType);
    if (!kind || !document) return [];
    const { upstream: before = 0, downstream: after = 0 } = neighbours.get(id) ?? {};
    return [{ id, entityType: node.entityType, counts: [before, after, ...documentCounts(kind, document)] }];
  });
  return {
    json: { nodes: shown, upstreamEdges: edgesOf(upstream), downstreamEdges: edgesOf(downstream) },
    ...findWhatChanges(engine, caller, { documents, counted, includeDeleted }, pipelines),
  };
};
