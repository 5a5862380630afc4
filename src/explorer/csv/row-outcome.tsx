import type { RowState } from './judged-rows.ts';

/** What becomes of a row, in a word. */

const TONES: Readonly<Record<RowState, string>> = { created: 'good', updated: '', failed: 'bad', skipped: 'warn' };

const OUTCOMES: Readonly<Record<RowState, readonly [planned: string, done: string]>> = {
  created: ['Creates', 'Created'],
  updated: ['Updates', 'Updated'],
  failed: ['Fails', 'Failed'],
  skipped: ['Skipped', 'Skipped'],
};

export const outcomeOf = (state: RowState, isDone: boolean): string => OUTCOMES[state][isDone ? 1 : 0];

type RowOutcomeProps = { readonly state: RowState; readonly isDone: boolean };

export const RowOutcome = ({ state, isDone }: RowOutcomeProps) => (
  <span className={`chip ${TONES[state]}`}>{outcomeOf(state, isDone)}</span>
);
