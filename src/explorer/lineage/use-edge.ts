import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { LineageEdge, LineageGraph } from '../api/types.ts';
import type { ShownGraph } from './graph-model.ts';
import { MAX_NODES } from './graph-query.ts';

/**
 * The edge that somebody looks at, as of a time. In large graphs and on paths, edges come without SQL and columns, which are then read
 * for this one; so is what was said of an edge before.
 */
export const useEdge = ({ isBrief }: Pick<ShownGraph, 'isBrief'>, edge: LineageEdge, asOf: string | undefined) => {
  const { fromEntity, toEntity } = edge;
  const { data, error, refetch } = useQuery({
    queryKey: ['lineage edge', fromEntity, toEntity, asOf],
    queryFn: async ({ signal }) => {
      // Whatever feeds many, few feed it: the edge is found from where it leads to.
      const query = { id: toEntity, upstreamDepth: 1, downstreamDepth: 0, maxNodes: MAX_NODES, include: 'all', asOf };
      const { edges } = await ask<LineageGraph>('/v1/lineage/graph', { query, signal });
      return edges.find((one) => one.fromEntity === fromEntity && one.toEntity === toEntity) ?? null;
    },
    enabled: (isBrief || edge.lineageDetails === undefined) && edge.bridged !== true,
  });
  return { edge: data ?? edge, found: data, failure: error ?? undefined, again: refetch };
};
