import { equalJson, isArray, type Json } from '../../../model/json.ts';
import { assertNesting, countSteps, countText, type LogicBudget } from './budget.ts';

/** Coerces and compares values as JavaScript does, because JsonLogic is defined that way. */

/**
 * Whether a value is true. Null, false, 0, NaN, the empty string and the empty list are false; everything else is
 * true, including `"0"` and `{}`.
 */
export const isTruthy = (value: Json): boolean => (isArray(value) ? value.length > 0 : Boolean(value));

const isStructure = (value: Json): boolean => typeof value === 'object' && value !== null;

/** The cost of comparing a value. */
const measureValue = (work: LogicBudget, value: Json, depth = 0): number => {
  if (typeof value === 'string') return value.length >> 4;
  if (!isStructure(value)) return 0;
  assertNesting(depth);
  const inner = isArray(value) ? value : (Object.values(value as object) as Json[]);
  countSteps(work, inner.length);
  let weight = inner.length;
  for (const item of inner) weight += measureValue(work, item, depth + 1);
  return weight;
};

/** Converts a value to text: null is empty, a list is its items joined by commas, and an object is its JSON. */
export const coerceToText = (work: LogicBudget, value: Json): string => {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (!isStructure(value)) return String(value);
  measureValue(work, value);
  return isArray(value) ? listText(work, value) : countText(work, JSON.stringify(value));
};

const listText = (work: LogicBudget, items: readonly Json[]): string => {
  let text = '';
  for (const [index, item] of items.entries()) {
    const part = coerceToText(work, item);
    text += index === 0 ? part : `,${part}`;
    countText(work, part);
  }
  return text;
};

/** Converts lists to text, so that they can be compared with primitive values. */
const toPrimitive = (work: LogicBudget, value: Json): Json => (isArray(value) ? coerceToText(work, value) : value);

/** Converts a value to a number; NaN when it is none. */
export const coerceToNumber = (work: LogicBudget, value: Json): number => {
  if (typeof value === 'number') return value;
  const given = toPrimitive(work, value);
  if (isStructure(given)) return Number.NaN;
  if (typeof given === 'string') countSteps(work, given.length);
  return Number(given);
};

/** Parses the number at the beginning of a value, as sums and products do: `3 apples` is 3. */
export const parseLeadingNumber = (work: LogicBudget, value: Json): number =>
  typeof value === 'number' ? value : Number.parseFloat(coerceToText(work, value));

/** Whether two values are equal without coercion; lists and objects are compared by content. */
export const isStrictlyEqual = (work: LogicBudget, one: Json, other: Json): boolean => {
  if (typeof one !== typeof other) return false;
  if (typeof one === 'string' || isStructure(one)) countSteps(work, measureValue(work, one));
  return equalJson(one, other);
};

/** Whether a list contains a value. The cost of the value is counted for every item. */
export const isInList = (work: LogicBudget, value: Json, list: readonly Json[]): boolean => {
  countSteps(work, list.length * (1 + measureValue(work, value)));
  return list.some((item) => equalJson(value, item));
};

/** Whether two values are equal after coercion: `1` equals `"1"`. */
export const isLooselyEqual = (work: LogicBudget, one: Json, other: Json): boolean => {
  if (one === null || other === null) return one === other;
  if (typeof one === typeof other) return isStrictlyEqual(work, one, other);
  const [a, b] = [toPrimitive(work, one), toPrimitive(work, other)];
  if (isStructure(a) || isStructure(b)) return false;
  return typeof a === 'string' && typeof b === 'string'
    ? isStrictlyEqual(work, a, b)
    : coerceToNumber(work, a) === coerceToNumber(work, b);
};

const comparePrimitives = (one: number | string, other: number | string): ComparisonOrder =>
  one < other ? -1 : one > other ? 1 : 0;

type ComparisonOrder = -1 | 0 | 1;

/** Compares two values: strings by their characters, others as numbers; undefined when they have no order. */
export const compareValues = (work: LogicBudget, one: Json, other: Json): ComparisonOrder | undefined => {
  const a = toPrimitive(work, one);
  const b = toPrimitive(work, other);
  if (typeof a === 'string' && typeof b === 'string') {
    countSteps(work, Math.min(a.length, b.length) >> 4);
    return comparePrimitives(a, b);
  }
  const x = coerceToNumber(work, a);
  const y = coerceToNumber(work, b);
  return Number.isNaN(x) || Number.isNaN(y) ? undefined : comparePrimitives(x, y);
};
