import { defineKind } from '../model/kind.ts';
import { serviceKind } from '../model/service-values.ts';

const TYPES = ['ElasticSearch', 'OpenSearch', 'CustomSearch'] as const;

export const searchService = defineKind(
  serviceKind({
    entityType: 'searchService',
    label: 'SearchService',
    path: 'services/searchServices',
    title: 'Search services',
    index: 'search_service_search_index',
    types: TYPES,
  }),
);
