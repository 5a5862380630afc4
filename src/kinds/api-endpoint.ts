import { ancestor, property } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { apiSchemaMember } from '../model/schemas/columns/field.ts';
import { oneOf, Url } from '../model/values.ts';

const REQUEST_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'CONNECT', 'OPTIONS', 'TRACE'] as const;

export const apiEndpoint = defineKind({
  entityType: 'apiEndpoint',
  label: 'ApiEndpoint',
  path: 'apiEndpoints',
  title: 'API endpoints',
  isAsset: true,
  datasetRank: 8,
  contract: { columns: 'named' },
  parents: [childOf('apiCollection', 'apiCollection')],
  scopeDepth: 2,
  create: CREATE_BLOCK,
  base: withoutMembers(BASE_BLOCK, 'sourceUrl'),
  gated: withoutMembers(GATED_BLOCK, 'usageSummary'),
  attributes: {
    endpointURL: property(Url),
    requestMethod: property(oneOf(REQUEST_METHODS), { fallback: 'GET' }),
    requestSchema: apiSchemaMember,
    responseSchema: apiSchemaMember,
    apiCollection: ancestor('apiCollection'),
    service: ancestor('apiService'),
    serviceType: ancestor('apiService', 'serviceType'),
  },
  search: {
    index: 'api_endpoint_search_index',
    aliases: ['all', 'dataAsset', 'apiService', 'apiCollection'],
    columnNamesMember: 'fieldNames',
  },
  filters: { service: { by: 'scope' }, apiCollection: { by: 'scope' }, domain: { by: 'domain' } },
  special: {
    staleIsConflict: true,
  },
});
