import { CatalogError } from '../../errors.ts';

/** What the expressions of one request may cost. Costs are steps of the matcher, so that they do not depend on clocks. */
export type MatchBudget = {
  /** Begins to match another text, which may cost only a share of the whole. */
  beginText(): void;
  /** Takes steps. Throws ExpressionTooExpensive when there are not that many left. */
  spend(steps: number): void;
  /** The steps spent so far. */
  readonly spent: () => number;
};

/** Takes steps of a budget. A matcher calls it while it works, so that it is stopped in the middle. */
export type SpendSteps = MatchBudget['spend'];

/** Some 250 ms of processor time: a step takes 2.5 ns. */
export const MAX_MATCH_STEPS = 100_000_000;

/** Nothing else happens in the thread while a text is matched, so each may take some 30 ms. */
const MAX_TEXT_STEPS = MAX_MATCH_STEPS / 8;

/** Some 10 ms: a matcher of many texts lets other work go on after as many steps. */
export const MAX_TURN_STEPS = MAX_MATCH_STEPS / 25;

/** Thrown when a budget does not suffice. The caller adds which expression it was. */
export class ExpressionTooExpensive extends CatalogError {
  constructor() {
    super('bad_request', 'the expression is too expensive');
  }
}

/** Creates the budget of a request. `onSpent` learns of all steps, and may throw to leave them to another thread. */
export const createMatchBudget = (most = MAX_MATCH_STEPS, onSpent?: (steps: number) => void): MatchBudget => {
  let spent = 0;
  let textBegin = 0;
  return {
    beginText: () => {
      textBegin = spent;
    },
    spend: (steps) => {
      spent += steps;
      if (spent > most || spent - textBegin > MAX_TEXT_STEPS) throw new ExpressionTooExpensive();
      onSpent?.(steps);
    },
    spent: () => spent,
  };
};

/** The result of some matching, or undefined when its budget does not suffice. */
export const unlessTooExpensive = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch (failure) {
    if (failure instanceof ExpressionTooExpensive) return undefined;
    throw failure;
  }
};
