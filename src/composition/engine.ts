import type { Authorizer } from '../access/authorization.ts';
import { createPasswordHasher } from '../access/password.ts';
import type { Engine } from '../catalog/engine.ts';
import { resolveLimits } from '../catalog/limits.ts';
import { createFactsReader } from '../catalog/read/facts.ts';
import { createRevisionReader } from '../catalog/read/kept-answers.ts';
import { createKeptDocuments } from '../catalog/read/kept-documents.ts';
import { createRenderedRecords } from '../catalog/read/rendered-records.ts';
import { createStore } from '../catalog/read/store.ts';
import { createDryRunCommitter, createNotifyingCommitter, withAccessChangeNotice } from '../catalog/write/committer.ts';
import type { OdcsDocuments } from '../contracts/odcs/texts/documents.ts';
import { createAddressCheck } from '../events/public-address.ts';
import { createChangeWatch } from '../graph/change-watch.ts';
import { createKeyedQueue } from '../graph/keyed-queue.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { ChangeNotice } from '../lane/messages.ts';
import { createColumnEdgeUpdater, createPartEdgeUpdater } from '../lineage/write/column-edge-updates.ts';
import { moveTestsWithColumns } from '../quality/move-tests.ts';
import type { AppDeps } from './app-deps.ts';
import { KIND_HOOKS } from './kind-hooks.ts';

type EngineInputs = Pick<AppDeps, 'config' | 'graph' | 'registry' | 'secrets' | 'clock' | 'bounds'>;

/** The parts that the process creates once and passes to its engine. */
export type EngineParts = {
  readonly jobs: JobQueue;
  readonly judge: Authorizer;
  readonly documents: OdcsDocuments;
  /** Called after every commit with what changed. */
  readonly notify: (notice: ChangeNotice) => void;
};

/** Composes the engine that all modules use: the store, the rights, the committer, and the hooks between modules. */
export const composeEngine = (
  deps: EngineInputs,
  { jobs, judge: authorizer, documents, notify }: EngineParts,
): Engine => {
  const store = createStore(deps.graph, deps.registry);
  const changes = createChangeWatch(deps.graph);
  const limits = resolveLimits(deps.config.limits, deps.bounds);
  const { confirmationMs } = limits;
  const checks = { readRevisions: createRevisionReader(deps.graph), changes, confirmationMs };
  return {
    registry: deps.registry,
    graph: deps.graph,
    changes,
    store,
    rendered: createRenderedRecords(checks),
    keptDocuments: createKeptDocuments(checks, store),
    commit: withAccessChangeNotice(
      createNotifyingCommitter(deps, () => notify({ type: 'committed' })),
      () => notify({ type: 'rights' }),
    ),
    commitDry: createDryRunCommitter(deps),
    serial: createKeyedQueue(),
    secrets: deps.secrets,
    passwords: createPasswordHasher(deps.bounds?.passwordCost),
    authorize: authorizer.authorize,
    authorizer,
    facts: createFactsReader(deps.graph, store),
    clock: deps.clock,
    // A user whose rights changed is looked up again at once by this process.
    onWritten: ({ name, kind }, conferrals = []) =>
      notify({
        type: 'written',
        names: [name, ...conferrals.map(({ to }) => to.name)],
        calls: kind.calledUrls !== undefined,
      }),
    columnChangeHooks: [createColumnEdgeUpdater(deps.graph, deps.clock), moveTestsWithColumns],
    onPartsDeleted: createPartEdgeUpdater(deps.graph, deps.clock),
    kindHooks: KIND_HOOKS,
    readYaml: documents.yaml,
    checkCallable: createAddressCheck({
      allowPrivate: deps.config.webhooks.allowPrivate,
      canSendMail: deps.config.mail !== undefined,
    }),
    jobs,
    limits,
  };
};
