import { notFound } from '../../errors.ts';
import type { Call } from '../../http/route.ts';
import type { Job, JobStatus } from '../../jobs/job.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { JsonObject } from '../../model/json.ts';
import { REINDEX_OPERATION } from './reindex-job.ts';

/** Serves the reindex job under the path of older clients: as an application that can be triggered. */

const APP_NAME = 'SearchIndexingApplication';

const MAX_RUNS = 10;

/** The names of job states in the application API. */
const RUN_STATUS: Readonly<Record<JobStatus, string>> = {
  QUEUED: 'pending',
  RUNNING: 'running',
  CANCELLING: 'running',
  CANCELLED: 'stopped',
  COMPLETED: 'success',
  FAILED: 'failed',
};

/** Throws not_found unless the path names the reindex application. */
export const demandApp = ({ params }: Pick<Call, 'params'>): void => {
  if (params['name'] !== APP_NAME) throw notFound(`app instance for ${params['name']} not found`);
};

const formatRun = ({ status, createdAt, updatedAt, completedAt, message, error }: Job): JsonObject => ({
  appName: APP_NAME,
  status: RUN_STATUS[status],
  runType: 'OnDemand',
  startTime: createdAt,
  ...(completedAt === undefined ? {} : { endTime: completedAt, executionTime: completedAt - createdAt }),
  timestamp: updatedAt,
  ...(message === undefined ? {} : { successContext: { message } }),
  ...(error === undefined ? {} : { failureContext: { failure: { message: error } } }),
});

/** GET /v1/apps/name/SearchIndexingApplication/status: the latest runs, newest first. */
export const readAppRuns = async (jobs: Pick<JobQueue, 'listOf'>): Promise<JsonObject> => {
  const runs = (await jobs.listOf(REINDEX_OPERATION, MAX_RUNS)).map(formatRun);
  return { data: runs, paging: { total: runs.length } };
};
