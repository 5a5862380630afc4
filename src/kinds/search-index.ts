import { ancestor, columns, nested, property } from '../model/attribute.ts';
import { exactCase } from '../model/columns.ts';
import { fieldOf, MAX_FIELDS } from '../model/field-values.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK, without } from '../model/kind.ts';
import { sampleData, sampleMessages } from '../model/sample-values.ts';
import { FreeForm, listOf, oneOf } from '../model/values.ts';

const FIELD_TYPES = [
  'NUMBER',
  'TEXT',
  'BINARY',
  'TIMESTAMP',
  'TIMESTAMPZ',
  'TIME',
  'DATE',
  'DATETIME',
  'KEYWORD',
  'ARRAY',
  'OBJECT',
  'FLATTENED',
  'NESTED',
  'JOIN',
  'RANGE',
  'IP',
  'VERSION',
  'MURMUR3',
  'AGGREGATE_METRIC_DOUBLE',
  'HISTOGRAM',
  'ANNOTATED-TEXT',
  'COMPLETION',
  'SEARCH_AS_YOU_TYPE',
  'DENSE_VECTOR',
  'RANK_FEATURE',
  'RANK_FEATURES',
  'GEO_POINT',
  'GEO_SHAPE',
  'POINT',
  'SHAPE',
  'PERCOLATOR',
  'BOOLEAN',
  'CONSTANT_KEYWORD',
  'WILDCARD',
  'LONG',
  'INTEGER',
  'SHORT',
  'BYTE',
  'DOUBLE',
  'FLOAT',
  'HALF_FLOAT',
  'SCALED_FLOAT',
  'UNSIGNED_LONG',
  'UNKNOWN',
] as const;

const Field = fieldOf('SearchIndexField', FIELD_TYPES);

export const searchIndex = defineKind({
  entityType: 'searchIndex',
  label: 'SearchIndex',
  path: 'searchIndexes',
  title: 'Search indexes',
  isAsset: true,
  parents: [below('service', 'searchService')],
  scopeDepth: 1,
  create: without(CREATE_BLOCK, 'sourceUrl'),
  base: without(BASE_BLOCK, 'sourceUrl'),
  gated: without(GATED_BLOCK, 'usageSummary'),
  attributes: {
    service: ancestor('searchService'),
    serviceType: ancestor('searchService', 'serviceType'),
    fields: columns(listOf(Field, MAX_FIELDS), { required: true, fold: exactCase }),
    searchIndexSettings: nested(FreeForm),
    indexType: property(oneOf(['Index', 'IndexTemplate']), { fallback: 'Index' }),
    sampleData: sampleMessages,
  },
  search: { index: 'search_entity_search_index', aliases: ['all', 'dataAsset', 'searchService'], lists: 'fieldNames' },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
  subResources: [sampleData(['GET', 'PUT'])],
});
