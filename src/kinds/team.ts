import { counted, empty, nested, property, relation, walked } from '../model/attribute.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { Email, Profile, TEAM_TYPES } from '../model/person-values.ts';
import { checkTeamPlace, hasOnePlace } from '../model/team-rules.ts';
import { Flag, oneOf, Ref, Text } from '../model/values.ts';

export const team = defineKind({
  entityType: 'team',
  label: 'Team',
  path: 'teams',
  title: 'Teams',
  parents: [],
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  base: without(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['owners', 'domains'],
  attributes: {
    teamType: property(oneOf(TEAM_TYPES), { fallback: 'Group', onAbsent: 'keep' }),
    email: property(Email),
    externalId: property(Text),
    isJoinable: property(Flag, { fallback: true }),
    profile: nested(Profile, { gated: true, onAbsent: 'keep' }),
    parents: relation({
      edge: 'PARENT_OF',
      direction: 'in',
      kinds: ['team'],
      request: 'id',
      onAbsent: 'keep',
      acyclic: true,
      fallback: 'Organization',
    }),
    children: relation({
      edge: 'PARENT_OF',
      direction: 'out',
      kinds: ['team'],
      request: 'id',
      onAbsent: 'keep',
      acyclic: true,
      exclusive: hasOnePlace,
    }),
    descendantTeams: walked('team/walk_descendants'),
    users: relation({ edge: 'HAS_MEMBER', direction: 'out', kinds: ['user'], request: 'id', onAbsent: 'keep' }),
    childrenCount: counted('team/count_children', 'team/count_children_visible'),
    userCount: counted('team/count_users', 'team/count_users_visible'),
    owns: relation({ edge: 'OWNS', direction: 'out', kinds: [], versioned: false }),
    defaultRoles: relation({ edge: 'HAS_ROLE', direction: 'out', kinds: ['role'], request: 'id', onAbsent: 'keep' }),
    inheritedRoles: walked('team/walk_inherited_roles'),
    defaultPersona: empty(Ref, undefined, { request: true }),
    policies: relation({ edge: 'HAS_POLICY', direction: 'out', kinds: ['policy'], request: 'id', onAbsent: 'keep' }),
  },
  assets: { edge: 'OWNS', direction: 'out' },
  renamable: true,
  governsAccess: true,
  search: { index: 'team_search_index', tells: ['parents', 'users'], constants: { isBot: false } },
  filters: {
    parentTeam: { by: 'edge', edge: 'PARENT_OF', from: 'team' },
    isJoinable: { by: 'flag', property: 'isJoinable' },
  },
  relatedRules: [checkTeamPlace],
  undeletable: ['Organization'],
});
