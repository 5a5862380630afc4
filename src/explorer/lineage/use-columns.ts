import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiFailure } from '../api/failure.ts';
import { kindOf } from '../api/kinds.ts';
import { readTests, worstStates } from '../api/tests.ts';
import type { LineageNode } from '../api/types.ts';
import { askGraph, asText } from './ask-graph.ts';
import type { LineageChoice } from './choice.ts';
import type { NamedColumn } from './columns.ts';
import type { ShownGraph } from './graph-model.ts';
import { BRIEF_EDGES, filterOf, type GraphQuery, MAX_NODES } from './graph-query.ts';
import { readColumnEdgesBeside } from './graph-thread.ts';
import { readColumnsAt } from './read-columns.ts';
import { joinColumns, type ShownColumns, type UnfoldedColumns } from './shown-columns.ts';
import type { LitTrail } from './use-trail.ts';

/** Reads the columns of unfolded records, and joins them with the trail of the lit column. */

const readText = (query: GraphQuery, signal: AbortSignal) =>
  askGraph<string>(
    { maxNodes: MAX_NODES, columns: true, fields: 'type', ...BRIEF_EDGES, ...query },
    { signal, parse: asText },
  );

/**
 * The columns that a record has. Kinds without any take part by their lineage alone, and so do records of which the visitor
 * may see the lineage but not all columns.
 */
const readOwn = async ({ id, type }: LineageNode, signal: AbortSignal): Promise<readonly NamedColumn[]> => {
  if (!kindOf(type)?.hasColumns) return [];
  return readColumnsAt(type, id, signal).catch((failure: unknown) => {
    if (failure instanceof ApiFailure && failure.status === 403) return [];
    throw failure;
  });
};

/** The states of the tests of columns. Those of the past are not known, and only tables have any. */
const readStates = async ({ testStatus, fullyQualifiedName: fqn }: LineageNode, asOf: unknown, signal: AbortSignal) =>
  testStatus === undefined || fqn === undefined || asOf !== undefined
    ? undefined
    : worstStates((await readTests(fqn, signal)).data);

const readUnfolded = async (node: LineageNode, filter: GraphQuery, signal: AbortSignal): Promise<UnfoldedColumns> => {
  const near = { id: node.id, upstreamDepth: 1, downstreamDepth: 1, ...filter };
  const [edges, own, tests] = await Promise.all([
    readText(near, signal),
    readOwn(node, signal),
    readStates(node, filter['asOf'], signal),
  ]);
  return { id: node.id, own, edges: await readColumnEdgesBeside(edges, node.id), tests };
};

export type ReadColumns = {
  readonly columns: ShownColumns;
  /** Whether there is no trail of the lit column to look at, because it is still being read or leads nowhere. */
  readonly lacksTrail: boolean;
  readonly failure: unknown;
  readonly again: () => void;
};

export const useColumns = (
  graph: Pick<ShownGraph, 'nodes'>,
  choice: LineageChoice,
  trail: Pick<LitTrail, 'edges' | 'nodes' | 'isMissing' | 'failure' | 'again'>,
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
  const columns = useMemo(
    (): ShownColumns => joinColumns(unfolded.read, trail.edges, column, trail.nodes),
    [unfolded.read, trail.edges, trail.nodes, column],
  );
  return {
    columns,
    lacksTrail: trail.isMissing,
    failure: unfolded.failure ?? trail.failure,
    again: () => Promise.all([unfolded.again(), trail.again()]),
  };
};
