import type { FailedCase } from './suite-outcome.ts';

let recorded: FailedCase[] = [];

/** Records a case that failed, because the library for suites only prints it. */
export const recordFailedCase = (failed: FailedCase): void => {
  recorded.push(failed);
};

/** Hands over the cases that failed since the last call. */
export const takeFailedCases = (): readonly FailedCase[] => {
  const taken = recorded;
  recorded = [];
  return taken;
};
