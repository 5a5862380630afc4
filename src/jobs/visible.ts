import type { Principal } from '../access/principal.ts';
import { CatalogError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { type Job, renderJob } from './job.ts';
import type { Operation, Operations } from './work.ts';

/** What callers are shown of jobs: rights may have changed since a job was made, and jobs of others may name hidden records. */

/** The record that a job is about; without a type when only its name is known. */
export type JobTarget = { readonly entityType: string | undefined; readonly fqn: string };

type Redact = (values: readonly Json[]) => Promise<readonly Json[]>;

/** What is to be known of a caller, by the rights of now. */
export type JobVisibility = {
  /** Undefined for callers who see every record. */
  redactorFor(principal: Principal): Redact | undefined;
  /** Which of these records the caller sees. */
  seesNamed(principal: Principal, targets: readonly JobTarget[]): Promise<readonly boolean[]>;
  /** A text that changes when the caller's rights do. */
  rightsOf(principal: Principal): string;
};

/** What a job has for a target that is about no single record. */
const NO_TARGETS: ReadonlySet<string> = new Set(['', '*']);

const LINEAGE = 'lineage';

/** The type that a request for lineage names, if it names one. */
const typeInQuery = ({ query }: JsonObject): string | undefined => {
  const asked = isObject(query) ? (query as JsonObject) : {};
  const type = asked['type'] ?? asked['entityType'];
  return typeof type === 'string' && type !== '' ? type : undefined;
};

const targetOf = ({ entityType, targetFqn, input }: Job): JobTarget => ({
  entityType: entityType === LINEAGE ? typeInQuery(input) : entityType,
  fqn: targetFqn,
});

/** Which of some jobs are about no single record, or about one that the caller sees. */
const seesTargets = async (
  visibility: JobVisibility,
  principal: Principal,
  jobs: readonly Job[],
): Promise<ReadonlySet<Job>> => {
  const targeted = jobs.filter(({ targetFqn }) => !NO_TARGETS.has(targetFqn));
  const sees = await visibility.seesNamed(principal, targeted.map(targetOf));
  const hidden = new Set(targeted.filter((_, at) => !sees[at]));
  return new Set(jobs.filter((job) => !hidden.has(job)));
};

/** Errors and logs are free text that may name any record, so only the creator is shown them, while the target is visible. */
const withoutTexts = ({ error: _error, message: _message, ...job }: JsonObject): JsonObject => ({ ...job, logs: [] });

const withoutTarget = ({ targetFqn: _targetFqn, ...job }: JsonObject): JsonObject => withoutTexts(job);

/** Jobs as a caller may see them, without their results. */
export const renderJobsFor = async (
  visibility: JobVisibility,
  principal: Principal,
  jobs: readonly Job[],
): Promise<readonly JsonObject[]> => {
  const redact = visibility.redactorFor(principal);
  if (!redact || jobs.length === 0) return jobs.map(renderJob);
  const visible = await seesTargets(visibility, principal, jobs);
  const shown = jobs.map((job) => {
    if (!visible.has(job)) return withoutTarget(renderJob(job));
    return job.createdBy === principal.name ? renderJob(job) : withoutTexts(renderJob(job));
  });
  return (await redact(shown)) as readonly JsonObject[];
};

/** One job as a caller may see it. */
export const renderJobFor = async (visibility: JobVisibility, principal: Principal, job: Job): Promise<JsonObject> =>
  (await renderJobsFor(visibility, principal, [job]))[0] ?? {};

/** Whether a result holds nothing that the caller was not allowed to see by the same rights when it was made. */
const hasSameRights = async (visibility: JobVisibility, principal: Principal, job: Job): Promise<boolean> => {
  if (job.createdBy !== principal.name || job.rights === undefined) return false;
  if (job.rights !== visibility.rightsOf(principal)) return false;
  return (await seesTargets(visibility, principal, [job])).has(job);
};

const refused = ({ jobId }: Job): CatalogError =>
  new CatalogError(
    'forbidden',
    `The result of job ${jobId} holds what its creator was allowed to see when it was made. It is shown to callers who may see every record, and to its creator while their rights stay the same; run the job again.`,
  );

/** A longer text takes too long to be redacted within a request. */
const MAX_REDACTED_CHARACTERS = 16 * 1024 * 1024;

const textOf = async (job: Job, pieces: AsyncIterable<string>): Promise<string> => {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > MAX_REDACTED_CHARACTERS) throw refused(job);
  }
  return text;
};

/** The counts of a result: its rows hold names and messages as they were written. */
const countsOf = (result: Json): Json =>
  isObject(result)
    ? Object.fromEntries(
        Object.entries(result).filter(([name, value]) => name === 'status' || /^(number|boolean)$/.test(typeof value)),
      )
    : null;

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/**
 * The text of a result as a caller may see it. Throws forbidden for files, which cannot be redacted, unless the caller sees
 * every record or has the rights by which the file was made.
 */
export const resultFor = async (
  visibility: JobVisibility,
  principal: Principal,
  job: Job,
  { isJson, pieces }: { readonly isJson: boolean; readonly pieces: AsyncIterable<string> },
): Promise<AsyncIterable<string>> => {
  const redact = visibility.redactorFor(principal);
  if (!redact) return pieces;
  const isSame = await hasSameRights(visibility, principal, job);
  if (!isJson) {
    if (!isSame) throw refused(job);
    return pieces;
  }
  const result = JSON.parse(await textOf(job, pieces)) as Json;
  const [shown = null] = await redact([isSame ? result : countsOf(result)]);
  return once(JSON.stringify(shown));
};

/**
 * Notes with each result by which rights of its creator it was made. A job does not fail because these cannot be read: its
 * result is then shown to those only who see every record.
 */
export const notingRights = (operations: Operations, rightsOf: (creator: Principal) => Promise<string>): Operations => {
  const readRights = (creator: Principal): Promise<string | undefined> => rightsOf(creator).catch(() => undefined);
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]): [string, Operation] => [
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
