import { computedRefs, empty, nested, property, relation, secret } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { AuthMechanism, checkPasswords, Email, Password, UserProfile } from '../model/schemas/people/person.ts';
import { PROFILE_SECRECY, redactPerson } from '../model/schemas/people/personal-webhooks.ts';
import { Flag, FreeForm, listOf, oneOf, Ref, Text, Timestamp } from '../model/values.ts';

const KEPT_UNVERSIONED = { request: false, versioned: false, onAbsent: 'keep' } as const;

export const user = defineKind({
  entityType: 'user',
  label: 'User',
  path: 'users',
  title: 'Users',
  parents: [],
  create: ['name', 'displayName', 'description', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['domains'],
  unique: ['email'],
  givesRights: { roles: 'EditRole' },
  attributes: {
    externalId: property(Text),
    scimUserName: property(Text),
    // The identity provider's tokens are matched to an administrator by this address, so policies alone must not allow
    // a change.
    email: property(Email, { required: true, adminOnlyWhere: 'isAdmin' }),
    timezone: property(Text),
    isBot: property(Flag, { fallback: false, onAbsent: 'keep', adminOnly: true }),
    isAdmin: property(Flag, { fallback: false, onAbsent: 'keep', adminOnly: true }),
    botName: property(Text, { hidden: true }),
    allowImpersonation: property(Flag, { ...KEPT_UNVERSIONED, fallback: false, adminOnly: true }),
    isEmailVerified: property(Flag, KEPT_UNVERSIONED),
    lastLoginTime: property(Timestamp, KEPT_UNVERSIONED),
    lastActivityTime: property(Timestamp, KEPT_UNVERSIONED),
    profile: secret(UserProfile, { gated: true, onAbsent: 'keep', ...PROFILE_SECRECY }),
    teams: relation({ edge: 'HAS_MEMBER', direction: 'in', kinds: ['team'], request: 'id', onAbsent: 'keep' }),
    roles: relation({ edge: 'HAS_ROLE', direction: 'out', kinds: ['role'], request: 'id', onAbsent: 'keep' }),
    inheritedRoles: computedRefs('people/walk_user_roles'),
    defaultPersona: empty(Ref, undefined, { request: true }),
    personas: empty(listOf(Ref), [], { request: true }),
    inheritedPersonas: empty(listOf(Ref), []),
    personaPreferences: empty(listOf(FreeForm), []),
    owns: relation({ edge: 'OWNS', direction: 'out', kinds: [], versioned: false }),
    follows: relation({ edge: 'FOLLOWS', direction: 'out', kinds: [], versioned: false }),
    authenticationMechanism: nested(AuthMechanism, { hidden: true, versioned: false, onAbsent: 'keep' }),
    createPasswordType: property(oneOf(['ADMIN_CREATE', 'USER_CREATE']), {
      hidden: true,
      onAbsent: 'keep',
      versioned: false,
    }),
    // Setting a user's password allows logging in as that user, so policies alone must not allow it.
    password: property(Password, { hidden: true, onAbsent: 'keep', versioned: false, hashed: true, adminOnly: true }),
    confirmPassword: property(Password, { hidden: true, onAbsent: 'keep', versioned: false, transient: true }),
  },
  assets: { edge: 'OWNS', direction: 'out' },
  search: { index: 'user_search_index', includedMembers: ['teams', 'roles'] },
  filters: {
    team: { by: 'edge', edge: 'HAS_MEMBER', from: 'team' },
    isAdmin: { by: 'flag', property: 'isAdmin' },
    isBot: { by: 'flag', property: 'isBot' },
  },
  bodyRules: [checkPasswords],
  redactState: redactPerson,
  special: {
    lowerCaseName: true,
  },
});
