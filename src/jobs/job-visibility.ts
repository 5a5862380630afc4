import type { Principal } from '../access/principal.ts';
import { CatalogError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { type Job, renderJob } from './job.ts';
import type { JobOperation, JobOperations } from './job-operation.ts';

/**
 * Decides what callers see of jobs. Rights may have changed since a job was created, and jobs of others may name hidden
 * records.
 */

/** The record that a job is about; it has no type when only the name is known. */
export type JobTarget = { readonly entityType: string | undefined; readonly fqn: string };

type RedactJobValues = (values: readonly Json[]) => Promise<readonly Json[]>;

/** The visibility of job data under the current rights of a caller. */
export type JobVisibility = {
  /** Returns undefined for callers who see every record. */
  redactorFor(principal: Principal): RedactJobValues | undefined;
  /** Whether the caller sees each of these records. */
  canSeeTargets(principal: Principal, targets: readonly JobTarget[]): Promise<readonly boolean[]>;
  /** A text that changes when the caller's rights change. */
  rightsDigestOf(principal: Principal): string;
};

/** The target names of jobs that are not about a single record. */
const TARGETLESS_FQNS: ReadonlySet<string> = new Set(['', '*']);

const LINEAGE_TYPE = 'lineage';

/** The entity type that a lineage request names, if any. */
const requestedEntityType = ({ query }: JsonObject): string | undefined => {
  const asked = isObject(query) ? (query as JsonObject) : {};
  const type = asked['type'] ?? asked['entityType'];
  return typeof type === 'string' && type !== '' ? type : undefined;
};

const targetOfJob = ({ entityType, targetFqn, input }: Job): JobTarget => ({
  entityType: entityType === LINEAGE_TYPE ? requestedEntityType(input) : entityType,
  fqn: targetFqn,
});

/** Selects the jobs without a single target, and those whose target the caller sees. */
const findVisibleJobs = async (
  visibility: JobVisibility,
  principal: Principal,
  jobs: readonly Job[],
): Promise<ReadonlySet<Job>> => {
  const targeted = jobs.filter(({ targetFqn }) => !TARGETLESS_FQNS.has(targetFqn));
  const sees = await visibility.canSeeTargets(principal, targeted.map(targetOfJob));
  const hidden = new Set(targeted.filter((_, at) => !sees[at]));
  return new Set(jobs.filter((job) => !hidden.has(job)));
};

/**
 * Errors and logs are free text that may name any record, so only the creator sees them, while the target is visible.
 */
const omitJobTexts = ({ error: _error, message: _message, ...job }: JsonObject): JsonObject => ({ ...job, logs: [] });

const omitJobTarget = ({ targetFqn: _targetFqn, ...job }: JsonObject): JsonObject => omitJobTexts(job);

/** Renders jobs for a caller, without their results. */
export const renderJobsFor = async (
  visibility: JobVisibility,
  principal: Principal,
  jobs: readonly Job[],
): Promise<readonly JsonObject[]> => {
  const redact = visibility.redactorFor(principal);
  if (!redact || jobs.length === 0) return jobs.map(renderJob);
  const visible = await findVisibleJobs(visibility, principal, jobs);
  const shown = jobs.map((job) => {
    if (!visible.has(job)) return omitJobTarget(renderJob(job));
    return job.createdBy === principal.name ? renderJob(job) : omitJobTexts(renderJob(job));
  });
  return (await redact(shown)) as readonly JsonObject[];
};

/** Renders one job for a caller. */
export const renderJobFor = async (visibility: JobVisibility, principal: Principal, job: Job): Promise<JsonObject> =>
  (await renderJobsFor(visibility, principal, [job]))[0] ?? {};

/** Whether the caller created the job and still has the rights under which its result was made. */
const hasUnchangedRights = async (visibility: JobVisibility, principal: Principal, job: Job): Promise<boolean> => {
  if (job.createdBy !== principal.name || job.rights === undefined) return false;
  if (job.rights !== visibility.rightsDigestOf(principal)) return false;
  return (await findVisibleJobs(visibility, principal, [job])).has(job);
};

/** What may help a caller with the result of a job. It names what the creator could see when the result was made. */
export const findJobHint = async (
  visibility: JobVisibility,
  principal: Principal,
  job: Job,
): Promise<string | undefined> => {
  if (job.hint === undefined || !visibility.redactorFor(principal)) return job.hint;
  return (await hasUnchangedRights(visibility, principal, job)) ? job.hint : undefined;
};

const resultRefusedError = ({ jobId }: Job): CatalogError =>
  new CatalogError(
    'forbidden',
    `The result of job ${jobId} contains what its creator was allowed to see when it was made. Only callers who may view every asset can read it, and its creator while their rights are unchanged. Run the job again.`,
  );

/** Redacting a longer text takes too long for one request. */
const MAX_REDACTED_CHARACTERS = 16 * 1024 * 1024;

const readResultText = async (job: Job, pieces: AsyncIterable<string>): Promise<string> => {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > MAX_REDACTED_CHARACTERS) throw resultRefusedError(job);
  }
  return text;
};

/** Reduces a result to its counts, because its rows hold names and messages that may be hidden. */
const resultCounts = (result: Json): Json =>
  isObject(result)
    ? Object.fromEntries(
        Object.entries(result).filter(([name, value]) => name === 'status' || /^(number|boolean)$/.test(typeof value)),
      )
    : null;

async function* streamOnce(text: string): AsyncGenerator<string> {
  yield text;
}

/**
 * Returns the text of a result as the caller may see it. Files cannot be redacted: this throws forbidden for them
 * unless the caller sees every record or still has the rights under which the file was made.
 */
export const redactJobResult = async (
  visibility: JobVisibility,
  principal: Principal,
  job: Job,
  { isJson, pieces }: { readonly isJson: boolean; readonly pieces: AsyncIterable<string> },
): Promise<AsyncIterable<string>> => {
  const redact = visibility.redactorFor(principal);
  if (!redact) return pieces;
  const isSame = await hasUnchangedRights(visibility, principal, job);
  if (!isJson) {
    if (!isSame) throw resultRefusedError(job);
    return pieces;
  }
  const result = JSON.parse(await readResultText(job, pieces)) as Json;
  const [shown = null] = await redact([isSame ? result : resultCounts(result)]);
  return streamOnce(JSON.stringify(shown));
};

/**
 * Stores with each result the digest of its creator's rights. When the rights cannot be read, the job does not fail,
 * but only callers who see every record see its result.
 */
export const recordRightsWithResults = (
  operations: JobOperations,
  rightsOf: (creator: Principal) => Promise<string>,
): JobOperations => {
  const readRights = (creator: Principal): Promise<string | undefined> => rightsOf(creator).catch(() => undefined);
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]): [string, JobOperation] => [
      name,
      {
        ...operation,
        run: async (work) => {
          const before = await readRights(work.job.actor);
          const outcome = await operation.run(work);
          if (outcome.resultType === undefined || before === undefined) return outcome;
          if (before !== (await readRights(work.job.actor))) return outcome;
          return { ...outcome, rights: before };
        },
      },
    ]),
  );
};
