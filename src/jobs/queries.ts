import type { WriteRow } from '../graph/commit.ts';
import { statement } from '../graph/statement.ts';

type Rows = { readonly rows: readonly WriteRow[] };
type Node = { readonly [name: string]: unknown };
type Told = { readonly at: number; readonly cancelRequested: boolean };

const written = { params: ['rows'], row: ['at'] } as const;
const told = { params: ['rows'], row: ['at', 'cancelRequested'] } as const;

export const createJobs = statement<Rows, { at: number }>('job/create', written);
export const cancelJobs = statement<Rows, { at: number }>('job/cancel', written);
export const updateJobs = statement<Rows, Told>('job/update', told);
export const renewJobs = statement<Rows, Told>('job/renew', told);

export const readJobs = statement<Rows, { at: number; node: Node }>('job/read', {
  params: ['rows'],
  row: ['at', 'node'],
});
export const claimJob = statement<Rows, { node: Node; found: string }>('job/claim', {
  params: ['rows'],
  row: ['node', 'found'],
});
export const readClaimable = statement<{ operations: readonly string[] }, { jobId: string }>('job/read_claimable', {
  params: ['operations'],
  row: ['jobId'],
});
export const listOwn = statement<{ createdBy: string; edge: string; limit: number }, { node: Node }>('job/list_own', {
  params: ['createdBy', 'edge', 'limit'],
  row: ['node'],
});
export const listOf = statement<{ operation: string; limit: number }, { node: Record<string, unknown> }>(
  'job/list_of',
  {
    params: ['operation', 'limit'],
    row: ['node'],
  },
);
export const countOwn = statement<{ createdBy: string }, { total: number }>('job/count_own', {
  params: ['createdBy'],
  row: ['total'],
});
export const countOpen = statement<{ createdBy: string }, { total: number; own: number }>('job/count_open', {
  params: ['createdBy'],
  row: ['total', 'own'],
});

type Span = { readonly jobId: string; readonly edge: string; readonly end: string; readonly limit: number };
const span = ['jobId', 'edge', 'end', 'limit'] as const;

export const createPieces = statement<Rows, { at: number }>('job/create_piece', written);
export const listPieces = statement<Span, { place: string; text: string }>('job/list_piece', {
  params: span,
  row: ['place', 'text'],
});
export const deletePieces = statement<Span, { removed: number }>('job/delete_piece', {
  params: span,
  row: ['removed'],
});

export const listForgotten = statement<{ ageMs: number; limit: number }, { jobId: string }>('job/list_forgotten', {
  params: ['ageMs', 'limit'],
  row: ['jobId'],
});
export const deleteJob = statement<{ jobId: string }, { jobId: string }>('job/delete', {
  params: ['jobId'],
  row: ['jobId'],
});
export const listStaleResults = statement<{ kept: number; ageMs: number; limit: number }, { jobId: string }>(
  'job/list_stale_result',
  { params: ['kept', 'ageMs', 'limit'], row: ['jobId'] },
);
export const expireResult = statement<{ jobId: string }, { jobId: string }>('job/update_expired', {
  params: ['jobId'],
  row: ['jobId'],
});
export const deleteStrayPieces = statement<{ ageMs: number; limit: number }, { removed: number }>(
  'job/delete_stray_piece',
  { params: ['ageMs', 'limit'], row: ['removed'] },
);
