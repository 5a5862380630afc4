import type { Graph } from '../../graph/client.ts';
import { deleteAbandonedStages } from './staging.ts';
import { deleteUnusedCopies } from './unused-copies.ts';

/** Removes what writes have left behind: copies of long texts that nothing needs any more, and columns of no record. */
export const deleteLeftovers = async (graph: Graph, now: number): Promise<void> => {
  await deleteUnusedCopies(graph, now);
  await deleteAbandonedStages(graph);
};
