import { ancestor, property } from '../model/attribute.ts';
import { apiSchema } from '../model/field-values.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK, without } from '../model/kind.ts';
import { oneOf, Url } from '../model/values.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'CONNECT', 'OPTIONS', 'TRACE'] as const;

export const apiEndpoint = defineKind({
  entityType: 'apiEndpoint',
  label: 'ApiEndpoint',
  path: 'apiEndpoints',
  title: 'API endpoints',
  isAsset: true,
  parents: [below('apiCollection', 'apiCollection')],
  scopeDepth: 2,
  create: CREATE_BLOCK,
  base: without(BASE_BLOCK, 'sourceUrl'),
  gated: without(GATED_BLOCK, 'usageSummary'),
  attributes: {
    endpointURL: property(Url),
    requestMethod: property(oneOf(METHODS), { fallback: 'GET' }),
    requestSchema: apiSchema,
    responseSchema: apiSchema,
    apiCollection: ancestor('apiCollection'),
    service: ancestor('apiService'),
    serviceType: ancestor('apiService', 'serviceType'),
  },
  search: {
    index: 'api_endpoint_search_index',
    aliases: ['all', 'dataAsset', 'apiService', 'apiCollection'],
    lists: 'fieldNames',
  },
  filters: { service: { by: 'scope' }, apiCollection: { by: 'scope' }, domain: { by: 'domain' } },
  staleIsConflict: true,
});
