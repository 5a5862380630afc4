import { CatalogError } from '../errors.ts';
import type { CallerFacts, Fact } from '../model/decide.ts';
import {
  type Authorize,
  type Judge,
  notAllowed,
  type RecordFacts,
  type RecordFilter,
  type Subject,
} from './authorize.ts';
import { createCache } from './cache.ts';
import { allowAll, explain, explainPolicies, type ResourcePermissions } from './explain.ts';
import type { Membership, Principal } from './principal.ts';
import { compileRights, type Rights, type RightsData, type Role } from './rights.ts';
import { digestRights } from './rights-digest.ts';
import { createCase, createProfile, isAllowed, isDenied, NO_FACTS, type Profile, type Verdict } from './verdict.ts';

type Deps = {
  /** A number that is another one after every change of a policy, a role or a team. */
  readonly readRevision: () => Promise<number>;
  /** All policies, roles and teams as they are now, or as they became since. */
  readonly readRights: () => Promise<RightsData>;
  /** The types of records that are assets, to which a rule about all resources may grant ownership. */
  readonly assets: ReadonlySet<string>;
  readonly clock: () => number;
};

/** Beside what requests need: why somebody may do something, and what given policies would let them do. */
export type Explainer = {
  /** What the caller may do with resources, or with the one record whose facts are given; one entry per operation. */
  explain(principal: Principal, resources: readonly string[], facts?: RecordFacts): readonly ResourcePermissions[];
  /** A text that changes when the caller's rights do, to compare the rights of now with those of another time. */
  digest(principal: Principal): string;
  /** What policies say of resources, whoever asks. */
  explainPolicies(policyIds: readonly string[], resources: readonly string[]): readonly ResourcePermissions[];
};

/** How long rights may be used before somebody looks whether they have changed. */
const FRESH_MS = 1000;

/**
 * How old rights may become in the hands of one long task that never settles. Requests never see rights of this age: each
 * of them waits for fresh ones, and is refused when they cannot be read.
 */
const OLD_MS = 300_000;

/** People with the same roles in the same teams share what is worked out for them. */
const MAX_PROFILES = 2000;

/** Somebody who asks: what he has in common with others, and what is his own. */
type Caller = {
  readonly profile: Profile;
  readonly facts: CallerFacts;
  /** Answers that hold for as long as the caller is held, by what was asked. */
  readonly everywhere: Map<string, boolean>;
};

const NO_MEMBERSHIP: Membership = { teamIds: [], roleIds: [], domainIds: [] };

const rolesOf = (rights: Rights, { roles }: Principal, { roleIds }: Membership): Role[] => {
  const own = roleIds.map((id) => rights.roles.get(id));
  const provided = roles.map((name) => rights.rolesByName.get(name));
  return [...new Set([...own, ...provided].filter((role) => role !== undefined))];
};

/** What is held for one state of the rights, and goes with it. */
const createBench = (rights: Rights) => {
  const profiles = createCache<Profile>(MAX_PROFILES);
  // A user's record, and with it the membership, is read again every second, and forgotten here with it.
  const callers = new WeakMap<object, Caller & Pick<Principal, 'id' | 'roles'>>();

  const profileFor = (membership: Membership, roles: readonly Role[]): Profile => {
    const key = `${[...membership.teamIds].sort().join(' ')}/${roles
      .map(({ id }) => id)
      .sort()
      .join(' ')}`;
    const profile = profiles.get(key, 0) ?? createProfile(rights, membership.teamIds, roles);
    profiles.set(key, profile, Number.POSITIVE_INFINITY);
    return profile;
  };

  const introduce = (principal: Principal, membership: Membership): Caller => {
    const profile = profileFor(membership, rolesOf(rights, principal, membership));
    const facts = {
      ownerIds: new Set([principal.id, ...membership.teamIds]),
      domainIds: new Set([...membership.domainIds, ...profile.domainIds]),
      teams: profile.teams,
      roles: profile.roles,
    };
    return { profile, facts, everywhere: new Map() };
  };

  const callerFor = (principal: Principal): Caller => {
    const { id, roles, membership = NO_MEMBERSHIP } = principal;
    const known = callers.get(membership);
    if (known !== undefined && known.id === id && known.roles === roles) return known;
    const caller = { ...introduce(principal, membership), id, roles };
    callers.set(membership, caller);
    return caller;
  };

  return { rights, callerFor };
};

type Bench = ReturnType<typeof createBench>;

const passes = (
  { rights }: Bench,
  { profile, facts: who }: Caller,
  operations: readonly string[],
  resource: string,
  facts: RecordFacts | undefined,
): boolean => {
  const one = createCase(rights, who, facts);
  for (const operation of operations) if (isDenied(rights, profile.verdict(resource, operation), one)) return false;
  for (const operation of operations) if (!isAllowed(rights, profile.verdict(resource, operation), one)) return false;
  return true;
};

/** What a refusal names: the operations that are denied, or else those that nothing grants. */
const refusedAmong = (
  { rights }: Bench,
  { profile, facts: who }: Caller,
  operations: readonly string[],
  { resource, facts }: Subject,
): readonly string[] => {
  const one = createCase(rights, who, facts);
  const denied = operations.filter((operation) => isDenied(rights, profile.verdict(resource, operation), one));
  if (denied.length > 0) return denied;
  return operations.filter((operation) => !isAllowed(rights, profile.verdict(resource, operation), one));
};

const isRefusedAnyway = ({ needs, isDenied: denied, isAllowed: allowed }: Verdict): boolean =>
  needs.size === 0 && (denied || !allowed);

const needsOf = ({ profile }: Caller, operations: readonly string[], resource: string): ReadonlySet<Fact> => {
  let needs = NO_FACTS;
  for (const operation of operations) {
    const verdict = profile.verdict(resource, operation);
    if (isRefusedAnyway(verdict)) return NO_FACTS;
    if (verdict.needs.size > 0) needs = needs.size === 0 ? verdict.needs : new Set([...needs, ...verdict.needs]);
  }
  return needs;
};

/** Makes the judge of a process. Rights are read when they are first asked for, and kept no longer than they may be used. */
export const createJudge = ({ readRevision, readRights, assets, clock }: Deps): Judge & Explainer => {
  let bench: Bench | undefined;
  let revision: number | undefined;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  /** How many changes this process has made, and how many of them what is held has seen. */
  let changes = 0;
  let seen = 0;
  let look: Promise<void> | undefined;

  const lookAnew = async (): Promise<void> => {
    const before = changes;
    const sentAt = clock();
    // The revision is read first: what is read after it is at least as new, and a change in between shows next time.
    const now = await readRevision();
    if (bench === undefined || now !== revision) {
      bench = createBench(compileRights(await readRights(), assets));
      revision = now;
    }
    seen = before;
    confirmedAt = sentAt;
  };

  const share = (): Promise<void> => {
    look ??= lookAnew().finally(() => {
      look = undefined;
    });
    return look;
  };

  /** A look that was under way already may have missed a change of ours; the one after it cannot. */
  const wait = async (wanted: number): Promise<void> => {
    await share();
    if (seen < wanted) await share();
  };

  const settle = (): Promise<void> | undefined =>
    seen === changes && clock() < confirmedAt + FRESH_MS ? undefined : wait(changes);

  const current = (): Bench => {
    if (bench !== undefined && clock() < confirmedAt + OLD_MS) return bench;
    throw new CatalogError('unavailable', 'What callers may do could not be read for too long');
  };

  const authorize: Authorize = (principal, operations, subject) => {
    if (principal.isAdmin) return;
    const at = current();
    const caller = at.callerFor(principal);
    if (passes(at, caller, operations, subject.resource, subject.facts)) return;
    throw new CatalogError('forbidden', notAllowed(principal, refusedAmong(at, caller, operations, subject)));
  };

  const needs: Judge['needs'] = (principal, operations, resource) =>
    principal.isAdmin ? NO_FACTS : needsOf(current().callerFor(principal), operations, resource);

  const filter = (principal: Principal, operations: readonly string[], resource: string): RecordFilter => {
    if (principal.isAdmin) return 'all';
    const at = current();
    const caller = at.callerFor(principal);
    if (needsOf(caller, operations, resource).size > 0) {
      return (facts) => passes(at, caller, operations, resource, facts);
    }
    return passes(at, caller, operations, resource, undefined) ? 'all' : 'none';
  };

  const allowsEverywhere: Judge['allowsEverywhere'] = (principal, operations, resources) => {
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
    allowsEverywhere,
    authorize,
    needs,
    filter,
    settle,
    outdate: () => {
      changes += 1;
    },
    explain: (principal: Principal, resources: readonly string[], facts?: RecordFacts) => {
      if (principal.isAdmin) return allowAll(resources);
      const { rights, callerFor } = current();
      const { profile, facts: who } = callerFor(principal);
      return explain(rights, { profile, caller: who }, resources, facts);
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
