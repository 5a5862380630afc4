import { defineKind } from '../model/kind/kind.ts';
import type { ConnectionSteps } from '../model/schemas/services/connection-steps.ts';
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

const USUAL_STEPS = ['GetDashboards'] as const;

/** What the connectors of these types know. */
const STEPS_OF_TYPE = {
  DomoDashboard: [...USUAL_STEPS, 'GetCharts'],
  Hex: ['GetProjects'],
  Looker: ['CheckAccess', 'ValidateVersion', 'ListDashboards', 'ListLookMLModels'],
  MicroStrategy: ['GetToken', 'GetProjects'],
  Mode: ['CheckDashboards'],
  Omni: ['CheckAccess', 'GetDashboards'],
  PowerBI: ['CheckAccess', 'GetDashboards'],
  Sigma: ['GetToken', 'GetWorkbooks'],
  Ssrs: ['CheckAccess', 'GetDashboards'],
  Superset: ['CheckAccess', 'GetDashboards', 'GetCharts'],
  Tableau: [
    'ServerInfo',
    'ValidateApiVersion',
    'ValidateSiteUrl',
    'GetWorkbooks',
    'GetViews',
    'GetOwners',
    'GetDataModels',
    'GetSourceTables',
  ],
} as const satisfies ConnectionSteps;

export const dashboardService = defineKind(
  declareServiceKind({
    entityType: 'dashboardService',
    label: 'DashboardService',
    path: 'services/dashboardServices',
    title: 'Dashboard services',
    index: 'dashboard_service_search_index',
    types: DASHBOARD_SERVICE_TYPES,
    steps: { usual: USUAL_STEPS, ofType: STEPS_OF_TYPE },
  }),
);
