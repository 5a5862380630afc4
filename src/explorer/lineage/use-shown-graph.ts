import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ask } from '../api/ask.ts';
import { ifPresent } from '../api/failure.ts';
import type { LineageGraph } from '../api/types.ts';
import { askGraph } from './ask-graph.ts';
import type { LineageChoice } from './choice.ts';
import { type Answered, joinShown, mergeGraphs } from './graph-model.ts';
import {
  BRIEF_EDGES,
  BRIEF_GRAPH,
  depthsOf,
  filterOf,
  type GraphQuery,
  MAX_JOINED,
  MAX_NODES,
  queryOfStep,
} from './graph-query.ts';
import { readGraphBeside } from './graph-thread.ts';
import { readTrusts, type Trusts } from './trust.ts';
import { useDifferences } from './use-differences.ts';

/** Reads the graph that a page shows: that around the record, and a step further where somebody asked. */

/** Without columns: those are read where somebody asks for them. */
export const readGraph = (query: GraphQuery, signal: AbortSignal) =>
  askGraph({ maxNodes: MAX_NODES, compact: true, ...BRIEF_GRAPH, ...query }, { signal, parse: readGraphBeside });

/** Those that are gone or hidden meanwhile are left out. */
const readPicked = (ids: readonly string[], asOf: string | undefined, signal: AbortSignal): Promise<Answered> =>
  ask('/v1/lineage/graph', { method: 'POST', json: { ids }, query: { asOf, ...BRIEF_GRAPH }, signal });

type Among = Pick<LineageGraph, 'edges' | 'hiddenCounts'> & { readonly trusts: Trusts };

/** Which of some records feed each other, and who says so. What else there is to say of them is known. */
const readAmong = async (ids: readonly string[], asOf: string | undefined, signal: AbortSignal): Promise<Among> => {
  const { edges, hiddenCounts } = await ask<Pick<LineageGraph, 'edges' | 'hiddenCounts'>>('/v1/lineage/graph', {
    method: 'POST',
    json: { ids },
    query: { asOf, fields: 'type', assertions: true, ...BRIEF_EDGES },
    signal,
  });
  return { edges, hiddenCounts, trusts: readTrusts(edges, Date.now()) };
};

/** What several answers show together. */
const useJoined = (first: LineageGraph | undefined, more: readonly Answered[], asOf: string | undefined) => {
  const merged = useMemo(() => first && mergeGraphs(first, more), [first, more]);
  const ids = useMemo(() => [...(merged?.nodes.keys() ?? [])].sort(), [merged]);
  const { data, error, isError, refetch } = useQuery({
    queryKey: ['lineage among', ids, asOf],
    queryFn: ({ signal }) => readAmong(ids, asOf, signal),
    enabled: ids.length > 0 && ids.length <= MAX_JOINED,
    // What is known of the records before stays until more is known.
    placeholderData: (before, query) => (query?.queryKey[2] === asOf ? before : undefined),
    structuralSharing: false,
  });
  // A single answer has all edges among its records.
  const joins = more.length > 0 ? data : undefined;
  const trusts = data?.trusts;
  const graph = useMemo(() => {
    const joined = merged && joins ? joinShown(merged, joins) : merged;
    return joined && trusts ? { ...joined, trusts } : joined;
  }, [merged, joins, trusts]);
  return { graph, ids, failure: error ?? undefined, again: () => (isError ? refetch() : undefined) };
};

const NO_IDS: readonly string[] = [];

export const useShownGraph = (
  { type, fqn }: { readonly type: string; readonly fqn: string },
  choice: LineageChoice,
) => {
  const filter = filterOf(choice);
  const depths = depthsOf(choice);
  const first = useQuery({
    queryKey: ['lineage', type, fqn, depths, filter],
    queryFn: ({ signal }) => readGraph({ type, fqn, ...depths, ...filter }, signal),
    placeholderData: keepPreviousData,
    // Comparing two answers of 10,000 records takes longer than drawing them.
    structuralSharing: false,
  });
  const more = useQueries({
    queries: choice.more.map((step) => ({
      queryKey: ['lineage step', step, filter],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await ifPresent(readGraph({ ...queryOfStep(step), ...filter }, signal))) ?? null,
      structuralSharing: false as const,
    })),
    combine: (results) => ({
      graphs: results.flatMap(({ data }) => (data ? [data] : [])),
      isLost: results.some(({ data }) => data === null),
      failure: results.find(({ error }) => error)?.error,
      again: () => Promise.all(results.filter(({ isError }) => isError).map(({ refetch }) => refetch())),
    }),
  });
  const picked = useQuery({
    queryKey: ['lineage picked', choice.picked, choice.asOf],
    queryFn: ({ signal }) => readPicked(choice.picked, choice.asOf, signal),
    enabled: choice.picked.length > 0,
    // Those that were picked before stay until the next one is known.
    placeholderData: keepPreviousData,
    structuralSharing: false,
  });
  const shownPicks = choice.picked.length > 0 ? picked.data : undefined;
  const further = useMemo(() => (shownPicks ? [...more.graphs, shownPicks] : more.graphs), [more.graphs, shownPicks]);
  const joined = useJoined(first.data, further, choice.asOf);
  const differences = useDifferences({ type, fqn }, choice, further.length > 0 ? joined.ids : NO_IDS);
  const { mark } = differences;
  const graph = useMemo(() => joined.graph && mark(joined.graph), [joined.graph, mark]);
  return {
    graph,
    /** Whether the graph is still that of the choice before. */
    isFormer: first.isPlaceholderData,
    /** Whether something that was unfolded is not there any more. */
    isLost:
      more.isLost ||
      (!picked.isPlaceholderData && (shownPicks?.nodes.length ?? 0) < choice.picked.length && picked.isSuccess),
    failure: first.error ?? more.failure ?? picked.error ?? joined.failure ?? differences.failure,
    again: () =>
      Promise.all([
        first.isError ? first.refetch() : undefined,
        more.again(),
        picked.isError ? picked.refetch() : undefined,
        joined.again(),
        differences.again(),
      ]),
  };
};
