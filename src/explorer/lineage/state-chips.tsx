import type { LineageNode } from '../api/types.ts';
import { type State, statesOf } from './states.ts';

export const STATE_SIGNS: Readonly<Record<State['tone'], string>> = { good: '✓', warn: '!', bad: '✕', plain: '…' };

/** The states of tests and contract, each with a sign, so that nobody has to tell colours apart. */
export const StateChips = ({ record }: { readonly record: Pick<LineageNode, 'testStatus' | 'contractStatus'> }) =>
  statesOf(record).map(({ text, tone }) => (
    <span key={text} className={`chip ${tone}`} title={text}>
      <span aria-hidden="true">{STATE_SIGNS[tone]}</span>
      {text}
    </span>
  ));
