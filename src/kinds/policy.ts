import { nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { conditionNames, PolicyRulesSchema } from '../model/schemas/access/policy.ts';
import { Flag } from '../model/values.ts';

const KEPT_ON_PUT = { request: false, onAbsent: 'keep' } as const;

export const policy = defineKind({
  entityType: 'policy',
  label: 'Policy',
  path: 'policies',
  title: 'Policies',
  parents: [],
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['owners', 'domains'],
  attributes: {
    enabled: property(Flag, { fallback: true }),
    rules: nested(PolicyRulesSchema, { required: true, list: 'name', namesItems: true }),
    allowDelete: property(Flag, { ...KEPT_ON_PUT, adminOnly: true }),
    allowEdit: property(Flag, { ...KEPT_ON_PUT, adminOnly: true }),
    provider: providerMember({ request: false, adminOnly: true }),
    disabled: property(Flag, KEPT_ON_PUT),
    teams: relation({ edge: 'HAS_POLICY', direction: 'in', kinds: ['team'], versioned: false }),
    roles: relation({ edge: 'HAS_POLICY', direction: 'in', kinds: ['role'], versioned: false }),
    location: relation({ edge: 'USES', direction: 'out', kinds: ['container'], many: false, request: 'id' }),
  },
  isRenamable: true,
  governsAccess: true,
  givesRights: { rules: 'EditPolicy', enabled: 'EditPolicy', disabled: 'EditPolicy' },
  search: {},
  filters: {},
  special: {
    nameBearingTexts: conditionNames,
  },
});
