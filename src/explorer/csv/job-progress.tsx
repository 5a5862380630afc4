import { useMutation, useQueryClient } from '@tanstack/react-query';
import { cancelJob } from '../api/csv.ts';
import { describeFailure } from '../api/failure.ts';
import type { Schemas } from '../api/types.ts';

/** How far a job is, with a way to stop it. Only what ends otherwise than well stays when it is over. */
export const JobProgress = ({ job, what }: { readonly job: Schemas['Job']; readonly what: string }) => {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => cancelJob(job.jobId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['job', job.jobId] }),
  });
  if (job.status === 'COMPLETED') return null;
  if (job.status === 'FAILED')
    return (
      <p className="notice bad" role="alert">
        {what} failed: {job.error || job.message || 'the service gives no reason'}
      </p>
    );
  if (job.status === 'CANCELLED')
    return (
      <p className="notice" role="status">
        {what} was stopped after {job.progress.toLocaleString()} rows. What was applied before stays.
      </p>
    );
  return (
    <div className="job-progress" role="status">
      <label>
        {what}: {job.status === 'QUEUED' ? 'waits for its turn' : `${job.progress.toLocaleString()} rows`}
        {job.total ? ` of ${job.total.toLocaleString()}` : ''}
        <progress max={job.total || 1} {...(job.total ? { value: job.progress } : {})} />
      </label>
      <button type="button" className="button" disabled={isPending || job.cancelRequested} onClick={() => mutate()}>
        {job.cancelRequested ? 'Stopping …' : 'Stop'}
      </button>
      {error && (
        <span className="chip bad" role="alert">
          {describeFailure(error)}
        </span>
      )}
    </div>
  );
};
