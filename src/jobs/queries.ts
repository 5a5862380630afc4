import type { WriteStatementRow } from '../graph/group-commit.ts';
import { statement } from '../graph/statement.ts';

type JobRows = { readonly rows: readonly WriteStatementRow[] };
type JobNode = { readonly [name: string]: unknown };
type JobUpdateRow = { readonly at: number; readonly cancelRequested: boolean };

const WRITE_SHAPE = { params: ['rows'], row: ['at'] } as const;
const UPDATE_SHAPE = { params: ['rows'], row: ['at', 'cancelRequested'] } as const;

export const createJobs = statement<JobRows, { at: number }>('jobs/create_jobs', WRITE_SHAPE);
export const cancelJobs = statement<JobRows, { at: number }>('jobs/update_cancel_request', WRITE_SHAPE);
export const updateJobs = statement<JobRows, JobUpdateRow>('jobs/update_jobs', UPDATE_SHAPE);
export const renewJobs = statement<JobRows, JobUpdateRow>('jobs/update_leases', UPDATE_SHAPE);

export const readJobs = statement<JobRows, { at: number; node: JobNode }>('jobs/read_jobs', {
  params: ['rows'],
  row: ['at', 'node'],
});
export const claimJob = statement<JobRows, { node: JobNode; found: string }>('jobs/claim_job', {
  params: ['rows'],
  row: ['node', 'found'],
});
export const readClaimableJob = statement<{ operations: readonly string[] }, { jobId: string }>(
  'jobs/read_claimable_job',
  {
    params: ['operations'],
    row: ['jobId'],
  },
);
export const listOwnJobs = statement<{ createdBy: string; edge: string; limit: number }, { node: JobNode }>(
  'jobs/list_own_jobs',
  {
    params: ['createdBy', 'edge', 'limit'],
    row: ['node'],
  },
);
export const listJobsOfOperation = statement<{ operation: string; limit: number }, { node: Record<string, unknown> }>(
  'jobs/list_jobs_of_operation',
  {
    params: ['operation', 'limit'],
    row: ['node'],
  },
);
export const countOwnJobs = statement<{ createdBy: string }, { total: number }>('jobs/count_own_jobs', {
  params: ['createdBy'],
  row: ['total'],
});
export const countOpenJobs = statement<{ createdBy: string }, { total: number; own: number }>('jobs/count_open_jobs', {
  params: ['createdBy'],
  row: ['total', 'own'],
});

type PieceRange = { readonly jobId: string; readonly edge: string; readonly end: string; readonly limit: number };
const PIECE_RANGE_PARAMS = ['jobId', 'edge', 'end', 'limit'] as const;

export const createJobPieces = statement<JobRows, { at: number }>('jobs/create_pieces', WRITE_SHAPE);
export const listJobPieces = statement<PieceRange, { place: string; text: string }>('jobs/list_pieces', {
  params: PIECE_RANGE_PARAMS,
  row: ['place', 'text'],
});
export const deleteJobPieces = statement<PieceRange, { removed: number }>('jobs/delete_pieces', {
  params: PIECE_RANGE_PARAMS,
  row: ['removed'],
});

export const listExpiredJobs = statement<{ ageMs: number; limit: number }, { jobId: string }>(
  'jobs/list_expired_jobs',
  {
    params: ['ageMs', 'limit'],
    row: ['jobId'],
  },
);
export const deleteJob = statement<{ jobId: string }, { jobId: string }>('jobs/delete_job', {
  params: ['jobId'],
  row: ['jobId'],
});
export const listStaleJobResults = statement<{ kept: number; ageMs: number; limit: number }, { jobId: string }>(
  'jobs/list_stale_results',
  { params: ['kept', 'ageMs', 'limit'], row: ['jobId'] },
);
export const expireJobResult = statement<{ jobId: string }, { jobId: string }>('jobs/update_result_expired', {
  params: ['jobId'],
  row: ['jobId'],
});
export const deleteOrphanedPieces = statement<{ ageMs: number; limit: number }, { removed: number }>(
  'jobs/delete_orphaned_pieces',
  { params: ['ageMs', 'limit'], row: ['removed'] },
);
