import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import type { JsonObject } from '../model/json.ts';
import type { Job, JobEnd, JobLogLevel } from './job.ts';
import { createPieceRow, type JobTextPart } from './job-pieces.ts';
import { createJobPieces, updateJobs } from './queries.ts';

/** Why this process stops a job: it was cancelled, this process is stopping, or another process holds the job now. */
export type StopReason = 'cancelled' | 'handedBack' | 'lost';

/** Thrown to end an operation early. It is not an error, and operations must not catch it. */
export class JobStop extends Error {
  override readonly name = 'JobStop';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`the job was stopped: ${reason}`);
    this.reason = reason;
  }
}

/** The progress that an operation saves. One call saves all of it or nothing. */
export type JobAdvance = {
  readonly progress?: number;
  readonly total?: number;
  readonly state?: JsonObject;
  readonly committed?: boolean;
  readonly pieces?: readonly {
    readonly part: Exclude<JobTextPart, 'input'>;
    readonly position: number;
    readonly text: string;
  }[];
  readonly log?: { readonly level: JobLogLevel; readonly text: string };
};

/** A running job, as its operation sees it. */
export type JobWork = {
  readonly job: Job;
  /** Whether an earlier attempt had begun; `job.state` then holds its progress. */
  readonly isResumed: boolean;
  /** Call this between rows. It throws when the job must stop. */
  check(): void;
  /**
   * The same check for work that must finish even if it was cancelled: only a stopping process or a lost lease ends it.
   */
  checkCommitted(): void;
  /** Saves the progress of the work. */
  save(advance: JobAdvance): Promise<void>;
  /** Returns the save as write steps, so that an operation can commit its work and its progress in one transaction. */
  saveSteps(advance: JobAdvance): WriteStep[];
  /** Reads the pieces of the input from a position on. */
  input(from?: number): AsyncIterable<string>;
};

/** The result of an operation that succeeded. */
export type OperationOutcome = {
  readonly message?: string;
  readonly resultType?: string;
  /** The digest of the rights under which the result was made. */
  readonly rights?: string;
  /** What may help the creator of the job with its result; it may name what the creator sees. */
  readonly hint?: string;
  /** The number of rows that were refused because the creator of the job may not change their records. */
  readonly refusedRows?: number;
};

/**
 * What happens to a job whose process died: `resume` continues from the saved state, `restart` begins again, and `fail`
 * ends the job, because nobody can tell what was done.
 */
export type RestartPolicy = 'resume' | 'restart' | 'fail';

export type JobOperation = {
  readonly restart: RestartPolicy;
  readonly run: (work: JobWork) => Promise<OperationOutcome>;
  /**
   * Keeps the result for a day, and only the newest ones of each person. Otherwise the result lives as long as the job.
   */
  readonly shortLivedResult?: boolean;
};

/** All operations by name. */
export type JobOperations = Readonly<Record<string, JobOperation>>;

/** Runs after all other steps of the transaction. */
const ADVANCE_STEP_ORDER = 90;

const advanceChanges = (advance: JobAdvance): Record<string, unknown> => ({
  // A job that makes progress is not failing repeatedly.
  attempts: encodeProperty(0),
  ...(advance.progress === undefined ? {} : { progress: encodeProperty(advance.progress) }),
  ...(advance.total === undefined ? {} : { total: encodeProperty(advance.total) }),
  ...(advance.state === undefined ? {} : { stateJson: JSON.stringify(advance.state) }),
  ...(advance.committed === undefined ? {} : { committed: advance.committed }),
});

export type ClaimedJob = { readonly jobId: string; readonly claim: string; readonly leaseMs: number };

const MAX_LOG_CHARACTERS = 2000;

export const formatLogEntry = (level: JobLogLevel, text: string): string =>
  `${level} ${text.slice(0, MAX_LOG_CHARACTERS)}`;

/** A row of `jobs/update_jobs`, by which the holder of a claim changes its job. */
export const createUpdateRow = (
  { jobId, claim, leaseMs }: ClaimedJob,
  changes: Record<string, unknown>,
  more: { readonly end?: JobEnd; readonly logs?: readonly string[] } = {},
) => ({
  jobId,
  claim,
  leaseMs: encodeProperty(leaseMs),
  changes,
  end: more.end ? JSON.stringify(more.end) : null,
  logs: more.logs ?? [],
});

/**
 * The steps that save progress inside the operation's own transaction. The transaction fails as a whole when the claim
 * is lost.
 */
export const createAdvanceSteps = (claimed: ClaimedJob, advance: JobAdvance): WriteStep[] => [
  ...(advance.pieces ?? []).map(({ part, position, text }) => ({
    statement: createJobPieces,
    order: ADVANCE_STEP_ORDER,
    rows: [createPieceRow(claimed.jobId, part, position, text)],
  })),
  {
    statement: updateJobs,
    order: ADVANCE_STEP_ORDER + 1,
    rows: [
      createUpdateRow(claimed, advanceChanges(advance), {
        logs: advance.log ? [formatLogEntry(advance.log.level, advance.log.text)] : [],
      }),
    ],
    missingRowError: () => new JobStop('lost'),
  },
];
