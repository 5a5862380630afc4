import { notFound } from '../../errors.ts';
import type { Call } from '../../http/route.ts';
import type { Job, JobStatus } from '../../jobs/job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { JsonObject } from '../../model/json.ts';
import { REINDEX } from './reindex.ts';

/** Writing documents anew, by the name under which older clients know it: as an application that is triggered. */

const APP = 'SearchIndexingApplication';

const RUNS = 10;

/** How clients of applications call what became of a job. */
const STATUS: Readonly<Record<JobStatus, string>> = {
  QUEUED: 'pending',
  RUNNING: 'running',
  CANCELLING: 'running',
  CANCELLED: 'stopped',
  COMPLETED: 'success',
  FAILED: 'failed',
};

/** Throws not_found unless the path names the one application there is. */
export const demandApp = ({ params }: Pick<Call, 'params'>): void => {
  if (params['name'] !== APP) throw notFound(`app instance for ${params['name']} not found`);
};

const runOf = ({ status, createdAt, updatedAt, completedAt, message, error }: Job): JsonObject => ({
  appName: APP,
  status: STATUS[status],
  runType: 'OnDemand',
  startTime: createdAt,
  ...(completedAt === undefined ? {} : { endTime: completedAt, executionTime: completedAt - createdAt }),
  timestamp: updatedAt,
  ...(message === undefined ? {} : { successContext: { message } }),
  ...(error === undefined ? {} : { failureContext: { failure: { message: error } } }),
});

/** GET /v1/apps/name/SearchIndexingApplication/status: the last runs, the newest first. */
export const readRuns = async (jobs: Pick<Jobs, 'listOf'>): Promise<JsonObject> => {
  const runs = (await jobs.listOf(REINDEX, RUNS)).map(runOf);
  return { data: runs, paging: { total: runs.length } };
};
