import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ifPresent } from '../api/failure.ts';
import type { ColumnEdge, LineageGraph, LineageNode } from '../api/types.ts';
import type { LineageChoice } from './choice.ts';
import { findColumnOwner, type ShownGraph } from './graph-model.ts';
import { filterOf, type GraphQuery, TRAIL_FIELDS } from './graph-query.ts';
import { readGraph } from './use-shown-graph.ts';

/** Reads the whole trail of the lit column, both ways and as far as it goes, whatever the depth of the view is. */

export type LitTrail = {
  /** The answer: what is on the trail, and how much of it is not in one answer. */
  readonly found: LineageGraph | undefined;
  readonly edges: readonly ColumnEdge[];
  readonly nodes: readonly LineageNode[];
  /** Whether there is nothing to look at, because it is still being read, or because the trail leads nowhere. */
  readonly isMissing: boolean;
  /** Whether the trail was read and leads nowhere, or the column is not there. */
  readonly leadsNowhere: boolean;
  readonly failure: unknown;
  readonly again: () => unknown;
};

const NO_EDGES: readonly ColumnEdge[] = [];
const NO_NODES: readonly LineageNode[] = [];

/** A trail that need not be read, because something else has told its edges. */
export const trailOfEdges = (edges: readonly ColumnEdge[]) => ({
  edges,
  nodes: NO_NODES,
  isMissing: false,
  failure: undefined,
  again: () => undefined,
});

/** Says by which parameters the record with a column is asked for: the page's own, or one that the graph or the address names. */
const ownerQuery = (
  { type, fqn }: { readonly type: string; readonly fqn: string },
  graph: Pick<ShownGraph, 'nodes'>,
  { column = '', columnOf }: LineageChoice,
): GraphQuery => {
  if (columnOf !== undefined) return { id: columnOf };
  if (column.startsWith(`${fqn}.`)) return { type, fqn };
  const owner = findColumnOwner(graph, column);
  return owner === undefined ? { type, fqn } : { id: owner.id };
};

export const useTrail = (
  about: { readonly type: string; readonly fqn: string },
  graph: Pick<ShownGraph, 'nodes'>,
  choice: LineageChoice,
): LitTrail => {
  const { column } = choice;
  const filter = filterOf(choice);
  const owner = ownerQuery(about, graph, choice);
  const isLit = column !== undefined;
  const { data, isPending, error, isError, refetch } = useQuery({
    queryKey: ['lineage trail', owner, column, filter],
    queryFn: async ({ signal }) =>
      (await ifPresent(readGraph({ ...owner, column, ...TRAIL_FIELDS, ...filter }, signal))) ?? null,
    enabled: isLit,
    structuralSharing: false,
  });
  const found = isLit ? (data ?? undefined) : undefined;
  return useMemo(() => {
    const leadsNowhere = isLit && (data === null || (found !== undefined && found.nodes.length <= 1));
    return {
      found,
      edges: found?.columnEdges ?? NO_EDGES,
      nodes: found?.nodes ?? NO_NODES,
      isMissing: leadsNowhere || (isLit && isPending),
      leadsNowhere,
      failure: error ?? undefined,
      again: () => (isError ? refetch() : undefined),
    };
  }, [isLit, data, found, isPending, error, isError, refetch]);
};
