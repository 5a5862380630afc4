import { computedCount, nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, CREATE_BLOCK, childOf, defineKind, GATED_BLOCK, withoutMembers } from '../model/kind/kind.ts';
import { Fqn, oneOf, Style } from '../model/values.ts';

export const domain = defineKind({
  entityType: 'domain',
  label: 'Domain',
  path: 'domains',
  title: 'Domains',
  parents: [childOf('parent', 'domain', { required: false })],
  scopeDepth: 1,
  create: withoutMembers(CREATE_BLOCK, 'domains', 'dataProducts', 'lifeCycle', 'sourceHash', 'sourceUrl'),
  required: ['description'],
  base: withoutMembers(BASE_BLOCK, 'deleted', 'sourceUrl'),
  gated: withoutMembers(
    GATED_BLOCK,
    'domains',
    'dataProducts',
    'dataContract',
    'lifeCycle',
    'sourceHash',
    'usageSummary',
  ),
  attributes: {
    domainType: property(oneOf(['Source-aligned', 'Consumer-aligned', 'Aggregate']), { required: true }),
    style: nested(Style, { onAbsent: 'keep' }),
    parent: relation({ edge: 'CONTAINS', direction: 'in', kinds: ['domain'], many: false, versioned: false }),
    children: relation({ edge: 'CONTAINS', direction: 'out', kinds: ['domain'], versioned: false }),
    childrenCount: computedCount('kinds/count_child_domains', 'kinds/count_child_domains_visible'),
    experts: relation({ edge: 'EXPERT_IN', direction: 'in', kinds: ['user'], request: 'name' }),
    assets: relation({ edge: 'IN_DOMAIN', direction: 'in', kinds: [], versioned: false }),
  },
  ignored: { fullyQualifiedName: Fqn },
  assets: { edge: 'IN_DOMAIN', direction: 'in', member: 'domains' },
  platformView: 'domain',
  isRenamable: true,
  search: { index: 'domain_search_index', aliases: ['all'], includedMembers: ['parent', 'experts'] },
  filters: { parent: { by: 'scope' } },
});
