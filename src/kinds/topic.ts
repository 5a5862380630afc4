import { ancestor, nested, property } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { messageSchemaMember } from '../model/schemas/columns/field.ts';
import { sampleDataResource, sampleMessagesMember } from '../model/schemas/profiler/sample-data.ts';
import { FreeForm, Integer, listOf, Num, oneOf } from '../model/values.ts';

export const topic = defineKind({
  entityType: 'topic',
  label: 'Topic',
  path: 'topics',
  title: 'Topics',
  isAsset: true,
  datasetRank: 2,
  contract: { columns: 'named' },
  parents: [childOf('service', 'messagingService')],
  scopeDepth: 1,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: withoutMembers(GATED_BLOCK, 'usageSummary'),
  attributes: {
    service: ancestor('messagingService'),
    serviceType: ancestor('messagingService', 'serviceType'),
    messageSchema: messageSchemaMember,
    partitions: property(Integer, { required: true }),
    cleanupPolicies: property(listOf(oneOf(['delete', 'compact'])), { list: 'value' }),
    retentionTime: property(Num),
    replicationFactor: property(Integer),
    maximumMessageSize: property(Integer),
    minimumInSyncReplicas: property(Integer),
    retentionSize: property(Num, { fallback: -1 }),
    topicConfig: nested(FreeForm),
    sampleData: sampleMessagesMember,
  },
  search: {
    index: 'topic_search_index',
    aliases: ['all', 'dataAsset', 'messagingService'],
    columnNamesMember: 'fieldNames',
    facets: ['messageSchema.schemaFields.name.keyword'],
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
  subResources: [sampleDataResource(['GET', 'PUT'])],
});
