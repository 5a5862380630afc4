import * as v from 'valibot';
import { ancestor, columns, nested, property } from '../model/attribute.ts';
import { exactCase } from '../model/columns.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK, without } from '../model/kind.ts';
import { sampleData, sampleMessages } from '../model/sample-values.ts';
import { Fqn, FreeForm, listOf, Markdown, must, Name, oneOf, shape, TagLabel, Text } from '../model/values.ts';

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

const Field: v.GenericSchema = shape('SearchIndexField', {
  name: must(Name),
  displayName: Text,
  dataType: must(oneOf(FIELD_TYPES)),
  dataTypeDisplay: Text,
  description: Markdown,
  fullyQualifiedName: Fqn,
  tags: listOf(TagLabel),
  children: v.lazy(() => listOf(Field)),
});

const MAX_FIELDS = 20_000;

export const searchIndex = defineKind({
  entityType: 'searchIndex',
  label: 'SearchIndex',
  path: 'searchIndexes',
  title: 'Search indexes',
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
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
  subResources: [sampleData(['GET', 'PUT'])],
});
