import { ancestor, columns, nested, property } from '../model/kind/attribute.ts';
import { keepCase } from '../model/kind/columns.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { createFieldSchema, MAX_FIELDS } from '../model/schemas/columns/field.ts';
import { sampleDataResource, sampleMessagesMember } from '../model/schemas/profiler/sample-data.ts';
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

const SearchIndexField = createFieldSchema('SearchIndexField', FIELD_TYPES);

export const searchIndex = defineKind({
  entityType: 'searchIndex',
  label: 'SearchIndex',
  path: 'searchIndexes',
  title: 'Search indexes',
  isAsset: true,
  parents: [childOf('service', 'searchService')],
  scopeDepth: 1,
  create: withoutMembers(CREATE_BLOCK, 'sourceUrl'),
  base: withoutMembers(BASE_BLOCK, 'sourceUrl'),
  gated: withoutMembers(GATED_BLOCK, 'usageSummary'),
  attributes: {
    service: ancestor('searchService'),
    serviceType: ancestor('searchService', 'serviceType'),
    fields: columns(listOf(SearchIndexField, MAX_FIELDS), { required: true, nameKey: keepCase }),
    searchIndexSettings: nested(FreeForm),
    indexType: property(oneOf(['Index', 'IndexTemplate']), { fallback: 'Index' }),
    sampleData: sampleMessagesMember,
  },
  search: {
    index: 'search_entity_search_index',
    aliases: ['all', 'dataAsset', 'searchService'],
    columnNamesMember: 'fieldNames',
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
  subResources: [sampleDataResource(['GET', 'PUT'])],
});
