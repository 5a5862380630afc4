/** What came of the cases of a file, and how long that took. */
export type Outcome = {
  readonly passed: number;
  readonly skipped: number;
  readonly total: number;
  readonly seconds: number;
};

/** No test prints this: it tells what a process says of a file from what the file itself says. */
const SEAL = '\u0000';

/** An outcome as it stands in the output of a process, right behind what the file printed. */
export const sealed = (outcome: Outcome): string => `${SEAL}${JSON.stringify(outcome)}${SEAL}`;

/** What a file printed, what came of it, and what was printed after it; nothing when it has not come to its end yet. */
export type Unsealed = { readonly printed: string; readonly outcome: Outcome; readonly rest: string };

export const unsealed = (text: string): Unsealed | undefined => {
  const [printed = '', json = '', ...rest] = text.split(SEAL);
  return rest.length === 0 ? undefined : { printed, outcome: JSON.parse(json) as Outcome, rest: rest.join(SEAL) };
};
