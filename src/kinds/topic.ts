import { ancestor, nested, property } from '../model/attribute.ts';
import { messageSchema } from '../model/field-values.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK, without } from '../model/kind.ts';
import { sampleData, sampleMessages } from '../model/sample-values.ts';
import { FreeForm, Integer, listOf, Num, oneOf } from '../model/values.ts';

export const topic = defineKind({
  entityType: 'topic',
  label: 'Topic',
  path: 'topics',
  title: 'Topics',
  isAsset: true,
  parents: [below('service', 'messagingService')],
  scopeDepth: 1,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: without(GATED_BLOCK, 'usageSummary'),
  attributes: {
    service: ancestor('messagingService'),
    serviceType: ancestor('messagingService', 'serviceType'),
    messageSchema,
    partitions: property(Integer, { required: true }),
    cleanupPolicies: property(listOf(oneOf(['delete', 'compact'])), { list: 'value' }),
    retentionTime: property(Num),
    replicationFactor: property(Integer),
    maximumMessageSize: property(Integer),
    minimumInSyncReplicas: property(Integer),
    retentionSize: property(Num, { fallback: -1 }),
    topicConfig: nested(FreeForm),
    sampleData: sampleMessages,
  },
  search: {
    index: 'topic_search_index',
    aliases: ['all', 'dataAsset', 'messagingService'],
    lists: 'fieldNames',
    facets: ['messageSchema.schemaFields.name.keyword'],
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
  subResources: [sampleData(['GET', 'PUT'])],
});
