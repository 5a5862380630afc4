import type { RefNode } from '../../catalog/queries.ts';
import { readDocuments } from '../../catalog/read/documents.ts';
import { redactorFor } from '../../catalog/read/visibility.ts';
import { type JsonObject, type MutableJsonObject, setMember } from '../../model/json.ts';
import type { Reader } from '../entity-lineage.ts';
import type { EdgeTuple } from '../queries.ts';
import type { Budget, Cut } from '../subgraph.ts';
import { type CarrierById, readWholeCarriers } from './carriers.ts';
import type { Caller, Ground, Implied } from './ground.ts';
import { countNeighbours } from './neighbours.ts';
import type { Reaches } from './reach.ts';
import { keysIn, picker, showData } from './show.ts';

/** Records with their distances, and the edges between them by the direction in which they were found. */
export type Drawing = {
  readonly nodes: ReadonlyMap<string, RefNode>;
  /** How far away each record is, nearest first. */
  readonly places: ReadonlyMap<string, number>;
  readonly upstream: readonly EdgeTuple[];
  readonly downstream: readonly EdgeTuple[];
  readonly implied: Implied;
  readonly truncated: Cut['truncated'];
};

const keyOf = ([from, to]: EdgeTuple): string => `${from} ${to}`;

/** Both ends of an edge have a place, whichever of them it was that was reached. */
const placesIn = ({ root }: Ground, { upstream, downstream }: Reaches): ReadonlyMap<string, number> => {
  const places = new Map<string, number>([[root.id, 0]]);
  for (const { depths } of [upstream, downstream]) {
    for (const [id, depth] of depths) places.set(id, Math.min(depth, places.get(id) ?? depth));
  }
  for (const edge of [...upstream.edges, ...downstream.edges]) {
    for (const id of [edge[0], edge[1]]) if (!places.has(id)) places.set(id, 1);
  }
  return new Map([...places].sort(([, a], [, b]) => a - b));
};

/** What was reached as one drawing that fits into an answer: the nearest records, and each edge once. */
export const draw = (ground: Ground, reaches: Reaches, budget: Budget): Drawing => {
  const all = placesIn(ground, reaches);
  const places = new Map([...all].slice(0, budget.nodes));
  const isIn = (edge: EdgeTuple) => places.has(edge[0]) && places.has(edge[1]);
  const up = new Map(reaches.upstream.edges.filter(isIn).map((edge) => [keyOf(edge), edge]));
  const down = new Map(
    reaches.downstream.edges.flatMap((edge) => (isIn(edge) && !up.has(keyOf(edge)) ? [[keyOf(edge), edge]] : [])),
  );
  const upstream = [...up.values()].slice(0, budget.edges);
  const downstream = [...down.values()].slice(0, budget.edges - upstream.length);
  const isCut = upstream.length + downstream.length < up.size + down.size;
  const truncated = ground.truncated ?? (places.size < all.size ? 'nodes' : isCut ? 'edges' : undefined);
  return { nodes: ground.nodes, places, upstream, downstream, implied: ground.implied, truncated };
};

/** How a drawing is shown. */
export type Showing = { readonly includeDeleted: boolean; readonly fields: Parameters<typeof picker>[0] };

type EdgesOf = (edges: readonly EdgeTuple[]) => JsonObject;

const edgesShower =
  (nodes: Drawing['nodes'], keys: ReadonlyMap<string, string>, carrierOf: CarrierById): EdgesOf =>
  (edges) => {
    const out: MutableJsonObject = {};
    const keyOf = ({ id }: { readonly id: string }): string => keys.get(id) ?? '';
    for (const edge of edges) {
      const [from, to] = [nodes.get(edge[0]), nodes.get(edge[1])];
      if (!from || !to || !keys.has(from.id) || !keys.has(to.id)) continue;
      setMember(out, ...showData(edge, from, to, keyOf, carrierOf));
    }
    return out;
  };

/** A drawing as search shows it: documents of records by their names, and edges by theirs. */
export const showMap = async (
  { engine }: Reader,
  caller: Caller,
  { nodes, places, upstream, downstream, implied }: Drawing,
  { includeDeleted, fields }: Showing,
): Promise<JsonObject> => {
  const ids = [...places.keys()];
  const carriers = [...upstream, ...downstream].map(([, , pipelineId]) => pipelineId);
  const [documents, neighbours, carrierOf] = await Promise.all([
    readDocuments(engine, ids, caller.hrefBase, undefined, redactorFor(engine, caller.principal)),
    countNeighbours(engine, caller, ids, includeDeleted, implied),
    readWholeCarriers(engine, caller, carriers),
  ]);
  const pick = picker(fields);
  const shown: MutableJsonObject = {};
  // The root comes first, so that its name is its own.
  const keys = keysIn(ids.flatMap((id) => (documents.has(id) ? (nodes.get(id) ?? []) : [])));
  for (const [id, nodeDepth] of places) {
    const [document, key, near] = [documents.get(id), keys.get(id), neighbours.get(id)];
    if (!document || key === undefined) continue;
    const paging = {
      entityUpstreamCount: near?.upstream ?? 0,
      entityDownstreamCount: near?.downstream ?? 0,
    };
    setMember(shown, key, { entity: pick(document), paging, nodeDepth });
  }
  const edgesOf = edgesShower(nodes, keys, carrierOf);
  return { nodes: shown, upstreamEdges: edgesOf(upstream), downstreamEdges: edgesOf(downstream) };
};
