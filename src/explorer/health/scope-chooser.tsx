import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { search } from '../api/search.ts';
import { SuggestionRow } from '../parts/hit-suggestion.tsx';
import { SuggestBox } from '../parts/suggest-box.tsx';
import { useSettled } from '../parts/use-settled.ts';
import './scope-chooser.css';

/** What has descendants whose lineage can be checked together. */
const SCOPE_KINDS = [
  ...['databaseService', 'messagingService', 'dashboardService', 'pipelineService', 'mlmodelService'],
  ...['storageService', 'searchService', 'apiService', 'database', 'databaseSchema', 'domain'],
];
const PAUSE_MS = 150;
const MOST = 30;

type ScopeChooserProps = {
  readonly scope: string | undefined;
  readonly onScope: (scope: string | undefined) => void;
};

const useScopes = (text: string) =>
  useQuery({
    queryKey: ['scopes', text],
    queryFn: ({ signal }) =>
      search(
        { text, size: MOST, chosen: { entityType: SCOPE_KINDS }, sort: text === '' ? 'name' : 'relevance' },
        signal,
      ),
    placeholderData: keepPreviousData,
  });

/** Chooses the service, database, schema or domain that a page is about; without one it is the whole catalog. */
export const ScopeChooser = ({ scope, onScope }: ScopeChooserProps) => {
  const [text, setText] = useState(scope ?? '');
  useEffect(() => setText(scope ?? ''), [scope]);
  const settled = useSettled(text === scope ? '' : text.trim(), PAUSE_MS);
  const { data } = useScopes(settled);
  return (
    <div className="scope">
      <div className="field scope-field">
        <span>In</span>
        <SuggestBox
          label="Part of the catalog"
          placeholder="The whole catalog"
          text={text}
          onText={setText}
          items={data?.hits ?? []}
          keyOf={({ id }) => id}
          row={(hit) => <SuggestionRow hit={hit} typed={settled} />}
          onPick={({ fqn }) => {
            setText(fqn);
            onScope(fqn);
          }}
          onEnter={(typed) => onScope(typed.trim() || undefined)}
        />
      </div>
      {scope !== undefined && (
        <button type="button" className="button" onClick={() => onScope(undefined)}>
          Whole catalog
        </button>
      )}
    </div>
  );
};
