import { useQuery } from '@tanstack/react-query';
import { askGraph } from './ask-graph.ts';
import { BRIEF_HISTORY } from './graph-query.ts';

/** What lies around a record when nothing is filtered and the time is now: from it filters and times are chosen. */

/** Choices are offered for what lies within so many steps. */
const STEPS = 10;
const MOST = 2000;

export const useSurroundings = (type: string, fqn: string, isAsked: boolean) =>
  useQuery({
    queryKey: ['surroundings', type, fqn],
    queryFn: ({ signal }) =>
      askGraph(
        { type, fqn, upstreamDepth: STEPS, downstreamDepth: STEPS, maxNodes: MOST, ...BRIEF_HISTORY },
        { signal },
      ),
    enabled: isAsked,
  });
