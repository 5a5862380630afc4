import { defineKind } from '../model/kind/kind.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';

export const DASHBOARD_SERVICE_TYPES = [
  'Superset',
  'Looker',
  'Tableau',
  'Redash',
  'Metabase',
  'PowerBI',
  'PowerBIReportServer',
  'Mode',
  'CustomDashboard',
  'DomoDashboard',
  'QuickSight',
  'QlikSense',
  'Lightdash',
  'MicroStrategy',
  'QlikCloud',
  'Sigma',
  'ThoughtSpot',
  'Grafana',
  'Hex',
  'Ssrs',
  'SapS4Hana',
  'Omni',
] as const;

export const dashboardService = defineKind(
  declareServiceKind({
    entityType: 'dashboardService',
    label: 'DashboardService',
    path: 'services/dashboardServices',
    title: 'Dashboard services',
    index: 'dashboard_service_search_index',
    types: DASHBOARD_SERVICE_TYPES,
  }),
);
