import { isArray, isObject, type Json, member } from '../../../model/json.ts';
import { countSteps, type LogicBudget } from './budget.ts';

/** The context that operators need in addition to the facts: members of the teams that the facts name, by team ID. */
export type LogicContext = { readonly members: ReadonlyMap<string, ReadonlySet<string>> };

/** The scope in which an operator is evaluated. */
export type EvaluationScope = {
  /** The data that `var` reads: the facts, or one list item inside `map` and similar operators. */
  data: Json;
  /** All facts, whatever the current data is. */
  readonly facts: Json;
  readonly context: LogicContext;
  readonly work: LogicBudget;
  /** Evaluates an expression with the current data, or with other data when given. */
  readonly valueOf: (expression: Json, data?: Json) => Json;
};

/** An operator receives its arguments unevaluated and decides which of them to evaluate. */
export type LogicOperator = (given: readonly Json[], here: EvaluationScope) => Json;

/** Builds an operator that evaluates all its arguments first. */
export const eagerOperator =
  (operate: (values: readonly Json[], here: EvaluationScope) => Json): LogicOperator =>
  (given, here) => {
    const values: Json[] = [];
    for (const expression of given) values.push(here.valueOf(expression));
    return operate(values, here);
  };

/** Returns an argument, or null when it is missing. */
export const argumentAt = (values: readonly Json[], index: number): Json => values[index] ?? null;

/** Returns the items of a list, or no items for any other value. */
export const listItems = (value: Json): readonly Json[] => (isArray(value) ? value : []);

const INDEX = /^(0|[1-9]\d{0,9})$/;

/**
 * Returns an own member or item of a value. Inherited properties such as `constructor` and `length` are never found.
 */
export const ownValue = (value: Json, name: string): Json | undefined => {
  if (isArray(value)) return INDEX.test(name) ? value[Number(name)] : undefined;
  return isObject(value) ? member(value, name) : undefined;
};

/** Reads the value at a dotted path; the empty path is the data itself. */
export const readScopePath = ({ data, work }: EvaluationScope, path: Json): Json | undefined => {
  if (path === null || path === '') return data;
  if (typeof path !== 'string' && typeof path !== 'number') return undefined;
  const text = String(path);
  countSteps(work, text.length);
  if (!text.includes('.')) return ownValue(data, text);
  let value: Json | undefined = data;
  for (const name of text.split('.')) {
    if (value === undefined || value === null) return undefined;
    value = ownValue(value, name);
  }
  return value;
};
