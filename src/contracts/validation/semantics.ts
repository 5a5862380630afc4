import { isArray, type JsonObject, member } from '../../model/json.ts';
import { LogicError } from './logic/budget.ts';
import { isSatisfied, parseRule } from './logic/evaluate.ts';
import type { LogicContext } from './logic/operator.ts';

export type FailedRule = { readonly ruleName: string; readonly reason: string };

/** The outcome of the semantic rules of a contract, as its result contains it. */
export type SemanticsValidation = {
  readonly passed: number;
  readonly failed: number;
  readonly total: number;
  readonly failedRules?: readonly FailedRule[];
};

/** Whether a rule is enabled and applies to records of a type. */
export const isApplicableRule = (rule: JsonObject, entityType: string): boolean => {
  const [wanted, ignored] = [member(rule, 'entityType'), member(rule, 'ignoredEntities')];
  if (member(rule, 'enabled') !== true) return false;
  if (typeof wanted === 'string' && wanted !== entityType) return false;
  return !(isArray(ignored) && ignored.includes(entityType));
};

/** Why a rule fails; undefined when it holds. */
const findFailureReason = (rule: JsonObject, facts: JsonObject, context: LogicContext): string | undefined => {
  try {
    return isSatisfied(parseRule(String(member(rule, 'rule') ?? '')), facts, context)
      ? undefined
      : String(member(rule, 'description') ?? '');
  } catch (error) {
    if (error instanceof LogicError) return error.message;
    throw error;
  }
};

/** Evaluates the semantic rules of a contract for an entity's document. A rule for other entity types passes. */
export const validateSemantics = (
  rules: readonly JsonObject[],
  entityType: string,
  facts: JsonObject,
  context: LogicContext,
): SemanticsValidation => {
  const failedRules: FailedRule[] = [];
  for (const rule of rules) {
    const reason = isApplicableRule(rule, entityType) ? findFailureReason(rule, facts, context) : undefined;
    if (reason !== undefined) failedRules.push({ ruleName: String(member(rule, 'name') ?? ''), reason });
  }
  const failed = failedRules.length;
  const counts = { passed: rules.length - failed, failed, total: rules.length };
  return failed === 0 ? counts : { ...counts, failedRules };
};
