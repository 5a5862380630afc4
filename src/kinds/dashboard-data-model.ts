import { ancestor, columns, property } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { ColumnListSchema, completeColumn } from '../model/schemas/columns/column.ts';
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
  datasetRank: 5,
  contract: { columns: 'typed' },
  parents: [childOf('service', 'dashboardService', { infix: 'model' })],
  scopeDepth: 1,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: withoutMembers(GATED_BLOCK, 'usageSummary'),
  attributes: {
    service: ancestor('dashboardService'),
    serviceType: ancestor('dashboardService', 'serviceType'),
    dataModelType: property(oneOf(MODEL_TYPES), { required: true }),
    sql: property(Text),
    columns: columns(ColumnListSchema, { required: true, complete: completeColumn }),
    project: property(Text),
  },
  // The service itself defines its type.
  ignored: { serviceType: oneOf(DASHBOARD_SERVICE_TYPES) },
  search: {
    index: 'dashboard_data_model_search_index',
    aliases: ['all', 'dataAsset', 'dashboardService'],
    columnNamesMember: 'columnNames',
    facets: ['dataModelType', 'columns.name.keyword'],
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
});
