import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import type { JsonObject } from '../../../model/json.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import { decodeNode, type EdgeTuple, walkStatements } from '../../queries.ts';
import { readPipelineRecords } from './pipeline-records.ts';
import { type MapEndpoint, renderMapEdge } from './render-map-edge.ts';
import type { MapCaller } from './visible-lineage.ts';

/** Renders the upstream edges of records once the references of these records are known. */
export type UpstreamRenderer = (targets: readonly MapEndpoint[]) => ReadonlyMap<string, readonly JsonObject[]>;

/**
 * Reads the direct upstream edges of records by ID, so that callers can load the documents of the records meanwhile.
 */
export type UpstreamReader = (caller: MapCaller, ids: readonly string[]) => Promise<UpstreamRenderer>;

/** The maximum number of edges per record. */
const MAX_EDGES_PER_RECORD = 1000;
const MAX_EDGES = 100_000;
const MIN_EDGES_PER_RECORD = 10;

const edgeLimitFor = (count: number): number =>
  Math.min(MAX_EDGES_PER_RECORD, Math.max(MIN_EDGES_PER_RECORD, Math.floor(MAX_EDGES / count)));

type UpstreamSubgraph = { readonly edges: readonly EdgeTuple[]; readonly nodes: ReadonlyMap<string, RefNode> };

/** Reads the edges of all records with one statement. */
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

/** Leaves out deleted and hidden records, and redacts hidden pipelines. */
export const createUpstreamReader =
  (engine: Engine): UpstreamReader =>
  async (caller, ids) => {
    if (ids.length === 0) return NO_UPSTREAM;
    const { edges, nodes } = await readDirectUpstream(engine, ids);
    if (edges.length === 0) return NO_UPSTREAM;
    const sees = await readNodeVisibility(engine, caller.principal, [...nodes.values()]);
    const shown = edges.filter(([from]) => nodes.get(from)?.deleted !== true && sees(from));
    const { carrierOf } = await readPipelineRecords(
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
