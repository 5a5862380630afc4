import { ancestor, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK } from '../model/kind/kind.ts';
import { oneOf, Text } from '../model/values.ts';

export const dashboard = defineKind({
  entityType: 'dashboard',
  label: 'Dashboard',
  path: 'dashboards',
  title: 'Dashboards',
  isAsset: true,
  datasetRank: 6,
  contract: {},
  parents: [childOf('service', 'dashboardService')],
  scopeDepth: 1,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: GATED_BLOCK,
  attributes: {
    service: ancestor('dashboardService'),
    serviceType: ancestor('dashboardService', 'serviceType'),
    project: property(Text),
    dashboardType: property(oneOf(['Dashboard', 'Report']), { fallback: 'Dashboard' }),
    charts: relation({ edge: 'SHOWS', direction: 'out', kinds: ['chart'], request: 'fqn' }),
    dataModels: relation({ edge: 'SHOWS', direction: 'out', kinds: ['dashboardDataModel'], request: 'fqn' }),
  },
  search: {
    index: 'dashboard_search_index',
    aliases: ['all', 'dataAsset', 'dashboardService'],
    includedMembers: ['charts', 'dataModels'],
    facets: ['dataModels.displayName.keyword', 'charts.displayName.keyword'],
    weights: { 'charts.name': 2, 'charts.description': 2 },
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
  special: {
    lineageParts: { edge: 'SHOWS', kind: 'chart' },
  },
});
