import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ask } from '../api/ask.ts';
import { ifPresent } from '../api/failure.ts';
import { kindOf } from '../api/kinds.ts';
import type { ColumnEdge, LineageNode } from '../api/types.ts';
import type { LineageChoice } from './choice.ts';
import type { ShownGraph } from './graph-model.ts';
import { depthsOf, filterOf, type GraphQuery, MAX_NODES, queryOfStep } from './graph-query.ts';
import { readColumnEdgesBeside, readOwnColumnsBeside, readTrailBeside } from './graph-thread.ts';
import { joinColumns, type ShownColumns } from './shown-columns.ts';

/** Reads columns where somebody asked for them: those of unfolded records, and the whole trail of the lit column. */

const readText = (query: GraphQuery, signal: AbortSignal) =>
  ask<string>('/v1/lineage/graph', {
    query: { maxNodes: MAX_NODES, columns: true, ...query },
    signal,
    parse: (text) => Promise.resolve(text),
  });

/** The columns that a record has, wherever its kind has them. Kinds without any take part by their lineage alone. */
const readOwn = async ({ id, type }: LineageNode, signal: AbortSignal) => {
  const kind = kindOf(type);
  if (kind === undefined) return [];
  const fields = kind.fields.includes('columns') ? 'columns' : undefined;
  return ask<Awaited<ReturnType<typeof readOwnColumnsBeside>>>(`/v1/${kind.path}/${id}`, {
    query: { fields, include: 'all' },
    signal,
    parse: readOwnColumnsBeside,
  });
};

const readUnfolded = async (node: LineageNode, filter: GraphQuery, signal: AbortSignal) => {
  const near = { id: node.id, upstreamDepth: 1, downstreamDepth: 1, ...filter };
  const [edges, own] = await Promise.all([readText(near, signal), readOwn(node, signal)]);
  return { id: node.id, own, edges: await readColumnEdgesBeside(edges, node.id) };
};

const NO_EDGES: readonly ColumnEdge[] = [];

export type ReadColumns = {
  readonly columns: ShownColumns;
  /** Whether there is no trail of the lit column to look at, because it is still being read or leads nowhere. */
  readonly lacksTrail: boolean;
  /** Whether the trail of the lit column was read and holds nothing. */
  readonly leadsNowhere: boolean;
  readonly failure: unknown;
  readonly again: () => void;
};

type About = { readonly type: string; readonly fqn: string };

/** `known` are the edges of a trail that need not be read, because something else has told them. */
export const useColumns = (
  { type, fqn }: About,
  graph: Pick<ShownGraph, 'nodes'>,
  choice: LineageChoice,
  known?: readonly ColumnEdge[],
): ReadColumns => {
  const filter = filterOf(choice);
  const unfolded = useQueries({
    queries: choice.open.flatMap((id) => {
      const node = graph.nodes.get(id);
      return node === undefined || node.hidden
        ? []
        : [
            {
              queryKey: ['lineage columns', id, filter],
              queryFn: ({ signal }: { signal: AbortSignal }) => readUnfolded(node, filter, signal),
              structuralSharing: false as const,
            },
          ];
    }),
    combine: (results) => ({
      read: results.flatMap(({ data }) => (data ? [data] : [])),
      failure: results.find(({ error }) => error)?.error,
      again: () => Promise.all(results.filter(({ isError }) => isError).map(({ refetch }) => refetch())),
    }),
  });
  const { column } = choice;
  const trail = useQuery({
    queryKey: ['lineage trail', type, fqn, column, depthsOf(choice), choice.more, filter],
    queryFn: async ({ signal }) => {
      const around = readText({ type, fqn, ...depthsOf(choice), ...filter }, signal);
      const steps = choice.more.map((step) => ifPresent(readText({ ...queryOfStep(step), ...filter }, signal)));
      const texts = await Promise.all([around, ...steps]);
      return readTrailBeside(
        texts.filter((text) => text !== undefined),
        column ?? '',
      );
    },
    enabled: column !== undefined && known === undefined,
    structuralSharing: false,
  });
  const trailEdges = known ?? (column === undefined ? NO_EDGES : (trail.data ?? NO_EDGES));
  const columns = useMemo(
    (): ShownColumns => joinColumns(unfolded.read, trailEdges, column),
    [unfolded.read, trailEdges, column],
  );
  const leadsNowhere = column !== undefined && known === undefined && trail.data?.length === 0;
  return {
    columns,
    leadsNowhere,
    lacksTrail: leadsNowhere || (column !== undefined && known === undefined && trail.isPending),
    failure: unfolded.failure ?? trail.error ?? undefined,
    again: () => Promise.all([unfolded.again(), trail.isError ? trail.refetch() : undefined]),
  };
};
