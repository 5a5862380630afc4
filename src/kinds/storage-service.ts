import { defineKind } from '../model/kind/kind.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

const STORAGE_SERVICE_TYPES = ['S3', 'ADLS', 'GCS', 'CustomStorage'] as const;

export const storageService = defineKind(
  declareServiceKind({
    entityType: 'storageService',
    label: 'StorageService',
    path: 'services/storageServices',
    title: 'Storage services',
    index: 'storage_service_search_index',
    types: STORAGE_SERVICE_TYPES,
  }),
);
