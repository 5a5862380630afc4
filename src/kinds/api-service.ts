import { defineKind } from '../model/kind/kind.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

const API_SERVICE_TYPES = ['Rest', 'WEBHOOK'] as const;

export const apiService = defineKind(
  declareServiceKind({
    entityType: 'apiService',
    label: 'ApiService',
    path: 'services/apiServices',
    title: 'API services',
    index: 'api_service_search_index',
    types: API_SERVICE_TYPES,
    steps: { usual: ['CheckURL', 'CheckSchema'] },
    hasStyle: false,
  }),
);
