import { assertDepth, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { itemsOf, objectOf, spoken } from './parts.ts';
import {
  isPercent,
  minimumShare,
  numberOf,
  operatorsOf,
  type Range,
  rangeOf,
  toleranceOf,
  wholeMustBe,
} from './rule-bounds.ts';
import { unitOf } from './units.ts';
import { objectsOf } from './walk.ts';

/** Which test of data a quality rule is, if any (odcs.md 5). */

type Parameters = Readonly<Record<string, string>>;

/** A test that says the same as a rule. Tests of whole tables may be written on a column all the same. */
export type Tested = {
  readonly testDefinition: string;
  readonly parameters: Parameters;
  readonly isOfColumn: boolean;
  /** The name that the rule itself gives its test. */
  readonly name?: string;
};

/** How often data has to be new, which is no test but a service level. */
type Promised = { readonly frequency: { readonly interval: number; readonly unit: string } };

type NotRun = { readonly reason: string };

export type Meaning = Tested | Promised | NotRun;

type Place = {
  /** The column that the rule is about, as the rule's query may name it; nothing for a whole object. */
  readonly column?: string;
  readonly table: string;
};

const notRun = (reason: string): NotRun => ({ reason });

/** The member of a rule, or of its arguments. */
const argument = (rule: JsonObject, ...names: readonly string[]): Json | undefined => {
  for (const name of names) {
    const value = objectOf(rule['arguments'])[name] ?? rule[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
};

const ofColumn = (testDefinition: string, parameters: Parameters): Tested => ({
  testDefinition,
  parameters,
  isOfColumn: true,
});

const UNTOLD = notRun('No test says what its operators and unit ask for');

const tolerant = (testDefinition: string, rule: JsonObject, parameters: Parameters = {}): Meaning => {
  const tolerance = toleranceOf(rule);
  return tolerance === undefined ? UNTOLD : ofColumn(testDefinition, { ...parameters, ...tolerance });
};

const inSet = (rule: JsonObject, values: Json): Meaning =>
  itemsOf(values).length === 0
    ? notRun('It lists no valid values')
    : tolerant('columnValuesToBeInSet', rule, { allowedValues: JSON.stringify(values), matchEnum: 'true' });

const matching = (rule: JsonObject): Meaning => {
  const regex = spoken(argument(rule, 'pattern', 'regex'));
  return regex === undefined ? notRun('It has no pattern') : tolerant('columnValuesToMatchRegex', rule, { regex });
};

const invalidValues = (rule: JsonObject): Meaning => {
  const values = argument(rule, 'validValues');
  if (values !== undefined) return inSet(rule, values);
  return argument(rule, 'pattern') === undefined ? notRun('It has neither valid values nor a pattern') : matching(rule);
};

const missing = (rule: JsonObject): Meaning => {
  const count = wholeMustBe(rule);
  if (count === undefined || count < 0) return UNTOLD;
  const values = argument(rule, 'missingValues');
  const match = itemsOf(values).length > 0 ? { missingValueMatch: JSON.stringify(values) } : undefined;
  return ofColumn('columnValuesMissingCount', { missingCountValue: String(count), ...match });
};

/** Shares are told with few digits: what binary fractions add to them is cut off. */
const difference = (one: number, other: number): number => Number((one - other).toFixed(9));

const complete = (rule: JsonObject): Meaning => {
  const least = minimumShare(rule);
  if (least === undefined) return UNTOLD;
  const tolerance = { threshold: String(difference(100, least)), thresholdUnit: 'PERCENTAGE' };
  return ofColumn('columnValuesToBeNotNull', least === 100 ? {} : tolerance);
};

const ranged = (least: string, most: string, range: Range): Parameters => ({
  ...(range.least !== undefined && { [least]: String(range.least) }),
  ...(range.most !== undefined && { [most]: String(range.most) }),
});

const isWhole = ({ least = 0, most = 0 }: Range): boolean => Number.isSafeInteger(least) && Number.isSafeInteger(most);

const lengths = (rule: JsonObject): Meaning => {
  const range = rangeOf(rule);
  if (range === undefined || !isWhole(range)) return UNTOLD;
  return ofColumn('columnValueLengthsToBeBetween', ranged('minLength', 'maxLength', range));
};

const values = (rule: JsonObject): Meaning => {
  const range = rangeOf(rule);
  return range ? ofColumn('columnValuesToBeBetween', ranged('minValue', 'maxValue', range)) : UNTOLD;
};

const rowCount = (rule: JsonObject): Meaning => {
  const [value, range] = [wholeMustBe(rule), rangeOf(rule)];
  if (value !== undefined && !isPercent(rule)) {
    return { testDefinition: 'tableRowCountToEqual', parameters: { value: String(value) }, isOfColumn: false };
  }
  if (range === undefined || !isWhole(range)) return UNTOLD;
  const parameters = ranged('minValue', 'maxValue', range);
  return { testDefinition: 'tableRowCountToBeBetween', parameters, isOfColumn: false };
};

const FREQUENCIES = ['hour', 'day', 'week', 'month', 'year'];

const freshness = (rule: JsonObject): Meaning => {
  const [operator, other] = operatorsOf(rule);
  const interval = operator && numberOf(rule[operator]);
  const unit = unitOf(spoken(rule['unit']) ?? '');
  const isLimit = (operator === 'mustBe' || operator === 'mustBeLessOrEqualTo') && other === undefined;
  if (!isLimit || interval === undefined || !Number.isSafeInteger(interval) || interval < 1) return UNTOLD;
  if (unit === undefined || !FREQUENCIES.includes(unit)) return UNTOLD;
  return { frequency: { interval, unit } };
};

type Metric = { readonly on: 'column' | 'object' | 'either'; readonly test: (rule: JsonObject) => Meaning };

const notNull: Metric = { on: 'column', test: (rule) => tolerant('columnValuesToBeNotNull', rule) };
const unique: Metric = { on: 'column', test: (rule) => tolerant('columnValuesToBeUnique', rule) };
const missingCount: Metric = { on: 'column', test: missing };
const pattern: Metric = { on: 'column', test: matching };
const rows: Metric = { on: 'object', test: rowCount };

/** By the words of the standard in all its versions, and of OpenMetadata. */
const METRICS: Readonly<Record<string, Metric>> = {
  nullvalues: notNull,
  nullcount: notNull,
  nullcheck: notNull,
  notnull: notNull,
  duplicatevalues: unique,
  duplicatecount: unique,
  unique,
  invalidvalues: { on: 'column', test: invalidValues },
  validvalues: { on: 'column', test: (rule) => inSet(rule, argument(rule, 'validValues') ?? []) },
  regex: pattern,
  pattern,
  missingvalues: missingCount,
  missingcount: missingCount,
  completeness: { on: 'column', test: complete },
  textlength: { on: 'column', test: lengths },
  valuesbetween: { on: 'column', test: values },
  rowcount: rows,
  countcheck: rows,
  freshness: { on: 'either', test: freshness },
};

const library = (rule: JsonObject, { column }: Place): Meaning => {
  const word = spoken(rule['metric']) ?? spoken(rule['rule']);
  if (word === undefined) return notRun('It names no metric');
  const key = word.trim().toLowerCase();
  const metric = Object.hasOwn(METRICS, key) ? METRICS[key] : undefined;
  if (metric === undefined) return notRun(`No test is known for the metric ${word}`);
  if (metric.on === 'column' && column === undefined) return notRun(`${word} is tested on columns only`);
  if (metric.on === 'object' && column !== undefined) return notRun(`${word} is tested on whole objects only`);
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

const filledIn = (query: string, { table, column }: Place): string =>
  query.replace(PLACEHOLDER, (whole: string, word: string) =>
    /^(object|table)$/i.test(word) ? table : (column ?? whole),
  );

const sql = (rule: JsonObject, place: Place): Meaning => {
  const query = spoken(rule['query']);
  const [operator = '', other] = operatorsOf(rule);
  const threshold = numberOf(rule[operator]);
  if (query === undefined) return notRun('It has no query');
  const sign = Object.hasOwn(SQL_OPERATORS, operator) ? SQL_OPERATORS[operator] : undefined;
  if (other !== undefined || sign === undefined || threshold === undefined) return UNTOLD;
  const parameters = {
    sqlExpression: filledIn(query, place),
    strategy: /\bgroup\s+by\b/i.test(query) ? 'ROWS' : 'COUNT',
    operator: sign,
    threshold: String(threshold),
  };
  return { testDefinition: 'tableCustomSQLQuery', parameters, isOfColumn: false };
};

const MOST_DEPTH = 64;

/** The object that a text or an object says. */
const implementationOf = (implementation: Json | undefined): JsonObject | undefined => {
  if (typeof implementation !== 'string') return isObject(implementation) ? implementation : undefined;
  try {
    assertDepth(implementation, MOST_DEPTH);
    const value: unknown = JSON.parse(implementation);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const parametersOf = (values: Json | undefined): Parameters =>
  Object.fromEntries(
    objectsOf(values).flatMap(({ name, value }) => {
      if (typeof name !== 'string' || value === undefined || value === null) return [];
      return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
    }),
  );

const custom = (rule: JsonObject, { column }: Place): Meaning => {
  const engine = spoken(rule['engine']);
  if (engine?.toLowerCase() !== 'openmetadata')
    return notRun(`Rules for ${engine ?? 'other engines'} are not run here`);
  const implementation = implementationOf(rule['implementation']);
  const testDefinition = spoken(implementation?.['testDefinition']);
  if (implementation === undefined || testDefinition === undefined) return notRun('Its implementation names no test');
  const isOfColumn = column !== undefined && !testDefinition.startsWith('table');
  if (column === undefined && testDefinition.startsWith('column')) {
    return notRun(`${testDefinition} is tested on columns only`);
  }
  const name = spoken(implementation['name']);
  const parameters = parametersOf(implementation['parameterValues']);
  return { testDefinition, parameters, isOfColumn, ...(name !== undefined && { name }) };
};

const typeOf = (rule: JsonObject): string => {
  const type = spoken(rule['type'])?.trim().toLowerCase();
  if (type !== undefined) return type;
  if (rule['metric'] !== undefined || rule['rule'] !== undefined) return 'library';
  return rule['query'] === undefined ? 'library' : 'sql';
};

/** What a rule means to whoever runs tests. */
export const meaningOf = (rule: JsonObject, place: Place): Meaning => {
  switch (typeOf(rule)) {
    case 'library':
      return library(rule, place);
    case 'sql':
      return sql(rule, place);
    case 'custom':
      return custom(rule, place);
    case 'text':
      return notRun('It is said in words only');
    default:
      return notRun(`No test is known for rules of the type ${spoken(rule['type'])}`);
  }
};
