import type { Graph } from '../../graph/client.ts';
import { type Committer, createCommitter, type Write } from '../../graph/commit.ts';
import { withAdministratorKey } from '../plan/administrators.ts';
import { updateRevision } from '../queries.ts';
import { createIndexing } from './indexing.ts';
import { packingCommitter } from './packing.ts';
import { stagingCommitter } from './staging.ts';

/** What else happens when something is committed. */

type Keeping = { readonly graph: Graph } & Parameters<typeof createIndexing>[0];

/** Every commit tells of something that happened. */
export const tellingCommitter = ({ graph, ...keeper }: Keeping, committed: () => void): Committer => {
  const commit = packingCommitter(graph, stagingCommitter(graph, createCommitter(graph, {}, createIndexing(keeper))));
  return async (write) => {
    await commit(withAdministratorKey(write));
    committed();
  };
};

/** A change of what callers may do is noticed by this process at once, and by the others because the graph tells them. */
export const noticing = (commit: Committer, changed: () => void): Committer => {
  const governs = ({ steps }: Write): boolean => steps.some(({ statement }) => statement === updateRevision);
  return (write) => (governs(write) ? commit(write).finally(changed) : commit(write));
};
