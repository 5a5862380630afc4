import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../api/ask.ts';
import { describeFailure } from '../api/failure.ts';
import type { Schemas } from '../api/types.ts';
import type { QueryChoice } from './query-choice.ts';
import { EXAMPLES, parseParameters } from './query-choice.ts';

type SavedQuery = Schemas['SavedQuery'];

const SAVED = '/v1/graph/queries';
const MOST = 1000;

const choiceOf = ({ query, parameters }: SavedQuery): QueryChoice => ({
  query,
  parameters: Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters),
});

type ListProps = { readonly onChoose: (choice: QueryChoice) => void };

/** Queries to begin with: those that somebody has saved, and examples. */
export const SavedList = ({ onChoose }: ListProps) => {
  const { data } = useQuery({
    queryKey: ['saved-queries'],
    queryFn: ({ signal }) => ask<Schemas['SavedQueryList']>(SAVED, { query: { limit: MOST }, signal }),
  });
  const saved = data?.data ?? [];
  const choose = (at: string) => {
    const example = EXAMPLES.find(({ title }) => title === at);
    const found = saved.find(({ name }) => name === at);
    if (example) onChoose({ query: example.query, parameters: '' });
    else if (found) onChoose(choiceOf(found));
  };
  return (
    <label className="field">
      Begin with
      <select value="" onChange={({ target }) => choose(target.value)}>
        <option value="">A query of your own</option>
        {saved.length > 0 && (
          <optgroup label="Saved">
            {saved.map(({ name, description }) => (
              <option key={name} value={name}>
                {description ? `${name}: ${description}` : name}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label="Examples">
          {EXAMPLES.map(({ title }) => (
            <option key={title} value={title}>
              {title}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
};

/** Saves the query under a name. */
export const SaveQuery = ({ choice }: { readonly choice: QueryChoice }) => {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [outcome, setOutcome] = useState<string>();
  const save = async () => {
    const json = { name, query: choice.query, parameters: parseParameters(choice.parameters) ?? {} };
    try {
      await ask(SAVED, { method: 'POST', json });
      setOutcome(`Saved as ${name}.`);
      await client.invalidateQueries({ queryKey: ['saved-queries'] });
    } catch (failure) {
      setOutcome(describeFailure(failure));
    }
  };
  return (
    <form
      className="query-save"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label className="field">
        Name to save it under
        <input value={name} onChange={({ target }) => setName(target.value)} maxLength={100} required />
      </label>
      <button type="submit" className="button">
        Save
      </button>
      <p className="quiet" role="status">
        {outcome}
      </p>
    </form>
  );
};
