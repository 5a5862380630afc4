import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { askContractResults, runContract } from '../api/contracts.ts';
import type { Schemas } from '../api/types.ts';
import { ContractOutcome } from '../parts/outcome-chip.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { describeResult } from './describe-result.ts';

/** How the asset has kept its contract: the latest result by clause, and those before it. */

type Result = Schemas['DataContractResult'];

const FIRST_RESULTS = 50;
const MORE_RESULTS = 10_000;

const ClauseResults = ({ result }: { readonly result: Result }) => (
  <dl className="clause-results">
    {describeResult(result).map(({ title, tone, summary, faults }) => (
      <div key={title} className="card">
        <dt className="row">
          {title} <span className={`chip ${tone}`}>{summary}</span>
        </dt>
        <dd>
          {faults.length > 0 && (
            <ul className="problems">
              {faults.map((fault) => (
                <li key={fault}>{fault}</li>
              ))}
            </ul>
          )}
        </dd>
      </div>
    ))}
  </dl>
);

const ResultLine = ({ result }: { readonly result: Result }) => (
  <details className="result">
    <summary>
      <span className="row">
        {new Date(result.timestamp).toLocaleString()}
        <ContractOutcome status={result.contractExecutionStatus} />
        <span className="quiet">{result.result}</span>
      </span>
    </summary>
    <ClauseResults result={result} />
  </details>
);

const ROW_HEIGHT = 48;

const History = ({ results }: { readonly results: readonly Result[] }) => {
  const scroller = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: results.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => results[index]?.id ?? index,
    overscan: 8,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section className="choices" ref={scroller} tabIndex={0} aria-label="Results, the newest first">
      <ol style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => {
          const result = results[index];
          return (
            result && (
              <li
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="choice result-row"
                aria-posinset={index + 1}
                aria-setsize={results.length}
                style={{ transform: `translateY(${start}px)` }}
              >
                <ResultLine result={result} />
              </li>
            )
          );
        })}
      </ol>
    </section>
  );
};

const useResults = (id: string) => {
  const [limit, setLimit] = useState(FIRST_RESULTS);
  const query = useQuery({
    queryKey: ['contract results', id, limit],
    queryFn: ({ signal }) => askContractResults(id, limit, signal),
    placeholderData: keepPreviousData,
  });
  return { ...query, showAll: () => setLimit(MORE_RESULTS) };
};

type ResultsProps = { readonly id: string; readonly assetId: string; readonly mayRun: boolean };

export const ContractResults = ({ id, assetId, mayRun }: ResultsProps) => {
  const queries = useQueryClient();
  const { data, error, refetch, showAll } = useResults(id);
  const run = useMutation({
    mutationFn: () => runContract(id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['contract results', id] });
      await queries.invalidateQueries({ queryKey: ['contract', assetId] });
    },
  });
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the results" />;
  const [latest, ...former] = data.data;
  return (
    <div className="stack">
      {run.error && <Failure failure={run.error} />}
      <div className="row">
        <button type="button" className="button main" disabled={run.isPending || !mayRun} onClick={() => run.mutate()}>
          {run.isPending ? 'Judging the asset …' : 'Judge the asset now'}
        </button>
        {!mayRun && <span className="quiet">You may not judge the asset by this contract.</span>}
      </div>
      {latest === undefined && <Nothing>The asset has not been judged by this contract yet.</Nothing>}
      {latest && (
        <section className="stack" aria-label="Latest result">
          <div className="row">
            <h2>Latest result</h2>
            <ContractOutcome status={latest.contractExecutionStatus} />
            <span className="quiet">{new Date(latest.timestamp).toLocaleString()}</span>
          </div>
          <p>{latest.result}</p>
          <ClauseResults result={latest} />
        </section>
      )}
      {former.length > 0 && (
        <section className="stack" aria-label="Former results">
          <h2>Before</h2>
          <History results={former} />
          {data.data.length < data.paging.total && data.data.length < MORE_RESULTS && (
            <button type="button" className="button" onClick={showAll}>
              Show all {data.paging.total.toLocaleString()}
            </button>
          )}
        </section>
      )}
    </div>
  );
};
