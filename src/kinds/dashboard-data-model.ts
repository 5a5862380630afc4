import { ancestor, columns, property } from '../model/attribute.ts';
import { Columns, completeColumn } from '../model/column-values.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK, without } from '../model/kind.ts';
import { oneOf, Text } from '../model/values.ts';
import { DASHBOARD_SERVICE_TYPES } from './dashboard-service.ts';

const MODEL_TYPES = [
  'TableauDataModel',
  'TableauPublishedDatasource',
  'TableauEmbeddedDatasource',
  'SupersetDataModel',
  'MetabaseDataModel',
  'ModeDataModel',
  'LookMlView',
  'LookMlExplore',
  'PowerBIDataModel',
  'QlikDataModel',
  'QuickSightDataModel',
  'SigmaDataModel',
  'PowerBIDataFlow',
  'PowerBIDatamart',
  'MicroStrategyDataset',
  'ThoughtSpotDataModel',
  'SapS4HanaCdsView',
  'SsrsDataModel',
  'OmniDataModel',
] as const;

export const dashboardDataModel = defineKind({
  entityType: 'dashboardDataModel',
  label: 'DashboardDataModel',
  path: 'dashboard/datamodels',
  title: 'Dashboard data models',
  isAsset: true,
  parents: [below('service', 'dashboardService', { infix: 'model' })],
  scopeDepth: 1,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: without(GATED_BLOCK, 'usageSummary'),
  attributes: {
    service: ancestor('dashboardService'),
    serviceType: ancestor('dashboardService', 'serviceType'),
    dataModelType: property(oneOf(MODEL_TYPES), { required: true }),
    sql: property(Text),
    columns: columns(Columns, { required: true, complete: completeColumn }),
    project: property(Text),
  },
  // The type of service is known from the service itself.
  ignored: { serviceType: oneOf(DASHBOARD_SERVICE_TYPES) },
  search: {
    index: 'dashboard_data_model_search_index',
    aliases: ['all', 'dataAsset', 'dashboardService'],
    lists: 'columnNames',
    facets: ['dataModelType', 'columns.name.keyword'],
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
});
