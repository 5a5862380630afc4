import type { Principal } from '../access/principal.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { TraceHeaders } from '../tracing/tracing.ts';

export type JobStatus = 'QUEUED' | 'RUNNING' | 'CANCELLING' | 'CANCELLED' | 'COMPLETED' | 'FAILED';

/** How a job ended. */
export type JobEnd = {
  readonly status: 'COMPLETED' | 'CANCELLED' | 'FAILED';
  readonly error?: string;
  readonly message?: string;
  readonly resultType?: string;
  readonly rights?: string;
  readonly hint?: string;
};

export type JobLogLevel = 'INFO' | 'WARN' | 'ERROR';

/** A job as it is stored: work that outlives the request that created it. */
export type Job = {
  readonly jobId: string;
  readonly operation: string;
  readonly entityType: string;
  readonly targetFqn: string;
  readonly createdBy: string;
  readonly status: JobStatus;
  readonly progress: number;
  readonly total: number | undefined;
  readonly dryRun: boolean;
  readonly recursive: boolean;
  readonly error: string | undefined;
  readonly message: string | undefined;
  readonly cancelRequested: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly completedAt: number | undefined;
  /** Lines `<time> <level> <text>`, oldest first. */
  readonly logs: readonly string[];
  /** The position of the job among the jobs of its creator. */
  readonly place: string;
  /**
   * The principal that the job acts as, as it was on creation. The operation looks its current rights up when it runs.
   */
  readonly actor: Principal;
  /** The small part of the input; the rest is stored in pieces. */
  readonly input: JsonObject;
  /** The saved state of the operation, in its own format. */
  readonly state: JsonObject;
  /** Whether the job completes work that is half done, so that it must finish even if somebody cancels it. */
  readonly committed: boolean;
  /** How often the job started since it last made progress. */
  readonly attempts: number;
  /** The content type of the result; absent when there is none. */
  readonly resultType: string | undefined;
  readonly resultExpired: boolean;
  /** The digest of the creator's rights while the result was made; absent when the rights changed in the meantime. */
  readonly rights: string | undefined;
  /** What may help the creator of the job with its result. */
  readonly hint: string | undefined;
  /** The place in a trace in which the job was created; absent where nothing was traced. */
  readonly cause: TraceHeaders | undefined;
};

type JobProperties = { readonly [name: string]: unknown };

const parseJsonProperty = (text: unknown): JsonObject => {
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : {};
  return isObject(value) ? value : {};
};

const optionalProperty = <T>(value: unknown): T | undefined => (value as T | null | undefined) ?? undefined;

const causeOf = ({ traceparent, tracestate }: JobProperties): TraceHeaders | undefined => {
  if (typeof traceparent !== 'string') return undefined;
  return typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent };
};

type EndedJob = { readonly completedAt: number; readonly end: JobEnd };

/**
 * The end of a job is one text, `<time> <JSON>`, because a concurrent read may see some properties of a node new and
 * others old. A single property is always consistent.
 */
const parseJobEnd = (text: unknown): EndedJob | undefined => {
  if (typeof text !== 'string') return undefined;
  const cut = text.indexOf(' ');
  return { completedAt: Number(text.slice(0, cut)), end: JSON.parse(text.slice(cut + 1)) as JobEnd };
};

const OPEN_STATUSES: readonly unknown[] = ['QUEUED', 'RUNNING', 'CANCELLING'];

const jobStatusOf = (node: JobProperties, ended: EndedJob | undefined): JobStatus => {
  if (ended) return ended.end.status;
  if (OPEN_STATUSES.includes(node['status'])) return node['status'] as JobStatus;
  return node['cancelRequested'] === true ? 'CANCELLING' : 'RUNNING';
};

/** Decodes the node of a job. */
export const decodeJob = (node: JobProperties): Job => {
  const ended = parseJobEnd(node['end']);
  return {
    jobId: node['jobId'] as string,
    operation: node['operation'] as string,
    entityType: node['entityType'] as string,
    targetFqn: node['targetFqn'] as string,
    createdBy: node['createdBy'] as string,
    status: jobStatusOf(node, ended),
    progress: (node['progress'] as number | undefined) ?? 0,
    total: optionalProperty(node['total']),
    dryRun: node['dryRun'] === true,
    recursive: node['recursive'] === true,
    error: ended?.end.error,
    message: ended?.end.message,
    cancelRequested: node['cancelRequested'] === true,
    createdAt: node['createdAt'] as number,
    updatedAt: node['updatedAt'] as number,
    completedAt: ended?.completedAt,
    logs: (node['logs'] as string[] | undefined) ?? [],
    place: node['place'] as string,
    actor: parseJsonProperty(node['actorJson']) as unknown as Principal,
    input: parseJsonProperty(node['inputJson']),
    state: parseJsonProperty(node['stateJson']),
    committed: node['committed'] === true,
    attempts: (node['attempts'] as number | undefined) ?? 0,
    resultType: ended?.end.resultType,
    resultExpired: node['resultExpired'] === true,
    rights: ended?.end.rights,
    hint: ended?.end.hint,
    cause: causeOf(node),
  };
};

/** Whether the job is over and no longer changes. */
export const isJobOver = (job: Job): boolean =>
  job.status === 'COMPLETED' || job.status === 'FAILED' || job.status === 'CANCELLED';

/** Renders one log line, `<time> <level> <text>`. */
const renderJobLog = (jobId: string, line: string, index: number): JsonObject => {
  const [time = '0', level = 'INFO'] = line.split(' ', 2);
  return {
    logId: `${jobId}-${time}-${index}`,
    jobId,
    createdAt: Number(time),
    level,
    message: line.slice(time.length + level.length + 2),
  };
};

const omitUndefined = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;

/** Renders a job without its result. */
export const renderJob = (job: Job): JsonObject =>
  omitUndefined({
    jobId: job.jobId,
    operation: job.operation,
    entityType: job.entityType,
    targetFqn: job.targetFqn,
    createdBy: job.createdBy,
    status: job.status,
    progress: job.progress,
    total: job.total,
    dryRun: job.dryRun,
    recursive: job.recursive,
    error: job.error,
    message: job.message,
    cancelRequested: job.cancelRequested,
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
    completedAt: job.completedAt,
    logs: job.logs.map((line, index) => renderJobLog(job.jobId, line, index)),
  });
