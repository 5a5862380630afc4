import type { Schemas } from '../api/types.ts';

/** A result of a contract, clause by clause in words. */

export type ClauseResult = {
  readonly title: string;
  readonly tone: 'good' | 'bad' | 'warn' | '';
  readonly summary: string;
  readonly faults: readonly string[];
};

type Result = Schemas['DataContractResult'];
type Counts = { readonly passed: number; readonly failed: number; readonly total: number };

const NOTHING = 'nothing promised';

const summaryOf = (counts: Counts | undefined): Pick<ClauseResult, 'tone' | 'summary'> => {
  if (counts === undefined || counts.total === 0) return { tone: '', summary: NOTHING };
  const { passed, failed, total } = counts;
  if (failed > 0) return { tone: 'bad', summary: `${failed} of ${total} failed` };
  if (passed < total) return { tone: 'warn', summary: `${total - passed} of ${total} pending` };
  return { tone: 'good', summary: `${total} of ${total} passed` };
};

const columnsOfResult = ({ schemaValidation: found }: Result): ClauseResult => ({
  title: 'Columns',
  ...summaryOf(found),
  faults: [
    ...(found?.failedFields ?? []).map((name) => `${name} is missing`),
    ...(found?.duplicateFields ?? []).map((name) => `${name} is promised more than once`),
    ...(found?.typeMismatchFields ?? []).map((text) => `Another type: ${text}`),
  ],
});

const rulesOfResult = ({ semanticsValidation: found }: Result): ClauseResult => ({
  title: 'Rules',
  ...summaryOf(found),
  faults: (found?.failedRules ?? []).map(({ ruleName, reason }) => `${ruleName}: ${reason}`),
});

const testsOfResult = ({ qualityValidation: found }: Result): ClauseResult => ({
  title: 'Tests',
  ...summaryOf(found),
  faults: found?.qualityScore === undefined || found.failed === 0 ? [] : [`${Math.round(found.qualityScore)} % passed`],
});

const MINUTE_MS = 60_000;

const levelsOfResult = ({ slaValidation: found = {} }: Result): ClauseResult => {
  const levels = [
    { met: found.refreshFrequencyMet, missed: 'It was not refreshed as often as promised' },
    {
      met: found.latencyMet,
      missed: `It is older than promised${
        found.actualLatency === undefined ? '' : `: ${Math.round(found.actualLatency / MINUTE_MS)} minutes`
      }`,
    },
    { met: found.availabilityMet, missed: 'It was not there at the promised time' },
  ].filter(({ met }) => met !== undefined);
  const missed = levels.filter(({ met }) => met === false);
  return {
    title: 'Service level',
    ...(levels.length === 0
      ? { tone: '', summary: 'not observed' }
      : summaryOf({ passed: levels.length - missed.length, failed: missed.length, total: levels.length })),
    faults: missed.map(({ missed: text }) => text),
  };
};

export const describeResult = (result: Result): readonly ClauseResult[] => [
  columnsOfResult(result),
  rulesOfResult(result),
  testsOfResult(result),
  levelsOfResult(result),
];
