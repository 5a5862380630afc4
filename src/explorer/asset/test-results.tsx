import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { testOutcome } from '../parts/outcome.ts';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { ResultStrip } from './result-strip.tsx';

/** How a test went over time. */

export const useTestResults = (fqn: string) =>
  useQuery({
    queryKey: ['results of', fqn],
    queryFn: ({ signal }) =>
      ask<Schemas['TestCaseResultList']>(`/v1/dataQuality/testCases/testCaseResults/${encodeURIComponent(fqn)}`, {
        signal,
      }),
  });

type HistoryProps = { readonly results: Schemas['TestCaseResultList']['data']; readonly name: string };

export const TestHistory = ({ results, name }: HistoryProps) => (
  <ResultStrip
    label={`Results of ${name}`}
    outcomeOf={testOutcome}
    results={results.map(({ timestamp, testCaseStatus, result }) => ({
      at: timestamp,
      status: testCaseStatus,
      text: result,
    }))}
  />
);

export const TestResults = ({ fqn, name }: { readonly fqn: string; readonly name: string }) => {
  const { data, error, refetch } = useTestResults(fqn);
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the results" />;
  if (data.data.length === 0) return <Nothing>It has no results yet.</Nothing>;
  return <TestHistory results={data.data} name={name} />;
};
