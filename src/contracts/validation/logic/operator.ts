import { isArray, isObject, type Json, member } from '../../../model/json.ts';
import { countSteps, type LogicBudget } from './budget.ts';

/** What operators need beside the facts: who belongs to the teams that the facts name, by the id of the team. */
export type LogicContext = { readonly members: ReadonlyMap<string, ReadonlySet<string>> };

/** Where an operator stands. */
export type EvaluationScope = {
  /** What `var` reads now: the facts, or one item of a list inside of `map` and its like. */
  data: Json;
  /** All facts, wherever the operator stands. */
  readonly facts: Json;
  readonly context: LogicContext;
  readonly work: LogicBudget;
  /** The value of an expression, of the same data unless other data is given. */
  readonly valueOf: (expression: Json, data?: Json) => Json;
};

/** An operator is handed its arguments as they are written: it decides which of them have a value at all. */
export type LogicOperator = (given: readonly Json[], here: EvaluationScope) => Json;

/** An operator of the values of all its arguments. */
export const eagerOperator =
  (operate: (values: readonly Json[], here: EvaluationScope) => Json): LogicOperator =>
  (given, here) => {
    const values: Json[] = [];
    for (const expression of given) values.push(here.valueOf(expression));
    return operate(values, here);
  };

/** An argument; one that is not there is null. */
export const argumentAt = (values: readonly Json[], index: number): Json => values[index] ?? null;

/** What a list holds; what is no list holds nothing. */
export const listItems = (value: Json): readonly Json[] => (isArray(value) ? value : []);

const INDEX = /^(0|[1-9]\d{0,9})$/;

/** The own member or item of a value: nothing inherited is ever found, neither `constructor` nor `length`. */
export const ownValue = (value: Json, name: string): Json | undefined => {
  if (isArray(value)) return INDEX.test(name) ? value[Number(name)] : undefined;
  return isObject(value) ? member(value, name) : undefined;
};

/** The value a dotted path leads to; the empty path leads to the data itself. */
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
