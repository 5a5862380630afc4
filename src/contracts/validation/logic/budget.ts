/** Why an expression has no value: the text is shown to whoever wrote the rule. */
export class LogicError extends Error {
  override readonly name = 'LogicError';
}

const MAX_VISITS = 10_000;

/** Items looked at and characters compared by operators that walk data: few visits could otherwise cost hours. */
const MAX_STEPS = 1_000_000;

/** What one evaluation may make beside what it was handed, together: characters of text, and items of lists. */
const MAX_TEXT = 1024 * 1024;
const MAX_ITEMS = 100_000;

/** What one evaluation has cost so far. */
export type LogicBudget = { visits: number; steps: number; text: number; items: number };

export const createLogicBudget = (): LogicBudget => ({ visits: 0, steps: 0, text: 0, items: 0 });

/** Counts one node of the expression, each time it is evaluated. */
export const countVisit = (work: LogicBudget): void => {
  work.visits += 1;
  if (work.visits > MAX_VISITS) throw new LogicError(`evaluation stopped after ${MAX_VISITS} node visits`);
};

/** Counts what an operator looks at in the data. */
export const countSteps = (work: LogicBudget, steps: number): void => {
  work.steps += steps;
  if (work.steps > MAX_STEPS) throw new LogicError(`evaluation stopped after looking at ${MAX_STEPS} values`);
};

/** A text that the evaluation made, counted. */
export const countText = (work: LogicBudget, text: string): string => {
  work.text += text.length;
  if (work.text > MAX_TEXT) throw new LogicError(`evaluation made more than ${MAX_TEXT} characters of text`);
  return text;
};

/** Counts items of lists that the evaluation makes, before it makes them. */
export const countItems = (work: LogicBudget, items: number): void => {
  work.items += items;
  if (work.items > MAX_ITEMS) throw new LogicError(`evaluation made lists of more than ${MAX_ITEMS} items`);
};

/** Records never nest that deep, but `reduce` could wrap its own result again and again. */
const MAX_NESTING = 256;

/** Refuses values so deep that walking them could exhaust the stack. */
export const assertNesting = (depth: number): void => {
  if (depth > MAX_NESTING) throw new LogicError(`evaluation met a value nested more than ${MAX_NESTING} levels deep`);
};
