import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import type { JsonObject } from '../../../model/json.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import { decodeNode, type EdgeTuple, walkStatements } from '../../queries.ts';
import { readPipelineRecords } from './pipeline-records.ts';
import { type MapEndpoint, renderMapEdge } from './render-map-edge.ts';
import type { MapCaller } from './visible-lineage.ts';

/** What feeds some records, told when it is known what these are called. */
export type UpstreamRenderer = (targets: readonly MapEndpoint[]) => ReadonlyMap<string, readonly JsonObject[]>;

/** Reads what feeds records directly, by their ids, for those who show documents of them and read those meanwhile. */
export type UpstreamReader = (caller: MapCaller, ids: readonly string[]) => Promise<UpstreamRenderer>;

/** So many edges are told of one record, and of all records together that are shown at once. */
const MAX_EDGES_PER_RECORD = 1000;
const MAX_EDGES = 100_000;
const MIN_EDGES_PER_RECORD = 10;

const edgeLimitFor = (count: number): number =>
  Math.min(MAX_EDGES_PER_RECORD, Math.max(MIN_EDGES_PER_RECORD, Math.floor(MAX_EDGES / count)));

type UpstreamSubgraph = { readonly edges: readonly EdgeTuple[]; readonly nodes: ReadonlyMap<string, RefNode> };

/** One statement, however many records there are. */
const readDirectUpstream = async ({ graph }: Engine, ids: readonly string[]): Promise<UpstreamSubgraph> => {
  const rows = ids.map((id, at) => ({ ids: [id], at }));
  const found = await graph.read(walkStatements.upstream.for('0'), { rows, nodes: 1, edges: edgeLimitFor(ids.length) });
  return {
    edges: found.flatMap(({ edges }) => edges),
    nodes: new Map(found.flatMap(({ nodes }) => nodes.map((node) => [node[0], decodeNode(node)] as const))),
  };
};

const byName = (a: JsonObject, b: JsonObject): number => (String(a['docId']) < String(b['docId']) ? -1 : 1);

const NO_UPSTREAM: UpstreamRenderer = () => new Map();

/** What is deleted, or hidden from the caller, is not told of, nor what data runs through where that is hidden. */
export const createUpstreamReader =
  (engine: Engine): UpstreamReader =>
  async (caller, ids) => {
    if (ids.length === 0) return NO_UPSTREAM;
    const { edges, nodes } = await readDirectUpstream(engine, ids);
    if (edges.length === 0) return NO_UPSTREAM;
    const sees = await readNodeVisibility(engine, caller.principal, [...nodes.values()]);
    const shown = edges.filter(([from]) => nodes.get(from)?.deleted !== true && sees(from));
    const carrierOf = await readPipelineRecords(
      engine,
      caller,
      shown.map(([, , pipelineId]) => pipelineId),
    );
    return (targets) => {
      const ends = new Map(targets.map((target) => [target.id, target]));
      const told = new Map<string, JsonObject[]>();
      for (const edge of shown) {
        const [from, to] = [nodes.get(edge[0]), ends.get(edge[1])];
        if (!from || !to) continue;
        const [, { toEntity: _toEntity, ...data }] = renderMapEdge(
          edge,
          from,
          to,
          (end) => end.fullyQualifiedName,
          carrierOf,
        );
        const list = told.get(to.id);
        if (list) list.push(data);
        else told.set(to.id, [data]);
      }
      for (const list of told.values()) list.sort(byName);
      return told;
    };
  };
