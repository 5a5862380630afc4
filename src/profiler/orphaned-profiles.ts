import { createBatchedDeletion } from '../retention/batched-deletion.ts';
import { deleteOrphanedProfileBatch } from './queries.ts';

/** Deletes profiles of removed columns that were too many for the transaction of the removal. */
export const deleteOrphanedProfiles = createBatchedDeletion(deleteOrphanedProfileBatch);
