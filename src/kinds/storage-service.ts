import { defineKind } from '../model/kind/kind.ts';
import type { ConnectionSteps } from '../model/schemas/services/connection-steps.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

const STORAGE_SERVICE_TYPES = ['S3', 'ADLS', 'GCS', 'CustomStorage'] as const;

const USUAL_STEPS = ['ListBuckets'] as const;

/** What the connectors of these types know. */
const STEPS_OF_TYPE = {
  S3: [...USUAL_STEPS, 'GetMetrics'],
  GCS: [...USUAL_STEPS, 'GetBucket', 'ListBlobs', 'GetBlob', 'GetMetrics'],
} as const satisfies ConnectionSteps;

export const storageService = defineKind(
  declareServiceKind({
    entityType: 'storageService',
    label: 'StorageService',
    path: 'services/storageServices',
    title: 'Storage services',
    index: 'storage_service_search_index',
    types: STORAGE_SERVICE_TYPES,
    steps: { usual: USUAL_STEPS, ofType: STEPS_OF_TYPE },
  }),
);
