import * as assert from 'uvu/assert';
import { readMetrics } from '../../src/dbt/metrics.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { suite } from '../support/suite.ts';

/** Shows that the expression of a metric of dbt is right or not there. */

const test = suite('dbt: expressions of metrics');

const MEASURES = [
  { name: 'paid', agg: 'sum', expr: 'total' },
  { name: 'late', agg: 'sum_boolean', expr: 'is_late' },
  { name: 'middle', agg: 'percentile', expr: 'total', agg_params: { percentile: 0.9 } },
  { name: 'stock', agg: 'sum', expr: 'stock', non_additive_dimension: { name: 'day' } },
];

const read = (metric: JsonObject): Readonly<Record<string, unknown>> => {
  const manifest: JsonObject = {
    semantic_models: { 'semantic_model.shop.days': { name: 'days', measures: MEASURES } },
    metrics: {
      'metric.shop.one': { name: 'one', depends_on: { nodes: ['semantic_model.shop.days'] }, ...metric },
    },
  };
  const [one] = readMetrics({ manifest, catalog: undefined, runResults: undefined }, []).metrics;
  return { ...one?.body, unsaid: one?.unsaid };
};

const simple = (measure: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'simple',
  type_params: { measure, ...more },
});

const FILTER = { where_filters: [{ where_sql_template: 'total > 0' }] };

const RIGHT: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  'a sum': [simple({ name: 'paid' }), { language: 'SQL', code: 'SUM(total)' }],
  'a sum of conditions': [
    simple({ name: 'late' }),
    { language: 'SQL', code: 'SUM(CASE WHEN is_late THEN 1 ELSE 0 END)' },
  ],
  'an aggregation without a measure': [
    {
      type: 'simple',
      depends_on: { nodes: [] },
      type_params: {
        measure: null,
        expr: 'amount',
        metric_aggregation_params: { semantic_model: 'days', agg: 'average' },
      },
    },
    { language: 'SQL', code: 'AVG(amount)' },
  ],
  'a ratio': [
    { type: 'ratio', type_params: { numerator: { name: 'a', filter: null }, denominator: { name: 'b' } } },
    { language: 'External', code: 'a / b' },
  ],
  'a formula': [
    { type: 'derived', type_params: { expr: 'a - b', metrics: [{ name: 'a', alias: null }, { name: 'b' }] } },
    { language: 'External', code: 'a - b' },
  ],
  'an old metric': [
    { calculation_method: 'count_distinct', expression: 'id' },
    { language: 'SQL', code: 'COUNT(DISTINCT id)' },
  ],
};

for (const [name, [metric, expression]] of Object.entries(RIGHT)) {
  test(`${name} has an expression`, () => {
    const one = read(metric);
    assert.equal([one['metricExpression'], one['unsaid']], [expression, undefined]);
  });
}

const ratio = (more: JsonObject): JsonObject => ({
  type: 'ratio',
  type_params: { numerator: { name: 'a', ...more }, denominator: { name: 'b' } },
});

const UNSAID: Readonly<Record<string, JsonObject>> = {
  'a percentile': simple({ name: 'middle' }),
  'a measure that is not added over time': simple({ name: 'stock' }),
  'a measure whose gaps are filled': simple({ name: 'paid', fill_nulls_with: 0 }),
  'a measure that is not there': simple({ name: 'unknown' }),
  'a ratio with a filtered input': ratio({ filter: FILTER }),
  'a formula with a shifted input': {
    type: 'derived',
    type_params: { expr: 'a - b', metrics: [{ name: 'a' }, { name: 'a', alias: 'b', offset_window: '1 week' }] },
  },
  'a cumulative metric': { ...simple({ name: 'paid' }), type: 'cumulative' },
  'a conversion': {
    type: 'conversion',
    type_params: { conversion_type_params: { entity: 'user' }, input_measures: [{ name: 'paid' }] },
  },
  'an old metric with half a filter': {
    calculation_method: 'sum',
    expression: 'total',
    filters: [{ field: 'status', operator: 'is not' }],
  },
  'an old metric over a window': {
    calculation_method: 'sum',
    expression: 'total',
    window: { count: 14, period: 'day' },
  },
  'a filter that cannot be read': { ...simple({ name: 'paid' }), filter: { unknown: true } },
};

for (const [name, metric] of Object.entries(UNSAID)) {
  test(`${name} has none, but a reason`, () => {
    const one = read(metric);
    assert.is(one['metricExpression'], undefined);
    assert.ok(one['unsaid']);
  });
}

test('filters of the metric, of its measure and of old metrics are kept', () => {
  const both = read({ ...simple({ name: 'paid', filter: FILTER }), filter: { where_sql_template: 'day is not null' } });
  assert.equal(both['filters'], [{ where: 'day is not null' }, { where: 'total > 0' }]);
  const old = read({
    calculation_method: 'sum',
    expression: 'total',
    filters: [{ field: 'status', operator: '=', value: "'paid'" }],
  });
  assert.equal(
    [old['metricExpression'], old['filters']],
    [{ language: 'SQL', code: 'SUM(total)' }, [{ where: "status = 'paid'" }]],
  );
});

test.run();
