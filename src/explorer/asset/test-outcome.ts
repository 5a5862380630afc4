import type { Schemas } from '../api/types.ts';

/** Since when a test has gone as it goes now. */

type TestResult = Pick<Schemas['TestCaseResult'], 'timestamp' | 'testCaseStatus' | 'result'>;

export type Streak = {
  readonly latest: TestResult;
  /** When the first of the equal results was, as far as results were kept. */
  readonly since: number;
  readonly runs: number;
  /** Whether no kept result went otherwise. */
  readonly isWhole: boolean;
};

/** The results come in any order. */
export const streakOf = (results: readonly TestResult[]): Streak | undefined => {
  const sorted = [...results].sort((one, other) => other.timestamp - one.timestamp);
  const [latest] = sorted;
  if (latest === undefined) return undefined;
  const change = sorted.findIndex(({ testCaseStatus }) => testCaseStatus !== latest.testCaseStatus);
  const runs = change === -1 ? sorted.length : change;
  return { latest, since: sorted[runs - 1]?.timestamp ?? latest.timestamp, runs, isWhole: change === -1 };
};
