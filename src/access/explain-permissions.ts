import { type CallerFacts, compileCondition, simplifyCondition } from '../model/language/condition-evaluation.ts';
import { joinFqn } from '../model/name.ts';
import { coversOperation, POLICY_OPERATIONS } from '../model/schemas/access/policy.ts';
import type { RecordFacts } from './authorization.ts';
import type { CompiledRule, Rights } from './rights.ts';
import { type AccessCase, createAccessCase, type PolicyGrant, type RightsProfile } from './verdict.ts';

/** What is to be said of an operation, from what counts most to what counts least. */
export const ACCESS_LEVELS = ['deny', 'allow', 'conditionalDeny', 'conditionalAllow', 'notAllow'] as const;
type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** What somebody may do, and the rule that decides it, with the policy and the role it comes from. */
export type Permission = {
  readonly operation: string;
  readonly access: AccessLevel;
  readonly rule?: { readonly [member: string]: unknown };
  readonly policy?: string;
  readonly role?: string;
};

/** What administrators may do: everything, by no rule. */
export const allowEverything = (resources: readonly string[]): readonly ResourcePermissions[] => {
  const permissions = POLICY_OPERATIONS.map((operation) => ({ operation, access: 'allow' as const }));
  return resources.map((resource) => ({ resource, permissions }));
};

/** What a rule comes to for one who asks; undefined when its condition is not met. */
type RuleEvaluator = (rule: CompiledRule, grant: PolicyGrant) => AccessLevel | undefined;

const accessLevelOf = ({ isDeny }: CompiledRule, truth: boolean | undefined): AccessLevel | undefined => {
  if (truth === false) return undefined;
  if (truth === undefined) return isDeny ? 'conditionalDeny' : 'conditionalAllow';
  return isDeny ? 'deny' : 'allow';
};

/** Where no record is at hand, what depends on one stays open. */
const createCallerEvaluator =
  ({ teams, roles }: Pick<CallerFacts, 'teams' | 'roles'>): RuleEvaluator =>
  (rule, { team }) => {
    if (rule.condition === undefined) return accessLevelOf(rule, true);
    const outcome = simplifyCondition(rule.condition, { teams, roles, policyTeam: team });
    return accessLevelOf(rule, typeof outcome === 'boolean' ? outcome : undefined);
  };

const createRecordEvaluator =
  (one: AccessCase): RuleEvaluator =>
  (rule, { team }) => {
    one.policyTeam = team;
    return accessLevelOf(rule, rule.condition === undefined || compileCondition(rule.condition)(one));
  };

/** Whoever it is: what depends on the caller stays open too. */
const evaluateForAnyone: RuleEvaluator = (rule) => accessLevelOf(rule, rule.condition === undefined ? true : undefined);

const describeRule = ({ stored, policy }: CompiledRule) => ({
  ...stored,
  fullyQualifiedName: joinFqn(policy.fullyQualifiedName, stored.name),
});

type EvaluatedRule = { readonly access: AccessLevel; readonly rule: CompiledRule; readonly grant: PolicyGrant };

const precedenceOf = (access: AccessLevel): number => ACCESS_LEVELS.indexOf(access);

/**
 * What there is to say before it is known of which resource and operation, so that it need not be worked out for each: the
 * weightiest first, and of equal weight in the order of evaluation.
 */
const evaluateGrants = (grants: readonly PolicyGrant[], weigh: RuleEvaluator): readonly EvaluatedRule[] =>
  grants
    .flatMap((grant) =>
      grant.policy.rules.flatMap((rule) => {
        const access = weigh(rule, grant);
        return access === undefined ? [] : [{ access, rule, grant }];
      }),
    )
    .sort((a, b) => precedenceOf(a.access) - precedenceOf(b.access));

const describePermission = (operation: string, found: EvaluatedRule | undefined): Permission => {
  if (!found) return { operation, access: 'notAllow' };
  const { access, rule, grant } = found;
  const role = grant.role === undefined ? {} : { role: grant.role };
  return { operation, access, rule: describeRule(rule), policy: grant.policy.name, ...role };
};

export type ResourcePermissions = { readonly resource: string; readonly permissions: readonly Permission[] };

/** The places, among all operations, of those that a rule is about. */
const coveredOperations = ({ operations }: CompiledRule): readonly number[] =>
  POLICY_OPERATIONS.flatMap((operation, at) => (coversOperation(operations, operation) ? [at] : []));

const decideResource = (resource: string, all: readonly EvaluatedRule[], covered: readonly (readonly number[])[]) => {
  const best = new Array<EvaluatedRule | undefined>(POLICY_OPERATIONS.length).fill(undefined);
  all.forEach((found, index) => {
    if (!found.rule.appliesTo(resource)) return;
    for (const at of covered[index] ?? []) {
      if (best[at] === undefined && found.rule.covers(resource, POLICY_OPERATIONS[at] ?? '')) best[at] = found;
    }
  });
  return { resource, permissions: POLICY_OPERATIONS.map((operation, at) => describePermission(operation, best[at])) };
};

const decideResources = (
  grants: readonly PolicyGrant[],
  resources: readonly string[],
  weigh: RuleEvaluator,
): ResourcePermissions[] => {
  const all = evaluateGrants(grants, weigh);
  const covered = all.map(({ rule }) => coveredOperations(rule));
  return resources.map((resource) => decideResource(resource, all, covered));
};

/** The policies that the teams owning a record bring along, as far as the caller does not have them anyway. */
const ownerGrants = (rights: Rights, { teamIds }: RightsProfile, { owningTeamIds }: RecordFacts): PolicyGrant[] => {
  const teams = new Set(owningTeamIds.flatMap((id) => rights.teamsAbove(id)).filter(({ id }) => !teamIds.has(id)));
  return [...teams].flatMap(({ fullyQualifiedName, policies }) =>
    policies.map((policy) => ({ policy, role: undefined, team: fullyQualifiedName })),
  );
};

type ExplainedCaller = { readonly profile: RightsProfile; readonly caller: CallerFacts };

/** What a caller may do with resources; with the facts of one record, what he may do with that. */
export const explainPermissions = (
  rights: Rights,
  { profile, caller }: ExplainedCaller,
  resources: readonly string[],
  facts: RecordFacts | undefined,
): readonly ResourcePermissions[] => {
  if (facts === undefined) return decideResources(profile.grants, resources, createCallerEvaluator(caller));
  const grants = [...profile.grants, ...ownerGrants(rights, profile, facts)];
  return decideResources(grants, resources, createRecordEvaluator(createAccessCase(rights, caller, facts)));
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
  return decideResources(grants, resources, evaluateForAnyone);
};
