/** Why an expression has no value. The author of the rule sees the message. */
export class LogicError extends Error {
  override readonly name = 'LogicError';
}

const MAX_VISITS = 10_000;

/** The maximum number of items and characters that operators may read: a few node visits could otherwise take hours. */
const MAX_STEPS = 1_000_000;

/** The maximum number of characters of text and items of lists that one evaluation may create. */
const MAX_TEXT = 1024 * 1024;
const MAX_ITEMS = 100_000;

/** The cost of one evaluation so far. */
export type LogicBudget = { visits: number; steps: number; text: number; items: number };

export const createLogicBudget = (): LogicBudget => ({ visits: 0, steps: 0, text: 0, items: 0 });

/** Counts a visit of an expression node, on each evaluation of the node. */
export const countVisit = (work: LogicBudget): void => {
  work.visits += 1;
  if (work.visits > MAX_VISITS) throw new LogicError(`evaluation stopped after ${MAX_VISITS} node visits`);
};

/** Counts the values that an operator reads. */
export const countSteps = (work: LogicBudget, steps: number): void => {
  work.steps += steps;
  if (work.steps > MAX_STEPS) throw new LogicError(`evaluation stopped after looking at ${MAX_STEPS} values`);
};

/** Counts a text that the evaluation created and returns it. */
export const countText = (work: LogicBudget, text: string): string => {
  work.text += text.length;
  if (work.text > MAX_TEXT) throw new LogicError(`evaluation made more than ${MAX_TEXT} characters of text`);
  return text;
};

/** Counts list items before the evaluation creates them. */
export const countItems = (work: LogicBudget, items: number): void => {
  work.items += items;
  if (work.items > MAX_ITEMS) throw new LogicError(`evaluation made lists of more than ${MAX_ITEMS} items`);
};

/** Records never nest this deeply, but `reduce` could wrap its own result repeatedly. */
const MAX_NESTING = 256;

/** Refuses values so deeply nested that walking them could exhaust the stack. */
export const assertNesting = (depth: number): void => {
  if (depth > MAX_NESTING) throw new LogicError(`evaluation met a value nested more than ${MAX_NESTING} levels deep`);
};
