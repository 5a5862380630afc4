import type { Json, JsonObject } from '../../model/json.ts';
import { jsonItems, nonBlankText } from './parts.ts';
import { RULE_OPERATORS } from './shape.ts';

/** Reads the bounds and the tolerance of a quality rule (odcs.md 5). */

type RuleOperator = (typeof RULE_OPERATORS)[number];

/** The operators that a rule uses. */
export const ruleOperatorsOf = (rule: JsonObject): readonly RuleOperator[] =>
  RULE_OPERATORS.filter((operator) => rule[operator] !== undefined && rule[operator] !== null);

/** Converts a number, or a text that contains one. */
export const toFiniteNumber = (value: Json | undefined): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** Whether a rule counts in percent. */
export const isPercentRule = (rule: JsonObject): boolean =>
  ['percent', 'percentage', '%'].includes(nonBlankText(rule['unit'])?.trim().toLowerCase() ?? '');

/** The integer that a rule requires, if it has no other operator. */
export const integerMustBe = (rule: JsonObject): number | undefined => {
  const value = toFiniteNumber(rule['mustBe']);
  const isAlone = ruleOperatorsOf(rule).length === 1 && (!isPercentRule(rule) || value === 0);
  return isAlone && value !== undefined && Number.isSafeInteger(value) ? value : undefined;
};

/** The test parameters for the number of exceptions that a rule allows; undefined when no test can express it. */
export const toleranceParameters = (rule: JsonObject): Readonly<Record<string, string>> | undefined => {
  const operators = ruleOperatorsOf(rule);
  const [operator] = operators;
  if (operators.length > 1) return undefined;
  const value = operator && toFiniteNumber(rule[operator]);
  if (operator === undefined || (operator === 'mustBe' && value === 0)) return {};
  const isPart = isPercentRule(rule);
  if (value === undefined || value < 0 || (isPart && value > 100)) return undefined;
  const unit = isPart ? { thresholdUnit: 'PERCENTAGE' } : undefined;
  if (operator === 'mustBeLessOrEqualTo') return { threshold: String(value), ...unit };
  const isCount = operator === 'mustBeLessThan' && !isPart && Number.isSafeInteger(value) && value >= 1;
  return isCount ? { threshold: String(value - 1) } : undefined;
};

export type RuleRange = { readonly least?: number; readonly most?: number };

const parseBetween = (value: Json | undefined): RuleRange | undefined => {
  const [least, most, more] = jsonItems(value).map(toFiniteNumber);
  return least === undefined || most === undefined || more !== undefined || least > most ? undefined : { least, most };
};

const parseBound = (rule: JsonObject, operator: RuleOperator): RuleRange | undefined => {
  const value = toFiniteNumber(rule[operator]);
  if (operator === 'mustBeBetween') return parseBetween(rule[operator]);
  if (value === undefined) return undefined;
  // Only integers have a nearest neighbour, so only they can turn an exclusive bound into an inclusive one.
  const step = Number.isSafeInteger(value) ? 1 : undefined;
  switch (operator) {
    case 'mustBeGreaterOrEqualTo':
      return { least: value };
    case 'mustBeLessOrEqualTo':
      return { most: value };
    case 'mustBeGreaterThan':
      return step && { least: value + step };
    case 'mustBeLessThan':
      return step && { most: value - step };
    default:
      return undefined;
  }
};

/** The inclusive bounds of a rule; undefined when it requires anything else. */
export const ruleRangeOf = (rule: JsonObject): RuleRange | undefined => {
  const operators = ruleOperatorsOf(rule);
  const bounds = operators.map((operator) => parseBound(rule, operator));
  const least = bounds.filter((one) => one?.least !== undefined);
  const most = bounds.filter((one) => one?.most !== undefined);
  if (bounds.length === 0 || bounds.includes(undefined) || least.length > 1 || most.length > 1) return undefined;
  const range: RuleRange = Object.assign({}, ...bounds);
  return isPercentRule(rule) || (range.least ?? 0) > (range.most ?? range.least ?? 0) ? undefined : range;
};

const isShare = (value: number | undefined): value is number => value !== undefined && value >= 0 && value <= 100;

/** The minimum percentage that a rule requires. */
export const minimumPercent = (rule: JsonObject): number | undefined => {
  const [operator, other] = ruleOperatorsOf(rule);
  if (!isPercentRule(rule) || operator === undefined || other !== undefined) return undefined;
  const range = operator === 'mustBeBetween' ? parseBetween(rule[operator]) : undefined;
  const value = range?.most === 100 ? range.least : toFiniteNumber(rule[operator]);
  const isMinimum =
    operator === 'mustBeGreaterOrEqualTo' || range !== undefined || (operator === 'mustBe' && value === 100);
  return isMinimum && isShare(value) ? value : undefined;
};
