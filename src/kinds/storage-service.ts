import { defineKind } from '../model/kind.ts';
import { serviceKind } from '../model/service-values.ts';

const TYPES = ['S3', 'ADLS', 'GCS', 'CustomStorage'] as const;

export const storageService = defineKind(
  serviceKind({
    entityType: 'storageService',
    label: 'StorageService',
    path: 'services/storageServices',
    title: 'Storage services',
    index: 'storage_service_search_index',
    types: TYPES,
  }),
);
