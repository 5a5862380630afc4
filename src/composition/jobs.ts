import { removeExpiredCredentials } from '../accounts/remove-expired.ts';
import { adoptOrphanedIntents } from '../catalog/cascade/cascade.ts';
import { createJobVisibility } from '../catalog/read/job-visibility.ts';
import { catalogOperations } from '../catalog/write/job-operations.ts';
import { deleteLeftovers } from '../catalog/write/leftovers.ts';
import { deleteOrphanedResults } from '../contracts/results.ts';
import { createCsvExports, createCsvImport } from '../csv/operations.ts';
import { removeOldCommitReceipts } from '../graph/commit-receipt.ts';
import type { SweepStep } from '../graph/sweep.ts';
import { createSqlOperation, SQL_OPERATION } from '../insight/sql/sql-job.ts';
import { createExportDispatcher } from '../jobs/export-operation.ts';
import type { JobOperations } from '../jobs/job-operation.ts';
import { createJobRunner, type JobRunner } from '../jobs/job-runner.ts';
import { type JobVisibility, recordRightsWithResults } from '../jobs/job-visibility.ts';
import { lineageExportOperation } from '../lineage/export-operation.ts';
import { DAY_MS } from '../model/time.ts';
import { deleteOrphanedProfiles } from '../profiler/orphaned-profiles.ts';
import { profileRetention } from '../profiler/retention.ts';
import { testResultRetention } from '../quality/retention.ts';
import { createRetention } from '../retention/retention.ts';
import { createReindexOperation, REINDEX_OPERATION } from '../search/maintenance/reindex-job.ts';
import { ANY_TARGET, createExportOperation } from '../search/routes/export.ts';
import { resealOperations } from '../system/reseal.ts';
import type { AppDeps } from './app-deps.ts';
import type { SearchServices } from './search.ts';
import type { SharedServices } from './shared-services.ts';

/** How jobs run, and who may see them. */
export type JobServices = { readonly runner: JobRunner; readonly jobVisibility: JobVisibility };

/** The operations whose results depend on the rights of the job's creator. */
const operationsWithResults = (
  { config }: AppDeps,
  { engine, directory, onRowFailure }: SharedServices,
  { searches }: SearchServices,
): JobOperations => ({
  ...catalogOperations(engine, directory.refreshPrincipal),
  EXPORT: createExportDispatcher({
    lineage: lineageExportOperation({ engine, limits: config.limits }, directory.refreshPrincipal),
    [ANY_TARGET]: createExportOperation(searches, directory.refreshPrincipal),
    ...createCsvExports(engine, directory.refreshPrincipal),
  }),
  [SQL_OPERATION]: createSqlOperation(engine, directory.refreshPrincipal),
  IMPORT: createCsvImport(engine, directory.refreshPrincipal, onRowFailure),
});

/** Creates the removal of what nothing refers to any more, which one of all processes runs from time to time. */
const createSweepSteps = (
  { config, graph, clock }: AppDeps,
  { engine, audit }: SharedServices,
): Readonly<Record<string, SweepStep>> => {
  const removeOldSeries = createRetention(graph, [
    ...profileRetention(config.profileRetention),
    testResultRetention(config.resultRetention),
  ]);
  return {
    'orphaned intents': () => adoptOrphanedIntents(engine),
    // The day's margin covers a clock that runs ahead: removing a logout record too early would make its token valid
    // again.
    'expired credentials': () => removeExpiredCredentials(graph, clock() - DAY_MS),
    'orphaned profiles': () => deleteOrphanedProfiles(graph),
    'orphaned results': () => deleteOrphanedResults(graph),
    'old receipts of commits': () => removeOldCommitReceipts(graph),
    leftovers: () => deleteLeftovers(graph, clock()),
    'old series': () => removeOldSeries(clock()),
    'expired audit entries': () => audit.removeExpired(),
  };
};

export const composeJobs = (deps: AppDeps, shared: SharedServices, search: SearchServices): JobServices => {
  const { engine, judge, directory, audit, jobs } = shared;
  const { visibility, rightsOf } = createJobVisibility({ engine, ...judge, ...directory });
  const operations = audit.watchJobs({
    ...recordRightsWithResults(operationsWithResults(deps, shared, search), rightsOf),
    [REINDEX_OPERATION]: createReindexOperation(engine, search.typesense),
    ...resealOperations(deps),
  });
  const runner = createJobRunner({
    graph: deps.graph,
    jobs,
    operations,
    log: deps.log,
    sweepMore: createSweepSteps(deps, shared),
    options: deps.bounds?.jobs ?? {},
  });
  return { runner, jobVisibility: visibility };
};
