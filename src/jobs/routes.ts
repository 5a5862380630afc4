import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenListener, readListener, type StreamListener } from '../access/listener.ts';
import type { Principal } from '../access/principal.ts';
import { badRequest, notFound } from '../errors.ts';
import {
  closeEvent,
  EVENT_STREAM_TYPE,
  type EventStreams,
  type ServerEvent,
  type ServerEventSource,
} from '../http/event-stream.ts';
import { HINT_HEADER, hintHeaders } from '../http/hint.ts';
import { AFTER_PARAMETER, integerParameter, limitParameter } from '../http/query-parameters.ts';
import { type Answer, asOwn, type Call, type HttpMethod, type Route } from '../http/route.ts';
import { decodeCursor, encodeCursor } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import { isUuid } from '../model/uuid.ts';
import { AnyJson, Flag, Integer, listOf, must, oneOf, shape, Text, Timestamp } from '../model/values.ts';
import { isJobOver, type Job } from './job.ts';
import { hasResult, type JobQueue } from './job-queue.ts';
import { findJobHint, type JobVisibility, redactJobResult, renderJobFor, renderJobsFor } from './job-visibility.ts';

/** Sends at most two states a second. */
const WATCH_POLL_MS = 500;

/** Somebody who watches a job, and what they are shown of it. */
export type JobWatcher = {
  readonly listener: StreamListener;
  readonly clock: () => number;
  readonly render: (principal: Principal, job: Job) => Promise<JsonObject>;
};

const jobEvent = (job: Job, data: JsonObject): ServerEvent => ({ event: isJobOver(job) ? 'done' : 'progress', data });

/**
 * Streams the state of a job: the current one at once, each later one, and the last as `done`, as long as the watcher is
 * accepted. Another process may run the job, so this polls the record. `wait` makes the pause between two polls.
 */
export const watchJob = (
  jobs: Pick<JobQueue, 'read'>,
  first: Job,
  { listener, clock, render }: JobWatcher,
  wait = sleep,
): ServerEventSource =>
  async function* (signal) {
    let sentUpdatedAt = 0;
    for (let job: Job | undefined = first; job; job = await jobs.read(job.jobId)) {
      const state = await readListener(listener, clock);
      if ('reason' in state) return yield closeEvent(state.reason);
      if (job.updatedAt !== sentUpdatedAt || isJobOver(job)) yield jobEvent(job, await render(state.principal, job));
      sentUpdatedAt = job.updatedAt;
      if (isJobOver(job)) return;
      await wait(WATCH_POLL_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
  };

/**
 * A job is work that outlives its request. Read `job.ts` (the stored job), then `job-queue.ts` (submitting and
 * reading), `job-operation.ts` (what an operation implements), `job-runner.ts` and `end-job.ts` (claiming, running and
 * ending). `job-pieces.ts` stores long inputs and results, `job-visibility.ts` decides what a caller sees,
 * `remove-old-jobs.ts` removes old jobs.
 */

const JobLog = shape('JobLog', {
  logId: must(Text),
  jobId: must(Text),
  createdAt: must(Timestamp),
  level: must(oneOf(['INFO', 'WARN', 'ERROR'])),
  message: must(Text),
});

const JobSchema = shape('Job', {
  jobId: must(Text),
  operation: must(Text),
  entityType: must(Text),
  targetFqn: Text,
  createdBy: Text,
  status: must(oneOf(['QUEUED', 'RUNNING', 'CANCELLING', 'CANCELLED', 'COMPLETED', 'FAILED'])),
  progress: must(Integer),
  total: Integer,
  dryRun: must(Flag),
  recursive: must(Flag),
  result: AnyJson,
  error: Text,
  message: Text,
  cancelRequested: must(Flag),
  createdAt: must(Timestamp),
  updatedAt: must(Timestamp),
  completedAt: Timestamp,
  logs: must(listOf(JobLog)),
});

const JobPaging = shape('JobPaging', { after: Text, total: must(Integer) });
const JobList = shape('JobList', { data: must(listOf(JobSchema)), paging: must(JobPaging) });

/** Checks that a caller may run this operation on the jobs of others; throws forbidden otherwise. */
type AuthorizeJobs = (principal: Principal, operation: string) => void;

type JobAccess = { readonly jobs: JobQueue; readonly authorize: AuthorizeJobs; readonly visibility: JobVisibility };

/** Finds the job of the path, if the caller created it or a rule allows the operation on jobs. */
const findJob = async ({ jobs, authorize }: JobAccess, call: Call, operation = 'ViewAll'): Promise<Job> => {
  const jobId = (call.params['jobId'] ?? '').toLowerCase();
  const job = isUuid(jobId) ? await jobs.read(jobId) : undefined;
  if (!job) throw notFound(`job instance for ${call.params['jobId']} not found`);
  if (job.createdBy !== call.principal.name) authorize(call.principal, operation);
  return job;
};

const JSON_MEDIA_TYPE = 'application/json';

/** Escapes pieces of JSON text, each by itself, for the inside of a JSON string. */
async function* escapePieces(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) yield JSON.stringify(piece).slice(1, -1);
}

async function* streamJobWithResult(job: JsonObject, before: string, result: AsyncIterable<string>, after: string) {
  yield `${JSON.stringify(job).slice(0, -1)},"result":${before}`;
  yield* result;
  yield `${after}}`;
}

/**
 * The older path embeds a result as JSON text, our path as a value. Results of other types need a request of their own.
 */
const answerJob = async (
  { jobs, visibility }: JobAccess,
  { principal }: Call,
  job: Job,
  asText: boolean,
): Promise<Answer> => {
  const json = await renderJobFor(visibility, principal, job);
  if (!hasResult(job) || job.resultType !== JSON_MEDIA_TYPE) return { status: 200, json };
  const result = await redactJobResult(visibility, principal, job, { isJson: true, pieces: jobs.result(job) });
  const stream = asText
    ? streamJobWithResult(json, '"', escapePieces(result), '"')
    : streamJobWithResult(json, '', result, '');
  return { status: 200, headers: hintHeaders(await findJobHint(visibility, principal, job)), stream };
};

/** On the older path, only files need a request of their own. */
const answerResult = async (
  { jobs, visibility }: JobAccess,
  { principal }: Call,
  job: Job,
  filesOnly: boolean,
): Promise<Answer> => {
  if (job.resultExpired) throw notFound(`The result of job ${job.jobId} has expired`);
  if (!hasResult(job)) throw badRequest(`Job ${job.jobId} has no result: it is ${job.status}`);
  const type = job.resultType ?? JSON_MEDIA_TYPE;
  if (filesOnly && type === JSON_MEDIA_TYPE) throw badRequest(`Job ${job.jobId} is not an export`);
  const isJson = type === JSON_MEDIA_TYPE;
  const stream = await redactJobResult(visibility, principal, job, { isJson, pieces: jobs.result(job) });
  const hint = hintHeaders(await findJobHint(visibility, principal, job));
  return { status: 200, headers: { 'Content-Type': isJson ? type : `${type}; charset=UTF-8`, ...hint }, stream };
};

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;

const jobLimitParameter = ({ query }: Call): number => integerParameter(query, 'limit', DEFAULT_LIMIT, 1, MAX_LIMIT);

const JOB_LIMIT_PARAMETER = limitParameter('jobs', 1, MAX_LIMIT, DEFAULT_LIMIT);

const answerOwnJobs = async ({ jobs, visibility }: JobAccess, call: Call): Promise<Answer> => {
  const limit = jobLimitParameter(call);
  const after = call.query.get('after');
  const { name } = call.principal;
  const found = await jobs.list(name, after ? decodeCursor(after) : undefined, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const next = found.length > limit && last ? { after: encodeCursor(last.place) } : {};
  const paging = { ...next, total: await jobs.count(name) };
  const data = await renderJobsFor(visibility, call.principal, page);
  return { status: 200, json: { data, paging } };
};

/** Answers the caller's jobs as a plain array. */
const answerBareList = async ({ jobs, visibility }: JobAccess, call: Call): Promise<Answer> => {
  const found = await jobs.list(call.principal.name, undefined, jobLimitParameter(call));
  return { status: 200, json: await renderJobsFor(visibility, call.principal, found) };
};

const answerCancel = async (access: JobAccess, call: Call): Promise<Answer> => {
  const { jobId } = await findJob(access, call, 'EditAll');
  await access.jobs.cancel(jobId);
  const job = await findJob(access, call, 'EditAll');
  return { status: 200, json: await renderJobFor(access.visibility, call.principal, job) };
};

type JobRouteOptions = Pick<Route, 'summary' | 'responses' | 'handle'> &
  Pick<Partial<Route>, 'query' | 'answers' | 'each' | 'fails' | 'sends'>;

const declareJobRoute = (method: HttpMethod, path: string, rest: JobRouteOptions): Route => ({
  method,
  path,
  tag: 'Jobs',
  access: 'authenticated',
  ...rest,
});

/** The routes that both paths have. */
const sharedRoutes = (access: JobAccess, base: string, asText: boolean, as = ''): Route[] => [
  declareJobRoute('GET', `${base}/{jobId}`, {
    summary: `Get a job${as}`,
    responses: { 200: JobSchema },
    sends: [HINT_HEADER],
    handle: async (call) => answerJob(access, call, await findJob(access, call), asText),
  }),
  declareJobRoute('GET', `${base}/{jobId}/result`, {
    summary: `Get the result of a job${as}`,
    responses: { 200: AnyJson },
    sends: [HINT_HEADER],
    handle: async (call) => answerResult(access, call, await findJob(access, call), asText),
  }),
  declareJobRoute('PUT', `${base}/{jobId}/cancel`, {
    summary: `Cancel a job${as}`,
    responses: { 200: JobSchema },
    handle: (call) => answerCancel(access, call),
  }),
];

const COMPATIBLE_PATH = '/v1/csvAsyncJobs';
const JOBS_PATH = '/v1/jobs';

/** What the streams of jobs need. */
type JobStreams = { readonly streams: EventStreams; readonly listeners: OpenListener; readonly clock: () => number };

/** The job routes, at the path that older clients know and at our own. */
export const jobRoutes = (access: JobAccess, { streams, listeners, clock }: JobStreams): Route[] => [
  ...asOwn([
    declareJobRoute('GET', JOBS_PATH, {
      summary: 'List your jobs, newest first',
      query: [JOB_LIMIT_PARAMETER, AFTER_PARAMETER],
      responses: { 200: JobList },
      handle: (call) => answerOwnJobs(access, call),
    }),
    ...sharedRoutes(access, JOBS_PATH, false),
    declareJobRoute('GET', `${JOBS_PATH}/{jobId}/events`, {
      summary: 'Stream the progress of a job',
      responses: { 200: undefined },
      answers: EVENT_STREAM_TYPE,
      each: JobSchema,
      fails: [429],
      handle: async (call) => {
        const job = await findJob(access, call);
        const listener = await listeners(call.header('authorization'), call.header('x-impersonate-user'));
        const render: JobWatcher['render'] = (principal, state) => renderJobFor(access.visibility, principal, state);
        return streams.open(call.principal.name, watchJob(access.jobs, job, { listener, clock, render }));
      },
    }),
  ]),
  declareJobRoute('GET', COMPATIBLE_PATH, {
    summary: 'List your jobs as a plain array, newest first',
    query: [JOB_LIMIT_PARAMETER],
    responses: { 200: listOf(JobSchema) },
    handle: (call) => answerBareList(access, call),
  }),
  ...sharedRoutes(access, COMPATIBLE_PATH, true, ', for CSV clients'),
];
