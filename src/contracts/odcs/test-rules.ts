import { assertJsonDepth, isArray, type Json, type JsonObject } from '../../model/json.ts';
import { parseEntityLink } from '../../model/language/entity-link.ts';
import { jsonObject, nonBlankText, omitEmpty } from './parts.ts';
import { toFiniteNumber } from './rule-bounds.ts';
import { jsonObjects } from './walk.ts';

/** Converts tests to quality rules, the inverse of rule-tests.ts, where there is an equivalent (odcs.md 5). */

type TestParameterMap = ReadonlyMap<string, string>;

/**
 * Builds the rule members that are equivalent to a test's parameters; undefined when only the test itself can express
 * them.
 */
type RuleWriter = (parameters: TestParameterMap) => JsonObject | undefined;

const hasOnly = (parameters: TestParameterMap, ...names: readonly string[]): boolean =>
  [...parameters.keys()].every((name) => names.includes(name));

const numberParameter = (parameters: TestParameterMap, name: string): number | undefined =>
  toFiniteNumber(parameters.get(name));

const listParameter = (parameters: TestParameterMap, name: string): Json | undefined => {
  const text = parameters.get(name) ?? '';
  try {
    assertJsonDepth(text, 8);
    const value = JSON.parse(text) as Json;
    return isArray(value) && value.length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
};

const libraryRule = (metric: string, more: JsonObject): JsonObject => ({ type: 'library', metric, ...more });

/** The operator and the unit for the number of exceptions that a test tolerates. */
const writeTolerance = (parameters: TestParameterMap): JsonObject | undefined => {
  const [threshold, unit] = [parameters.get('threshold'), parameters.get('thresholdUnit')];
  if (threshold === undefined) return unit === undefined ? { mustBe: 0 } : undefined;
  const value = toFiniteNumber(threshold);
  if (value === undefined || value < 0) return undefined;
  if (unit === undefined || unit === 'ABSOLUTE') return { mustBeLessOrEqualTo: value };
  return unit === 'PERCENTAGE' && value <= 100 ? { mustBeLessOrEqualTo: value, unit: 'percent' } : undefined;
};

const tolerantRule =
  (metric: string, writeArguments: RuleWriter = () => ({}), ...names: readonly string[]): RuleWriter =>
  (parameters) => {
    const [members, tolerance] = [writeArguments(parameters), writeTolerance(parameters)];
    const isWhole = hasOnly(parameters, 'threshold', 'thresholdUnit', ...names);
    return isWhole && members && tolerance ? libraryRule(metric, { ...members, ...tolerance }) : undefined;
  };

const writeSetArguments: RuleWriter = (parameters) => {
  const validValues = listParameter(parameters, 'allowedValues');
  const isEveryRow = parameters.get('matchEnum')?.trim().toLowerCase() === 'true';
  return isEveryRow && validValues !== undefined ? { arguments: { validValues } } : undefined;
};

const writePatternArguments: RuleWriter = (parameters) => {
  const pattern = parameters.get('regex');
  return pattern === undefined ? undefined : { arguments: { pattern } };
};

const missingCountRule: RuleWriter = (parameters) => {
  const [count, match] = [numberParameter(parameters, 'missingCountValue'), parameters.get('missingValueMatch')];
  if (!hasOnly(parameters, 'missingCountValue', 'missingValueMatch') || count === undefined) return undefined;
  if (match === undefined) return libraryRule('missingValues', { mustBe: count });
  const missingValues = listParameter(parameters, 'missingValueMatch');
  return missingValues === undefined
    ? undefined
    : libraryRule('missingValues', { arguments: { missingValues }, mustBe: count });
};

const rowCountRule: RuleWriter = (parameters) => {
  const value = numberParameter(parameters, 'value');
  return hasOnly(parameters, 'value') && value !== undefined ? libraryRule('rowCount', { mustBe: value }) : undefined;
};

const rowRangeRule: RuleWriter = (parameters) => {
  const [least, most] = [numberParameter(parameters, 'minValue'), numberParameter(parameters, 'maxValue')];
  if (!hasOnly(parameters, 'minValue', 'maxValue')) return undefined;
  if (least === undefined)
    return most === undefined ? undefined : libraryRule('rowCount', { mustBeLessOrEqualTo: most });
  if (most === undefined) return libraryRule('rowCount', { mustBeGreaterOrEqualTo: least });
  // The standard requires two different bounds.
  return libraryRule('rowCount', least === most ? { mustBe: least } : { mustBeBetween: [least, most] });
};

const OPERATOR_BY_SIGN: Readonly<Record<string, string>> = {
  '==': 'mustBe',
  '!=': 'mustNotBe',
  '>': 'mustBeGreaterThan',
  '>=': 'mustBeGreaterOrEqualTo',
  '<': 'mustBeLessThan',
  '<=': 'mustBeLessOrEqualTo',
};

const sqlRule: RuleWriter = (parameters) => {
  const [query, threshold] = [parameters.get('sqlExpression'), numberParameter(parameters, 'threshold')];
  const sign = parameters.get('operator') ?? '';
  const operator = Object.hasOwn(OPERATOR_BY_SIGN, sign) ? OPERATOR_BY_SIGN[sign] : undefined;
  if (!hasOnly(parameters, 'sqlExpression', 'strategy', 'operator', 'threshold')) return undefined;
  if (parameters.get('strategy') !== 'COUNT' || query === undefined) return undefined;
  return operator === undefined || threshold === undefined ? undefined : { type: 'sql', query, [operator]: threshold };
};

const RULE_WRITERS: Readonly<Record<string, RuleWriter>> = {
  columnValuesToBeNotNull: tolerantRule('nullValues'),
  columnValuesToBeUnique: tolerantRule('duplicateValues'),
  columnValuesToBeInSet: tolerantRule('invalidValues', writeSetArguments, 'allowedValues', 'matchEnum'),
  columnValuesToMatchRegex: tolerantRule('invalidValues', writePatternArguments, 'regex'),
  columnValuesMissingCount: missingCountRule,
  tableRowCountToEqual: rowCountRule,
  tableRowCountToBeBetween: rowRangeRule,
  tableCustomSQLQuery: sqlRule,
};

const parametersOf = (test: JsonObject): TestParameterMap =>
  new Map(
    jsonObjects(test['parameterValues']).flatMap(({ name, value }) =>
      typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : [],
    ),
  );

const definitionNameOf = (test: JsonObject): string => {
  const { testDefinition } = test;
  const { fullyQualifiedName, name } = jsonObject(testDefinition);
  return nonBlankText(testDefinition) ?? nonBlankText(fullyQualifiedName) ?? nonBlankText(name) ?? '';
};

const customRule = (test: JsonObject, testDefinition: string, parameters: TestParameterMap): JsonObject => ({
  type: 'custom',
  engine: 'openmetadata',
  implementation: JSON.stringify({
    name: nonBlankText(test['name']) ?? '',
    testDefinition,
    parameterValues: [...parameters].map(([name, value]) => ({ name, value })),
  }),
});

/** The IDs that the standard allows for a rule. */
const ID = /^[A-Za-z0-9_-]+$/;

/** Builds the rule for a test. */
export const testToRule = (test: JsonObject): JsonObject => {
  const [definition, parameters, name] = [definitionNameOf(test), parametersOf(test), nonBlankText(test['name'])];
  const inverse = Object.hasOwn(RULE_WRITERS, definition) ? RULE_WRITERS[definition] : undefined;
  const isId = name !== undefined && ID.test(name);
  return omitEmpty({
    id: isId ? name : undefined,
    name: nonBlankText(test['displayName']) ?? (isId ? undefined : name),
    description: nonBlankText(test['description']),
    ...(inverse?.(parameters) ?? customRule(test, definition, parameters)),
  });
};

/** The path of a test's column; undefined for a test of the whole table. */
export const testColumnOf = (test: JsonObject): string | undefined => {
  const column = nonBlankText(test['column']);
  const link = nonBlankText(test['entityLink']);
  if (column !== undefined || link === undefined) return column;
  try {
    const { field, item } = parseEntityLink(link);
    return field === 'columns' ? item : undefined;
  } catch {
    return undefined;
  }
};
