import type { Graph } from '../../graph/client.ts';
import { removeAbandoned } from './staging.ts';
import { removeUnusedCopies } from './unused-copies.ts';

/** Removes what writes have left behind: copies of long texts that nothing needs any more, and columns of no record. */
export const removeLeftovers = async (graph: Graph, now: number): Promise<void> => {
  await removeUnusedCopies(graph, now);
  await removeAbandoned(graph);
};
