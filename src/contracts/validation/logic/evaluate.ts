import { assertJsonDepth, isArray, type Json, type JsonObject } from '../../../model/json.ts';
import { countVisit, createLogicBudget, LogicError } from './budget.ts';
import { CATALOG_OPERATORS } from './catalog-operators.ts';
import type { EvaluationScope, LogicContext, LogicOperator } from './operator.ts';
import { STANDARD_OPERATORS } from './standard-operators.ts';

/**
 * JSON-logic, evaluated here and not by a package: the bounds on visits, depth and what an evaluation makes have to hold
 * exactly, whatever a rule does, and what counts as true is laid down by contract. Nothing of a rule is ever run as code.
 */
const OPERATORS: ReadonlyMap<string, LogicOperator> = new Map([...STANDARD_OPERATORS, ...CATALOG_OPERATORS]);

const MAX_DEPTH = 64;

const quoted = (name: string): string => JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);

const findOperator = (names: readonly string[]): LogicOperator => {
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new LogicError(`malformed expression: an object must have exactly one operator and has ${names.length}`);
  }
  const operator = OPERATORS.get(name);
  if (!operator) throw new LogicError(`unknown operator ${quoted(name)}`);
  return operator;
};

const applyOperator = (expression: JsonObject, here: EvaluationScope): Json => {
  const names = Object.keys(expression);
  const operator = findOperator(names);
  const given = expression[names[0] ?? ''] ?? null;
  return operator(isArray(given) ? given : [given], here);
};

/** One place is moved about, and not a new one made for every node: a rule may have thousands per column. */
const createScope = (facts: Json, context: LogicContext): EvaluationScope => {
  let depth = 0;
  const here: EvaluationScope = {
    data: facts,
    facts,
    context,
    work: createLogicBudget(),
    valueOf: (expression, data = here.data) => {
      countVisit(here.work);
      if (typeof expression !== 'object' || expression === null) return expression;
      const outer = here.data;
      here.data = data;
      depth += 1;
      if (depth > MAX_DEPTH) throw new LogicError(`the expression is nested more than ${MAX_DEPTH} levels deep`);
      const value = isArray(expression)
        ? expression.map((part) => here.valueOf(part))
        : applyOperator(expression, here);
      depth -= 1;
      here.data = outer;
      return value;
    },
  };
  return here;
};

/** The value of an expression. Throws a LogicError for a malformed one, and for one that costs too much. */
export const evaluateExpression = (expression: Json, facts: Json, context: LogicContext): Json =>
  createScope(facts, context).valueOf(expression);

/** An expression of that many levels has two brackets per level, and a little may be data. */
const MAX_BRACKETS = 4 * MAX_DEPTH;

const parseJson = (text: string): Json => {
  try {
    assertJsonDepth(text, MAX_BRACKETS);
    return JSON.parse(text) as Json;
  } catch {
    throw new LogicError(`the rule is no JSON of at most ${MAX_BRACKETS} levels`);
  }
};

/** The expression that the text of a rule holds; JSON inside a JSON string is unwrapped once. Throws a LogicError. */
export const parseRule = (text: string): Json => {
  const parsed = parseJson(text);
  return typeof parsed === 'string' ? parseJson(parsed) : parsed;
};

/** Whether an expression is true of the facts: no other value will do, however truthy. Throws a LogicError. */
export const isSatisfied = (expression: Json, facts: Json, context: LogicContext): boolean =>
  evaluateExpression(expression, facts, context) === true;
