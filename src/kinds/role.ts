import { property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { providerMember } from '../model/kind/provider.ts';
import { Flag } from '../model/values.ts';

const KEPT_ON_PUT = { request: false, onAbsent: 'keep' } as const;

export const role = defineKind({
  entityType: 'role',
  label: 'Role',
  path: 'roles',
  title: 'Roles',
  parents: [],
  create: ['name', 'displayName', 'description', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['domains'],
  attributes: {
    allowDelete: property(Flag, { ...KEPT_ON_PUT, adminOnly: true }),
    allowEdit: property(Flag, { ...KEPT_ON_PUT, adminOnly: true }),
    provider: providerMember({ request: false, adminOnly: true }),
    disabled: property(Flag, KEPT_ON_PUT),
    policies: relation({
      edge: 'HAS_POLICY',
      direction: 'out',
      kinds: ['policy'],
      request: 'name',
      required: true,
    }),
    users: relation({ edge: 'HAS_ROLE', direction: 'in', kinds: ['user'], versioned: false }),
    teams: relation({ edge: 'HAS_ROLE', direction: 'in', kinds: ['team'], versioned: false }),
  },
  isRenamable: true,
  governsAccess: true,
  givesRights: { policies: 'EditPolicy', disabled: 'EditRole' },
  search: {},
  filters: {},
});
