import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { runOutcome } from '../parts/outcome.ts';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { ResultStrip } from './result-strip.tsx';

type Run = Schemas['PipelineStatus'];

const describeRun = ({ taskStatus = [], error }: Run): string => {
  const failed = taskStatus.filter(({ executionStatus }) => executionStatus === 'Failed').map(({ name }) => name);
  const message = error?.errorMessage ?? '';
  return [failed.length > 0 ? `failed: ${failed.join(', ')}` : '', message].filter((text) => text !== '').join('. ');
};

/** How the runs of a pipeline went. */
export const PipelineRuns = ({ fqn }: { readonly fqn: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['runs of', fqn],
    queryFn: ({ signal }) =>
      ask<Schemas['PipelineStatusList']>(`/v1/pipelines/${encodeURIComponent(fqn)}/status`, {
        query: { limit: 60 },
        signal,
      }),
  });
  return (
    <section className="card stack" aria-label="Runs">
      <h2>Runs</h2>
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the runs" />}
      {data?.data.length === 0 && <Nothing>No run was reported.</Nothing>}
      {data && (
        <ResultStrip
          label="Runs of the pipeline"
          outcomeOf={runOutcome}
          results={data.data.map((run) => ({
            at: run.timestamp,
            status: run.executionStatus,
            text: describeRun(run),
          }))}
        />
      )}
    </section>
  );
};
