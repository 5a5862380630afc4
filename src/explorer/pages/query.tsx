import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { Failure, Waiting } from '../parts/states.tsx';
import { AnswerTable } from '../query/answer-table.tsx';
import { GraphWords } from '../query/graph-words.tsx';
import { parseParameters, type QueryChoice, readQueryChoice, writeQueryChoice } from '../query/query-choice.ts';
import { SavedList, SaveQuery } from '../query/saved-list.tsx';
import './query.css';

const MAX_ROWS = 1000;

const useAnswer = ({ query, parameters }: QueryChoice) =>
  useQuery({
    queryKey: ['graph-query', query, parameters],
    queryFn: ({ signal }) =>
      ask<Schemas['GraphQueryAnswer']>('/v1/graph/query', {
        method: 'POST',
        json: { query, parameters: parseParameters(parameters) ?? {}, limit: MAX_ROWS },
        signal,
      }),
    enabled: query !== '' && parseParameters(parameters) !== undefined,
    staleTime: 0,
    retry: false,
  });

type EditorProps = {
  readonly draft: QueryChoice;
  readonly onDraft: (draft: QueryChoice) => void;
  readonly onRun: (choice: QueryChoice) => void;
};

const Editor = ({ draft, onDraft, onRun }: EditorProps) => {
  const isReadable = parseParameters(draft.parameters) !== undefined;
  const canRun = draft.query.trim() !== '' && isReadable;
  const onKeyDown = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
    if (key === 'Enter' && (ctrlKey || metaKey) && canRun) onRun(draft);
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (canRun) onRun(draft);
      }}
    >
      <SavedList onChoose={onDraft} />
      <label className="field">
        Query
        <textarea
          className="query-text"
          value={draft.query}
          rows={7}
          spellCheck={false}
          onChange={({ target }) => onDraft({ ...draft, query: target.value })}
          onKeyDown={onKeyDown}
        />
      </label>
      <label className="field">
        Parameters as JSON
        <input
          className="query-parameters"
          value={draft.parameters}
          placeholder='{"name": "orders"}'
          spellCheck={false}
          aria-invalid={!isReadable}
          onChange={({ target }) => onDraft({ ...draft, parameters: target.value })}
          onKeyDown={onKeyDown}
        />
      </label>
      {!isReadable && (
        <p className="notice bad" role="alert">
          Parameters are a JSON object, such as {'{"name": "orders"}'}.
        </p>
      )}
      <button type="submit" className="button main" disabled={!canRun}>
        Run
      </button>
    </form>
  );
};

/** Asks the graph by a query of the visitor's own. */
export const QueryPage = () => {
  const [params, setParams] = useSearchParams();
  const choice = readQueryChoice(params);
  const [draft, setDraft] = useState(choice);
  const { data, error, isFetching, refetch } = useAnswer(choice);
  const run = (next: QueryChoice) => {
    if (next.query === choice.query && next.parameters === choice.parameters) void refetch();
    else setParams(writeQueryChoice(next));
  };
  return (
    <div className="page stack">
      <div>
        <h1>Ask the graph</h1>
        <p className="quiet">For questions that have no page: a query in the part of Cypher that reads.</p>
      </div>
      <div className="query-room">
        <div className="stack">
          <Editor draft={draft} onDraft={setDraft} onRun={run} />
          {isFetching && <Waiting what="the answer" />}
          {!isFetching && error && <Failure failure={error} again={refetch} />}
          {!isFetching && !error && data && (
            <>
              <AnswerTable key={`${choice.query} ${choice.parameters}`} answer={data} />
              <SaveQuery key={choice.query} choice={choice} />
            </>
          )}
        </div>
        <aside aria-label="What there is">
          <GraphWords />
        </aside>
      </div>
    </div>
  );
};
