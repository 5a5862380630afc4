import { membersAt } from '../api/members.ts';
import type { Outcome } from '../parts/outcome.ts';

/** What tells whether an asset can be relied on, in a few words each. */

/** How tests went last, of which the latest states are given. What is worst is said, and of how many tests. */
export const testsOutcome = (states: readonly (string | undefined)[]): Outcome => {
  const countOf = (state: string): number => states.filter((one) => one === state).length;
  const [failed, aborted, passed] = [countOf('Failed'), countOf('Aborted'), countOf('Success')];
  const of = `of ${states.length}`;
  if (states.length === 0) return { words: 'none', tone: 'plain' };
  if (failed > 0) return { words: `${failed} ${of} failing`, tone: 'bad' };
  if (aborted > 0) return { words: `${aborted} ${of} aborted`, tone: 'warn' };
  if (passed === 0) return { words: 'never run', tone: 'plain' };
  return passed === states.length
    ? { words: `${passed} ${of} passed`, tone: 'good' }
    : { words: `${passed} ${of} passed, the others never run`, tone: 'plain' };
};

/** When the data itself was last changed, as whoever loads it has said. */
export const dataChangedAt = (asset: unknown): number | undefined => {
  const at = membersAt(membersAt(asset, 'lifeCycle'), 'updated')?.['timestamp'];
  return typeof at === 'number' ? at : undefined;
};
