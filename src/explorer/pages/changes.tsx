import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { ChangeList } from '../changes/change-list.tsx';
import {
  CHANGE_DAYS,
  CHANGE_KIND_TITLES,
  type ChangeKind,
  type ChangesChoice,
  changedSince,
  readChangesChoice,
  writeChangesChoice,
} from '../changes/changes-choice.ts';
import { ScopeChooser } from '../health/scope-chooser.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import './changes.css';

type Changes = Schemas['CatalogChanges'];

const PAGE = 100;

const useChanges = ({ scope, kind, days, onlyBreaking }: ChangesChoice) =>
  useInfiniteQuery({
    queryKey: ['changes', scope, kind, days, onlyBreaking],
    queryFn: ({ pageParam, signal }) =>
      ask<Changes>('/v1/changes', {
        query: {
          scope,
          kinds: kind,
          breaking: onlyBreaking ? 'true' : undefined,
          from: changedSince(days, Date.now()),
          sort: 'time',
          limit: PAGE,
          after: pageParam,
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.after,
  });

type FilterProps = {
  readonly choice: ChangesChoice;
  readonly summary: Changes['summary'] | undefined;
  readonly onChange: (part: Partial<ChangesChoice>) => void;
};

const Filters = ({ choice, summary, onChange }: FilterProps) => (
  <section className="changes-filters" aria-label="Filters">
    <ScopeChooser scope={choice.scope} onScope={(scope) => onChange({ scope })} />
    <label className="field">
      What
      <select
        value={choice.kind ?? ''}
        onChange={({ target }) => onChange({ kind: (target.value || undefined) as ChangeKind | undefined })}
      >
        <option value="">Everything</option>
        {Object.entries(CHANGE_KIND_TITLES).map(([kind, title]) => (
          <option key={kind} value={kind}>
            {title}
            {summary ? ` (${summary.byKind[kind as ChangeKind].toLocaleString()})` : ''}
          </option>
        ))}
      </select>
    </label>
    <label className="field">
      Since
      <select value={choice.days} onChange={({ target }) => onChange({ days: Number(target.value) })}>
        {CHANGE_DAYS.map((days) => (
          <option key={days} value={days}>
            {days === 1 ? 'a day ago' : `${days} days ago`}
          </option>
        ))}
      </select>
    </label>
    <label className="check">
      <input
        type="checkbox"
        checked={choice.onlyBreaking}
        onChange={({ target }) => onChange({ onlyBreaking: target.checked })}
      />{' '}
      Only what breaks{summary ? ` (${summary.breaking.toLocaleString()})` : ''}
    </label>
  </section>
);

const Count = ({ paging: { total } }: Pick<Changes, 'paging'>) => (
  <p className="quiet" role="status">
    {total === undefined
      ? 'There is too much to list: only the newest changes are looked at. Choose a shorter time or a smaller part.'
      : `${total.toLocaleString()} ${total === 1 ? 'change' : 'changes'}`}
  </p>
);

/** What changed in the catalog or a part of it, by day. */
export const ChangesPage = () => {
  const [params, setParams] = useSearchParams();
  const choice = readChangesChoice(params);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useChanges(choice);
  const change = (part: Partial<ChangesChoice>) =>
    setParams((former) => writeChangesChoice({ ...readChangesChoice(former), ...part }), { replace: true });
  const [first] = data?.pages ?? [];
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <div className="page stack">
      <div>
        <h1>Changes</h1>
        <p className="quiet">What changed, who did it, and what of it may break something.</p>
      </div>
      <Filters choice={choice} summary={first?.summary} onChange={change} />
      {error && <Failure failure={error} again={refetch} />}
      {!first && !error && <Waiting what="the changes" />}
      {first && <Count paging={first.paging} />}
      {first && rows.length === 0 && <Nothing>Nothing changed in this time that fits.</Nothing>}
      <ChangeList rows={rows} />
      {hasNextPage && (
        <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Older changes
        </button>
      )}
    </div>
  );
};
