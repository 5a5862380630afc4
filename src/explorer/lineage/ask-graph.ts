import { type AskOptions, ask } from '../api/ask.ts';
import { readLimits } from '../api/settings.ts';
import type { LineageGraph } from '../api/types.ts';
import { type GraphQuery, withinLimits } from './graph-query.ts';

/** Asks for a graph, of no more than the service answers. */
export const askGraph = async <T = LineageGraph>(query: GraphQuery, options: Omit<AskOptions, 'query'>): Promise<T> =>
  ask<T>('/v1/lineage/graph', { ...options, query: withinLimits(query, await readLimits()) });

/** Leaves an answer as text, for those who read it elsewhere. */
export const asText = (text: string): Promise<string> => Promise.resolve(text);
