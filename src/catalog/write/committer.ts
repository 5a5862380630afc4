import type { Graph } from '../../graph/client.ts';
import { type Committer, createCommitter, type WriteRequest } from '../../graph/group-commit.ts';
import { withAdministratorKey } from '../plan/administrators.ts';
import { updateAccessRevision } from '../queries.ts';
import { createDocumentUpdater } from './document-updater.ts';
import { createPackingCommitter } from './packing.ts';
import { createStagingCommitter } from './staging.ts';

/** What else happens when something is committed. */

type CommitterDeps = { readonly graph: Graph } & Parameters<typeof createDocumentUpdater>[0];

/** Every commit tells of something that happened. */
export const createNotifyingCommitter = ({ graph, ...context }: CommitterDeps, committed: () => void): Committer => {
  const commit = createPackingCommitter(
    graph,
    createStagingCommitter(graph, createCommitter(graph, {}, createDocumentUpdater(context))),
  );
  return async (write) => {
    await commit(withAdministratorKey(write));
    committed();
  };
};

/** A change of what callers may do is noticed by this process at once, and by the others because the graph tells them. */
export const withAccessChangeNotice = (commit: Committer, changed: () => void): Committer => {
  const changesAccess = ({ steps }: WriteRequest): boolean =>
    steps.some(({ statement }) => statement === updateAccessRevision);
  return (write) => (changesAccess(write) ? commit(write).finally(changed) : commit(write));
};
