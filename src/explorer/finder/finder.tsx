import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { assetAddress, searchAddress } from '../addresses.ts';
import { describeFailure } from '../api/failure.ts';
import { search } from '../api/search.ts';
import { HitSuggestion } from '../parts/hit-suggestion.tsx';
import { SuggestBox } from '../parts/suggest-box.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { TYPED_SEARCH } from './typed-search.ts';

/** Nobody types faster than this; a question per letter would only be thrown away. */
const PAUSE_MS = 150;
const SUGGESTIONS = 8;

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
        items={text.trim() === '' || settled === '' ? [] : (data?.hits ?? [])}
        note={(isAnswered && note) || undefined}
        keyOf={({ id }) => id}
        row={(hit) => <HitSuggestion hit={hit} typed={settled} />}
        onPick={({ type, fqn }) => {
          setText('');
          go(assetAddress(type, fqn));
        }}
        onEnter={(typed) => go(searchAddress(typed), { state: TYPED_SEARCH })}
        isSearchBox
      />
    </search>
  );
};
