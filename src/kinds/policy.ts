import { nested, property, relation } from '../model/attribute.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { namesInConditions, Rules } from '../model/policy-values.ts';
import { provider } from '../model/provider.ts';
import { Flag } from '../model/values.ts';

const kept = { request: false, onAbsent: 'keep' } as const;

export const policy = defineKind({
  entityType: 'policy',
  label: 'Policy',
  path: 'policies',
  title: 'Policies',
  parents: [],
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  base: without(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['owners', 'domains'],
  attributes: {
    enabled: property(Flag, { fallback: true }),
    rules: nested(Rules, { required: true, list: 'name', namesItems: true }),
    allowDelete: property(Flag, { ...kept, adminOnly: true }),
    allowEdit: property(Flag, { ...kept, adminOnly: true }),
    provider: provider({ request: false, adminOnly: true }),
    disabled: property(Flag, kept),
    teams: relation({ edge: 'HAS_POLICY', direction: 'in', kinds: ['team'], versioned: false }),
    roles: relation({ edge: 'HAS_POLICY', direction: 'in', kinds: ['role'], versioned: false }),
    location: relation({ edge: 'USES', direction: 'out', kinds: ['container'], many: false, request: 'id' }),
  },
  renamable: true,
  governsAccess: true,
  search: {},
  filters: {},
  namingTexts: namesInConditions,
});
