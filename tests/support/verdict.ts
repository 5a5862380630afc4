import type { FailedCase, SuiteOutcome } from './suite-outcome.ts';

/**
 * What comes of a run: which files get a second try, how their two results become one, and what the run says at its end.
 */

/** What came of one test file, or of something that had to run and did not. */
export type FileResult = Omit<SuiteOutcome, 'seconds'> & {
  readonly file: string;
  /** How long it took; nothing when it did not come to its end. */
  readonly seconds?: number;
  /** The run ended before the file did. */
  readonly isUnrun?: true;
};

/** Something that should have run and did not is a failure, although no case failed. */
export const missingResult = (file: string, title: string): FileResult => ({
  file,
  passed: 0,
  skipped: 0,
  total: 1,
  failed: [{ title, error: title }],
});

export const unrunResult = (file: string): FileResult => ({
  ...missingResult(file, 'the run ended before it did'),
  isUnrun: true,
});

export const hasFailed = ({ passed, total }: FileResult): boolean => passed < total;

/** A run in which more files fail is broken and not unsteady: a second try of them all would only take long. */
const MOST_SECOND_TRIES = 16;

/**
 * The files that run once more: those that failed and whose verdict something outside of their code can change. A run that
 * tries too many files again would say less than it costs, so it then tries none.
 */
export const chooseSecondTries = (
  results: readonly FileResult[],
  isPure: (file: string) => boolean,
): readonly string[] => {
  const files = results.filter((result) => hasFailed(result) && !isPure(result.file)).map(({ file }) => file);
  return files.length > MOST_SECOND_TRIES ? [] : files;
};

/** A file that failed and then passed alone on a store of its own, with what failed at first. */
export type Unsteady = { readonly file: string; readonly failed: readonly FailedCase[] };

export type Verdict = {
  readonly passed: number;
  readonly skipped: number;
  readonly failed: number;
  readonly unsteady: readonly Unsteady[];
  /** The files that have failed. */
  readonly failures: readonly FileResult[];
};

/** Joins the results of a run with those of the second tries: what passes then has passed. */
export const judge = (results: readonly FileResult[], secondTries: readonly FileResult[]): Verdict => {
  const second = new Map(secondTries.map((result) => [result.file, result]));
  const final = results.map((result) => second.get(result.file) ?? result);
  const isUnsteady = ({ file }: FileResult) => {
    const again = second.get(file);
    return again !== undefined && !hasFailed(again);
  };
  const count = (key: 'passed' | 'skipped' | 'total') => final.reduce((sum, result) => sum + result[key], 0);
  return {
    passed: count('passed'),
    skipped: count('skipped'),
    failed: count('total') - count('passed'),
    unsteady: results.filter(isUnsteady).map(({ file, failed }) => ({ file, failed })),
    failures: final.filter(hasFailed),
  };
};

/** More unsteady files than these are a fault of the tests or of the service that a second try would only hide. */
export const MOST_UNSTEADY = 8;

/** The closing lines of a run; the last one counts. */
export const closingLines = ({ passed, skipped, failed, unsteady, failures }: Verdict): string[] => {
  const tooMany = unsteady.length > MOST_UNSTEADY;
  return [
    ...(skipped > 0 ? [`${skipped} skipped; each is named above with its reason`] : []),
    ...failures.flatMap(({ file, failed: cases }) => cases.map(({ title }) => `FAIL  ${file}: ${title}`)),
    ...unsteady.flatMap(({ file, failed: cases }) =>
      cases.map(({ title, error }) => `UNSTEADY ${file}: ${title} (${error})`),
    ),
    ...(tooMany ? [`FAIL  ${unsteady.length} files are unsteady, which is more than ${MOST_UNSTEADY}`] : []),
    `${passed} passed, ${failed + (tooMany ? 1 : 0)} failed`,
  ];
};

/** Whether nothing failed and few enough files needed their second try. */
export const isGreen = ({ failed, unsteady }: Verdict): boolean => failed === 0 && unsteady.length <= MOST_UNSTEADY;
