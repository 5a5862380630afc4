import { property, relation } from '../model/attribute.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { provider } from '../model/provider.ts';
import { Flag } from '../model/values.ts';

const kept = { request: false, onAbsent: 'keep' } as const;

export const role = defineKind({
  entityType: 'role',
  label: 'Role',
  path: 'roles',
  title: 'Roles',
  parents: [],
  create: ['name', 'displayName', 'description', 'domains'],
  base: without(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['domains'],
  attributes: {
    allowDelete: property(Flag, { ...kept, adminOnly: true }),
    allowEdit: property(Flag, { ...kept, adminOnly: true }),
    provider: provider({ request: false, adminOnly: true }),
    disabled: property(Flag, kept),
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
  renamable: true,
  governsAccess: true,
  search: {},
  filters: {},
});
