import { assertJsonDepth, isArray, type Json, type JsonObject } from '../../../model/json.ts';
import { jsonObject, jsonObjects, nonBlankText } from '../../../model/json-parts.ts';
import { parseEntityLink } from '../../../model/language/entity-link.ts';
import { isLongerThan, MAX_NAME_LENGTH } from '../../../model/name.ts';
import { omitEmpty, toFiniteNumber } from '../json-parts.ts';
import {
  type ColumnPathFinder,
  createColumnPathFinder,
  type ImportTarget,
  ruleColumnOf,
} from '../schema/read-schema.ts';
import { type RuleMeaning, type RuleTestMeaning, ruleMeaningOf } from './rule-meaning.ts';

/** Converts quality rules of a contract to test cases of its table, and tests to quality rules (odcs.md 5). */

/** A test case that a rule asks for. */
export type RuleTest = {
  readonly name: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly testDefinition: string;
  readonly column?: string;
  readonly parameterValues: readonly { readonly name: string; readonly value: string }[];
};

export type RuleCase = {
  readonly rule: JsonObject;
  /** The path of the rule's column. */
  readonly column?: string;
  /** The path of the same column in the table's spelling, if the table has it. */
  readonly tableColumn?: string;
  readonly meaning: RuleMeaning;
  readonly test?: RuleTest;
};

/** Characters that the name of a test case must not contain. */
const FORBIDDEN_CHARACTERS = /::|[>"\p{Cc}\p{Cs}]/u;

const isUsableName = (name: string | undefined): name is string =>
  name !== undefined &&
  !FORBIDDEN_CHARACTERS.test(name) &&
  !isLongerThan(name, MAX_NAME_LENGTH) &&
  name.trim() === name;

const MAX_SLUG = 120;

/** The maximum number of characters of a text that are read for a name, which is cut much earlier. */
const MAX_READ = 2_000;

const slugOf = (text: string | undefined): string | undefined => {
  const words = (text ?? '')
    .slice(0, MAX_READ)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_');
  const slug = [...words.replace(/^_|_$/g, '')].slice(0, MAX_SLUG).join('');
  return slug === '' ? undefined : `odcs_${slug}`;
};

const preferredName = (rule: JsonObject, tested: RuleTestMeaning): string => {
  const given = [nonBlankText(rule['id']), tested.name].find(isUsableName);
  const texts = [rule['name'], rule['metric'], rule['rule'], rule['type']].map((value) => slugOf(nonBlankText(value)));
  return given ?? texts.find((slug) => slug !== undefined) ?? 'odcs_rule';
};

/** Names in use, each with the last number assigned to it. */
type TakenNames = Map<string, number>;

/** Finds a free name by numbering further tests of the same target. */
const findFreeName = (name: string, target: string, taken: TakenNames): string => {
  const keyOf = (text: string) => `${target}\u0001${text.toLowerCase()}`;
  let free = name;
  let number = taken.get(keyOf(name)) ?? 0;
  for (; taken.has(keyOf(free)); number += 1) free = `${name}_${number + 1}`;
  taken.set(keyOf(name), Math.max(number, 1));
  taken.set(keyOf(free), taken.get(keyOf(free)) ?? 1);
  return free;
};

const descriptionOf = (rule: JsonObject): string | undefined => {
  const [description, impact] = [nonBlankText(rule['description']), nonBlankText(rule['businessImpact'])];
  const parts = [description, impact && `Business impact: ${impact}`].filter((part) => part !== undefined);
  return nonBlankText(parts.join('\n\n'));
};

const buildRuleTest = (
  rule: JsonObject,
  tested: RuleTestMeaning,
  column: string | undefined,
  taken: TakenNames,
): RuleTest => {
  const displayName = nonBlankText(rule['name']);
  const description = descriptionOf(rule);
  const target = tested.isOfColumn ? column : undefined;
  return {
    name: findFreeName(preferredName(rule, tested), target ?? '', taken),
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    testDefinition: tested.testDefinition,
    ...(target !== undefined && { column: target }),
    parameterValues: Object.entries(tested.parameters).map(([name, value]) => ({ name, value })),
  };
};

const findMeaning = (rule: JsonObject, column: string | undefined, found: ColumnPathFinder, target: ImportTarget) => {
  const known = column === undefined ? undefined : found(column)?.key;
  if (column !== undefined && known === undefined) {
    return { meaning: { reason: `The table has no column ${column}` }, known };
  }
  return { meaning: ruleMeaningOf(rule, { ...(known !== undefined && { column: known }), table: target.name }), known };
};

/**
 * Interprets each rule of a contract and builds the equivalent tests. Names depend only on the rules, so that the
 * same rules always ask for the same tests.
 */
export const buildRuleCases = (
  rules: readonly JsonObject[],
  target: ImportTarget,
  objectName: string | undefined,
): readonly RuleCase[] => {
  const found = createColumnPathFinder(target.columns);
  const taken: TakenNames = new Map();
  return rules.map((rule) => {
    const column = ruleColumnOf(rule, [objectName, target.name], (name) => found(name) !== undefined);
    const { meaning, known } = findMeaning(rule, column, found, target);
    return {
      rule,
      ...(column !== undefined && { column }),
      ...(known !== undefined && { tableColumn: known }),
      meaning,
      ...('testDefinition' in meaning && { test: buildRuleTest(rule, meaning, known, taken) }),
    };
  });
};

type RuleOutcome = {
  readonly outcome: 'testCase' | 'sla' | 'notExecuted';
  readonly testDefinition?: string;
  readonly testCaseName?: string;
  readonly reason?: string;
};

/** Builds the line of the import report for a rule. */
export const toReportLine = ({ rule, column }: RuleCase, outcome: RuleOutcome): JsonObject =>
  omitEmpty({ name: nonBlankText(rule['name']) ?? nonBlankText(rule['id']), column, ...outcome });

// Tests as quality rules, the inverse of rule-meaning.ts where there is an equivalent.

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
