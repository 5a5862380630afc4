import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { LineageNode } from '../api/types.ts';
import { type FailingAnswer, readFailing } from './failing.ts';

/** Asks which records upstream have failing tests, and how their data comes here. */

/** The most steps that the API follows. */
const MOST_STEPS = 10;

export const useFailing = (root: LineageNode | undefined, isAsked: boolean) =>
  useQuery({
    queryKey: ['failing upstream', root?.id],
    queryFn: async ({ signal }) => {
      if (root === undefined) throw new Error('There is no record to ask about');
      const query = { fqn: root.fullyQualifiedName, type: root.type, upstreamDepth: MOST_STEPS };
      return readFailing(await ask<FailingAnswer>('/v1/lineage/getDataQualityLineage', { query, signal }), root);
    },
    enabled: isAsked && root !== undefined,
  });
