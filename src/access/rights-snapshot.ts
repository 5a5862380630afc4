import type { CallerFacts, ResourceFact } from '../model/language/condition-evaluation.ts';
import type { AuthorizationSubject, RecordFacts } from './authorization.ts';
import { createExpiringCache } from './cache.ts';
import type { Principal, PrincipalMembership } from './principal.ts';
import type { CompiledRole, Rights } from './rights.ts';
import {
  type AccessVerdict,
  createAccessCase,
  createRightsProfile,
  isAccessAllowed,
  isAccessDenied,
  NO_FACTS,
  type RightsProfile,
  VIEW_OPERATION,
} from './verdict.ts';

/** What callers may do by one state of the rights. */

/** The number of cached profiles. People with the same roles in the same teams share one profile. */
const MAX_PROFILES = 2000;

/** The rights of one caller: the profile shared with others, and the caller's own facts. */
export type CallerRights = {
  readonly profile: RightsProfile;
  readonly facts: CallerFacts;
  /** Cached results of `isAllowedEverywhere`, by operations and resources. They live as long as this entry. */
  readonly everywhere: Map<string, boolean>;
};

export const NO_MEMBERSHIP: PrincipalMembership = { teamIds: [], roleIds: [], domainIds: [] };

const resolveRoles = (rights: Rights, { roles }: Principal, { roleIds }: PrincipalMembership): CompiledRole[] => {
  const own = roleIds.map((id) => rights.roles.get(id));
  const provided = roles.map((name) => rights.rolesByName.get(name));
  return [...new Set([...own, ...provided].filter((role) => role !== undefined))];
};

/** Builds the caches for one state of the rights. They are dropped with it. */
export const createRightsSnapshot = (rights: Rights) => {
  const profiles = createExpiringCache<RightsProfile>(MAX_PROFILES);
  // A user's record, and with it the membership object, is read again every second. The old entry is collected with it.
  const callers = new WeakMap<object, CallerRights & Pick<Principal, 'id' | 'roles'>>();

  const profileFor = (membership: PrincipalMembership, roles: readonly CompiledRole[]): RightsProfile => {
    const key = `${[...membership.teamIds].sort().join(' ')}/${roles
      .map(({ id }) => id)
      .sort()
      .join(' ')}`;
    const profile = profiles.get(key, 0) ?? createRightsProfile(rights, membership.teamIds, roles);
    profiles.set(key, profile, Number.POSITIVE_INFINITY);
    return profile;
  };

  const describeCaller = (principal: Principal, membership: PrincipalMembership): CallerRights => {
    const profile = profileFor(membership, resolveRoles(rights, principal, membership));
    const facts = {
      ownerIds: new Set([principal.id, ...membership.teamIds]),
      domainIds: new Set([...membership.domainIds, ...profile.domainIds]),
      teams: profile.teams,
      roles: profile.roles,
    };
    return { profile, facts, everywhere: new Map() };
  };

  const callerFor = (principal: Principal): CallerRights => {
    const { id, roles, membership = NO_MEMBERSHIP } = principal;
    const known = callers.get(membership);
    if (known !== undefined && known.id === id && known.roles === roles) return known;
    const caller = { ...describeCaller(principal, membership), id, roles };
    callers.set(membership, caller);
    return caller;
  };

  return { rights, callerFor };
};

export type RightsSnapshot = ReturnType<typeof createRightsSnapshot>;

const VIEWING: readonly string[] = [VIEW_OPERATION];

/** Whether a record is about others, none of which the caller sees. */
const areSubjectsHidden = (snapshot: RightsSnapshot, caller: CallerRights, { subjects = [] }: RecordFacts): boolean =>
  subjects.length > 0 &&
  !subjects.some(({ resource, facts }) => isPermitted(snapshot, caller, VIEWING, resource, facts));

/** Whether the caller may do all these operations. What a record is about has to be visible to whoever views it. */
export const isPermitted = (
  snapshot: RightsSnapshot,
  caller: CallerRights,
  operations: readonly string[],
  resource: string,
  facts: RecordFacts | undefined,
): boolean => {
  const { rights } = snapshot;
  const { profile, facts: who } = caller;
  const one = createAccessCase(rights, who, facts);
  for (const operation of operations)
    if (isAccessDenied(rights, profile.verdict(resource, operation), one)) return false;
  for (const operation of operations)
    if (!isAccessAllowed(rights, profile.verdict(resource, operation), one)) return false;
  return !(facts?.subjects && operations.includes(VIEW_OPERATION) && areSubjectsHidden(snapshot, caller, facts));
};

/** The operations that a refusal names: the denied ones, otherwise those that nothing grants. */
export const findRefusedOperations = (
  snapshot: RightsSnapshot,
  caller: CallerRights,
  operations: readonly string[],
  { resource, facts }: AuthorizationSubject,
): readonly string[] => {
  const { rights } = snapshot;
  const { profile, facts: who } = caller;
  const one = createAccessCase(rights, who, facts);
  const denied = operations.filter((operation) => isAccessDenied(rights, profile.verdict(resource, operation), one));
  if (denied.length > 0) return denied;
  const missing = operations.filter((operation) => !isAccessAllowed(rights, profile.verdict(resource, operation), one));
  if (missing.length > 0 || facts === undefined) return missing;
  return areSubjectsHidden(snapshot, caller, facts) ? VIEWING : missing;
};

const isRefusedRegardless = ({ needs, isDenied: denied, isAllowed: allowed }: AccessVerdict): boolean =>
  needs.size === 0 && (denied || !allowed);

export const requiredFactsOf = (
  { profile }: CallerRights,
  operations: readonly string[],
  resource: string,
): ReadonlySet<ResourceFact> => {
  let needs = NO_FACTS;
  for (const operation of operations) {
    const verdict = profile.verdict(resource, operation);
    if (isRefusedRegardless(verdict)) return NO_FACTS;
    if (verdict.needs.size > 0) needs = needs.size === 0 ? verdict.needs : new Set([...needs, ...verdict.needs]);
  }
  return needs;
};
