import { LogicError } from '../../src/contracts/validation/logic/budget.ts';

/** Why an evaluation was refused, or `accepted`. Anything else that is thrown is a defect. */
export const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof LogicError) return error.message;
    throw error;
  }
  return 'accepted';
};
