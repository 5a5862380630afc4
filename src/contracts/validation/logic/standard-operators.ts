import { isArray, type Json } from '../../../model/json.ts';
import { countItems, countSteps, countText } from './budget.ts';
import {
  coerceToNumber,
  coerceToText,
  compareValues,
  isInList,
  isLooselyEqual,
  isStrictlyEqual,
  isTruthy,
  parseLeadingNumber,
} from './compare.ts';
import {
  argumentAt,
  type EvaluationScope,
  eagerOperator,
  type LogicOperator,
  listItems,
  readScopePath,
} from './operator.ts';

/** Reads a variable. The default applies only to a missing member, not to null. */
const readVar = eagerOperator((values, here) => {
  const value = readScopePath(here, argumentAt(values, 0));
  return value === undefined ? argumentAt(values, 1) : value;
});

const findMissingPaths = (here: EvaluationScope, paths: readonly Json[]): Json => {
  countSteps(here.work, paths.length);
  const missing = paths.filter((path) => {
    const value = readScopePath(here, path);
    return value === undefined || value === null || value === '';
  });
  countItems(here.work, missing.length);
  return missing;
};

const missing = eagerOperator((values, here) => {
  const [first] = values;
  return findMissingPaths(here, isArray(first) ? first : values);
});

const missingSome = eagerOperator((values, here) => {
  const paths = listItems(argumentAt(values, 1));
  const gone = listItems(findMissingPaths(here, paths));
  return paths.length - gone.length >= coerceToNumber(here.work, argumentAt(values, 0)) ? [] : gone;
});

/** Evaluates conditions and values in pairs; a final single argument is the value when no condition holds. */
const choose: LogicOperator = (given, here) => {
  for (let index = 0; index + 1 < given.length; index += 2) {
    if (isTruthy(here.valueOf(argumentAt(given, index)))) return here.valueOf(argumentAt(given, index + 1));
  }
  return given.length % 2 === 1 ? here.valueOf(argumentAt(given, given.length - 1)) : null;
};

/** Returns the first value that decides the result, or else the last one. */
const firstSettling =
  (isSettled: (value: Json) => boolean): LogicOperator =>
  (given, here) => {
    let value: Json = null;
    for (const expression of given) {
      value = here.valueOf(expression);
      if (isSettled(value)) return value;
    }
    return value;
  };

type Comparison = (here: EvaluationScope, one: Json, other: Json) => boolean;

const compareTwo = (isSo: Comparison): LogicOperator =>
  eagerOperator((values, here) => isSo(here, argumentAt(values, 0), argumentAt(values, 1)));

/** Compares values in ascending order. With three arguments, the second must lie between the others. */
const compareAscending = (isSo: Comparison): LogicOperator =>
  eagerOperator((values, here) => {
    const middle = argumentAt(values, 1);
    const last = values[2];
    return isSo(here, argumentAt(values, 0), middle) && (last === undefined || isSo(here, middle, last));
  });

const isLess: Comparison = ({ work }, one, other) => compareValues(work, one, other) === -1;
const isAtMost: Comparison = ({ work }, one, other) => (compareValues(work, one, other) ?? 1) <= 0;

/** The minimum or maximum of the arguments, or of the items of a single list. */
const extreme = (pick: (one: number, other: number) => number): LogicOperator =>
  eagerOperator((values, { work }) => {
    const [first] = values;
    const among = values.length === 1 && isArray(first) ? first : values;
    if (among.length === 0) return null;
    countSteps(work, among.length);
    return among.map((value) => coerceToNumber(work, value)).reduce((one, other) => pick(one, other));
  });

const plus = eagerOperator((values, { work }) =>
  values.reduce((sum: number, value) => sum + parseLeadingNumber(work, value), 0),
);

const times = eagerOperator((values, { work }) =>
  values.length === 0 ? null : values.reduce((product: number, value) => product * parseLeadingNumber(work, value), 1),
);

const minus = eagerOperator((values, { work }) => {
  const [first, second] = [coerceToNumber(work, argumentAt(values, 0)), values[1]];
  return second === undefined ? -first : first - coerceToNumber(work, second);
});

const ofTwoNumbers = (operate: (one: number, other: number) => number): LogicOperator =>
  eagerOperator((values, { work }) =>
    operate(coerceToNumber(work, argumentAt(values, 0)), coerceToNumber(work, argumentAt(values, 1))),
  );

const filterItems = (given: readonly Json[], here: EvaluationScope): Json[] => {
  const test = argumentAt(given, 1);
  return listItems(here.valueOf(argumentAt(given, 0))).filter((item) => isTruthy(here.valueOf(test, item)));
};

const map: LogicOperator = (given, here) => {
  const list = listItems(here.valueOf(argumentAt(given, 0)));
  countItems(here.work, list.length);
  return list.map((item) => here.valueOf(argumentAt(given, 1), item));
};

const filter: LogicOperator = (given, here) => {
  const some = filterItems(given, here);
  countItems(here.work, some.length);
  return some;
};

const reduce: LogicOperator = (given, here) => {
  const list = listItems(here.valueOf(argumentAt(given, 0)));
  let accumulator = here.valueOf(argumentAt(given, 2));
  for (const current of list) accumulator = here.valueOf(argumentAt(given, 1), { current, accumulator });
  return accumulator;
};

/** Whether all items match; false for an empty list. */
const all: LogicOperator = (given, here) => {
  const list = listItems(here.valueOf(argumentAt(given, 0)));
  return list.length > 0 && list.every((item) => isTruthy(here.valueOf(argumentAt(given, 1), item)));
};

const some: LogicOperator = (given, here) => {
  const list = listItems(here.valueOf(argumentAt(given, 0)));
  return list.some((item) => isTruthy(here.valueOf(argumentAt(given, 1), item)));
};

const none: LogicOperator = (given, here) => !some(given, here);

const merge = eagerOperator((values, { work }) => {
  countItems(
    work,
    values.reduce((sum: number, value) => sum + (isArray(value) ? value.length : 1), 0),
  );
  return values.flat(1) as Json[];
});

/** Whether a list contains a value, or a text contains a substring. */
export const containsOperator = eagerOperator((values, { work }) => {
  const [needle, haystack] = [argumentAt(values, 0), argumentAt(values, 1)];
  if (isArray(haystack)) return isInList(work, needle, haystack);
  if (typeof haystack !== 'string' || needle === null || typeof needle === 'object') return false;
  countSteps(work, haystack.length);
  return haystack.includes(coerceToText(work, needle));
});

const cat = eagerOperator((values, { work }) => {
  let text = '';
  for (const value of values) text += countText(work, coerceToText(work, value));
  return text;
});

/**
 * Returns a substring. A negative start counts from the end; a negative length omits that many characters at the end.
 */
const substr = eagerOperator((values, { work }) => {
  const text = coerceToText(work, argumentAt(values, 0));
  const whole = (value: Json): number => Math.trunc(coerceToNumber(work, value)) || 0;
  const rest = text.slice(whole(argumentAt(values, 1)));
  return countText(work, values[2] === undefined ? rest : rest.slice(0, whole(values[2])));
});

const not = eagerOperator((values) => !isTruthy(argumentAt(values, 0)));

/** The operators that JsonLogic defines. */
export const STANDARD_OPERATORS: readonly (readonly [string, LogicOperator])[] = [
  ['var', readVar],
  ['missing', missing],
  ['missing_some', missingSome],
  ['if', choose],
  ['?:', choose],
  ['==', compareTwo(({ work }, one, other) => isLooselyEqual(work, one, other))],
  ['!=', compareTwo(({ work }, one, other) => !isLooselyEqual(work, one, other))],
  ['===', compareTwo(({ work }, one, other) => isStrictlyEqual(work, one, other))],
  ['!==', compareTwo(({ work }, one, other) => !isStrictlyEqual(work, one, other))],
  ['!', not],
  ['!!', eagerOperator((values) => isTruthy(argumentAt(values, 0)))],
  ['and', firstSettling((value) => !isTruthy(value))],
  ['or', firstSettling(isTruthy)],
  ['<', compareAscending(isLess)],
  ['<=', compareAscending(isAtMost)],
  ['>', compareTwo((here, one, other) => isLess(here, other, one))],
  ['>=', compareTwo((here, one, other) => isAtMost(here, other, one))],
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
  ['in', containsOperator],
  ['cat', cat],
  ['substr', substr],
  ['log', eagerOperator((values) => argumentAt(values, 0))],
];
