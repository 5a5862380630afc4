import type { Graph } from '../../graph/client.ts';
import { deleteAbandonedStages } from './staging.ts';
import { deleteUnusedCopies } from './unused-copies.ts';

/** Removes what writes leave behind: unused copies of long texts, and staged columns without a record. */
export const deleteLeftovers = async (graph: Graph, now: number): Promise<void> => {
  await deleteUnusedCopies(graph, now);
  await deleteAbandonedStages(graph);
};
