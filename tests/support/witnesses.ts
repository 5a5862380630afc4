/** Tells what was there when a case failed, which its own error does not say. */

type Witness = () => Promise<readonly string[]>;

const witnesses = new Set<Witness>();

/** Asks a witness whenever a case fails, until the answered function is called. */
export const addWitness = (witness: Witness): (() => void) => {
  witnesses.add(witness);
  return () => witnesses.delete(witness);
};

const hear = async (witness: Witness): Promise<readonly string[]> => {
  try {
    return await witness();
  } catch (failure) {
    return [`nothing can be told: ${failure instanceof Error ? failure.message : String(failure)}`];
  }
};

/** Adds to a failure what the witnesses tell. */
export const withTestimony = async (failure: unknown): Promise<Error> => {
  // uvu can print nothing but errors, and would leave out the cases that come after anything else.
  const error = failure instanceof Error ? failure : new Error(String(failure));
  const told = (await Promise.all([...witnesses].map(hear))).flat();
  if (told.length > 0) error.message += `\n${told.join('\n')}`;
  return error;
};
