import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import type { JsonObject } from '../../model/json.ts';
import { type EdgeTuple, nodeOf, walks } from '../queries.ts';
import { sightOf } from '../sight.ts';
import { readWholeCarriers } from './carriers.ts';
import type { Caller } from './ground.ts';
import { type End, showData } from './show.ts';

/** What feeds some records, told when it is known what these are called. */
export type Upstream = (targets: readonly End[]) => ReadonlyMap<string, readonly JsonObject[]>;

/** Reads what feeds records directly, by their ids, for those who show documents of them and read those meanwhile. */
export type UpstreamReader = (caller: Caller, ids: readonly string[]) => Promise<Upstream>;

/** So many edges are told of one record, and of all records together that are shown at once. */
const MOST_OF_ONE = 1000;
const MOST_OF_ALL = 100_000;
const LEAST_OF_ONE = 10;

const mostOf = (count: number): number =>
  Math.min(MOST_OF_ONE, Math.max(LEAST_OF_ONE, Math.floor(MOST_OF_ALL / count)));

type Around = { readonly edges: readonly EdgeTuple[]; readonly nodes: ReadonlyMap<string, RefNode> };

/** One statement, however many records there are. */
const readAround = async ({ graph }: Engine, ids: readonly string[]): Promise<Around> => {
  const rows = ids.map((id, at) => ({ ids: [id], at }));
  const found = await graph.read(walks.upstream.for('0'), { rows, nodes: 1, edges: mostOf(ids.length) });
  return {
    edges: found.flatMap(({ edges }) => edges),
    nodes: new Map(found.flatMap(({ nodes }) => nodes.map((node) => [node[0], nodeOf(node)] as const))),
  };
};

const byName = (a: JsonObject, b: JsonObject): number => (String(a['docId']) < String(b['docId']) ? -1 : 1);

const NOTHING: Upstream = () => new Map();

/** What is deleted, or hidden from the caller, is not told of, nor what data runs through where that is hidden. */
export const createUpstreamReader =
  (engine: Engine): UpstreamReader =>
  async (caller, ids) => {
    if (ids.length === 0) return NOTHING;
    const { edges, nodes } = await readAround(engine, ids);
    if (edges.length === 0) return NOTHING;
    const sees = await sightOf(engine, caller.principal, [...nodes.values()]);
    const shown = edges.filter(([from]) => nodes.get(from)?.deleted !== true && sees(from));
    const carrierOf = await readWholeCarriers(
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
        const [, { toEntity: _toEntity, ...data }] = showData(
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
