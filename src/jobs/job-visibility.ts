import type { Principal } from '../access/principal.ts';
import { CatalogError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { type Job, renderJob } from './job.ts';
import type { JobOperation, JobOperations } from './job-operation.ts';

/** What callers are shown of jobs: rights may have changed since a job was made, and jobs of others may name hidden records. */

/** The record that a job is about; without a type when only its name is known. */
export type JobTarget = { readonly entityType: string | undefined; readonly fqn: string };

type RedactJobValues = (values: readonly Json[]) => Promise<readonly Json[]>;

/** What is to be known of a caller, by the rights of now. */
export type JobVisibility = {
  /** Undefined for callers who see every record. */
  redactorFor(principal: Principal): RedactJobValues | undefined;
  /** Which of these records the caller sees. */
  canSeeTargets(principal: Principal, targets: readonly JobTarget[]): Promise<readonly boolean[]>;
  /** A text that changes when the caller's rights do. */
  rightsDigestOf(principal: Principal): string;
};

/** What a job has for a target that is about no single record. */
const TARGETLESS_FQNS: ReadonlySet<string> = new Set(['', '*']);

const LINEAGE_TYPE = 'lineage';

/** The type that a request for lineage names, if it names one. */
const requestedEntityType = ({ query }: JsonObject): string | undefined => {
  const asked = isObject(query) ? (query as JsonObject) : {};
  const type = asked['type'] ?? asked['entityType'];
  return typeof type === 'string' && type !== '' ? type : undefined;
};

const targetOfJob = ({ entityType, targetFqn, input }: Job): JobTarget => ({
  entityType: entityType === LINEAGE_TYPE ? requestedEntityType(input) : entityType,
  fqn: targetFqn,
});

/** Which of some jobs are about no single record, or about one that the caller sees. */
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

/** Errors and logs are free text that may name any record, so only the creator is shown them, while the target is visible. */
const omitJobTexts = ({ error: _error, message: _message, ...job }: JsonObject): JsonObject => ({ ...job, logs: [] });

const omitJobTarget = ({ targetFqn: _targetFqn, ...job }: JsonObject): JsonObject => omitJobTexts(job);

/** Jobs as a caller may see them, without their results. */
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

/** One job as a caller may see it. */
export const renderJobFor = async (visibility: JobVisibility, principal: Principal, job: Job): Promise<JsonObject> =>
  (await renderJobsFor(visibility, principal, [job]))[0] ?? {};

/** Whether a result holds nothing that the caller was not allowed to see by the same rights when it was made. */
const hasUnchangedRights = async (visibility: JobVisibility, principal: Principal, job: Job): Promise<boolean> => {
  if (job.createdBy !== principal.name || job.rights === undefined) return false;
  if (job.rights !== visibility.rightsDigestOf(principal)) return false;
  return (await findVisibleJobs(visibility, principal, [job])).has(job);
};

const resultRefusedError = ({ jobId }: Job): CatalogError =>
  new CatalogError(
    'forbidden',
    `The result of job ${jobId} holds what its creator was allowed to see when it was made. It is shown to callers who may see every record, and to its creator while their rights stay the same; run the job again.`,
  );

/** A longer text takes too long to be redacted within a request. */
const MAX_REDACTED_CHARACTERS = 16 * 1024 * 1024;

const readResultText = async (job: Job, pieces: AsyncIterable<string>): Promise<string> => {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > MAX_REDACTED_CHARACTERS) throw resultRefusedError(job);
  }
  return text;
};

/** The counts of a result: its rows hold names and messages as they were written. */
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
 * The text of a result as a caller may see it. Throws forbidden for files, which cannot be redacted, unless the caller sees
 * every record or has the rights by which the file was made.
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
 * Notes with each result by which rights of its creator it was made. A job does not fail because these cannot be read: its
 * result is then shown to those only who see every record.
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
