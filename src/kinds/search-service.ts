import { defineKind } from '../model/kind/kind.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

const SEARCH_SERVICE_TYPES = ['ElasticSearch', 'OpenSearch', 'CustomSearch'] as const;

export const searchService = defineKind(
  declareServiceKind({
    entityType: 'searchService',
    label: 'SearchService',
    path: 'services/searchServices',
    title: 'Search services',
    index: 'search_service_search_index',
    types: SEARCH_SERVICE_TYPES,
    steps: { usual: ['CheckAccess', 'GetSearchIndexes'] },
  }),
);
