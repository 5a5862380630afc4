import { md5Hex } from '../model/checksum.ts';
import { ancestor, nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { Flag, listOf, Num, Ref, Text, Timestamp } from '../model/values.ts';

export const query = defineKind({
  entityType: 'query',
  label: 'Query',
  path: 'queries',
  title: 'Queries',
  isAsset: true,
  parents: [childOf('service', 'databaseService')],
  scopeDepth: 1,
  isAbout: ['table'],
  create: withoutMembers(CREATE_BLOCK, 'dataProducts', 'extension', 'lifeCycle', 'sourceHash', 'sourceUrl'),
  base: withoutMembers(BASE_BLOCK, 'deleted', 'sourceUrl'),
  gated: ['owners', 'followers', 'votes', 'tags', 'domains'],
  attributes: {
    duration: property(Num),
    query: property(Text, { required: true }),
    query_type: property(Text),
    exclude_usage: property(Flag),
    checksum: property(Text, {
      request: false,
      readOnly: true,
      derive: ({ query: text }) => (typeof text === 'string' ? md5Hex(text) : undefined),
    }),
    queryDate: property(Timestamp),
    dialect: property(Text, { hidden: true }),
    usedBy: property(listOf(Text), { list: 'value' }),
    triggeredBy: nested(Ref),
    processedLineage: property(Flag, { versioned: false, onAbsent: 'keep', fallback: false }),
    service: ancestor('databaseService'),
    users: relation({ edge: 'USES', direction: 'in', kinds: ['user'], request: 'fqn', onAbsent: 'keep' }),
    queryUsedIn: relation({ edge: 'MENTIONED_IN', direction: 'out', kinds: [], request: 'ref', onAbsent: 'keep' }),
  },
  naturalKey: { member: 'checksum', statement: 'kinds/find_query' },
  unique: ['twinKey'],
  search: {
    index: 'query_search_index',
    aliases: ['all'],
    includedMembers: ['users', 'queryUsedIn'],
    memberAliases: { queryType: 'query_type' },
    keywordMembers: ['checksum'],
    weights: { query: 5 },
    facets: ['queryType'],
  },
  filters: { entityId: { by: 'target', edge: 'MENTIONED_IN' }, service: { by: 'scope' }, domain: { by: 'domain' } },
  subResources: [
    { path: 'usage', member: 'queryUsedIn', methods: ['PUT', 'DELETE'], items: true, edit: 'EditAll' },
    { path: 'users', member: 'users', methods: ['PUT'], items: true, edit: 'EditAll' },
    { path: 'usedBy', member: 'usedBy', methods: ['PUT'], items: true, edit: 'EditAll' },
  ],
  special: {
    defaultName: ({ query: text }) => md5Hex(String(text)),
  },
});
