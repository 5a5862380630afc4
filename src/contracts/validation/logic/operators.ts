import { isArray, type Json } from '../../../model/json.ts';
import { isAmong, isLooselyEqual, isSame, isTruthy, leadingNumberOf, numberOf, order, textOf } from './compare.ts';
import { argument, eager, type Here, itemsOf, type Operator, valueAtPath } from './operator.ts';
import { made, makeItems, spend } from './work.ts';

/** A member that is null is there: only what is missing has another value instead. */
const readVar = eager((values, here) => {
  const value = valueAtPath(here, argument(values, 0));
  return value === undefined ? argument(values, 1) : value;
});

const missingAmong = (here: Here, paths: readonly Json[]): Json => {
  spend(here.work, paths.length);
  const missing = paths.filter((path) => {
    const value = valueAtPath(here, path);
    return value === undefined || value === null || value === '';
  });
  makeItems(here.work, missing.length);
  return missing;
};

const missing = eager((values, here) => {
  const [first] = values;
  return missingAmong(here, isArray(first) ? first : values);
});

const missingSome = eager((values, here) => {
  const paths = itemsOf(argument(values, 1));
  const gone = itemsOf(missingAmong(here, paths));
  return paths.length - gone.length >= numberOf(here.work, argument(values, 0)) ? [] : gone;
});

/** Conditions and values in turns; a last one alone is for when no condition holds. */
const choose: Operator = (given, here) => {
  for (let index = 0; index + 1 < given.length; index += 2) {
    if (isTruthy(here.valueOf(argument(given, index)))) return here.valueOf(argument(given, index + 1));
  }
  return given.length % 2 === 1 ? here.valueOf(argument(given, given.length - 1)) : null;
};

/** The first value that settles the matter, else the last one. */
const until =
  (isSettled: (value: Json) => boolean): Operator =>
  (given, here) => {
    let value: Json = null;
    for (const expression of given) {
      value = here.valueOf(expression);
      if (isSettled(value)) return value;
    }
    return value;
  };

type Comparison = (here: Here, one: Json, other: Json) => boolean;

const comparing = (isSo: Comparison): Operator =>
  eager((values, here) => isSo(here, argument(values, 0), argument(values, 1)));

/** With three arguments, the second is asked for lying between the others. */
const ascending = (isSo: Comparison): Operator =>
  eager((values, here) => {
    const middle = argument(values, 1);
    const last = values[2];
    return isSo(here, argument(values, 0), middle) && (last === undefined || isSo(here, middle, last));
  });

const isLess: Comparison = ({ work }, one, other) => order(work, one, other) === -1;
const isAtMost: Comparison = ({ work }, one, other) => (order(work, one, other) ?? 1) <= 0;

/** The extreme of the arguments, or of the items of the only one. */
const extreme = (pick: (one: number, other: number) => number): Operator =>
  eager((values, { work }) => {
    const [first] = values;
    const among = values.length === 1 && isArray(first) ? first : values;
    if (among.length === 0) return null;
    spend(work, among.length);
    return among.map((value) => numberOf(work, value)).reduce((one, other) => pick(one, other));
  });

const plus = eager((values, { work }) => values.reduce((sum: number, value) => sum + leadingNumberOf(work, value), 0));

const times = eager((values, { work }) =>
  values.length === 0 ? null : values.reduce((product: number, value) => product * leadingNumberOf(work, value), 1),
);

const minus = eager((values, { work }) => {
  const [first, second] = [numberOf(work, argument(values, 0)), values[1]];
  return second === undefined ? -first : first - numberOf(work, second);
});

const ofTwoNumbers = (operate: (one: number, other: number) => number): Operator =>
  eager((values, { work }) => operate(numberOf(work, argument(values, 0)), numberOf(work, argument(values, 1))));

const kept = (given: readonly Json[], here: Here): Json[] => {
  const test = argument(given, 1);
  return itemsOf(here.valueOf(argument(given, 0))).filter((item) => isTruthy(here.valueOf(test, item)));
};

const map: Operator = (given, here) => {
  const list = itemsOf(here.valueOf(argument(given, 0)));
  makeItems(here.work, list.length);
  return list.map((item) => here.valueOf(argument(given, 1), item));
};

const filter: Operator = (given, here) => {
  const some = kept(given, here);
  makeItems(here.work, some.length);
  return some;
};

const reduce: Operator = (given, here) => {
  const list = itemsOf(here.valueOf(argument(given, 0)));
  let accumulator = here.valueOf(argument(given, 2));
  for (const current of list) accumulator = here.valueOf(argument(given, 1), { current, accumulator });
  return accumulator;
};

/** Of nothing it cannot be said that all of it is so. */
const all: Operator = (given, here) => {
  const list = itemsOf(here.valueOf(argument(given, 0)));
  return list.length > 0 && list.every((item) => isTruthy(here.valueOf(argument(given, 1), item)));
};

const some: Operator = (given, here) => {
  const list = itemsOf(here.valueOf(argument(given, 0)));
  return list.some((item) => isTruthy(here.valueOf(argument(given, 1), item)));
};

const none: Operator = (given, here) => !some(given, here);

const merge = eager((values, { work }) => {
  makeItems(
    work,
    values.reduce((sum: number, value) => sum + (isArray(value) ? value.length : 1), 0),
  );
  return values.flat(1) as Json[];
});

/** Whether a list holds a value, or a text a part. */
export const isIn = eager((values, { work }) => {
  const [needle, haystack] = [argument(values, 0), argument(values, 1)];
  if (isArray(haystack)) return isAmong(work, needle, haystack);
  if (typeof haystack !== 'string' || needle === null || typeof needle === 'object') return false;
  spend(work, haystack.length);
  return haystack.includes(textOf(work, needle));
});

const cat = eager((values, { work }) => {
  let text = '';
  for (const value of values) text += made(work, textOf(work, value));
  return text;
});

/** A negative start counts from the end, and a negative length leaves out that many characters there. */
const substr = eager((values, { work }) => {
  const text = textOf(work, argument(values, 0));
  const whole = (value: Json): number => Math.trunc(numberOf(work, value)) || 0;
  const rest = text.slice(whole(argument(values, 1)));
  return made(work, values[2] === undefined ? rest : rest.slice(0, whole(values[2])));
});

const not = eager((values) => !isTruthy(argument(values, 0)));

/** The operators that JSON-logic defines. */
export const STANDARD: readonly (readonly [string, Operator])[] = [
  ['var', readVar],
  ['missing', missing],
  ['missing_some', missingSome],
  ['if', choose],
  ['?:', choose],
  ['==', comparing(({ work }, one, other) => isLooselyEqual(work, one, other))],
  ['!=', comparing(({ work }, one, other) => !isLooselyEqual(work, one, other))],
  ['===', comparing(({ work }, one, other) => isSame(work, one, other))],
  ['!==', comparing(({ work }, one, other) => !isSame(work, one, other))],
  ['!', not],
  ['!!', eager((values) => isTruthy(argument(values, 0)))],
  ['and', until((value) => !isTruthy(value))],
  ['or', until(isTruthy)],
  ['<', ascending(isLess)],
  ['<=', ascending(isAtMost)],
  ['>', comparing((here, one, other) => isLess(here, other, one))],
  ['>=', comparing((here, one, other) => isAtMost(here, other, one))],
  ['max', extreme(Math.max)],
  ['min', extreme(Math.min)],
  ['+', plus],
  ['-', minus],
  ['*', times],
  ['/', ofTwoNumbers((one, other) => one / other)],
  ['%', ofTwoNumbers((one, other) => one % other)],
  ['map', map],
  ['filter', filter],
  ['reduce', reduce],
  ['all', all],
  ['some', some],
  ['none', none],
  ['merge', merge],
  ['in', isIn],
  ['cat', cat],
  ['substr', substr],
  ['log', eager((values) => argument(values, 0))],
];
