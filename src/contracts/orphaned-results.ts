import { createBatchedDeletion } from '../retention/batched-deletion.ts';
import { deleteOrphanedResultBatch } from './queries.ts';

/** Clears away results that contracts forgot when they were hidden. */
export const deleteOrphanedResults = createBatchedDeletion(deleteOrphanedResultBatch);
