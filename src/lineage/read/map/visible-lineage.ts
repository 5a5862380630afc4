import type { RefNode } from '../../../catalog/queries.ts';
import type { Call } from '../../../http/route.ts';
import { decodeDetails } from '../../edge.ts';
import type { Endpoint } from '../../endpoints.ts';
import type { EdgeTuple, LineageNode } from '../../queries.ts';
import { type LineageDepth, type LineageReader, readSubgraph } from '../read-subgraph.ts';
import type { LineageBudget, LineageDirection, TruncatedWalks } from '../walk-edges.ts';
import { mergeDerivedEdges } from '../walk-edges.ts';
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
  /** All records that were read, also those that are not considered. */
  readonly walked: ReadonlyMap<string, LineageNode>;
  readonly paths: Readonly<Record<LineageDirection, OutgoingEdges>>;
  /** Pairs of neighbours without a direct edge between them. */
  readonly implied: ImpliedPairs;
  readonly truncated: TruncatedWalks['truncated'];
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
  const found = await readSubgraph(reader, principal, {
    roots: [root],
    span,
    budget,
    derived: { includeDeleted, beyond: true },
  });
  const nodes = new Map(
    [...found.nodes, [root.id, root.node] as const].filter(
      ([id, { deleted }]) => id === root.id || (found.sees(id) && (includeDeleted || deleted !== true)),
    ),
  );
  const isIn = isDuring(period);
  const inSight = (edges: readonly EdgeTuple[]) =>
    edges.filter((edge) => nodes.has(edge[0]) && nodes.has(edge[1]) && isIn(edge));
  const through = inSight(found.carried);
  const paths = (direction: LineageDirection) =>
    groupOutgoingEdges(direction, root.id, inSight(mergeDerivedEdges(found[direction], found.derived)), through);
  return {
    root,
    nodes,
    walked: found.nodes,
    paths: { upstream: paths('upstream'), downstream: paths('downstream') },
    implied: [
      ...inSight(found.derived).map(([from, to]) => [from, to] as const),
      ...through.flatMap(([from, to]) => [[from, root.id] as const, [root.id, to] as const]),
    ],
    truncated: found.truncated,
  };
};
