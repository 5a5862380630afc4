import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { assetAddress, searchAddress, trailAddress } from '../addresses.ts';
import { describeFailure } from '../api/failure.ts';
import { columnOf, type Hit, reasonOf } from '../api/hit.ts';
import { hasLineage } from '../api/kinds.ts';
import { search } from '../api/search.ts';
import { ColumnSuggestion, HitSuggestion } from '../parts/hit-suggestion.tsx';
import { SuggestBox } from '../parts/suggest-box.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { TYPED_SEARCH } from './typed-search.ts';

/** Nobody types faster than this; a question per letter would only be thrown away. */
const PAUSE_MS = 150;
const SUGGESTIONS = 8;

type FoundColumn = { readonly fqn: string; readonly text: string };
type Suggestion = { readonly hit: Hit; readonly column?: FoundColumn; readonly isToldNext?: boolean };

/** A hit, and after it the column that was found in it where that has lineage. */
const suggestionsOf = (hit: Hit): readonly Suggestion[] => {
  const reason = hasLineage(hit.type) ? reasonOf(hit) : undefined;
  const fqn = reason && columnOf(hit, reason);
  return reason && fqn !== undefined
    ? [
        { hit, isToldNext: true },
        { hit, column: { fqn, text: reason.text } },
      ]
    : [{ hit }];
};

const addressOf = ({ hit: { type, fqn }, column }: Suggestion): string =>
  column ? trailAddress(type, fqn, column.fqn) : assetAddress(type, fqn);

/** The search box of the bar and of the start: hits while typing, the search page on Enter. */
export const Finder = () => {
  const [, go] = useLocation();
  const [text, setText] = useState('');
  const settled = useSettled(text.trim(), PAUSE_MS);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['suggestions', settled],
    queryFn: ({ signal }) => search({ text: settled, size: SUGGESTIONS }, signal),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  const isAnswered = text.trim() === settled && settled !== '';
  const note = error ? describeFailure(error) : data && !isPlaceholderData && 'Nothing is found.';
  return (
    <search className="finder">
      <SuggestBox
        label="Search the catalog"
        placeholder="Search tables, columns, people …"
        text={text}
        onText={setText}
        items={text.trim() === '' || settled === '' ? [] : (data?.hits ?? []).flatMap(suggestionsOf)}
        note={(isAnswered && note) || undefined}
        keyOf={addressOf}
        row={({ hit, column, isToldNext = false }) =>
          column ? (
            <ColumnSuggestion hit={hit} text={column.text} />
          ) : (
            <HitSuggestion hit={hit} typed={settled} isToldNext={isToldNext} />
          )
        }
        onPick={(suggestion) => {
          setText('');
          go(addressOf(suggestion));
        }}
        onEnter={(typed) => go(searchAddress(typed), { state: TYPED_SEARCH })}
        isSearchBox
      />
    </search>
  );
};
