import { type CallerFacts, compileCondition, settleCondition } from '../model/decide.ts';
import { joinFqn } from '../model/name.ts';
import { covers, OPERATIONS } from '../model/policy-values.ts';
import type { RecordFacts } from './authorize.ts';
import type { Rights, Rule } from './rights.ts';
import { type Case, createCase, type Grant, type Profile } from './verdict.ts';

/** What is to be said of an operation, from what counts most to what counts least. */
export const ACCESSES = ['deny', 'allow', 'conditionalDeny', 'conditionalAllow', 'notAllow'] as const;
type Access = (typeof ACCESSES)[number];

/** What somebody may do, and the rule that decides it, with the policy and the role it comes from. */
export type Permission = {
  readonly operation: string;
  readonly access: Access;
  readonly rule?: { readonly [member: string]: unknown };
  readonly policy?: string;
  readonly role?: string;
};

/** What administrators may do: everything, by no rule. */
export const allowAll = (resources: readonly string[]): readonly ResourcePermissions[] => {
  const permissions = OPERATIONS.map((operation) => ({ operation, access: 'allow' as const }));
  return resources.map((resource) => ({ resource, permissions }));
};

/** What a rule comes to for one who asks; undefined when its condition is not met. */
type Weigh = (rule: Rule, grant: Grant) => Access | undefined;

const accessOf = ({ isDeny }: Rule, truth: boolean | undefined): Access | undefined => {
  if (truth === false) return undefined;
  if (truth === undefined) return isDeny ? 'conditionalDeny' : 'conditionalAllow';
  return isDeny ? 'deny' : 'allow';
};

/** Where no record is at hand, what depends on one stays open. */
const weighFor =
  ({ teams, roles }: Pick<CallerFacts, 'teams' | 'roles'>): Weigh =>
  (rule, { team }) => {
    if (rule.condition === undefined) return accessOf(rule, true);
    const settled = settleCondition(rule.condition, { teams, roles, policyTeam: team });
    return accessOf(rule, typeof settled === 'boolean' ? settled : undefined);
  };

const weighCase =
  (one: Case): Weigh =>
  (rule, { team }) => {
    one.policyTeam = team;
    return accessOf(rule, rule.condition === undefined || compileCondition(rule.condition)(one));
  };

/** Whoever it is: what depends on the caller stays open too. */
const weighRule: Weigh = (rule) => accessOf(rule, rule.condition === undefined ? true : undefined);

const shown = ({ stored, policy }: Rule) => ({
  ...stored,
  fullyQualifiedName: joinFqn(policy.fullyQualifiedName, stored.name),
});

type Found = { readonly access: Access; readonly rule: Rule; readonly grant: Grant };

const weightOf = (access: Access): number => ACCESSES.indexOf(access);

/**
 * What there is to say before it is known of which resource and operation, so that it need not be worked out for each: the
 * weightiest first, and of equal weight in the order of evaluation.
 */
const weighAll = (grants: readonly Grant[], weigh: Weigh): readonly Found[] =>
  grants
    .flatMap((grant) =>
      grant.policy.rules.flatMap((rule) => {
        const access = weigh(rule, grant);
        return access === undefined ? [] : [{ access, rule, grant }];
      }),
    )
    .sort((a, b) => weightOf(a.access) - weightOf(b.access));

const shownFound = (operation: string, found: Found | undefined): Permission => {
  if (!found) return { operation, access: 'notAllow' };
  const { access, rule, grant } = found;
  const role = grant.role === undefined ? {} : { role: grant.role };
  return { operation, access, rule: shown(rule), policy: grant.policy.name, ...role };
};

export type ResourcePermissions = { readonly resource: string; readonly permissions: readonly Permission[] };

/** The places, among all operations, of those that a rule is about. */
const coveredBy = ({ operations }: Rule): readonly number[] =>
  OPERATIONS.flatMap((operation, at) => (covers(operations, operation) ? [at] : []));

const decideFor = (resource: string, all: readonly Found[], covered: readonly (readonly number[])[]) => {
  const best = new Array<Found | undefined>(OPERATIONS.length).fill(undefined);
  all.forEach((found, place) => {
    if (!found.rule.concerns(resource)) return;
    for (const at of covered[place] ?? []) {
      if (best[at] === undefined && found.rule.covers(resource, OPERATIONS[at] ?? '')) best[at] = found;
    }
  });
  return { resource, permissions: OPERATIONS.map((operation, at) => shownFound(operation, best[at])) };
};

const decideAll = (grants: readonly Grant[], resources: readonly string[], weigh: Weigh): ResourcePermissions[] => {
  const all = weighAll(grants, weigh);
  const covered = all.map(({ rule }) => coveredBy(rule));
  return resources.map((resource) => decideFor(resource, all, covered));
};

/** The policies that the teams owning a record bring along, as far as the caller does not have them anyway. */
const ownerGrants = (rights: Rights, { teamIds }: Profile, { owningTeamIds }: RecordFacts): Grant[] => {
  const teams = new Set(owningTeamIds.flatMap((id) => rights.above(id)).filter(({ id }) => !teamIds.has(id)));
  return [...teams].flatMap(({ fullyQualifiedName, policies }) =>
    policies.map((policy) => ({ policy, role: undefined, team: fullyQualifiedName })),
  );
};

type Asker = { readonly profile: Profile; readonly caller: CallerFacts };

/** What a caller may do with resources; with the facts of one record, what he may do with that. */
export const explain = (
  rights: Rights,
  { profile, caller }: Asker,
  resources: readonly string[],
  facts: RecordFacts | undefined,
): readonly ResourcePermissions[] => {
  if (facts === undefined) return decideAll(profile.grants, resources, weighFor(caller));
  const grants = [...profile.grants, ...ownerGrants(rights, profile, facts)];
  return decideAll(grants, resources, weighCase(createCase(rights, caller, facts)));
};

/** What policies say of resources; one that is switched off says nothing. */
export const explainPolicies = (
  rights: Rights,
  policyIds: readonly string[],
  resources: readonly string[],
): readonly ResourcePermissions[] => {
  const grants = policyIds.flatMap((id) => {
    const policy = rights.policies.get(id);
    return policy?.enabled ? [{ policy, role: undefined, team: undefined }] : [];
  });
  return decideAll(grants, resources, weighRule);
};
