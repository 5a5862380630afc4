import { parseEntityLink } from '../../model/entity-link.ts';
import { assertDepth, isArray, type Json, type JsonObject } from '../../model/json.ts';
import { compact, objectOf, spoken } from './parts.ts';
import { numberOf } from './rule-bounds.ts';
import { objectsOf } from './walk.ts';

/** Tests of data as quality rules: the inverse of what a rule becomes, where there is one (odcs.md 5). */

type Parameters = ReadonlyMap<string, string>;

/** What of a rule says the same as the parameters of a test; nothing when only the test itself says it. */
type Inverse = (parameters: Parameters) => JsonObject | undefined;

const only = (parameters: Parameters, ...names: readonly string[]): boolean =>
  [...parameters.keys()].every((name) => names.includes(name));

const numberIn = (parameters: Parameters, name: string): number | undefined => numberOf(parameters.get(name));

const listIn = (parameters: Parameters, name: string): Json | undefined => {
  const text = parameters.get(name) ?? '';
  try {
    assertDepth(text, 8);
    const value = JSON.parse(text) as Json;
    return isArray(value) && value.length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
};

const library = (metric: string, more: JsonObject): JsonObject => ({ type: 'library', metric, ...more });

/** The operator and the unit that say how many exceptions a test tolerates. */
const tolerated = (parameters: Parameters): JsonObject | undefined => {
  const [threshold, unit] = [parameters.get('threshold'), parameters.get('thresholdUnit')];
  if (threshold === undefined) return unit === undefined ? { mustBe: 0 } : undefined;
  const value = numberOf(threshold);
  if (value === undefined || value < 0) return undefined;
  if (unit === undefined || unit === 'ABSOLUTE') return { mustBeLessOrEqualTo: value };
  return unit === 'PERCENTAGE' && value <= 100 ? { mustBeLessOrEqualTo: value, unit: 'percent' } : undefined;
};

const tolerant =
  (metric: string, told: Inverse = () => ({}), ...names: readonly string[]): Inverse =>
  (parameters) => {
    const [members, tolerance] = [told(parameters), tolerated(parameters)];
    const isWhole = only(parameters, 'threshold', 'thresholdUnit', ...names);
    return isWhole && members && tolerance ? library(metric, { ...members, ...tolerance }) : undefined;
  };

const inSet: Inverse = (parameters) => {
  const validValues = listIn(parameters, 'allowedValues');
  const isEveryRow = parameters.get('matchEnum')?.trim().toLowerCase() === 'true';
  return isEveryRow && validValues !== undefined ? { arguments: { validValues } } : undefined;
};

const regex: Inverse = (parameters) => {
  const pattern = parameters.get('regex');
  return pattern === undefined ? undefined : { arguments: { pattern } };
};

const missingCount: Inverse = (parameters) => {
  const [count, match] = [numberIn(parameters, 'missingCountValue'), parameters.get('missingValueMatch')];
  if (!only(parameters, 'missingCountValue', 'missingValueMatch') || count === undefined) return undefined;
  if (match === undefined) return library('missingValues', { mustBe: count });
  const missingValues = listIn(parameters, 'missingValueMatch');
  return missingValues === undefined
    ? undefined
    : library('missingValues', { arguments: { missingValues }, mustBe: count });
};

const rowCount: Inverse = (parameters) => {
  const value = numberIn(parameters, 'value');
  return only(parameters, 'value') && value !== undefined ? library('rowCount', { mustBe: value }) : undefined;
};

const rowRange: Inverse = (parameters) => {
  const [least, most] = [numberIn(parameters, 'minValue'), numberIn(parameters, 'maxValue')];
  if (!only(parameters, 'minValue', 'maxValue')) return undefined;
  if (least === undefined) return most === undefined ? undefined : library('rowCount', { mustBeLessOrEqualTo: most });
  if (most === undefined) return library('rowCount', { mustBeGreaterOrEqualTo: least });
  // The standard wants two different bounds.
  return library('rowCount', least === most ? { mustBe: least } : { mustBeBetween: [least, most] });
};

const SIGNS: Readonly<Record<string, string>> = {
  '==': 'mustBe',
  '!=': 'mustNotBe',
  '>': 'mustBeGreaterThan',
  '>=': 'mustBeGreaterOrEqualTo',
  '<': 'mustBeLessThan',
  '<=': 'mustBeLessOrEqualTo',
};

const sql: Inverse = (parameters) => {
  const [query, threshold] = [parameters.get('sqlExpression'), numberIn(parameters, 'threshold')];
  const sign = parameters.get('operator') ?? '';
  const operator = Object.hasOwn(SIGNS, sign) ? SIGNS[sign] : undefined;
  if (!only(parameters, 'sqlExpression', 'strategy', 'operator', 'threshold')) return undefined;
  if (parameters.get('strategy') !== 'COUNT' || query === undefined) return undefined;
  return operator === undefined || threshold === undefined ? undefined : { type: 'sql', query, [operator]: threshold };
};

const INVERSES: Readonly<Record<string, Inverse>> = {
  columnValuesToBeNotNull: tolerant('nullValues'),
  columnValuesToBeUnique: tolerant('duplicateValues'),
  columnValuesToBeInSet: tolerant('invalidValues', inSet, 'allowedValues', 'matchEnum'),
  columnValuesToMatchRegex: tolerant('invalidValues', regex, 'regex'),
  columnValuesMissingCount: missingCount,
  tableRowCountToEqual: rowCount,
  tableRowCountToBeBetween: rowRange,
  tableCustomSQLQuery: sql,
};

const parametersOf = (test: JsonObject): Parameters =>
  new Map(
    objectsOf(test['parameterValues']).flatMap(({ name, value }) =>
      typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : [],
    ),
  );

const definitionOf = (test: JsonObject): string => {
  const { testDefinition } = test;
  const { fullyQualifiedName, name } = objectOf(testDefinition);
  return spoken(testDefinition) ?? spoken(fullyQualifiedName) ?? spoken(name) ?? '';
};

const verbatim = (test: JsonObject, testDefinition: string, parameters: Parameters): JsonObject => ({
  type: 'custom',
  engine: 'openmetadata',
  implementation: JSON.stringify({
    name: spoken(test['name']) ?? '',
    testDefinition,
    parameterValues: [...parameters].map(([name, value]) => ({ name, value })),
  }),
});

/** What the standard lets be the id of a rule. */
const ID = /^[A-Za-z0-9_-]+$/;

/** The rule that asks for a test. */
export const ruleOfTest = (test: JsonObject): JsonObject => {
  const [definition, parameters, name] = [definitionOf(test), parametersOf(test), spoken(test['name'])];
  const inverse = Object.hasOwn(INVERSES, definition) ? INVERSES[definition] : undefined;
  const isId = name !== undefined && ID.test(name);
  return compact({
    id: isId ? name : undefined,
    name: spoken(test['displayName']) ?? (isId ? undefined : name),
    description: spoken(test['description']),
    ...(inverse?.(parameters) ?? verbatim(test, definition, parameters)),
  });
};

/** The path of the column a test is about; nothing for a test of the whole table. */
export const columnOfTest = (test: JsonObject): string | undefined => {
  const column = spoken(test['column']);
  const link = spoken(test['entityLink']);
  if (column !== undefined || link === undefined) return column;
  try {
    const { field, item } = parseEntityLink(link);
    return field === 'columns' ? item : undefined;
  } catch {
    return undefined;
  }
};
