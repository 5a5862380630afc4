import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import type { JsonObject } from '../model/json.ts';
import type { Job, JobEnd, JobLogLevel } from './job.ts';
import { createPieceRow, type JobTextPart } from './job-pieces.ts';
import { createJobPieces, updateJobs } from './queries.ts';

/** Why a job goes no further here: it was cancelled, this process stops, or another process does it now. */
export type StopReason = 'cancelled' | 'handedBack' | 'lost';

/** Thrown out of an operation to end it. Not an error: operations let it pass. */
export class JobStop extends Error {
  override readonly name = 'JobStop';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`the job was stopped: ${reason}`);
    this.reason = reason;
  }
}

/** What an operation saves as it gets on. Everything of one call is saved together or not at all. */
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

/** A job in the hands of an operation. */
export type JobWork = {
  readonly job: Job;
  /** Whether somebody had begun before: then `job.state` says how far they came. */
  readonly isResumed: boolean;
  /** Called between rows; throws when the job should go no further. */
  check(): void;
  /** The same for what must be finished although it was cancelled: only a stopping process or a lost lease ends it. */
  checkCommitted(): void;
  /** Saves how far the work has come. */
  save(advance: JobAdvance): Promise<void>;
  /** The same as steps of a write of the operation's own, so that work and progress are committed together. */
  saveSteps(advance: JobAdvance): WriteStep[];
  /** The pieces of the input from a position on. */
  input(from?: number): AsyncIterable<string>;
};

/** How an operation ends well. */
export type OperationOutcome = {
  readonly message?: string;
  readonly resultType?: string;
  /** The digest of the rights by which the result was made. */
  readonly rights?: string;
  /** How many rows were refused because the creator of the job may not change what they are about. */
  readonly refusedRows?: number;
};

/**
 * What becomes of a job whose process died: `resume` runs the operation again with what it had saved, `restart` runs it
 * from the beginning, and `fail` ends it, because what was done cannot be told from what was not.
 */
export type RestartPolicy = 'resume' | 'restart' | 'fail';

export type JobOperation = {
  readonly restart: RestartPolicy;
  readonly run: (work: JobWork) => Promise<OperationOutcome>;
  /** The result is kept for a day, and only the newest of each person; otherwise it is kept as long as the job. */
  readonly shortLivedResult?: boolean;
};

/** What each operation does, by the name its jobs carry. */
export type JobOperations = Readonly<Record<string, JobOperation>>;

/** After the progress of everything else in the transaction. */
const ADVANCE_STEP_ORDER = 90;

const advanceChanges = (advance: JobAdvance): Record<string, unknown> => ({
  // Whoever gets on has not failed over and over.
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

/** The row of `jobs/update_jobs` by which the holder of a claim changes its job. */
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

/** The steps that save an advance, in the holder's own transaction; it fails as a whole when the claim is lost. */
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
