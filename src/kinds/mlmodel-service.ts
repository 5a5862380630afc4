import { defineKind } from '../model/kind.ts';
import { serviceKind } from '../model/service-values.ts';

const TYPES = ['Mlflow', 'Sklearn', 'CustomMlModel', 'SageMaker', 'VertexAI'] as const;

export const mlmodelService = defineKind(
  serviceKind({
    entityType: 'mlmodelService',
    label: 'MlModelService',
    path: 'services/mlmodelServices',
    title: 'ML model services',
    index: 'mlmodel_service_search_index',
    alias: 'mlModelService',
    types: TYPES,
  }),
);
