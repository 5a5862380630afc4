import { computedCount, computedRefs, empty, property, relation, secret } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { Email, TEAM_TYPES, UserProfile } from '../model/schemas/people/person.ts';
import { PROFILE_SECRECY, redactPerson } from '../model/schemas/people/personal-webhooks.ts';
import { checkTeamHierarchy, hasSingleParentType } from '../model/schemas/people/team-rules.ts';
import { Flag, oneOf, Ref, Text } from '../model/values.ts';

export const team = defineKind({
  entityType: 'team',
  label: 'Team',
  path: 'teams',
  title: 'Teams',
  parents: [],
  create: ['name', 'displayName', 'description', 'owners', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['owners', 'domains'],
  attributes: {
    teamType: property(oneOf(TEAM_TYPES), { fallback: 'Group', onAbsent: 'keep' }),
    email: property(Email),
    externalId: property(Text),
    isJoinable: property(Flag, { fallback: true }),
    profile: secret(UserProfile, { gated: true, onAbsent: 'keep', ...PROFILE_SECRECY }),
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
      exclusive: hasSingleParentType,
    }),
    descendantTeams: computedRefs('people/walk_descendant_teams'),
    users: relation({ edge: 'HAS_MEMBER', direction: 'out', kinds: ['user'], request: 'id', onAbsent: 'keep' }),
    childrenCount: computedCount('people/count_child_teams', 'people/count_child_teams_visible'),
    userCount: computedCount('people/count_team_users', 'people/count_team_users_visible'),
    owns: relation({ edge: 'OWNS', direction: 'out', kinds: [], versioned: false }),
    defaultRoles: relation({ edge: 'HAS_ROLE', direction: 'out', kinds: ['role'], request: 'id', onAbsent: 'keep' }),
    inheritedRoles: computedRefs('people/walk_team_roles'),
    defaultPersona: empty(Ref, undefined, { request: true }),
    policies: relation({ edge: 'HAS_POLICY', direction: 'out', kinds: ['policy'], request: 'id', onAbsent: 'keep' }),
  },
  assets: { edge: 'OWNS', direction: 'out' },
  isRenamable: true,
  governsAccess: true,
  givesRights: { defaultRoles: 'EditRole', policies: 'EditPolicy' },
  search: { index: 'team_search_index', includedMembers: ['parents', 'users'], constants: { isBot: false } },
  filters: {
    parentTeam: { by: 'edge', edge: 'PARENT_OF', from: 'team' },
    isJoinable: { by: 'flag', property: 'isJoinable' },
  },
  undeletableNames: ['Organization'],
  redactState: redactPerson,
  special: {
    relatedRules: [checkTeamHierarchy],
  },
});
