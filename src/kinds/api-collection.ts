import { ancestor, property, relation } from '../model/attribute.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK, without } from '../model/kind.ts';
import { Url } from '../model/values.ts';

export const apiCollection = defineKind({
  entityType: 'apiCollection',
  label: 'ApiCollection',
  path: 'apiCollections',
  title: 'API collections',
  isAsset: true,
  parents: [below('service', 'apiService')],
  scopeDepth: 1,
  create: without(CREATE_BLOCK, 'sourceUrl'),
  base: without(BASE_BLOCK, 'sourceUrl'),
  gated: without(GATED_BLOCK, 'followers', 'usageSummary'),
  attributes: {
    endpointURL: property(Url),
    service: ancestor('apiService'),
    serviceType: ancestor('apiService', 'serviceType'),
    // An endpoint names the collection it hangs below when it is created, and stays there.
    apiEndpoints: relation({
      edge: 'CONTAINS',
      direction: 'out',
      kinds: ['apiEndpoint'],
      request: 'fqn',
      decidedThere: true,
      versioned: false,
    }),
  },
  search: { index: 'api_collection_search_index', aliases: ['all', 'dataAsset', 'apiService'] },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
});
