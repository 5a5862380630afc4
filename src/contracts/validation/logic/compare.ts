import { equalJson, isArray, type Json } from '../../../model/json.ts';
import { assertNesting, made, spend, type Work } from './work.ts';

/** Values are coerced as JavaScript coerces them, since that is what JSON-logic is defined by. */

/** Null, false, 0, NaN, the empty text and the empty list are false; everything else is true, `"0"` and `{}` too. */
export const isTruthy = (value: Json): boolean => (isArray(value) ? value.length > 0 : Boolean(value));

const isStructure = (value: Json): boolean => typeof value === 'object' && value !== null;

/** How much there is to compare in a value. */
const weigh = (work: Work, value: Json, depth = 0): number => {
  if (typeof value === 'string') return value.length >> 4;
  if (!isStructure(value)) return 0;
  assertNesting(depth);
  const inner = isArray(value) ? value : (Object.values(value as object) as Json[]);
  spend(work, inner.length);
  let weight = inner.length;
  for (const item of inner) weight += weigh(work, item, depth + 1);
  return weight;
};

/** Nulls are empty, lists are their items between commas, and an object is its JSON. */
export const textOf = (work: Work, value: Json): string => {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (!isStructure(value)) return String(value);
  weigh(work, value);
  return isArray(value) ? listText(work, value) : made(work, JSON.stringify(value));
};

const listText = (work: Work, items: readonly Json[]): string => {
  let text = '';
  for (const [index, item] of items.entries()) {
    const part = textOf(work, item);
    text += index === 0 ? part : `,${part}`;
    made(work, part);
  }
  return text;
};

/** What of a value is compared with a plain one: lists count by their text. */
const plain = (work: Work, value: Json): Json => (isArray(value) ? textOf(work, value) : value);

/** NaN for what stands for no number. */
export const numberOf = (work: Work, value: Json): number => {
  if (typeof value === 'number') return value;
  const given = plain(work, value);
  if (isStructure(given)) return Number.NaN;
  if (typeof given === 'string') spend(work, given.length);
  return Number(given);
};

/** The number a value begins with, as sums and products read it: `3 apples` is 3. */
export const leadingNumberOf = (work: Work, value: Json): number =>
  typeof value === 'number' ? value : Number.parseFloat(textOf(work, value));

/** Whether two values are the same without any coercion; lists and objects are by what they hold. */
export const isSame = (work: Work, one: Json, other: Json): boolean => {
  if (typeof one !== typeof other) return false;
  if (typeof one === 'string' || isStructure(one)) spend(work, weigh(work, one));
  return equalJson(one, other);
};

/** Whether a list holds a value. What the value weighs is counted for every item it is compared with. */
export const isAmong = (work: Work, value: Json, list: readonly Json[]): boolean => {
  spend(work, list.length * (1 + weigh(work, value)));
  return list.some((item) => equalJson(value, item));
};

/** Whether two values are equal after coercion: `1` and `"1"` are. */
export const isLooselyEqual = (work: Work, one: Json, other: Json): boolean => {
  if (one === null || other === null) return one === other;
  if (typeof one === typeof other) return isSame(work, one, other);
  const [a, b] = [plain(work, one), plain(work, other)];
  if (isStructure(a) || isStructure(b)) return false;
  return typeof a === 'string' && typeof b === 'string' ? isSame(work, a, b) : numberOf(work, a) === numberOf(work, b);
};

const orderOf = (one: number | string, other: number | string): Order => (one < other ? -1 : one > other ? 1 : 0);

type Order = -1 | 0 | 1;

/** The order of two values: texts by their characters, everything else by its number; undefined when there is none. */
export const order = (work: Work, one: Json, other: Json): Order | undefined => {
  const a = plain(work, one);
  const b = plain(work, other);
  if (typeof a === 'string' && typeof b === 'string') {
    spend(work, Math.min(a.length, b.length) >> 4);
    return orderOf(a, b);
  }
  const x = numberOf(work, a);
  const y = numberOf(work, b);
  return Number.isNaN(x) || Number.isNaN(y) ? undefined : orderOf(x, y);
};
