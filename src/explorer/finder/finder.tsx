import { useState } from 'react';
import { useLocation } from 'wouter';
import { searchAddress } from '../addresses.ts';
import { SuggestionRow } from '../parts/hit-suggestion.tsx';
import { SuggestBox } from '../parts/suggest-box.tsx';
import { suggestionAddress } from '../parts/suggestions.ts';
import { TYPED_SEARCH } from './typed-search.ts';
import { useSuggestions } from './use-suggestions.ts';

/** The search box of the bar and of the start: hits while typing, the search page on Enter. */
export const Finder = () => {
  const [, go] = useLocation();
  const [text, setText] = useState('');
  const { suggestions, typed, note } = useSuggestions(text);
  return (
    <search className="finder">
      <SuggestBox
        label="Search the catalog"
        placeholder="Search tables, columns, people …"
        text={text}
        onText={setText}
        items={suggestions}
        note={note}
        keyOf={suggestionAddress}
        row={(suggestion) => <SuggestionRow {...suggestion} typed={typed} />}
        onPick={(suggestion) => {
          setText('');
          go(suggestionAddress(suggestion));
        }}
        onEnter={(entered) => go(searchAddress(entered), { state: TYPED_SEARCH })}
        isSearchBox
      />
    </search>
  );
};
