import { ancestor, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { Url } from '../model/values.ts';

export const apiCollection = defineKind({
  entityType: 'apiCollection',
  label: 'ApiCollection',
  path: 'apiCollections',
  title: 'API collections',
  isAsset: true,
  contract: {},
  parents: [childOf('service', 'apiService')],
  scopeDepth: 1,
  create: withoutMembers(CREATE_BLOCK, 'sourceUrl'),
  base: withoutMembers(BASE_BLOCK, 'sourceUrl'),
  gated: withoutMembers(GATED_BLOCK, 'followers', 'usageSummary'),
  attributes: {
    endpointURL: property(Url),
    service: ancestor('apiService'),
    serviceType: ancestor('apiService', 'serviceType'),
    // The collection of an endpoint is set when the endpoint is created, and does not change.
    apiEndpoints: relation({
      edge: 'CONTAINS',
      direction: 'out',
      kinds: ['apiEndpoint'],
      request: 'fqn',
      setByOtherEnd: true,
      versioned: false,
    }),
  },
  search: { index: 'api_collection_search_index', aliases: ['all', 'dataAsset', 'apiService'] },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
});
