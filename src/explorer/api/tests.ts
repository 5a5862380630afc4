import { ask } from './ask.ts';
import type { Schemas } from './types.ts';

/** The tests of tables and columns, and how they go. */

export type TestCase = Schemas['TestCase'];

const MOST_TESTS = 1000;

/** Reads the tests of a table and of its columns, with the latest result of each. */
export const readTests = (fqn: string, signal: AbortSignal) =>
  ask<Schemas['TestCaseList']>('/v1/dataQuality/testCases', {
    query: {
      entityFQN: fqn,
      includeAllTests: true,
      fields: 'testCaseResult,incidentId,incidentStatus',
      limit: MOST_TESTS,
    },
    signal,
  });

/** The worse state has the lower number. */
const ORDER: ReadonlyMap<string, number> = new Map(Object.entries({ Failed: 0, Aborted: 1, Queued: 2, Success: 4 }));

const orderOf = (status: string | undefined): number => ORDER.get(status ?? '') ?? 3;

export const statusOf = ({ testCaseResult, testCaseStatus }: TestCase): string | undefined =>
  testCaseResult?.testCaseStatus ?? testCaseStatus;

/** Failing tests first, then by name. */
export const sortTests = (tests: readonly TestCase[]): readonly TestCase[] =>
  [...tests].sort(
    (one, other) => orderOf(statusOf(one)) - orderOf(statusOf(other)) || one.name.localeCompare(other.name),
  );

/** The worst state of the tests of each table and column. */
export const worstStates = (tests: readonly TestCase[]): ReadonlyMap<string, string> => {
  const worst = new Map<string, string>();
  for (const test of [...sortTests(tests)].reverse()) {
    const status = statusOf(test);
    if (test.entityFQN !== undefined && status !== undefined) worst.set(test.entityFQN, status);
  }
  return worst;
};
