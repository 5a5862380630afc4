import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { fileNameOf, saveFile } from '../parts/save-file.ts';
import { useNarrow } from '../parts/use-narrow.ts';
import { describeCounts, type RowState } from './judged-rows.ts';
import type { ImportOutcome } from './read-rows.ts';
import { RowCards } from './row-cards.tsx';
import { outcomeOf } from './row-outcome.tsx';
import { RowsTable } from './rows-table.tsx';

/** What an import did, or would do, row by row. */

const STATES: readonly RowState[] = ['failed', 'created', 'updated', 'skipped'];

/** The address names the state whose rows are shown. */
const useOnlyState = () => {
  const [params, setParams] = useSearchParams();
  const only = STATES.find((state) => state === params.get('only'));
  const setOnly = (next: RowState | undefined) =>
    setParams(
      (former) => {
        const changed = new URLSearchParams(former);
        if (next === undefined) changed.delete('only');
        else changed.set('only', next);
        return changed;
      },
      { replace: true },
    );
  return { only, setOnly };
};

type OutcomeProps = { readonly outcome: ImportOutcome; readonly name: string };

const StateChoice = ({ outcome, only, setOnly }: OutcomeProps & ReturnType<typeof useOnlyState>) => {
  const isDone = !outcome.result.dryRun;
  const present = STATES.filter((state) => outcome.counts[state] > 0);
  if (present.length < 2) return null;
  return (
    <fieldset className="row row-states">
      <legend className="visually-hidden">Rows to show</legend>
      <button type="button" className="button" aria-pressed={only === undefined} onClick={() => setOnly(undefined)}>
        All {outcome.rows.length.toLocaleString()}
      </button>
      {present.map((state) => (
        <button
          key={state}
          type="button"
          className="button"
          aria-pressed={only === state}
          onClick={() => setOnly(state)}
        >
          {outcomeOf(state, isDone)} {outcome.counts[state].toLocaleString()}
        </button>
      ))}
    </fieldset>
  );
};

export const OutcomeCard = ({ outcome, name }: OutcomeProps) => {
  const { only, setOnly } = useOnlyState();
  const isDone = !outcome.result.dryRun;
  const rows = useMemo(
    () => (only === undefined ? outcome.rows : outcome.rows.filter(({ state }) => state === only)),
    [outcome, only],
  );
  const Rows = useNarrow() ? RowCards : RowsTable;
  const tone = outcome.counts.failed > 0 ? 'notice bad' : 'notice good';
  return (
    <>
      <p className={tone} role="status">
        {describeCounts(outcome.counts, isDone)}.
      </p>
      {outcome.rows.length > 0 && (
        <>
          <div className="row">
            <StateChoice outcome={outcome} name={name} only={only} setOnly={setOnly} />
            <button
              type="button"
              className="button"
              onClick={() => saveFile(fileNameOf(`${name}-${isDone ? 'result' : 'judged'}`, 'csv'), outcome.csv)}
            >
              Save the rows with their reasons
            </button>
          </div>
          <Rows rows={rows} headers={outcome.headers} isDone={isDone} />
        </>
      )}
    </>
  );
};
