import { assertJsonDepth, isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { jsonItems, jsonObject, jsonObjects, nonBlankText } from '../../../model/json-parts.ts';
import { toFiniteNumber } from '../json-parts.ts';
import { parseTimeUnit } from '../sla.ts';
import { RULE_OPERATORS } from '../versions/rule-shape.ts';

/** Finds the test that is equivalent to a quality rule, if any, by its metric, bounds and tolerance (odcs.md 5). */

type RuleOperator = (typeof RULE_OPERATORS)[number];

/** The operators that a rule uses. */
const ruleOperatorsOf = (rule: JsonObject): readonly RuleOperator[] =>
  RULE_OPERATORS.filter((operator) => rule[operator] !== undefined && rule[operator] !== null);

/** Whether a rule counts in percent. */
const isPercentRule = (rule: JsonObject): boolean =>
  ['percent', 'percentage', '%'].includes(nonBlankText(rule['unit'])?.trim().toLowerCase() ?? '');

/** The integer that a rule requires, if it has no other operator. */
const integerMustBe = (rule: JsonObject): number | undefined => {
  const value = toFiniteNumber(rule['mustBe']);
  const isAlone = ruleOperatorsOf(rule).length === 1 && (!isPercentRule(rule) || value === 0);
  return isAlone && value !== undefined && Number.isSafeInteger(value) ? value : undefined;
};

/** The test parameters for the number of exceptions that a rule allows; undefined when no test can express it. */
const toleranceParameters = (rule: JsonObject): Readonly<Record<string, string>> | undefined => {
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

type RuleRange = { readonly least?: number; readonly most?: number };

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
const ruleRangeOf = (rule: JsonObject): RuleRange | undefined => {
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
const minimumPercent = (rule: JsonObject): number | undefined => {
  const [operator, other] = ruleOperatorsOf(rule);
  if (!isPercentRule(rule) || operator === undefined || other !== undefined) return undefined;
  const range = operator === 'mustBeBetween' ? parseBetween(rule[operator]) : undefined;
  const value = range?.most === 100 ? range.least : toFiniteNumber(rule[operator]);
  const isMinimum =
    operator === 'mustBeGreaterOrEqualTo' || range !== undefined || (operator === 'mustBe' && value === 100);
  return isMinimum && isShare(value) ? value : undefined;
};

type TestParameters = Readonly<Record<string, string>>;

/** The test that is equivalent to a rule. Tests of whole tables may come from rules of a column. */
export type RuleTestMeaning = {
  readonly testDefinition: string;
  readonly parameters: TestParameters;
  readonly isOfColumn: boolean;
  /** The name that the rule itself gives its test. */
  readonly name?: string;
};

/** A refresh frequency, which becomes a service level instead of a test. */
type FrequencyMeaning = { readonly frequency: { readonly interval: number; readonly unit: string } };

type UntestedMeaning = { readonly reason: string };

export type RuleMeaning = RuleTestMeaning | FrequencyMeaning | UntestedMeaning;

type RuleTarget = {
  /** The rule's column, as the rule's query may name it; undefined for a whole object. */
  readonly column?: string;
  readonly table: string;
};

const untested = (reason: string): UntestedMeaning => ({ reason });

/** Reads a member of a rule or of its arguments. */
const ruleArgument = (rule: JsonObject, ...names: readonly string[]): Json | undefined => {
  for (const name of names) {
    const value = jsonObject(rule['arguments'])[name] ?? rule[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
};

const columnTest = (testDefinition: string, parameters: TestParameters): RuleTestMeaning => ({
  testDefinition,
  parameters,
  isOfColumn: true,
});

const INEXPRESSIBLE = untested('No test says what its operators and unit ask for');

const tolerantTest = (testDefinition: string, rule: JsonObject, parameters: TestParameters = {}): RuleMeaning => {
  const tolerance = toleranceParameters(rule);
  return tolerance === undefined ? INEXPRESSIBLE : columnTest(testDefinition, { ...parameters, ...tolerance });
};

const setTest = (rule: JsonObject, values: Json): RuleMeaning =>
  jsonItems(values).length === 0
    ? untested('It lists no valid values')
    : tolerantTest('columnValuesToBeInSet', rule, { allowedValues: JSON.stringify(values), matchEnum: 'true' });

const patternTest = (rule: JsonObject): RuleMeaning => {
  const regex = nonBlankText(ruleArgument(rule, 'pattern', 'regex'));
  return regex === undefined
    ? untested('It has no pattern')
    : tolerantTest('columnValuesToMatchRegex', rule, { regex });
};

const invalidValuesTest = (rule: JsonObject): RuleMeaning => {
  const values = ruleArgument(rule, 'validValues');
  if (values !== undefined) return setTest(rule, values);
  return ruleArgument(rule, 'pattern') === undefined
    ? untested('It has neither valid values nor a pattern')
    : patternTest(rule);
};

const missingValuesTest = (rule: JsonObject): RuleMeaning => {
  const count = integerMustBe(rule);
  if (count === undefined || count < 0) return INEXPRESSIBLE;
  const values = ruleArgument(rule, 'missingValues');
  const match = jsonItems(values).length > 0 ? { missingValueMatch: JSON.stringify(values) } : undefined;
  return columnTest('columnValuesMissingCount', { missingCountValue: String(count), ...match });
};

/** Subtracts percentages and rounds away binary fraction errors. */
const difference = (one: number, other: number): number => Number((one - other).toFixed(9));

const completenessTest = (rule: JsonObject): RuleMeaning => {
  const least = minimumPercent(rule);
  if (least === undefined) return INEXPRESSIBLE;
  const tolerance = { threshold: String(difference(100, least)), thresholdUnit: 'PERCENTAGE' };
  return columnTest('columnValuesToBeNotNull', least === 100 ? {} : tolerance);
};

const rangeParameters = (least: string, most: string, range: RuleRange): TestParameters => ({
  ...(range.least !== undefined && { [least]: String(range.least) }),
  ...(range.most !== undefined && { [most]: String(range.most) }),
});

const isIntegerRange = ({ least = 0, most = 0 }: RuleRange): boolean =>
  Number.isSafeInteger(least) && Number.isSafeInteger(most);

const lengthTest = (rule: JsonObject): RuleMeaning => {
  const range = ruleRangeOf(rule);
  if (range === undefined || !isIntegerRange(range)) return INEXPRESSIBLE;
  return columnTest('columnValueLengthsToBeBetween', rangeParameters('minLength', 'maxLength', range));
};

const valueRangeTest = (rule: JsonObject): RuleMeaning => {
  const range = ruleRangeOf(rule);
  return range ? columnTest('columnValuesToBeBetween', rangeParameters('minValue', 'maxValue', range)) : INEXPRESSIBLE;
};

const rowCountTest = (rule: JsonObject): RuleMeaning => {
  const [value, range] = [integerMustBe(rule), ruleRangeOf(rule)];
  if (value !== undefined && !isPercentRule(rule)) {
    return { testDefinition: 'tableRowCountToEqual', parameters: { value: String(value) }, isOfColumn: false };
  }
  if (range === undefined || !isIntegerRange(range)) return INEXPRESSIBLE;
  const parameters = rangeParameters('minValue', 'maxValue', range);
  return { testDefinition: 'tableRowCountToBeBetween', parameters, isOfColumn: false };
};

const FREQUENCIES = ['hour', 'day', 'week', 'month', 'year'];

const freshnessMeaning = (rule: JsonObject): RuleMeaning => {
  const [operator, other] = ruleOperatorsOf(rule);
  const interval = operator && toFiniteNumber(rule[operator]);
  const unit = parseTimeUnit(nonBlankText(rule['unit']) ?? '');
  const isLimit = (operator === 'mustBe' || operator === 'mustBeLessOrEqualTo') && other === undefined;
  if (!isLimit || interval === undefined || !Number.isSafeInteger(interval) || interval < 1) return INEXPRESSIBLE;
  if (unit === undefined || !FREQUENCIES.includes(unit)) return INEXPRESSIBLE;
  return { frequency: { interval, unit } };
};

type MetricMeaning = { readonly on: 'column' | 'object' | 'either'; readonly test: (rule: JsonObject) => RuleMeaning };

const notNull: MetricMeaning = { on: 'column', test: (rule) => tolerantTest('columnValuesToBeNotNull', rule) };
const unique: MetricMeaning = { on: 'column', test: (rule) => tolerantTest('columnValuesToBeUnique', rule) };
const missingCount: MetricMeaning = { on: 'column', test: missingValuesTest };
const pattern: MetricMeaning = { on: 'column', test: patternTest };
const rows: MetricMeaning = { on: 'object', test: rowCountTest };

/** Meanings of metrics, by the names of all versions of the standard and of OpenMetadata. */
const METRIC_MEANINGS: Readonly<Record<string, MetricMeaning>> = {
  nullvalues: notNull,
  nullcount: notNull,
  nullcheck: notNull,
  notnull: notNull,
  duplicatevalues: unique,
  duplicatecount: unique,
  unique,
  invalidvalues: { on: 'column', test: invalidValuesTest },
  validvalues: { on: 'column', test: (rule) => setTest(rule, ruleArgument(rule, 'validValues') ?? []) },
  regex: pattern,
  pattern,
  missingvalues: missingCount,
  missingcount: missingCount,
  completeness: { on: 'column', test: completenessTest },
  textlength: { on: 'column', test: lengthTest },
  valuesbetween: { on: 'column', test: valueRangeTest },
  rowcount: rows,
  countcheck: rows,
  freshness: { on: 'either', test: freshnessMeaning },
};

const libraryMeaning = (rule: JsonObject, { column }: RuleTarget): RuleMeaning => {
  const word = nonBlankText(rule['metric']) ?? nonBlankText(rule['rule']);
  if (word === undefined) return untested('It names no metric');
  const key = word.trim().toLowerCase();
  const metric = Object.hasOwn(METRIC_MEANINGS, key) ? METRIC_MEANINGS[key] : undefined;
  if (metric === undefined) return untested(`No test is known for the metric ${word}`);
  if (metric.on === 'column' && column === undefined) return untested(`${word} is tested on columns only`);
  if (metric.on === 'object' && column !== undefined) return untested(`${word} is tested on whole objects only`);
  return metric.test(rule);
};

const SQL_OPERATORS: Readonly<Record<string, string>> = {
  mustBe: '==',
  mustNotBe: '!=',
  mustBeGreaterThan: '>',
  mustBeGreaterOrEqualTo: '>=',
  mustBeLessThan: '<',
  mustBeLessOrEqualTo: '<=',
};

const PLACEHOLDER = /\$?\{(object|table|property|column)\}/gi;

const fillPlaceholders = (query: string, { table, column }: RuleTarget): string =>
  query.replace(PLACEHOLDER, (whole: string, word: string) =>
    /^(object|table)$/i.test(word) ? table : (column ?? whole),
  );

const sqlMeaning = (rule: JsonObject, target: RuleTarget): RuleMeaning => {
  const query = nonBlankText(rule['query']);
  const [operator = '', other] = ruleOperatorsOf(rule);
  const threshold = toFiniteNumber(rule[operator]);
  if (query === undefined) return untested('It has no query');
  const sign = Object.hasOwn(SQL_OPERATORS, operator) ? SQL_OPERATORS[operator] : undefined;
  if (other !== undefined || sign === undefined || threshold === undefined) return INEXPRESSIBLE;
  const parameters = {
    sqlExpression: fillPlaceholders(query, target),
    strategy: /\bgroup\s+by\b/i.test(query) ? 'ROWS' : 'COUNT',
    operator: sign,
    threshold: String(threshold),
  };
  return { testDefinition: 'tableCustomSQLQuery', parameters, isOfColumn: false };
};

const MAX_DEPTH = 64;

/** Parses an implementation that is an object or its text. */
const parseImplementation = (implementation: Json | undefined): JsonObject | undefined => {
  if (typeof implementation !== 'string') return isObject(implementation) ? implementation : undefined;
  try {
    assertJsonDepth(implementation, MAX_DEPTH);
    const value: unknown = JSON.parse(implementation);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const parametersOf = (values: Json | undefined): TestParameters =>
  Object.fromEntries(
    jsonObjects(values).flatMap(({ name, value }) => {
      if (typeof name !== 'string' || value === undefined || value === null) return [];
      return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
    }),
  );

const customMeaning = (rule: JsonObject, { column }: RuleTarget): RuleMeaning => {
  const engine = nonBlankText(rule['engine']);
  if (engine?.toLowerCase() !== 'openmetadata')
    return untested(`Rules for ${engine ?? 'other engines'} are not run here`);
  const implementation = parseImplementation(rule['implementation']);
  const testDefinition = nonBlankText(implementation?.['testDefinition']);
  if (implementation === undefined || testDefinition === undefined) return untested('Its implementation names no test');
  const isOfColumn = column !== undefined && !testDefinition.startsWith('table');
  if (column === undefined && testDefinition.startsWith('column')) {
    return untested(`${testDefinition} is tested on columns only`);
  }
  const name = nonBlankText(implementation['name']);
  const parameters = parametersOf(implementation['parameterValues']);
  return { testDefinition, parameters, isOfColumn, ...(name !== undefined && { name }) };
};

const ruleTypeOf = (rule: JsonObject): string => {
  const type = nonBlankText(rule['type'])?.trim().toLowerCase();
  if (type !== undefined) return type;
  if (rule['metric'] !== undefined || rule['rule'] !== undefined) return 'library';
  return rule['query'] === undefined ? 'library' : 'sql';
};

/** Interprets a rule as a test, a service level, or neither. */
export const ruleMeaningOf = (rule: JsonObject, target: RuleTarget): RuleMeaning => {
  switch (ruleTypeOf(rule)) {
    case 'library':
      return libraryMeaning(rule, target);
    case 'sql':
      return sqlMeaning(rule, target);
    case 'custom':
      return customMeaning(rule, target);
    case 'text':
      return untested('It is said in words only');
    default:
      return untested(`No test is known for rules of the type ${nonBlankText(rule['type'])}`);
  }
};
