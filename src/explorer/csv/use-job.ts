import { useQuery } from '@tanstack/react-query';
import { readJobResult, readJobText } from '../api/csv.ts';
import type { Schemas } from '../api/types.ts';
import { readJobState, readOutcome } from './read-rows.ts';

/** The state of a job while it runs, and what an import answered. */

const POLL_MS = 700;

const OVER: ReadonlySet<string> = new Set(['CANCELLED', 'COMPLETED', 'FAILED']);

export const isOver = (job: Schemas['Job'] | undefined): boolean => job !== undefined && OVER.has(job.status);

export const useJob = (jobId: string | undefined) =>
  useQuery({
    queryKey: ['job', jobId],
    queryFn: async ({ signal }) => readJobState(await readJobText(jobId ?? '', signal)),
    enabled: jobId !== undefined,
    staleTime: ({ state }) => (isOver(state.data) ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: ({ state }) => (isOver(state.data) || state.error ? false : POLL_MS),
  });

export const useOutcome = (job: Schemas['Job'] | undefined) =>
  useQuery({
    queryKey: ['outcome of', job?.jobId],
    queryFn: async ({ signal }) => readOutcome(await readJobResult(job?.jobId ?? '', signal)),
    enabled: job?.status === 'COMPLETED' && job.operation === 'IMPORT',
    staleTime: Number.POSITIVE_INFINITY,
  });
