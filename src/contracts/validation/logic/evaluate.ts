import { assertJsonDepth, isArray, type Json, type JsonObject } from '../../../model/json.ts';
import { countVisit, createLogicBudget, LogicError } from './budget.ts';
import { CATALOG_OPERATORS } from './catalog-operators.ts';
import type { EvaluationScope, LogicContext, LogicOperator } from './operator.ts';
import { STANDARD_OPERATORS } from './standard-operators.ts';

/**
 * Evaluates JsonLogic without a package: the limits on visits, depth and created values must hold exactly for every
 * rule, and the contract API defines which values are true. No part of a rule is executed as code.
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

/** Reuses one scope object for all nodes, because a rule may have thousands per column. */
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

/** Evaluates an expression. Throws a LogicError for a malformed one or one that exceeds its budget. */
export const evaluateExpression = (expression: Json, facts: Json, context: LogicContext): Json =>
  createScope(facts, context).valueOf(expression);

/** The maximum number of brackets in a rule: two per level of the expression, with room for nested data. */
const MAX_BRACKETS = 4 * MAX_DEPTH;

const parseJson = (text: string): Json => {
  try {
    assertJsonDepth(text, MAX_BRACKETS);
    return JSON.parse(text) as Json;
  } catch {
    throw new LogicError(`the rule is no JSON of at most ${MAX_BRACKETS} levels`);
  }
};

/** Parses the text of a rule; JSON inside a JSON string is unwrapped once. Throws a LogicError. */
export const parseRule = (text: string): Json => {
  const parsed = parseJson(text);
  return typeof parsed === 'string' ? parseJson(parsed) : parsed;
};

/** Whether an expression evaluates to exactly `true`; other truthy values do not count. Throws a LogicError. */
export const isSatisfied = (expression: Json, facts: Json, context: LogicContext): boolean =>
  evaluateExpression(expression, facts, context) === true;
