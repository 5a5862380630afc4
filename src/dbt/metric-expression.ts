import { isObject, type Json, type JsonObject, member } from '../model/json.ts';
import { memberObject, memberObjects, memberText } from './artifacts.ts';

/** Says how a metric of dbt is computed, or why only dbt can say it: a wrong formula is worse than none. */

export type MetricFormula =
  | { readonly language: 'SQL' | 'External'; readonly code: string }
  /** Why there is no expression, after «dbt». */
  | { readonly why: string };

/** The functions of SQL that are what an aggregation of dbt is. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  sum: 'SUM',
  count: 'COUNT',
  average: 'AVG',
  avg: 'AVG',
  min: 'MIN',
  max: 'MAX',
  median: 'MEDIAN',
};

const isSet = (holder: JsonObject, name: string): boolean => {
  const value = member(holder, name);
  return value !== undefined && value !== null && value !== '';
};

export const nameOf = (holder: JsonObject, name: string): string | undefined =>
  memberText(holder, name) ?? memberText(memberObject(holder, name), 'name');

/** A measure as SQL: `SUM(amount)`. */
const measureSql = (measure: JsonObject): MetricFormula => {
  const aggregation = (memberText(measure, 'agg') ?? '').toLowerCase();
  const expression = memberText(measure, 'expr') ?? memberText(measure, 'name') ?? '';
  if (expression.includes('{{') || expression.includes('{%')) return { why: 'writes the SQL of its measure itself' };
  if (isSet(measure, 'non_additive_dimension')) return { why: 'aggregates it over one dimension by a rule of its own' };
  if (aggregation === 'count_distinct') return { language: 'SQL', code: `COUNT(DISTINCT ${expression})` };
  if (aggregation === 'sum_boolean') {
    return { language: 'SQL', code: `SUM(CASE WHEN ${expression} THEN 1 ELSE 0 END)` };
  }
  const name = Object.hasOwn(FUNCTIONS, aggregation) ? FUNCTIONS[aggregation] : undefined;
  return name === undefined
    ? { why: `aggregates it by ${aggregation || 'no named function'}` }
    : { language: 'SQL', code: `${name}(${expression})` };
};

/** The conditions of a filter as dbt writes them, or undefined where it has none that can be read. */
const readFilter = (filter: Json | undefined): readonly string[] | undefined => {
  if (filter === undefined || filter === null || filter === '') return [];
  if (typeof filter === 'string') return [filter];
  if (!isObject(filter)) return undefined;
  const all = [filter, ...memberObjects(filter, 'where_filters')];
  const texts = all.flatMap((one) => memberText(one, 'where_sql_template') ?? []);
  const isEmpty = Array.isArray(filter['where_filters']) && filter['where_filters'].length === 0;
  return texts.length > 0 || isEmpty ? texts : undefined;
};

/** The filters of metrics before dbt 1.6: a field, an operator and a value. */
const readOldFilters = (metric: JsonObject): readonly string[] | undefined => {
  const filters = memberObjects(metric, 'filters').map((filter) =>
    ['field', 'operator', 'value'].map((name) => memberText(filter, name)),
  );
  return filters.some((parts) => parts.includes(undefined)) ? undefined : filters.map((parts) => parts.join(' '));
};

/** The filters of the metric and of the measure that it is; undefined where one of them cannot be read. */
export const readFilters = (metric: JsonObject): readonly string[] | undefined => {
  const measure = memberObject(memberObject(metric, 'type_params'), 'measure');
  const all = [readFilter(metric['filter']), readFilter(measure['filter']), readOldFilters(metric)];
  return all.includes(undefined) ? undefined : [...new Set(all.flatMap((texts) => texts ?? []))];
};

/** Whether a formula can name the metric alone: nothing filters, shifts or renames it there. */
const isPlainInput = (input: JsonObject): boolean =>
  readFilter(input['filter'])?.length === 0 &&
  !isSet(input, 'offset_window') &&
  !isSet(input, 'offset_to_grain') &&
  [undefined, memberText(input, 'name')].includes(memberText(input, 'alias'));

const FILTERED_INPUTS = 'filters, shifts or renames metrics in it';

const ratioFormula = (parameters: JsonObject): MetricFormula => {
  const [numerator, denominator] = [nameOf(parameters, 'numerator'), nameOf(parameters, 'denominator')];
  if (numerator === undefined || denominator === undefined) return { why: 'names no two metrics for it' };
  const inputs = [memberObject(parameters, 'numerator'), memberObject(parameters, 'denominator')];
  if (!inputs.every(isPlainInput)) return { why: FILTERED_INPUTS };
  return { language: 'External', code: `${numerator} / ${denominator}` };
};

const derivedFormula = (parameters: JsonObject): MetricFormula => {
  const code = memberText(parameters, 'expr');
  if (code === undefined) return { why: 'has no formula for it' };
  if (!memberObjects(parameters, 'metrics').every(isPlainInput)) return { why: FILTERED_INPUTS };
  return { language: 'External', code };
};

const simpleFormula = (parameters: JsonObject, measure: JsonObject | undefined): MetricFormula => {
  if (measure === undefined) return { why: 'has no measure for it' };
  const fillsGaps = [parameters, memberObject(parameters, 'measure')].some((one) => isSet(one, 'fill_nulls_with'));
  return fillsGaps ? { why: 'fills its gaps with another value' } : measureSql(measure);
};

/** Metrics before dbt 1.6 say how they are computed themselves. */
const oldFormula = (metric: JsonObject): MetricFormula => {
  const [agg, expr] = [memberText(metric, 'calculation_method'), memberText(metric, 'expression')];
  if (agg === undefined || expr === undefined) return { why: 'has no formula for it' };
  if (agg === 'derived' || agg === 'expression') return { language: 'External', code: expr };
  return isSet(metric, 'window') ? { why: 'computes it over a window' } : measureSql({ agg, expr });
};

export const readFormula = (metric: JsonObject, measure: JsonObject | undefined): MetricFormula => {
  if (readFilters(metric) === undefined) return { why: 'filters it by what cannot be read' };
  const parameters = memberObject(metric, 'type_params');
  const type = memberText(metric, 'type')?.toLowerCase();
  if (type === undefined) return oldFormula(metric);
  if (type === 'simple') return simpleFormula(parameters, measure);
  if (type === 'ratio') return ratioFormula(parameters);
  if (type === 'derived') return derivedFormula(parameters);
  return { why: `computes it by a rule of its own for ${type} metrics` };
};
