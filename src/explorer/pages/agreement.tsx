import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import {
  AGREEMENT_TITLES,
  type AgreementChoice,
  type AgreementState,
  readAgreementChoice,
  writeAgreementChoice,
} from '../agreement/agreement-choice.ts';
import { AgreementList } from '../agreement/agreement-list.tsx';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { ScopeChooser } from '../health/scope-chooser.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import './agreement.css';

type Agreement = Schemas['LineageAgreement'];

const PAGE = 100;

const useAgreement = ({ scope, state }: AgreementChoice) =>
  useInfiniteQuery({
    queryKey: ['agreement', scope, state],
    queryFn: ({ pageParam, signal }) =>
      ask<Agreement>('/v1/lineage/agreement', { query: { scope, state, limit: PAGE, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.after,
  });

type FilterProps = {
  readonly choice: AgreementChoice;
  readonly summary: Agreement['summary'] | undefined;
  readonly onChange: (part: Partial<AgreementChoice>) => void;
};

const Filters = ({ choice, summary, onChange }: FilterProps) => (
  <section className="agreement-filters" aria-label="Filters">
    <ScopeChooser scope={choice.scope} onScope={(scope) => onChange({ scope })} />
    <label className="field">
      Which
      <select
        value={choice.state ?? ''}
        onChange={({ target }) => onChange({ state: (target.value || undefined) as AgreementState | undefined })}
      >
        <option value="">All edges</option>
        {Object.entries(AGREEMENT_TITLES).map(([state, title]) => (
          <option key={state} value={state}>
            {title}
            {summary ? ` (${summary[state as AgreementState].toLocaleString()})` : ''}
          </option>
        ))}
      </select>
    </label>
  </section>
);

const Count = ({ paging: { total } }: Pick<Agreement, 'paging'>) => (
  <p className="quiet" role="status">
    {total === undefined
      ? 'There is too much lineage to look at all of it: some edges are missing here.'
      : `${total.toLocaleString()} ${total === 1 ? 'edge' : 'edges'}`}
  </p>
);

/** Which lineage is declared and which was observed, to be confirmed or withdrawn. */
export const AgreementPage = () => {
  const [params, setParams] = useSearchParams();
  const choice = readAgreementChoice(params);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useAgreement(choice);
  const change = (part: Partial<AgreementChoice>) =>
    setParams((former) => writeAgreementChoice({ ...readAgreementChoice(former), ...part }), { replace: true });
  const [first] = data?.pages ?? [];
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <div className="page stack">
      <div>
        <h1>Declared and observed</h1>
        <p className="quiet">Which lineage somebody declared, which was seen to run, and how sure both are.</p>
      </div>
      <Filters choice={choice} summary={first?.summary} onChange={change} />
      {error && <Failure failure={error} again={refetch} />}
      {!first && !error && <Waiting what="the edges" />}
      {first && <Count paging={first.paging} />}
      {first && rows.length === 0 && <Nothing>No edge fits.</Nothing>}
      {rows.length > 0 && <AgreementList rows={rows} />}
      {hasNextPage && (
        <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Further edges
        </button>
      )}
    </div>
  );
};
