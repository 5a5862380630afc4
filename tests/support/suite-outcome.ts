/** A case that failed, and the first line of what it failed with. */
export type FailedCase = { readonly title: string; readonly error: string };

/** The results of the test cases in a file, and their duration. */
export type SuiteOutcome = {
  readonly passed: number;
  readonly skipped: number;
  readonly total: number;
  readonly failed: readonly FailedCase[];
  readonly seconds: number;
};

/** No test prints this: it tells what a process says of a file from what the file itself says. */
const MARK = '\u0000';

/** An outcome as it stands in the output of a process, right behind what the file printed. */
export const encodeOutcome = (outcome: SuiteOutcome): string => `${MARK}${JSON.stringify(outcome)}${MARK}`;

/** What a file printed, what came of it, and what was printed after it; nothing when it has not come to its end yet. */
export type DecodedOutcome = { readonly printed: string; readonly outcome: SuiteOutcome; readonly rest: string };

export const decodeOutcome = (text: string): DecodedOutcome | undefined => {
  const [printed = '', json = '', ...rest] = text.split(MARK);
  return rest.length === 0 ? undefined : { printed, outcome: JSON.parse(json) as SuiteOutcome, rest: rest.join(MARK) };
};

const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
const MOST_LETTERS = 300;

/** The first line of a failure that says something, without colours. */
export const firstLineOf = (failure: unknown): string => {
  const text = failure instanceof Error ? failure.message : String(failure);
  const lines = text.replace(escapes, '').split('\n');
  return (lines.find((line) => line.trim() !== '') ?? 'no message').trim().slice(0, MOST_LETTERS);
};
