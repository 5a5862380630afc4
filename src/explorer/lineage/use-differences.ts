import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ask, askFully } from '../api/ask.ts';
import { ifPresent } from '../api/failure.ts';
import { readLimits } from '../api/settings.ts';
import { askGraph, asText } from './ask-graph.ts';
import { FILTERS, filterQuery, type LineageChoice } from './choice.ts';
import { markDifferences, markNeighbours, type ShownGraph } from './graph-model.ts';
import {
  BRIEF_EDGES,
  BRIEF_GRAPH,
  depthsOf,
  filterOf,
  type GraphQuery,
  MAX_JOINED,
  MAX_NODES,
  queryOfStep,
  withinLimits,
} from './graph-query.ts';
import { compareBeside, readDifferenceBeside } from './graph-thread.ts';
import { joinDifferences, type LineageDifference } from './read-difference.ts';

/** Reads what differs between two times in the graph that a page shows. */

/** Filtered lineages are asked for at both times. As the API does, the comparison takes deleted records for what they were. */
const compareFiltered = async (
  about: GraphQuery,
  choice: LineageChoice,
  signal: AbortSignal,
): Promise<LineageDifference> => {
  // Edges come whole: what is said of them is compared.
  const query = {
    ...about,
    ...filterQuery(choice),
    include: 'all',
    maxNodes: MAX_NODES,
    compact: true,
    fields: BRIEF_GRAPH.fields,
  };
  const [before, after] = await Promise.all(
    [choice.since, choice.asOf].map((asOf) => askGraph<string>({ ...query, asOf }, { signal, parse: asText })),
  );
  return compareBeside(before ?? '', after ?? '');
};

const compareWhole = async (
  about: GraphQuery,
  choice: LineageChoice,
  signal: AbortSignal,
): Promise<LineageDifference> => {
  const wanted = { ...about, from: choice.since, to: choice.asOf ?? Date.now(), compact: true, ...BRIEF_EDGES };
  const query = withinLimits(wanted, await readLimits());
  const { value, headers } = await askFully<string>('/v1/lineage/diff', { query, signal, parse: asText });
  return readDifferenceBeside(value, headers.has('X-Lineage-Truncated'));
};

/** What differs among records that are shown, of which no single comparison tells: each looks around one record. */
const compareAmong = async (
  ids: readonly string[],
  { since, asOf }: LineageChoice,
  signal: AbortSignal,
): Promise<LineageDifference> => {
  const readAt = (time: string | undefined) =>
    ask<string>('/v1/lineage/graph', {
      method: 'POST',
      json: { ids },
      query: { asOf: time, include: 'all', compact: true, fields: BRIEF_GRAPH.fields },
      signal,
      parse: asText,
    });
  const [before, after] = await Promise.all([readAt(since), readAt(asOf)]);
  return compareBeside(before, after);
};

/** What differs around a record and where somebody went on, and among the records `ids` that are shown together. */
export const useDifferences = (
  { type, fqn }: { readonly type: string; readonly fqn: string },
  choice: LineageChoice,
  ids: readonly string[],
) => {
  const { more, since, asOf, picked } = choice;
  const depths = depthsOf(choice);
  const around = useQuery({
    queryKey: ['lineage difference', type, fqn, depths, more, since, filterOf(choice)],
    queryFn: async ({ signal }) => {
      const compare = FILTERS.some((name) => choice[name].length > 0) ? compareFiltered : compareWhole;
      const steps = more.map((step) => ifPresent(compare(queryOfStep(step), choice, signal)));
      const [first, ...further] = await Promise.all([compare({ type, fqn, ...depths }, choice, signal), ...steps]);
      return joinDifferences([first, ...further].filter((one) => one !== undefined));
    },
    structuralSharing: false,
    enabled: since !== undefined,
  });
  const among = useQuery({
    queryKey: ['lineage difference among', ids, since, asOf],
    queryFn: ({ signal }) => compareAmong(ids, choice, signal),
    structuralSharing: false,
    enabled: since !== undefined && ids.length > 0 && ids.length <= MAX_JOINED,
  });
  const mark = useCallback(
    (graph: ShownGraph): ShownGraph => {
      if (since === undefined || !around.data) return graph;
      const all = among.data ? [around.data, among.data] : [around.data];
      return markNeighbours(markDifferences(graph, joinDifferences(all)), picked);
    },
    [around.data, among.data, since, picked],
  );
  return {
    mark,
    failure: around.error ?? among.error ?? undefined,
    again: () => Promise.all([around, among].map((one) => (one.isError ? one.refetch() : undefined))),
  };
};
