import { defineKind } from '../model/kind/kind.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

const MLMODEL_SERVICE_TYPES = ['Mlflow', 'Sklearn', 'CustomMlModel', 'SageMaker', 'VertexAI'] as const;

export const mlmodelService = defineKind(
  declareServiceKind({
    entityType: 'mlmodelService',
    label: 'MlModelService',
    path: 'services/mlmodelServices',
    title: 'ML model services',
    index: 'mlmodel_service_search_index',
    alias: 'mlModelService',
    types: MLMODEL_SERVICE_TYPES,
    steps: { usual: ['GetModels'] },
  }),
);
