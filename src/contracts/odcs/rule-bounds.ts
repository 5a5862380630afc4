import type { Json, JsonObject } from '../../model/json.ts';
import { itemsOf, spoken } from './parts.ts';
import { OPERATORS } from './shape.ts';

/** What a quality rule of a document asks of a number (odcs.md 5). */

type Operator = (typeof OPERATORS)[number];

/** The operators a rule uses. */
export const operatorsOf = (rule: JsonObject): readonly Operator[] =>
  OPERATORS.filter((operator) => rule[operator] !== undefined && rule[operator] !== null);

/** A number, also one that was written as text. */
export const numberOf = (value: Json | undefined): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** Whether a rule counts shares of a hundred. */
export const isPercent = (rule: JsonObject): boolean =>
  ['percent', 'percentage', '%'].includes(spoken(rule['unit'])?.trim().toLowerCase() ?? '');

/** The whole number that a rule asks for, if that is all it asks. */
export const wholeMustBe = (rule: JsonObject): number | undefined => {
  const value = numberOf(rule['mustBe']);
  const isAlone = operatorsOf(rule).length === 1 && (!isPercent(rule) || value === 0);
  return isAlone && value !== undefined && Number.isSafeInteger(value) ? value : undefined;
};

/** The parameters of a test that say how many exceptions a rule allows; nothing when no test can say it. */
export const toleranceOf = (rule: JsonObject): Readonly<Record<string, string>> | undefined => {
  const operators = operatorsOf(rule);
  const [operator] = operators;
  if (operators.length > 1) return undefined;
  const value = operator && numberOf(rule[operator]);
  if (operator === undefined || (operator === 'mustBe' && value === 0)) return {};
  const isPart = isPercent(rule);
  if (value === undefined || value < 0 || (isPart && value > 100)) return undefined;
  const unit = isPart ? { thresholdUnit: 'PERCENTAGE' } : undefined;
  if (operator === 'mustBeLessOrEqualTo') return { threshold: String(value), ...unit };
  const isCount = operator === 'mustBeLessThan' && !isPart && Number.isSafeInteger(value) && value >= 1;
  return isCount ? { threshold: String(value - 1) } : undefined;
};

export type Range = { readonly least?: number; readonly most?: number };

const between = (value: Json | undefined): Range | undefined => {
  const [least, most, more] = itemsOf(value).map(numberOf);
  return least === undefined || most === undefined || more !== undefined || least > most ? undefined : { least, most };
};

const bound = (rule: JsonObject, operator: Operator): Range | undefined => {
  const value = numberOf(rule[operator]);
  if (operator === 'mustBeBetween') return between(rule[operator]);
  if (value === undefined) return undefined;
  // Beside a whole number there is no number that is nearer.
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

/** The bounds of a rule, both included; nothing when it asks for anything else. */
export const rangeOf = (rule: JsonObject): Range | undefined => {
  const operators = operatorsOf(rule);
  const bounds = operators.map((operator) => bound(rule, operator));
  const least = bounds.filter((one) => one?.least !== undefined);
  const most = bounds.filter((one) => one?.most !== undefined);
  if (bounds.length === 0 || bounds.includes(undefined) || least.length > 1 || most.length > 1) return undefined;
  const range: Range = Object.assign({}, ...bounds);
  return isPercent(rule) || (range.least ?? 0) > (range.most ?? range.least ?? 0) ? undefined : range;
};

const isShare = (value: number | undefined): value is number => value !== undefined && value >= 0 && value <= 100;

/** The share that a rule asks for at least, in percent. */
export const minimumShare = (rule: JsonObject): number | undefined => {
  const [operator, other] = operatorsOf(rule);
  if (!isPercent(rule) || operator === undefined || other !== undefined) return undefined;
  const range = operator === 'mustBeBetween' ? between(rule[operator]) : undefined;
  const value = range?.most === 100 ? range.least : numberOf(rule[operator]);
  const isMinimum =
    operator === 'mustBeGreaterOrEqualTo' || range !== undefined || (operator === 'mustBe' && value === 100);
  return isMinimum && isShare(value) ? value : undefined;
};
