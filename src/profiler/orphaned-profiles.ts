import { createBatchedDeletion } from '../retention/batched-deletion.ts';
import { deleteOrphanedProfileBatch } from './queries.ts';

/** Clears away what was measured of columns that are gone and was too much to go with them. */
export const deleteOrphanedProfiles = createBatchedDeletion(deleteOrphanedProfileBatch);
