import { computedRefs, nested, property, relation, searchOnlyCount } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { Fqn, Integer, Num, oneOf, Style, shape } from '../model/values.ts';

const PRODUCT_TYPES = [
  'RAW_DATA',
  'DERIVED_DATA',
  'DATASET',
  'REPORTS',
  'ANALYTIC_VIEW',
  'VISUALISATION_3D',
  'ALGORITHM',
  'DECISION_SUPPORT',
  'AUTOMATED_DECISION_MAKING',
  'DATA_ENHANCED_PRODUCT',
  'DATA_DRIVEN_SERVICE',
  'DATA_ENABLED_PERFORMANCE',
  'BI_DIRECTIONAL',
] as const;
const LIFECYCLE_STAGES = [
  'IDEATION',
  'DESIGN',
  'DEVELOPMENT',
  'TESTING',
  'PRODUCTION',
  'DEPRECATED',
  'RETIRED',
] as const;
const VISIBILITIES = ['PRIVATE', 'INVITATION', 'ORGANISATION', 'DATASPACE', 'PUBLIC'] as const;
const PRIORITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;
const SLA_TIERS = ['GOLD', 'SILVER', 'BRONZE', 'CUSTOM'] as const;

const SlaDefinition = shape('SlaDefinition', {
  tier: oneOf(SLA_TIERS),
  availability: Num,
  responseTime: Integer,
  dataFreshness: Integer,
  dataQuality: Num,
});

export const dataProduct = defineKind({
  entityType: 'dataProduct',
  label: 'DataProduct',
  path: 'dataProducts',
  title: 'Data products',
  contract: {},
  parents: [],
  create: withoutMembers(CREATE_BLOCK, 'dataProducts', 'lifeCycle', 'sourceHash', 'sourceUrl'),
  required: ['description', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'deleted', 'sourceUrl'),
  gated: withoutMembers(GATED_BLOCK, 'dataProducts', 'dataContract', 'lifeCycle', 'sourceHash', 'usageSummary'),
  attributes: {
    style: nested(Style, { onAbsent: 'keep' }),
    lifecycleStage: property(oneOf(LIFECYCLE_STAGES), { request: false, onAbsent: 'keep', fallback: 'DEVELOPMENT' }),
    dataProductType: property(oneOf(PRODUCT_TYPES)),
    visibility: property(oneOf(VISIBILITIES), { fallback: 'PRIVATE' }),
    portfolioPriority: property(oneOf(PRIORITIES)),
    sla: nested(SlaDefinition, { request: false, onAbsent: 'keep' }),
    experts: relation({ edge: 'EXPERT_IN', direction: 'in', kinds: ['user'], request: 'name' }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
    assets: relation({
      edge: 'HAS_ASSET',
      direction: 'out',
      kinds: [],
      request: 'ref',
      onAbsent: 'keep',
      withinDomains: true,
    }),
    assetCount: searchOnlyCount('kinds/count_product_assets', 'kinds/count_product_assets_visible'),
    consumesFrom: computedRefs('kinds/walk_product_suppliers'),
    providesTo: computedRefs('kinds/walk_product_consumers'),
  },
  ignored: { fullyQualifiedName: Fqn },
  assets: { edge: 'HAS_ASSET', direction: 'out', member: 'dataProducts' },
  platformView: 'dataProduct',
  isRenamable: true,
  search: {
    index: 'data_product_search_index',
    aliases: ['all', 'dataAsset', 'domain'],
    includedMembers: ['experts', 'reviewers', 'assetCount'],
  },
  filters: { domain: { by: 'domain' } },
  special: {
    deletedWithDomains: true,
    ports: { inputPorts: 'HAS_INPUT', outputPorts: 'HAS_OUTPUT' },
  },
});
