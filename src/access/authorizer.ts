import { createHash } from 'node:crypto';
import { CatalogError } from '../errors.ts';
import type { ResourceFact } from '../model/language/condition-evaluation.ts';
import { operationNames } from '../model/schemas/access/policy.ts';
import {
  type AuthorizationSubject,
  type Authorizer,
  notAllowedMessage,
  type RecordFacts,
  type RecordFilter,
} from './authorization.ts';
import {
  type AuthorizerDeps,
  type CurrentRights,
  createCurrentRights,
  ensureFreshRights,
  requireRights,
} from './current-rights.ts';
import {
  allowEverything,
  explainPermissions,
  explainPolicies,
  type ResourcePermissions,
} from './explain-permissions.ts';
import type { Principal, PrincipalMembership } from './principal.ts';
import type { CompiledPolicy, Rights } from './rights.ts';
import {
  type CallerRights,
  findRefusedOperations,
  isPermitted,
  NO_MEMBERSHIP,
  type RightsSnapshot,
  requiredFactsOf,
} from './rights-snapshot.ts';
import { findUnheldRights } from './unheld-rights.ts';
import { NO_FACTS, type RightsProfile } from './verdict.ts';

const rulesOf = ({ id, rules }: CompiledPolicy) => [id, rules.map(({ stored }) => stored)];

/** The policies of teams that own records. They apply to every caller of these records. */
const ownerRules = ({ teams }: Rights) =>
  [...teams.values()]
    .filter(({ policies }) => policies.length > 0)
    .map(({ id, policies }) => [id, policies.map(rulesOf)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/**
 * A text that changes when a caller's rights change: every rule that applies, the roles and teams it comes through, and
 * the caller's membership. Facts about single records are not part of it.
 */
const digestRights = (rights: Rights, profile: RightsProfile, { domainIds }: PrincipalMembership): string => {
  const facts = [
    profile.grants.map(({ policy, role, team }) => [rulesOf(policy), role ?? null, team ?? null]),
    [...profile.teamIds].sort(),
    [...profile.roles].sort(),
    [...domainIds, ...profile.domainIds].sort(),
    ownerRules(rights),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url');
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

/** Names the rule that denies an operation, or says that none allows it. */
const decidingRule = (
  { rights }: RightsSnapshot,
  { profile, facts: who }: CallerRights,
  refused: readonly string[],
  { resource, facts }: AuthorizationSubject,
): string => {
  const names = refused.map(operationNames);
  const [explained] = explainPermissions(rights, { profile, caller: who }, [resource], facts);
  const denied = explained?.permissions.find(({ operation, access }) => access === 'deny' && names.includes(operation));
  return denied?.rule
    ? `The rule ${denied.rule['fullyQualifiedName']} denies ${denied.operation}`
    : `No rule allows ${names.join(', ')} on ${resource}`;
};

/** Throws when the principal may not do the operations. */
const authorize = (
  current: CurrentRights,
  principal: Principal,
  operations: readonly string[],
  subject: AuthorizationSubject,
): void => {
  if (principal.isAdmin) return;
  const rights = requireRights(current);
  const caller = rights.callerFor(principal);
  if (isPermitted(rights, caller, operations, subject.resource, subject.facts)) return;
  const refused = findRefusedOperations(rights, caller, operations, subject);
  const hint = decidingRule(rights, caller, refused, subject);
  throw new CatalogError('forbidden', notAllowedMessage(principal, refused), { hint });
};

const requiredFacts = (
  current: CurrentRights,
  principal: Principal,
  operations: readonly string[],
  resource: string,
): ReadonlySet<ResourceFact> =>
  principal.isAdmin ? NO_FACTS : requiredFactsOf(requireRights(current).callerFor(principal), operations, resource);

const recordFilter = (
  current: CurrentRights,
  principal: Principal,
  operations: readonly string[],
  resource: string,
): RecordFilter => {
  if (principal.isAdmin) return 'all';
  const rights = requireRights(current);
  const caller = rights.callerFor(principal);
  if (requiredFactsOf(caller, operations, resource).size > 0) {
    return (facts) => isPermitted(rights, caller, operations, resource, facts);
  }
  return isPermitted(rights, caller, operations, resource, undefined) ? 'all' : 'none';
};

const isAllowedEverywhere = (
  current: CurrentRights,
  principal: Principal,
  operations: readonly string[],
  resources: readonly string[],
): boolean => {
  if (principal.isAdmin) return true;
  const { everywhere } = requireRights(current).callerFor(principal);
  const key = `${operations.join()} ${resources.join()}`;
  const known = everywhere.get(key);
  if (known !== undefined) return known;
  const isAllowed = resources.every((resource) => recordFilter(current, principal, operations, resource) === 'all');
  everywhere.set(key, isAllowed);
  return isAllowed;
};

const createExplainer = (current: CurrentRights): PermissionExplainer => ({
  explain: (principal, resources, facts) => {
    if (principal.isAdmin) return allowEverything(resources);
    const { rights, callerFor } = requireRights(current);
    const { profile, facts: who } = callerFor(principal);
    return explainPermissions(rights, { profile, caller: who }, resources, facts);
  },
  digest: (principal) => {
    if (principal.isAdmin) return 'administrator';
    const { rights, callerFor } = requireRights(current);
    return digestRights(rights, callerFor(principal).profile, principal.membership ?? NO_MEMBERSHIP);
  },
  explainPolicies: (policyIds, resources) => explainPolicies(requireRights(current).rights, policyIds, resources),
});

/**
 * Creates the authorizer of a process. It reads the rights on first use and refreshes them before they become too old:
 * `current-rights.ts` keeps them fresh, and `rights-snapshot.ts` decides by one state of them.
 */
export const createAuthorizer = (deps: AuthorizerDeps): Authorizer & PermissionExplainer => {
  const current = createCurrentRights(deps);
  return Object.freeze({
    isAllowedEverywhere: (principal, operations, resources) =>
      isAllowedEverywhere(current, principal, operations, resources),
    authorize: (principal, operations, subject) => authorize(current, principal, operations, subject),
    requiredFacts: (principal, operations, resource) => requiredFacts(current, principal, operations, resource),
    filter: (principal, operations, resource) => recordFilter(current, principal, operations, resource),
    hidingFacts: (resource) => requireRights(current).rights.hiding(resource),
    findUnheld: (principal, given) => {
      if (principal.isAdmin) return undefined;
      const { rights, callerFor } = requireRights(current);
      return findUnheldRights(rights, callerFor(principal).profile, given);
    },
    ensureFresh: () => ensureFreshRights(current),
    invalidate: () => {
      current.ownChanges += 1;
    },
    ...createExplainer(current),
  } satisfies Authorizer & PermissionExplainer);
};
