import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { InheritedList } from './inherited-list.tsx';
import {
  describeOutcome,
  INHERITED_STATES,
  type InheritanceState,
  type InheritedLabels as Inherited,
  isInheritanceState,
  STATE_MEANINGS,
  STATE_TITLES,
} from './inherited-rows.ts';
import './inherited.css';

const PAGE = 100;

/** One request labels no more columns than this. */
const MOST_AT_ONCE = 5000;

const nameAction = (chosen: number, shown: number | undefined, missing: number): string => {
  if (chosen > 0) return `Label ${chosen.toLocaleString()} chosen`;
  return shown === undefined ? `Label all ${missing.toLocaleString()}` : `Label the ${shown.toLocaleString()} shown`;
};

const useInherited = (tag: string, state: InheritanceState) =>
  useInfiniteQuery({
    queryKey: ['inherited labels', tag, state],
    queryFn: ({ pageParam, signal }) =>
      ask<Inherited>('/v1/lineage/propagation', { query: { tag, state, limit: PAGE, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.after,
  });

/** Labels the named columns, or all that lack the tag. */
const useLabelling = (tag: string, onDone: () => void) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (columns: readonly string[] | undefined) =>
      ask<Schemas['BulkResult']>('/v1/lineage/propagation/apply', { method: 'POST', json: { tag, columns } }),
    onSuccess: async () => {
      onDone();
      for (const part of ['inherited labels', 'columns with', 'asset'])
        await queries.invalidateQueries({ queryKey: [part] });
    },
  });
};

type StateLinksProps = {
  readonly state: InheritanceState;
  readonly summary: Inherited['summary'] | undefined;
  readonly onState: (state: InheritanceState) => void;
};

const StateChoice = ({ state, summary, onState }: StateLinksProps) => (
  <fieldset className="inherited-states">
    <legend className="visually-hidden">Which columns</legend>
    {INHERITED_STATES.map((one) => (
      <button key={one} type="button" className="button" aria-pressed={one === state} onClick={() => onState(one)}>
        {STATE_TITLES[one]}
        {summary && ` · ${summary[one].toLocaleString()}`}
      </button>
    ))}
  </fieldset>
);

const Outcome = ({ result }: { readonly result: Schemas['BulkResult'] }) => {
  const { numberOfRowsPassed = 0, numberOfRowsFailed = 0, failedRequest = [] } = result;
  return (
    <div className={numberOfRowsFailed > 0 ? 'notice bad' : 'notice'} role="status">
      <p>{describeOutcome(numberOfRowsPassed, numberOfRowsFailed)}</p>
      {failedRequest[0] && <p>{failedRequest[0].message}</p>}
    </div>
  );
};

/** The columns that are made from those with a tag, and whether they have it; what they lack can be given to them here. */
export const InheritedPart = ({ tag }: { readonly tag: string }) => {
  const [params, setParams] = useSearchParams();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const wanted = params.get('state');
  const state = isInheritanceState(wanted) ? wanted : 'missing';
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInherited(tag, state);
  const labelling = useLabelling(tag, () => setChosen(new Set()));
  const [first] = data?.pages ?? [];
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  const choose = (fqn: string, isChosen: boolean) =>
    setChosen((former) => new Set(isChosen ? [...former, fqn] : [...former].filter((one) => one !== fqn)));
  const show = (next: InheritanceState) =>
    setParams((former) => new URLSearchParams({ ...Object.fromEntries(former), state: next }), { replace: true });
  const missing = first?.summary.missing ?? 0;
  const isTooMuch = missing > MOST_AT_ONCE;
  const named =
    chosen.size > 0 ? [...chosen] : isTooMuch ? rows.map(({ column }) => column.fullyQualifiedName) : undefined;
  return (
    <section className="card stack" aria-label="Along lineage">
      <h2>Along lineage</h2>
      <StateChoice state={state} summary={first?.summary} onState={show} />
      <p className="quiet">{STATE_MEANINGS[state]}</p>
      {error && <Failure failure={error} again={refetch} />}
      {!first && !error && <Waiting what="the columns" />}
      {first?.paging.truncated && (
        <p className="notice">There is too much lineage to look at all of it: these are not all columns.</p>
      )}
      {labelling.data && <Outcome result={labelling.data} />}
      {labelling.error && <Failure failure={labelling.error} />}
      {state === 'missing' && missing > 0 && (
        <div className="inherited-actions">
          <button
            type="button"
            className="button main"
            disabled={labelling.isPending}
            onClick={() => labelling.mutate(named)}
          >
            {nameAction(chosen.size, isTooMuch ? rows.length : undefined, missing)}
          </button>
          <span className="quiet">The labels go by themselves when the lineage no longer leads to them.</span>
        </div>
      )}
      {first && rows.length === 0 && <Nothing>There are none.</Nothing>}
      <InheritedList rows={rows} choosing={state === 'missing' ? { chosen, onChoose: choose } : undefined} />
      {hasNextPage && (
        <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          More columns
        </button>
      )}
    </section>
  );
};
