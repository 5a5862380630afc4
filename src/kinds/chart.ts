import { ancestor, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK } from '../model/kind/kind.ts';
import { oneOf } from '../model/values.ts';

const CHART_TYPES = [
  'Line',
  'Table',
  'Bar',
  'Area',
  'Pie',
  'Histogram',
  'Scatter',
  'Text',
  'BoxPlot',
  'SanKey',
  'Gauge',
  'Map',
  'Graph',
  'Heatmap',
  'Timeline',
  'Other',
] as const;

export const chart = defineKind({
  entityType: 'chart',
  label: 'Chart',
  path: 'charts',
  title: 'Charts',
  isAsset: true,
  contract: {},
  parents: [childOf('service', 'dashboardService')],
  scopeDepth: 1,
  create: CREATE_BLOCK,
  base: BASE_BLOCK,
  gated: GATED_BLOCK,
  attributes: {
    service: ancestor('dashboardService'),
    serviceType: ancestor('dashboardService', 'serviceType'),
    chartType: property(oneOf(CHART_TYPES)),
    dashboards: relation({ edge: 'SHOWS', direction: 'in', kinds: ['dashboard'], request: 'fqn', onAbsent: 'keep' }),
  },
  search: {
    index: 'chart_search_index',
    aliases: ['all', 'dataAsset', 'dashboardService', 'dashboard'],
    includedMembers: ['dashboards'],
  },
  filters: { service: { by: 'scope' }, domain: { by: 'domain' } },
});
