import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import { ifPresent } from '../api/failure.ts';
import type { LineageEdge, Schemas } from '../api/types.ts';
import { askGraph } from './ask-graph.ts';
import type { ShownGraph } from './graph-model.ts';
import { MAX_NODES } from './graph-query.ts';

/** Reads the edge that somebody looks at: graphs tell of their edges only what boxes and lists show. */

/** What one source says of an edge. */
export type Assertion = Schemas['LineageAssertion'];

export type FoundEdge = {
  readonly edge: LineageEdge;
  /** Who says so today, the newest first; what sources said at other times is only known merged. */
  readonly assertions?: readonly Assertion[] | undefined;
};

/** Whether sources state the edge itself: not one that its assets or a pipeline between others make up. */
const isStated = ({ fromEntity, toEntity, lineageDetails: details, bridged }: LineageEdge): boolean => {
  const carrier = details?.pipeline?.id;
  const isHalf = carrier !== undefined && (carrier === fromEntity || carrier === toEntity);
  return bridged !== true && !isHalf && details?.source !== undefined && details.source !== 'ChildAssets';
};

const readStated = async (edge: LineageEdge, signal: AbortSignal): Promise<FoundEdge | undefined> => {
  const path = `/v1/lineage/getLineageEdge/${edge.fromEntity}/${edge.toEntity}`;
  const found = await ifPresent(ask<Schemas['LineageEdge']>(path, { query: { assertions: true }, signal }));
  return found && { edge: { ...edge, lineageDetails: found.edge }, assertions: found.assertions };
};

/** Whatever feeds many, few feed it: the edge is found from where it leads to. */
const readInGraph = async (
  { fromEntity, toEntity }: LineageEdge,
  asOf: string | undefined,
  signal: AbortSignal,
): Promise<FoundEdge | null> => {
  const query = { id: toEntity, upstreamDepth: 1, downstreamDepth: 0, maxNodes: MAX_NODES, include: 'all', asOf };
  const { edges } = await askGraph(query, { signal });
  const edge = edges.find((one) => one.fromEntity === fromEntity && one.toEntity === toEntity);
  return edge === undefined ? null : { edge };
};

/** All that is known of an edge as of a time: null where it was not there. A bridge is only known as such; so is a way to what is hidden. */
export const useEdge = ({ nodes }: Pick<ShownGraph, 'nodes'>, edge: LineageEdge, asOf: string | undefined) => {
  const { fromEntity, toEntity } = edge;
  const isHidden = [fromEntity, toEntity].some((id) => nodes.get(id)?.hidden === true);
  const isAsked = edge.bridged !== true && !isHidden;
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ['lineage edge', fromEntity, toEntity, asOf],
    queryFn: async ({ signal }) =>
      (asOf === undefined && isStated(edge) && (await readStated(edge, signal))) || readInGraph(edge, asOf, signal),
    enabled: isAsked,
  });
  return { found: data, isHidden, isPending: isAsked && isPending, failure: error ?? undefined, again: refetch };
};
