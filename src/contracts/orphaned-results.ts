import { createBatchedDeletion } from '../retention/batched-deletion.ts';
import { deleteOrphanedResultBatch } from './queries.ts';

/** Deletes results that were unlinked from their contracts when these were soft-deleted. */
export const deleteOrphanedResults = createBatchedDeletion(deleteOrphanedResultBatch);
