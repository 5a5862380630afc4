import { CatalogError } from '../errors.ts';
import type { CallerFacts, ResourceFact } from '../model/language/condition-evaluation.ts';
import {
  type AuthorizationSubject,
  type Authorize,
  type Authorizer,
  notAllowedMessage,
  type RecordFacts,
  type RecordFilter,
} from './authorization.ts';
import { createExpiringCache } from './cache.ts';
import {
  allowEverything,
  explainPermissions,
  explainPolicies,
  type ResourcePermissions,
} from './explain-permissions.ts';
import type { Principal, PrincipalMembership } from './principal.ts';
import { type CompiledRole, compileRights, type Rights, type RightsData } from './rights.ts';
import { digestRights } from './rights-digest.ts';
import {
  type AccessVerdict,
  createAccessCase,
  createRightsProfile,
  isAccessAllowed,
  isAccessDenied,
  NO_FACTS,
  type RightsProfile,
} from './verdict.ts';

type AuthorizerDeps = {
  /** A number that changes with every change of a policy, a role or a team. */
  readonly readRevision: () => Promise<number>;
  /** All policies, roles and teams, in their current state or a later one. */
  readonly readRights: () => Promise<RightsData>;
  /** The record types that are assets. Only to these may a rule about all resources grant ownership. */
  readonly assets: ReadonlySet<string>;
  readonly clock: () => number;
};

/** Explains decisions: why a caller may do something, and what given policies would allow. */
export type PermissionExplainer = {
  /** What the caller may do with resources, or with the one record whose facts are given. One entry per operation. */
  explain(principal: Principal, resources: readonly string[], facts?: RecordFacts): readonly ResourcePermissions[];
  /** A text that changes when the caller's rights change, used to compare the rights of two moments. */
  digest(principal: Principal): string;
  /** What policies say about resources, independent of the caller. */
  explainPolicies(policyIds: readonly string[], resources: readonly string[]): readonly ResourcePermissions[];
};

/** How long the rights in memory are used before the next check for changes. */
const FRESH_MS = 1000;

/**
 * The maximum age of rights in a long task that never calls `ensureFresh`. Requests never see rights of this age: each
 * request waits for fresh ones, and is refused when they cannot be read.
 */
const OLD_MS = 300_000;

/** The number of cached profiles. People with the same roles in the same teams share one profile. */
const MAX_PROFILES = 2000;

/** The rights of one caller: the profile shared with others, and the caller's own facts. */
type CallerRights = {
  readonly profile: RightsProfile;
  readonly facts: CallerFacts;
  /** Cached results of `isAllowedEverywhere`, by operations and resources. They live as long as this entry. */
  readonly everywhere: Map<string, boolean>;
};

const NO_MEMBERSHIP: PrincipalMembership = { teamIds: [], roleIds: [], domainIds: [] };

const resolveRoles = (rights: Rights, { roles }: Principal, { roleIds }: PrincipalMembership): CompiledRole[] => {
  const own = roleIds.map((id) => rights.roles.get(id));
  const provided = roles.map((name) => rights.rolesByName.get(name));
  return [...new Set([...own, ...provided].filter((role) => role !== undefined))];
};

/** Builds the caches for one state of the rights. They are dropped with it. */
const createRightsSnapshot = (rights: Rights) => {
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

type RightsSnapshot = ReturnType<typeof createRightsSnapshot>;

const isPermitted = (
  { rights }: RightsSnapshot,
  { profile, facts: who }: CallerRights,
  operations: readonly string[],
  resource: string,
  facts: RecordFacts | undefined,
): boolean => {
  const one = createAccessCase(rights, who, facts);
  for (const operation of operations)
    if (isAccessDenied(rights, profile.verdict(resource, operation), one)) return false;
  for (const operation of operations)
    if (!isAccessAllowed(rights, profile.verdict(resource, operation), one)) return false;
  return true;
};

/** The operations that a refusal names: the denied ones, otherwise those that nothing grants. */
const findRefusedOperations = (
  { rights }: RightsSnapshot,
  { profile, facts: who }: CallerRights,
  operations: readonly string[],
  { resource, facts }: AuthorizationSubject,
): readonly string[] => {
  const one = createAccessCase(rights, who, facts);
  const denied = operations.filter((operation) => isAccessDenied(rights, profile.verdict(resource, operation), one));
  if (denied.length > 0) return denied;
  return operations.filter((operation) => !isAccessAllowed(rights, profile.verdict(resource, operation), one));
};

const isRefusedRegardless = ({ needs, isDenied: denied, isAllowed: allowed }: AccessVerdict): boolean =>
  needs.size === 0 && (denied || !allowed);

const requiredFactsOf = (
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

/**
 * Creates the authorizer of a process. It reads the rights on first use and refreshes them before they become too old.
 */
export const createAuthorizer = ({
  readRevision,
  readRights,
  assets,
  clock,
}: AuthorizerDeps): Authorizer & PermissionExplainer => {
  let snapshot: RightsSnapshot | undefined;
  let revision: number | undefined;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  /** The number of changes this process has made, and the number already included in the snapshot. */
  let ownChanges = 0;
  let seenChanges = 0;
  let refreshing: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    const before = ownChanges;
    const sentAt = clock();
    // The revision is read before the rights. The rights are then at least as new, and the next check sees a change
    // made in between.
    const now = await readRevision();
    if (snapshot === undefined || now !== revision) {
      snapshot = createRightsSnapshot(compileRights(await readRights(), assets));
      revision = now;
    }
    seenChanges = before;
    confirmedAt = sentAt;
  };

  const refreshShared = (): Promise<void> => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };

  /** A refresh that had already started may have missed this process's change; the refresh after it cannot. */
  const waitForRefresh = async (wanted: number): Promise<void> => {
    await refreshShared();
    if (seenChanges < wanted) await refreshShared();
  };

  const ensureFresh = (): Promise<void> | undefined =>
    seenChanges === ownChanges && clock() < confirmedAt + FRESH_MS ? undefined : waitForRefresh(ownChanges);

  const current = (): RightsSnapshot => {
    if (snapshot !== undefined && clock() < confirmedAt + OLD_MS) return snapshot;
    throw new CatalogError('unavailable', 'What callers may do could not be read for too long');
  };

  const authorize: Authorize = (principal, operations, subject) => {
    if (principal.isAdmin) return;
    const at = current();
    const caller = at.callerFor(principal);
    if (isPermitted(at, caller, operations, subject.resource, subject.facts)) return;
    throw new CatalogError(
      'forbidden',
      notAllowedMessage(principal, findRefusedOperations(at, caller, operations, subject)),
    );
  };

  const requiredFacts: Authorizer['requiredFacts'] = (principal, operations, resource) =>
    principal.isAdmin ? NO_FACTS : requiredFactsOf(current().callerFor(principal), operations, resource);

  const filter = (principal: Principal, operations: readonly string[], resource: string): RecordFilter => {
    if (principal.isAdmin) return 'all';
    const at = current();
    const caller = at.callerFor(principal);
    if (requiredFactsOf(caller, operations, resource).size > 0) {
      return (facts) => isPermitted(at, caller, operations, resource, facts);
    }
    return isPermitted(at, caller, operations, resource, undefined) ? 'all' : 'none';
  };

  const isAllowedEverywhere: Authorizer['isAllowedEverywhere'] = (principal, operations, resources) => {
    if (principal.isAdmin) return true;
    const { everywhere } = current().callerFor(principal);
    const key = `${operations.join()} ${resources.join()}`;
    const known = everywhere.get(key);
    if (known !== undefined) return known;
    const isAllowed = resources.every((resource) => filter(principal, operations, resource) === 'all');
    everywhere.set(key, isAllowed);
    return isAllowed;
  };

  return Object.freeze({
    isAllowedEverywhere,
    authorize,
    requiredFacts,
    filter,
    ensureFresh,
    invalidate: () => {
      ownChanges += 1;
    },
    explain: (principal: Principal, resources: readonly string[], facts?: RecordFacts) => {
      if (principal.isAdmin) return allowEverything(resources);
      const { rights, callerFor } = current();
      const { profile, facts: who } = callerFor(principal);
      return explainPermissions(rights, { profile, caller: who }, resources, facts);
    },
    digest: (principal: Principal) => {
      if (principal.isAdmin) return 'administrator';
      const { rights, callerFor } = current();
      return digestRights(rights, callerFor(principal).profile, principal.membership ?? NO_MEMBERSHIP);
    },
    explainPolicies: (policyIds: readonly string[], resources: readonly string[]) =>
      explainPolicies(current().rights, policyIds, resources),
  });
};
