import { defineKind } from '../model/kind.ts';
import { serviceKind } from '../model/service-values.ts';

const TYPES = ['Rest', 'WEBHOOK'] as const;

export const apiService = defineKind(
  serviceKind({
    entityType: 'apiService',
    label: 'ApiService',
    path: 'services/apiServices',
    title: 'API services',
    index: 'api_service_search_index',
    types: TYPES,
    hasStyle: false,
  }),
);
