import { nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { listOf, must, oneOf, PlainName, shape, Text } from '../model/values.ts';

const EXPRESSION_LANGUAGES = ['SQL', 'Java', 'JavaScript', 'Python', 'External'] as const;

const METRIC_TYPES = [
  'COUNT',
  'SUM',
  'AVERAGE',
  'RATIO',
  'PERCENTAGE',
  'MIN',
  'MAX',
  'MEDIAN',
  'MODE',
  'STANDARD_DEVIATION',
  'VARIANCE',
  'SIMPLE',
  'CUMULATIVE',
  'DERIVED',
  'CONVERSION',
  'OTHER',
] as const;

const UNITS = [
  'COUNT',
  'DOLLARS',
  'PERCENTAGE',
  'TIMESTAMP',
  'SIZE',
  'REQUESTS',
  'EVENTS',
  'TRANSACTIONS',
  'OTHER',
] as const;

const GRANULARITIES = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const;

const MetricExpression = shape('MetricExpression', { language: oneOf(EXPRESSION_LANGUAGES), code: Text });

const MetricDimension = shape('MetricDimension', {
  name: must(PlainName),
  type: oneOf(['CATEGORICAL', 'TIME']),
  description: Text,
  expression: Text,
});

const MetricMeasure = shape('MetricMeasure', {
  name: must(PlainName),
  aggregation: Text,
  description: Text,
  expression: Text,
});

const MetricFilter = shape('MetricFilter', { where: must(Text) });

export const metric = defineKind({
  entityType: 'metric',
  label: 'Metric',
  path: 'metrics',
  title: 'Metrics',
  isAsset: true,
  parents: [],
  create: withoutMembers(CREATE_BLOCK, 'lifeCycle', 'sourceHash', 'sourceUrl'),
  base: withoutMembers(BASE_BLOCK, 'sourceUrl'),
  gated: withoutMembers(GATED_BLOCK, 'lifeCycle', 'sourceHash', 'usageSummary'),
  attributes: {
    metricExpression: nested(MetricExpression),
    metricType: property(oneOf(METRIC_TYPES)),
    unitOfMeasurement: property(oneOf(UNITS)),
    customUnitOfMeasurement: property(Text),
    granularity: property(oneOf(GRANULARITIES)),
    dimensions: nested(listOf(MetricDimension), { list: 'name' }),
    measures: nested(listOf(MetricMeasure), { list: 'name' }),
    filters: nested(listOf(MetricFilter), { list: 'value' }),
    provider: providerMember(),
    relatedMetrics: relation({
      edge: 'RELATED_TO',
      direction: 'out',
      kinds: ['metric'],
      request: 'fqn',
      onAbsent: 'keep',
      symmetric: true,
    }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  },
  search: {
    index: 'metric_search_index',
    aliases: ['all', 'dataAsset'],
    includedMembers: ['relatedMetrics', 'reviewers'],
  },
  filters: { domain: { by: 'domain' } },
});
