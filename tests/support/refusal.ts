import { LogicError } from '../../src/contracts/validation/logic/budget.ts';

/** Returns the message of a refused evaluation, or `accepted`. Any other exception is a defect. */
export const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof LogicError) return error.message;
    throw error;
  }
  return 'accepted';
};
