import { assertDepth, isArray, isObject, type Json } from '../../../model/json.ts';
import { CATALOG } from './catalog-operators.ts';
import type { LogicContext, Operator } from './operator.ts';
import { STANDARD } from './operators.ts';
import { LogicError, startWork, visit, type Work } from './work.ts';

/**
 * JSON-logic, evaluated here and not by a package: the bounds on visits, depth and what an evaluation makes have to hold
 * exactly, whatever a rule does, and what counts as true is laid down by contract. Nothing of a rule is ever run as code.
 */
const OPERATORS: ReadonlyMap<string, Operator> = new Map([...STANDARD, ...CATALOG]);

const MAX_DEPTH = 64;

type Evaluation = { readonly facts: Json; readonly context: LogicContext; readonly work: Work };

const quoted = (name: string): string => JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);

const operatorOf = (names: readonly string[]): Operator => {
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new LogicError(`malformed expression: an object must have exactly one operator and has ${names.length}`);
  }
  const operator = OPERATORS.get(name);
  if (!operator) throw new LogicError(`unknown operator ${quoted(name)}`);
  return operator;
};

const resolve = (evaluation: Evaluation, expression: Json, data: Json, depth: number): Json => {
  visit(evaluation.work);
  if (!isArray(expression) && !isObject(expression)) return expression;
  if (depth > MAX_DEPTH) throw new LogicError(`the expression is nested more than ${MAX_DEPTH} levels deep`);
  const inner = (part: Json, of: Json = data): Json => resolve(evaluation, part, of, depth + 1);
  if (isArray(expression)) return expression.map((part) => inner(part));
  const operate = operatorOf(Object.keys(expression));
  const [given = null] = Object.values(expression);
  return operate(isArray(given) ? given : [given], { ...evaluation, data, valueOf: inner });
};

/** The value of an expression. Throws a LogicError for a malformed one, and for one that costs too much. */
export const evaluate = (expression: Json, facts: Json, context: LogicContext): Json =>
  resolve({ facts, context, work: startWork() }, expression, facts, 1);

/** An expression of that many levels has two brackets per level, and a little may be data. */
const MAX_BRACKETS = 4 * MAX_DEPTH;

const parse = (text: string): Json => {
  try {
    assertDepth(text, MAX_BRACKETS);
    return JSON.parse(text) as Json;
  } catch {
    throw new LogicError(`the rule is no JSON of at most ${MAX_BRACKETS} levels`);
  }
};

/** The expression that the text of a rule holds; JSON inside a JSON string is unwrapped once. Throws a LogicError. */
export const parseRule = (text: string): Json => {
  const parsed = parse(text);
  return typeof parsed === 'string' ? parse(parsed) : parsed;
};

/** Whether an expression is true of the facts: no other value will do, however truthy. Throws a LogicError. */
export const holds = (expression: Json, facts: Json, context: LogicContext): boolean =>
  evaluate(expression, facts, context) === true;
