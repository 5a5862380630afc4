import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { LONGEST_NAME, MOST_SEARCHES } from './saved-searches.ts';
import { type SaveOutcome, useSavedSearches } from './use-saved-searches.ts';

const SAID: Readonly<Record<SaveOutcome, string>> = {
  saved: 'Saved in this browser.',
  tooMany: `There are ${MOST_SEARCHES} saved searches already. Delete one first.`,
  noStorage: 'This browser stores nothing for this page.',
};

type SaveFormProps = { readonly isReady: boolean; readonly onSave: (name: string) => SaveOutcome };

const SaveForm = ({ isReady, onSave }: SaveFormProps) => {
  const [name, setName] = useState('');
  const [outcome, setOutcome] = useState<SaveOutcome>();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    const became = onSave(name);
    setOutcome(became);
    if (became === 'saved') setName('');
  };
  return (
    <form className="save-search" onSubmit={onSubmit}>
      <input
        aria-label="Name of this search"
        placeholder="Name this search"
        maxLength={LONGEST_NAME}
        value={name}
        onChange={({ target }) => setName(target.value)}
        required
      />
      <button type="submit" className="button" disabled={!isReady}>
        Save
      </button>
      <p role="status" className="quiet">
        {outcome && SAID[outcome]}
      </p>
    </form>
  );
};

/** Searches kept in this browser: saved under a name, opened and deleted. */
export const SavedSearchesBox = ({ query }: { readonly query: string }) => {
  const { searches, save, remove, isReady } = useSavedSearches();
  return (
    <section className="saved" aria-labelledby="saved-searches">
      <h2 id="saved-searches">Saved searches</h2>
      {searches.length > 0 && (
        <ul className="saved-list">
          {searches.map((one) => (
            <li key={one.name}>
              <Link href={`/search?${one.query}`} aria-current={one.query === query ? 'page' : undefined}>
                {one.name}
              </Link>
              <button
                type="button"
                className="link-button"
                aria-label={`Delete the search ${one.name}`}
                onClick={() => remove(one.name)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {query !== '' && <SaveForm key={query} isReady={isReady} onSave={(name) => save({ name, query })} />}
      {query === '' && searches.length === 0 && (
        <p className="quiet">Search for something, and keep it here by name.</p>
      )}
    </section>
  );
};
