import type { Graph } from '../../graph/client.ts';
import { type Committer, createCommitter, createDryCommitter, type WriteRequest } from '../../graph/group-commit.ts';
import { withAdministratorKey } from '../plan/administrators.ts';
import { DryRunPassed } from '../plan/step.ts';
import { updateAccessRevision } from '../queries.ts';
import { createDocumentUpdater } from './document-updater.ts';
import { createPackingCommitter } from './packing.ts';
import { createStagingCommitter } from './staging.ts';

/**
 * Builds the committer: it packs long texts, stages wide records, writes search documents, and notifies after the
 * commit.
 */

type CommitterDeps = { readonly graph: Graph } & Parameters<typeof createDocumentUpdater>[0];

/** Creates a committer that calls `committed` after every commit. */
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

/** Creates the committer of dry runs: it never returns, so nothing happens that would follow a commit. */
export const createDryRunCommitter = ({ graph, ...context }: CommitterDeps): Committer => {
  const attempt = createPackingCommitter(graph, createDryCommitter(graph, createDocumentUpdater(context)));
  return async (write) => {
    await attempt(withAdministratorKey(write));
    throw new DryRunPassed('the write was accepted and rolled back');
  };
};

/**
 * Calls `changed` after a commit that changes what callers may do, so that this process notices at once; the other
 * processes notice through the graph.
 */
export const withAccessChangeNotice = (commit: Committer, changed: () => void): Committer => {
  const changesAccess = ({ steps }: WriteRequest): boolean =>
    steps.some(({ statement }) => statement === updateAccessRevision);
  return (write) => (changesAccess(write) ? commit(write).finally(changed) : commit(write));
};
