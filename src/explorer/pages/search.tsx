import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { FACET_NAMES } from '../api/facets.ts';
import { ApiFailure } from '../api/failure.ts';
import { type Found, search } from '../api/search.ts';
import { SORTS, type SortName } from '../api/sorts.ts';
import { Failure, Waiting } from '../parts/states.tsx';
import { listChosen, plainWords, type SearchChoice, toggleValue, writeSearchChoice } from '../search/choice.ts';
import { ChosenChips } from '../search/chosen-chips.tsx';
import { FacetBox } from '../search/facet-box.tsx';
import { focusHit, HitList } from '../search/hit-list.tsx';
import { NothingFound } from '../search/nothing-found.tsx';
import { SavedSearchesBox } from '../search/saved-searches-box.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { useSearchChoice } from '../search/use-search-choice.ts';
import './search.css';
import '../finder/finder.css';

const PAGE = 30;
/** The search answers no hits beyond this position. */
const LAST_POSITION = 10_000;

const SORT_TITLES: Readonly<Record<SortName, string>> = {
  relevance: 'Best first',
  name: 'By name',
  changed: 'Changed last',
  used: 'Most used',
  tier: 'By tier',
};

const useHits = ({ text, chosen, sort }: SearchChoice) =>
  useInfiniteQuery({
    queryKey: ['search', text, chosen, sort],
    queryFn: ({ pageParam, signal }) => search({ text, chosen, sort, from: pageParam, size: PAGE }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const next = pages.length * PAGE;
      return next < last.total && next + PAGE <= LAST_POSITION ? next : undefined;
    },
    placeholderData: keepPreviousData,
  });

type ChoiceProps = { readonly choice: SearchChoice; readonly onChange: (next: SearchChoice) => void };

const SidePanel = ({ choice, onChange }: ChoiceProps) => {
  const [isOpen, setOpen] = useState(false);
  const count = listChosen(choice.chosen).length;
  return (
    <aside className="search-side" aria-label="Filters and saved searches">
      <button type="button" className="button side-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters and saved searches{count > 0 && ` · ${count}`}
      </button>
      <div className={isOpen ? 'side-parts open' : 'side-parts'}>
        {FACET_NAMES.map((name) => (
          <FacetBox
            key={name}
            name={name}
            text={choice.text}
            chosen={choice.chosen}
            onToggle={(value) => onChange(toggleValue(choice, name, value))}
          />
        ))}
        <SavedSearchesBox query={writeSearchChoice(choice).toString()} />
      </div>
    </aside>
  );
};

const SortChoice = ({ choice, onChange }: ChoiceProps) => (
  <label className="sort">
    <span className="visually-hidden">Order</span>
    <select
      className="button"
      value={choice.sort}
      onChange={({ target }) => onChange({ ...choice, sort: target.value as SortName })}
    >
      {(Object.keys(SORTS) as SortName[]).map((sort) => (
        <option key={sort} value={sort}>
          {SORT_TITLES[sort]}
        </option>
      ))}
    </select>
  </label>
);

const Count = ({ found: { total, isLowerBound, hasTimedOut } }: { readonly found: Found }) => (
  <p className="quiet" role="status">
    {isLowerBound ? 'More than ' : ''}
    {total.toLocaleString()} {total === 1 ? 'hit' : 'hits'}
    {hasTimedOut && '; the search ended before it had seen all of them'}
  </p>
);

/** A query that cannot be read, such as one whose quote is not closed yet, can still be searched for as words. */
const SearchFailure = ({ failure, choice, onChange, again }: ChoiceProps & FailureProps) => {
  const plain = plainWords(choice.text);
  const isUnreadable = failure instanceof ApiFailure && failure.status === 400;
  if (!isUnreadable) return <Failure failure={failure} again={again} />;
  return (
    <div className="notice stack" role="status">
      <p>This query cannot be read yet: {failure.message.replace(/^\[q: (.*)\]$/, '$1')}.</p>
      {plain !== '' && (
        <p>
          <button type="button" className="button" onClick={() => onChange({ ...choice, text: plain })}>
            Search for «{plain}» as plain words
          </button>
        </p>
      )}
    </div>
  );
};
type FailureProps = { readonly failure: unknown; readonly again: () => void };

const Hits = ({
  choice,
  onChange,
  list,
}: ChoiceProps & { readonly list: React.RefObject<HTMLUListElement | null> }) => {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage, isPlaceholderData } = useHits(choice);
  const first = data?.pages[0];
  const hits = data?.pages.flatMap((page) => page.hits) ?? [];
  if (error && !isPlaceholderData)
    return <SearchFailure failure={error} again={refetch} choice={choice} onChange={onChange} />;
  if (!first) return <Waiting what="the hits" />;
  if (hits.length === 0 && !isPlaceholderData) return <NothingFound choice={choice} onChange={onChange} />;
  const end = () => {
    if (hasNextPage && !isFetchingNextPage && !isPlaceholderData) fetchNextPage();
  };
  return (
    <>
      <div className="hits-head">
        <Count found={first} />
        <SortChoice choice={choice} onChange={onChange} />
      </div>
      <div className={isPlaceholderData ? 'stale' : undefined}>
        <HitList hits={hits} total={first.total} onNearEnd={end} list={list} />
      </div>
      {isFetchingNextPage && <Waiting what="further hits" />}
      {!hasNextPage && first.total > hits.length && (
        <p className="notice">These are the first {hits.length.toLocaleString()} hits. Filters lead to the others.</p>
      )}
    </>
  );
};

export const SearchPage = () => {
  const { choice, change } = useSearchChoice();
  const list = useRef<HTMLUListElement>(null);
  const heading = choice.text.trim() === '' ? 'Everything in the catalog' : `Search for «${choice.text.trim()}»`;
  return (
    <div className="page search-page">
      <h1 className="visually-hidden">{heading}</h1>
      <div className="search-top">
        <SearchBox
          text={choice.text}
          onText={(text) => change({ ...choice, text }, { replace: true })}
          onDown={() => focusHit(list.current, 0)}
        />
        <ChosenChips choice={choice} onChange={change} />
      </div>
      <SidePanel choice={choice} onChange={change} />
      <section className="stack" aria-label="Hits">
        <Hits choice={choice} onChange={change} list={list} />
      </section>
    </div>
  );
};
