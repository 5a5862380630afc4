import type { RefNode } from '../../../catalog/queries.ts';
import type { Call } from '../../../http/route.ts';
import { decodeDetails } from '../../edge.ts';
import type { Endpoint } from '../../endpoints.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import type { EdgeTuple } from '../../queries.ts';
import { type Surroundings, walkPlatform } from '../platform-walk.ts';
import { findTruncation, isPipeline, type LineageDepth, type LineageReader } from '../root-walk.ts';
import type { LineageBudget, LineageDirection, TruncatedWalks } from '../subgraph.ts';
import { mergeDerivedEdges } from '../subgraph.ts';
import { NO_EDGES, type Subgraph } from '../walker.ts';
import { groupOutgoingEdges, type OutgoingEdges } from './layers.ts';
import type { MapPeriod, MapScope } from './map-request.ts';

/** The principal of a request, and the prefix of links in the answer. */
export type MapCaller = Pick<Call, 'principal' | 'hrefBase'>;

/** Pairs of records of which the first feeds the second indirectly. */
export type ImpliedPairs = readonly (readonly [from: string, to: string])[];

/** The lineage around a record that the caller may see and the request considers. */
export type VisibleLineage = {
  readonly root: Endpoint;
  readonly nodes: ReadonlyMap<string, RefNode>;
  readonly paths: Readonly<Record<LineageDirection, OutgoingEdges>>;
  /** Pairs of neighbours without a direct edge between them. */
  readonly implied: ImpliedPairs;
  readonly truncated: TruncatedWalks['truncated'];
};

/** Reads the edges that run through a record; only pipelines have any. */
const readPipelineEdges = ({ walker }: LineageReader, root: Endpoint, budget: LineageBudget): Promise<Subgraph> =>
  isPipeline(root) ? walker.viaPipeline(root.id, budget.edges + 1) : Promise.resolve(NO_EDGES);

/** Reads one direction of a record, including what lies behind the edges that run through it. */
const readSide = async (
  { walker }: LineageReader,
  root: Endpoint,
  carried: Subgraph,
  direction: LineageDirection,
  depth: number,
  budget: LineageBudget,
): Promise<Subgraph> => {
  const starts = new Set(carried.edges.map(([from, to]) => (direction === 'upstream' ? from : to)));
  const [near, far] = await Promise.all([
    walker.walk(direction, [root.id], depth, budget),
    walker.walk(direction, [...starts], Math.max(depth - 1, 0), budget),
  ]);
  return { edges: [...near.edges, ...far.edges], nodes: [...near.nodes, ...far.nodes] };
};

const readSides = async (
  reader: LineageReader,
  root: Endpoint,
  carried: Subgraph,
  span: LineageDepth,
  budget: LineageBudget,
): Promise<Surroundings> => {
  const [up, down] = await Promise.all([
    readSide(reader, root, carried, 'upstream', span.upstream, budget),
    readSide(reader, root, carried, 'downstream', span.downstream, budget),
  ]);
  return { up, down, derived: NO_EDGES, truncated: findTruncation(budget, up, down, carried) };
};

/**
 * An edge counts for a period when the time from its creation to its last update overlaps it; derived edges always
 * count.
 */
const isDuring =
  (period: MapPeriod | undefined) =>
  ([, , pipelineId, text]: EdgeTuple): boolean => {
    if (!period) return true;
    const { createdAt = period.start, updatedAt = period.end } = decodeDetails(text, pipelineId);
    return createdAt <= period.end && updatedAt >= period.start;
  };

/** Reads the lineage around a record. From a pipeline, the walk starts with the edges that run through it. */
export const readVisibleLineage = async (
  reader: LineageReader,
  { principal }: MapCaller,
  root: Endpoint,
  span: LineageDepth,
  { includeDeleted, period }: MapScope,
  budget: LineageBudget,
): Promise<VisibleLineage> => {
  const carried = await readPipelineEdges(reader, root, budget);
  const around = root.kind.platformView
    ? walkPlatform(reader, principal, root, span, budget, { includeDeleted, beyond: true })
    : readSides(reader, root, carried, span, budget);
  const { up, down, derived, truncated } = await around;
  const found = [up, down, carried, derived];
  const all = new Map([...found.flatMap(({ nodes }) => nodes), root.node].map((node) => [node.id, node]));
  const sees = await readNodeVisibility(reader.engine, principal, [...all.values()]);
  const nodes = new Map(
    [...all].filter(([id, { deleted }]) => id === root.id || (sees(id) && (includeDeleted || deleted !== true))),
  );
  const isIn = isDuring(period);
  const inSight = (edges: readonly EdgeTuple[]) =>
    edges.filter((edge) => nodes.has(edge[0]) && nodes.has(edge[1]) && isIn(edge));
  const through = inSight(carried.edges);
  const paths = (direction: LineageDirection, { edges }: Subgraph) =>
    groupOutgoingEdges(direction, root.id, inSight(mergeDerivedEdges(edges, derived.edges)), through);
  return {
    root,
    nodes,
    paths: { upstream: paths('upstream', up), downstream: paths('downstream', down) },
    implied: [
      ...inSight(derived.edges).map(([from, to]) => [from, to] as const),
      ...through.flatMap(([from, to]) => [[from, root.id] as const, [root.id, to] as const]),
    ],
    truncated,
  };
};
