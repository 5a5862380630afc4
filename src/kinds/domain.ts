import { counted, nested, property, relation } from '../model/attribute.ts';
import { BASE_BLOCK, below, CREATE_BLOCK, defineKind, GATED_BLOCK, without } from '../model/kind.ts';
import { Fqn, oneOf, Style } from '../model/values.ts';

export const domain = defineKind({
  entityType: 'domain',
  label: 'Domain',
  path: 'domains',
  title: 'Domains',
  parents: [below('parent', 'domain', { required: false })],
  scopeDepth: 1,
  create: without(CREATE_BLOCK, 'domains', 'dataProducts', 'lifeCycle', 'sourceHash', 'sourceUrl'),
  required: ['description'],
  base: without(BASE_BLOCK, 'deleted', 'sourceUrl'),
  gated: without(GATED_BLOCK, 'domains', 'dataProducts', 'dataContract', 'lifeCycle', 'sourceHash', 'usageSummary'),
  attributes: {
    domainType: property(oneOf(['Source-aligned', 'Consumer-aligned', 'Aggregate']), { required: true }),
    style: nested(Style, { onAbsent: 'keep' }),
    parent: relation({ edge: 'CONTAINS', direction: 'in', kinds: ['domain'], many: false, versioned: false }),
    children: relation({ edge: 'CONTAINS', direction: 'out', kinds: ['domain'], versioned: false }),
    childrenCount: counted('domain/count_children', 'domain/count_children_visible'),
    experts: relation({ edge: 'EXPERT_IN', direction: 'in', kinds: ['user'], request: 'name' }),
    assets: relation({ edge: 'IN_DOMAIN', direction: 'in', kinds: [], versioned: false }),
  },
  ignored: { fullyQualifiedName: Fqn },
  assets: { edge: 'IN_DOMAIN', direction: 'in', member: 'domains' },
  platformView: 'domain',
  renamable: true,
  search: { index: 'domain_search_index', aliases: ['all'], tells: ['parent', 'experts'] },
  filters: { parent: { by: 'scope' } },
});
